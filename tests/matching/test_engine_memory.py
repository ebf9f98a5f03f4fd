"""Patterns that share a literal by the thousand: candidates are gathered for one text at a time,
and the clock is read between them."""

from __future__ import annotations

import pytest

from errdex.matching.patterns import candidates, pattern_search
from errdex.matching.patterns.batches import Batch
from errdex.matching.patterns.candidates import CandidateFinder
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.literal_index import TABLE_FROM
from errdex.matching.patterns.pattern_search import Limits

pytestmark = pytest.mark.slow

MANY = [(str(n), f"boom failure [a-z]{{{n % 9 + 1}}}[0-9]{{{n % 7 + 1}}}") for n in range(3_000)]
LINES = [f"boom failure x{n}" for n in range(1_000)]


class Ticks:
    def __init__(self) -> None:
        self.read = 0

    def __call__(self) -> float:
        self.read += 1
        return float(self.read)


@pytest.mark.parametrize("table_from", [0, TABLE_FROM])
def test_candidates_are_held_for_few_texts_at_a_time(
    monkeypatch: pytest.MonkeyPatch, table_from: int
) -> None:
    """Not for all texts of a batch: that would be 3,000,000 of them."""
    patterns = PatternSet.compile(MANY, table_from=table_from)
    monkeypatch.setattr(candidates, "MOST_PAIRS", 2 * len(MANY))
    held: list[int] = []
    listed = CandidateFinder._list_pairs

    def counted(self, texts, keys):
        found = listed(self, texts, keys)
        held.append(len(found[0]))
        return found

    monkeypatch.setattr(CandidateFinder, "_list_pairs", counted)

    findings = patterns.find(LINES, Limits(seconds=20_000), clock=Ticks())

    assert not findings.complete
    assert 0 < findings.units < 10
    assert max(held, default=0) <= 2 * len(MANY)
    assert len(held) == (0 if table_from else -(-(findings.units + 1) // 2))


def test_all_texts_have_all_their_candidates_however_few_are_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(candidates, "MOST_PAIRS", 7)
    sources = [*(source for _, source in MANY[:9]), "(.+?) failure of x", "another (.+?) boom"]
    index = PatternSet.compile(
        ((str(n), source) for n, source in enumerate(sources)), table_from=0
    ).index
    texts = ["boom failure x", "", "boom failure of x, another x boom", "another 1 boom"]
    found = list(index.find_candidates(Batch(0, texts)))
    assert found == [(0, list(range(9))), (2, list(range(11))), (3, [10])]


def test_patterns_without_a_literal_are_held_for_few_texts_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pattern_search, "MOST_HELD", 100)
    patterns = PatternSet.compile([(str(n), rf"\d{{{n + 1}}}") for n in range(9)])
    assert patterns.unfiltered == 9
    ranges: set[range] = set()
    find = PatternSet.find_texts

    def counted(self, index, batch, texts):
        ranges.add(texts)
        return find(self, index, batch, texts)

    monkeypatch.setattr(PatternSet, "find_texts", counted)
    texts = [str(10**n) for n in range(9)] * 20

    findings = patterns.find(texts)

    assert {len(each) for each in ranges} == {10}
    assert findings.complete
    found = [(match.unit, match.key) for match in findings.matches]
    assert found == [(unit, str(n)) for unit in range(180) for n in range(unit % 9 + 1)]


def test_the_clock_is_read_while_patterns_without_a_literal_are_tried() -> None:
    patterns = PatternSet.compile([(str(n), rf"\d{{{n + 5}}}") for n in range(900)])
    clock = Ticks()
    findings = patterns.find(["none here"] * 10, Limits(seconds=20), clock=clock)
    assert (findings.complete, findings.units) == (False, 0)
    assert clock.read < 30


def test_the_clock_is_read_while_candidates_are_passed_over() -> None:
    clock = Ticks()
    findings = PatternSet.compile(MANY).find(
        LINES, Limits(seconds=50), clock=clock, settled=lambda unit, key: True
    )
    assert not findings.complete
    assert findings.matches == []
    assert 0 < findings.units < 10
    assert clock.read < 60
