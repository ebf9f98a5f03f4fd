"""The invariant: the engine finds what trying each pattern on each text finds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from tests.matching.pattern_grammar import PatternWriter, TextWriter, usable

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pattern import PatternMatch, compile_pattern
from errdex.matching.patterns.regex.parser import parse_regex

Found = list[tuple[int, int, PatternMatch]]


def naive(sources: Sequence[str], texts: Iterable[str]) -> Found:
    """Each pattern tried on each text."""
    found: Found = []
    patterns = [(key, compile_pattern(source)) for key, source in enumerate(sources)]
    for unit, text in enumerate(texts):
        for key, pattern in patterns:
            if place := pattern.search(text):
                found.append((unit, key, place))
    return found


def by_engine(sources: Sequence[str], texts: Sequence[str]) -> Found:
    findings = PatternSet.compile(enumerate(sources)).find(texts)
    assert findings.complete
    assert findings.units == len(texts)
    return [(match.unit, match.key, match.place) for match in findings.matches]


def check_one_case(rng: random.Random) -> None:
    pattern_writer, text_writer = PatternWriter(rng), TextWriter(rng)
    sources = usable(pattern_writer.source() for _ in range(rng.randint(1, 3)))
    trees = [parse_regex(source) for source in sources]
    texts = [text_writer.text(trees) for _ in range(rng.randint(1, 4))] if trees else [""]

    expected = naive(sources, texts)

    event("some match" if expected else "no match")
    assert by_engine(sources, texts) == expected, (sources, texts)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None, database=None, phases=[Phase.generate])
@given(st.integers(0, 2**63))
def test_engine_equals_the_naive_matcher(seed: int) -> None:
    check_one_case(random.Random(seed))


@pytest.mark.slow
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms(use_true_random=False))
def test_engine_equals_the_naive_matcher_in_cases_that_shrink(rng: random.Random) -> None:
    check_one_case(rng)


COMMON = [(1000 + number, f"the pump {number} of (.+?) lost pressure") for number in range(40)]
"""So many that the change of a few patterns does not make the set anew."""


@pytest.mark.slow
@settings(max_examples=1_000, deadline=None, database=None, phases=[Phase.generate])
@given(st.integers(0, 2**63))
def test_an_updated_set_finds_what_one_made_anew_finds(seed: int) -> None:
    rng = random.Random(seed)
    pattern_writer, text_writer = PatternWriter(rng), TextWriter(rng)
    sources = usable(pattern_writer.source() for _ in range(4))
    trees = [parse_regex(source) for source in sources]
    texts = [text_writer.text(trees) for _ in range(4)] if trees else [""]
    texts.append("the pump 7 of the cellar lost pressure")
    keyed = list(enumerate(sources))
    before, now = (COMMON + rng.sample(keyed, rng.randint(0, len(keyed))) for _ in range(2))
    if now and rng.random() < 0.3:  # one that has another source now
        now = [(key, "(?:" + source + ")") for key, source in now[:1]] + now[1:]

    updated = PatternSet.compile(before).updated(now)
    anew = PatternSet.compile(now)

    assert len(updated) == len(anew)
    assert updated.unfiltered == anew.unfiltered
    assert by_key(updated, texts) == by_key(anew, texts)


def by_key(patterns: PatternSet[int], texts: Sequence[str]) -> Found:
    """What is found in each text, in the order of keys."""
    found = [(match.unit, match.key, match.place) for match in patterns.find(texts).matches]
    return sorted(found, key=lambda each: each[:2])
