"""Lines out of a stream: cut, bounded, unpacked little by little."""

from __future__ import annotations

import gzip
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from errdex.web.match.body import PasteRefused
from errdex.web.match.line_stream import _UNPACKERS, MAX_LINE, LineSplitter, StreamLine
from errdex.web.match.stream import paste_of

LOG = b"".join(b"line %d of a log\n" % number for number in range(3_000))


def split(*pieces: bytes) -> list[tuple[int, bytes | None]]:
    splitter = LineSplitter()
    lines: list[StreamLine] = [line for piece in pieces for line in splitter.feed(piece)]
    return [(line.number, line.data) for line in [*lines, *splitter.end()]]


@given(st.lists(st.sampled_from([b"a", b"\n", b"b\nc", b"\r\n", b" ", b"\xff"]), max_size=20))
def test_however_a_stream_is_cut_its_lines_are_the_same(pieces: list[bytes]) -> None:
    lines = list(enumerate(b"".join(pieces).split(b"\n"), 1))
    assert split(*pieces) == [(number, line) for number, line in lines if line.strip()]


def test_a_line_that_is_too_long_is_reported_and_the_next_one_read() -> None:
    exact = b"x" * MAX_LINE
    assert split(exact + b"\n", exact, b"y\nz\n") == [(1, exact), (2, None), (3, b"z")]
    assert split(*[exact] * 50) == [(1, None)]


def unpack(chunks: list[bytes], encoding: str) -> tuple[bytes, int]:
    """What comes out of it, and the length of the longest piece."""
    unpacker = _UNPACKERS[encoding](lambda _: None)
    pieces = [piece for chunk in chunks for piece in unpacker.feed(chunk)]
    unpacker.check_end()
    return b"".join(pieces), max(map(len, pieces), default=0)


PACKED = {
    "": LOG,
    "gzip": gzip.compress(LOG[:9_000]) + gzip.compress(LOG[9_000:]),
    "deflate": zlib.compress(LOG),
    "zstd": zstandard.compress(LOG[:9_000]) + zstandard.compress(LOG[9_000:]),
}


@pytest.mark.parametrize("encoding", PACKED)
@pytest.mark.parametrize("step", [1, 777, 10_000_000])
def test_a_packed_stream_is_unpacked(encoding: str, step: int) -> None:
    data = PACKED[encoding]
    chunks = [data[start : start + step] for start in range(0, len(data), step)]
    assert unpack(chunks, encoding)[0] == LOG


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_a_bomb_comes_out_in_small_pieces(encoding: str) -> None:
    bomb = bytes(60_000_000)
    packers = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstandard.compress}
    packed = packers[encoding](bomb)
    out, longest = unpack([packed], encoding)
    assert len(out) == len(bomb)
    assert longest < 4_000_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
@pytest.mark.parametrize("cut", [1, 10, 1_000])
def test_a_stream_that_is_cut_or_none_at_all_is_refused(encoding: str, cut: int) -> None:
    for data in (PACKED[encoding][:-cut], b"\xff\xff not packed at all"):
        with pytest.raises(PasteRefused):
            unpack([data], encoding)


@pytest.mark.parametrize(
    ("line", "paste"),
    [
        (b'{"text": "KeyError: 5"}', "KeyError: 5"),
        (b'"KeyError: 5"', "KeyError: 5"),
        (b"KeyError: 5", b"KeyError: 5"),
        (b"\xff {", b"\xff {"),
        (b'{"level": "error", "message": "x"}', b'{"level": "error", "message": "x"}'),
        (b'{"text": "x", "level": "error"}', b'{"text": "x", "level": "error"}'),
        (b'{"text": 5}', b'{"text": 5}'),
        (b'{"text": "x', b'{"text": "x'),
        (b"[" * 60_000, b"[" * 60_000),
        (b'{"a":' * 9_000, b'{"a":' * 9_000),
    ],
)
def test_what_a_line_of_a_stream_is(line: bytes, paste: bytes | str) -> None:
    assert paste_of(line) == paste
