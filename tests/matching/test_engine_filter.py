"""The literal filter lets few candidates through."""

from __future__ import annotations

import pytest

from errdex.matching.patterns.batches import Batch
from errdex.matching.patterns.candidates import one_space
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.literal_index import TABLE_FROM, LiteralIndex
from errdex.matching.patterns.literals import normalise
from errdex.matching.patterns.pack.facts import MOST_BYTES
from errdex.matching.patterns.text_bytes import encode


def candidates(sources: list[str], text: str, table_from: int) -> set[int]:
    """The patterns that would be tried on a text."""
    index = index_of(sources, table_from)
    found = dict(index.find_candidates(Batch(0, [text])))
    scanned = normalise(encode(text))
    return {pattern for pattern in found.get(0, ()) if not index.rules_out(pattern, scanned)}


def index_of(sources: list[str], table_from: int) -> LiteralIndex:
    keyed = ((str(n), source) for n, source in enumerate(sources))
    return PatternSet.compile(keyed, table_from=table_from).index


BOTH = pytest.mark.parametrize("table_from", [0, TABLE_FROM])
SHARED = [f"failed to load (.+?) from the {place}" for place in ("cellar", "attic", "garden")]


@BOTH
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("failed to load x from the attic", {1}),
        ("failed  to\nload x from\tthe   attic", {1}),
        ("failed to load x from the kitchen", set()),
        ("all loaded from the attic", set()),
        ("", set()),
    ],
)
def test_a_shared_beginning_does_not_make_a_candidate(
    text: str, expected: set[int], table_from: int
) -> None:
    assert candidates(SHARED, text, table_from) == expected


@BOTH
def test_of_two_literals_the_telling_one_is_looked_for(table_from: int) -> None:
    index = index_of(["error: (.+?) speculative_eagle_topk"], table_from)

    assert list(index.find_candidates(Batch(0, ["error: something else"]))) == []


@BOTH
def test_all_of_a_long_literal_is_needed(table_from: int) -> None:
    literal = "a message that goes on for longer than a key of the scan"

    assert len(literal) > 2 * MOST_BYTES
    assert candidates([literal], literal.replace("longer", "shorter"), table_from) == set()
    assert candidates([literal], literal, table_from) == {0}


@BOTH
@pytest.mark.parametrize("text", ["NO SUCH FILE", "no \u017fuch file", "No\nsuch\tFile"])
def test_any_case_is_found_in_the_folded_form(text: str, table_from: int) -> None:
    assert candidates(["(?i)no such file"], text, table_from) == {0}


@BOTH
def test_a_literal_within_another_counts(table_from: int) -> None:
    sources = ["disk full error", "full", "isk fu", "isk full err"]
    assert candidates(sources, "disk full error", table_from) == {0, 1, 2, 3}


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        "valve 7 lost pressure at the northern gate",
        "VALVE  7\tlost pressure\n at  the northern   gate ",
        "x y \u212a: valve 7 lost pressure at the northern gate é",
        " (valve 7 lost pressure at the northern gate)",
    ],
)
def test_a_text_is_found_among_others_and_by_itself(text: str, table_from: int) -> None:
    """Word starts are those of each text, whatever is before and behind it in a batch."""
    index = index_of(
        ["lost pressure at the (.+?) gate", "(?i)valve [0-9]+ lost", "e (.+?)e"], table_from
    )
    around = ["", "lost", " at the", "é", text, "", "gate"]
    found = dict(index.find_candidates(Batch(0, around)))
    assert {0, 1} <= set(found[4])
    assert set(dict(index.find_candidates(Batch(0, [text])))[0]) >= {0, 1}


def test_texts_without_another_word_of_a_pattern_are_left_out() -> None:
    """Before any pattern is looked at by itself: many may share a key."""
    places = [f"pump {word}" for word in ("alpha", "bravo", "delta", "gamma")]
    sources = [f"of the {place} (.+?) permission denied by the kernel" for place in places]
    index = index_of(sources, table_from=0)
    text = "of the pump delta 7 permission denied by the kernel"
    assert dict(index.find_candidates(Batch(0, [text]))) == {0: [2]}
    floating = [f"{place[5:]} (.+?) permission denied by the kernel" for place in places]
    index = index_of(floating, table_from=0)
    assert dict(index.find_candidates(Batch(0, ["no", text]))) == {1: [2]}


@pytest.mark.parametrize("text", ["", " ", "\t a \n", "é  “x”\r\n", "a" * 100, "  \v\f  z"])
def test_white_space_is_cut_in_numpy_as_it_is_by_splitting(text: str) -> None:
    batch = Batch(0, [text, "", text.upper()])
    assert one_space(batch.spaced) == batch.folded.data
