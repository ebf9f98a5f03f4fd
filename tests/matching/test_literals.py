"""Which literals a pattern requires, and that a match always contains them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.matching.pattern_grammar import PatternWriter, TextWriter, usable

from errdex.matching.patterns.literals import extract, fold, normalise
from errdex.matching.patterns.pattern import compile_pattern
from errdex.matching.patterns.regex.parser import parse_regex
from errdex.matching.patterns.text_bytes import encode

CASES = Path(__file__).parent.parent / "cases" / "matching" / "required_literals.jsonl"


@pytest.mark.parametrize("line", CASES.read_text("utf-8").splitlines())
def test_required_literals(line: str) -> None:
    case = json.loads(line)

    required = extract(case["pattern"])

    assert [
        [*clause.literals, "folded"] if clause.folded else [*clause.literals]
        for clause in required.clauses
    ] == case["clauses"]


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None, database=None, phases=[Phase.generate])
@given(st.integers(0, 2**63))
def test_every_match_has_a_literal_of_each_clause(seed: int) -> None:
    rng = random.Random(seed)
    for source in usable([PatternWriter(rng).source()]):
        text = TextWriter(rng).text([parse_regex(source)])
        place = compile_pattern(source).search(text)
        if place is None:
            continue
        scanned = normalise(encode(text[slice(*place.span)]))
        for clause in filter(lambda clause: clause.scannable, extract(source).clauses):
            form = fold(scanned) if clause.folded else scanned
            assert any(literal.encode() in form for literal in clause.literals), (source, text)


def test_an_alternative_that_says_nothing_takes_the_clause_away() -> None:
    assert extract("(?:disk full|.+)").clauses == ()


def test_many_alternatives_are_no_literal_set() -> None:
    branches = "|".join(f"word{number}" for number in range(300))

    assert extract(f"(?:{branches})").clauses == ()
