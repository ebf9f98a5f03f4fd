"""The invariant: the engine finds what trying each pattern on each text finds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from tests.matching.pattern_grammar import PatternWriter, TextWriter, usable

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.literal_index import TABLE_FROM
from errdex.matching.patterns.pack.build import update_pack
from errdex.matching.patterns.pattern import PatternMatch, compile_pattern
from errdex.matching.patterns.regex.parser import parse_regex

Found = list[tuple[int, str, PatternMatch]]


def naive(sources: Sequence[str], texts: Iterable[str]) -> Found:
    """Each pattern tried on each text."""
    found: Found = []
    patterns = [(str(key), compile_pattern(source)) for key, source in enumerate(sources)]
    for unit, text in enumerate(texts):
        for key, pattern in patterns:
            if place := pattern.search(text):
                found.append((unit, key, place))
    return found


def by_engine(sources: Sequence[str], texts: Sequence[str], table_from: int) -> Found:
    keyed = ((str(key), source) for key, source in enumerate(sources))
    findings = PatternSet.compile(keyed, table_from=table_from).find(texts)
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
    for table_from in (0, TABLE_FROM):  # the keys in tables, and in an automaton
        assert by_engine(sources, texts, table_from) == expected, (sources, texts, table_from)


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


@pytest.mark.slow
@settings(max_examples=1_000, deadline=None, database=None, phases=[Phase.generate])
@given(st.integers(0, 2**63))
def test_an_updated_pack_finds_what_one_built_of_all_patterns_finds(seed: int) -> None:
    rng = random.Random(seed)
    pattern_writer, text_writer = PatternWriter(rng), TextWriter(rng)
    sources = usable(pattern_writer.source() for _ in range(5))
    trees = [parse_regex(source) for source in sources]
    texts = [text_writer.text(trees) for _ in range(4)] if trees else [""]
    keyed = [(str(key), source) for key, source in enumerate(sources)]
    before, now = (dict(rng.sample(keyed, rng.randint(0, len(keyed)))) for _ in range(2))
    for key in now:  # some that have another source now
        if rng.random() < 0.3:
            now[key] = "(?:" + now[key] + ")"
    changed = {key: now.get(key) for key in before | now if before.get(key) != now.get(key)}

    base = PatternSet.compile(sorted(before.items()))
    updated = PatternSet(memoryview(update_pack(base.facts, changed)))
    whole = PatternSet.compile(sorted(now.items()))

    assert (len(updated), updated.unfiltered) == (len(whole), whole.unfiltered)
    assert updated.find(texts).matches == whole.find(texts).matches
