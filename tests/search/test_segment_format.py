"""Posting lists are read as they were written, and phrases found in running text."""

from __future__ import annotations

import struct
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.search.analysis import sign
from errdex.search.document import BREAK, find_phrase
from errdex.search.protocol import IndexDamaged
from errdex.search.whoosh.files import PinnedStorage
from errdex.search.whoosh.segment import POSTINGS, _read_postings
from errdex.search.whoosh.writing import _pack, _pack_one


@pytest.mark.parametrize("number", [0, 1, 255, 256, 65_535, 65_536, 2**31 - 1])
@pytest.mark.parametrize("weight", [None, 1, 255])
def test_one_posting(number: int, weight: int | None) -> None:
    by_hand = _read_postings(_pack_one(number, weight))
    numbers = np.array([number], np.int32)
    weights = None if weight is None else np.array([weight], np.uint8)
    packed = _read_postings(_pack(numbers, weights))
    for one, other in zip(by_hand, packed, strict=True):
        assert one.tolist() == other.tolist()
    assert by_hand[0].tolist() == [number]
    assert by_hand[1].tolist() == [weight or 1]


@given(st.sets(st.integers(0, 2**31 - 1), min_size=1, max_size=200), st.integers(1, 255))
def test_any_postings(chosen: set[int], weight: int) -> None:
    numbers = np.array(sorted(chosen), np.int32)
    weights = np.full(len(numbers), weight, np.uint8)
    read, read_weights = _read_postings(_pack(numbers, weights))
    assert read.tolist() == numbers.tolist()
    assert read_weights.tolist() == weights.tolist()
    assert _read_postings(_pack(numbers, None))[1].tolist() == [1] * len(numbers)


def test_many_postings() -> None:
    numbers = np.arange(0, 400_000, 3, dtype=np.int32)
    weights = (numbers % 255 + 1).astype(np.uint8)
    read, read_weights = _read_postings(_pack(numbers, weights))
    assert (read == numbers).all()
    assert (read_weights == weights).all()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 5,
        POSTINGS.pack(1, 3, 0) + b"\0" * 3,
        POSTINGS.pack(2, 1, 1) + b"\0" * 3,
        POSTINGS.pack(2, 1, 1) + b"\0" * 5,
        POSTINGS.pack(2, 1, 2) + b"\0" * 6,
        POSTINGS.pack(2**32 - 1, 4, 1) + b"\0" * 100,
    ],
)
def test_a_posting_list_that_was_not_written_is_damage(data: bytes) -> None:
    with pytest.raises((IndexDamaged, struct.error)):
        _read_postings(data)


words = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)


@given(st.lists(words, min_size=1, max_size=4), words.filter(bool))
def test_phrases_one_by_one_and_in_the_whole_text(
    texts: list[list[str]], phrase: list[str]
) -> None:
    signed = [sign(text) + BREAK for text in texts]
    ends = np.cumsum([len(text) for text in signed]).tolist()
    spans = list(zip([0, *ends], ends, strict=False))
    with TemporaryDirectory() as folder:
        (Path(folder) / "text").write_bytes(b"".join(signed) + b"what the column ends with")
        mapped = PinnedStorage(Path(folder), ["text"]).map("text")
    expected = [f" {' '.join(phrase)} " in f" {' '.join(text)} " for text in texts]
    assert [find_phrase(sign(phrase), text) for text in signed] == expected
    for times in (1, 9):  # one by one, and all at once
        starts, stops = (np.array(list(column) * times) for column in zip(*spans, strict=True))
        assert mapped.find_each(sign(phrase), starts, stops).tolist() == expected * times
    found = mapped.find_all(sign(phrase))
    assert [any(a <= place < b for place in found) for a, b in spans] == expected


def test_a_phrase_begins_where_a_word_does(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"\0\4\1\2\3\0\0\0\4\1\2\3")
    mapped = PinnedStorage(tmp_path, ["text"]).map("text")
    starts, ends = np.array([0, 0]), np.array([8, 12])
    assert mapped.find_each(b"\1\2\3\0", starts, ends).tolist() == [False, False]
    assert not len(mapped.find_all(b"\1\2\3\0"))
    assert mapped.find_each(b"\4\1\2\3", starts, ends).tolist() == [False, True]
    assert mapped.find_all(b"\4\1\2\3").tolist() == [8]
    assert not len(mapped.find_all(b"\1\2\3\4" * 9))
