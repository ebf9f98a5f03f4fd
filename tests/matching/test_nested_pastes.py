"""No paste, however deep something is nested in it, ends a match with an error of ours, and none
takes more of the stack for being longer."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from tests.matching.nested_pastes import NESTED

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.ranking.matcher import Matcher

PATTERNS = {"said": "an error said", "value": "ValueError: (.*) x", "any": "failed to (.+)"}
SMALL, LARGE = 30_000, 5_000_000
MOST_FRAMES = 250
"""Of Python's stack, the test's own included; it gives 1,000."""


@pytest.fixture
def shallow() -> Iterator[None]:
    """A stack that ends early, so that small pastes show what grows."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(MOST_FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def match_each(size: int) -> list[str]:
    matcher = Matcher(PatternSet.compile(PATTERNS.items()))
    failed = []
    for name, make in NESTED.items():
        try:
            matcher.match(make(size), lambda keys: {})
        except (RecursionError, MemoryError) as error:
            failed.append(f"{name}: {type(error).__name__}")
    return failed


@pytest.mark.usefixtures("shallow")
def test_no_parser_recurses_by_the_size_of_a_paste() -> None:
    assert match_each(SMALL) == []


@pytest.mark.slow
@pytest.mark.usefixtures("shallow")
def test_neither_does_one_in_the_largest_pastes() -> None:
    assert match_each(LARGE) == []
