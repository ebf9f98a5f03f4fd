"""The literal filter lets few candidates through."""

from __future__ import annotations

import pytest

from errdex.matching.patterns.batches import Batch
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pack.facts import MOST_BYTES
from errdex.matching.patterns.text_bytes import encode


def candidates(sources: list[str], text: str) -> set[int]:
    """The patterns that would be tried on a text."""
    index = PatternSet.compile((str(n), source) for n, source in enumerate(sources)).index
    batch = Batch(0, [encode(text)])
    found = index.patterns_with(index.find_literals(batch).get(0, ()))
    return {pattern for pattern in found if not index.rules_out(pattern, batch.scanned.data)}


SHARED = [f"failed to load (.+?) from the {place}" for place in ("cellar", "attic", "garden")]


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
def test_a_shared_beginning_does_not_make_a_candidate(text: str, expected: set[int]) -> None:
    assert candidates(SHARED, text) == expected


def test_of_two_literals_the_telling_one_is_looked_for() -> None:
    index = PatternSet.compile([("a", "error: (.+?) speculative_eagle_topk")]).index

    assert index.find_literals(Batch(0, [b"error: something else"])) == {}


def test_all_of_a_long_literal_is_needed() -> None:
    literal = "a message that goes on for longer than a key of the scan"

    assert len(literal) > 2 * MOST_BYTES
    assert candidates([literal], literal.replace("longer", "shorter")) == set()
    assert candidates([literal], literal) == {0}


@pytest.mark.parametrize("text", ["NO SUCH FILE", "no \u017fuch file", "No\nsuch\tFile"])
def test_any_case_is_found_in_the_folded_form(text: str) -> None:
    assert candidates(["(?i)no such file"], text) == {0}


def test_a_literal_within_another_counts() -> None:
    assert candidates(["disk full error", "full", "isk fu"], "disk full error") == {0, 1, 2}
