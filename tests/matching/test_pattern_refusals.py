"""Patterns that are not taken, each with the construct, the reason and a way out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errdex.matching.patterns.pattern import PatternRefused, compile_pattern
from errdex.matching.patterns.regex.parser import MAX_LENGTH

CASES = Path(__file__).parent.parent / "cases" / "matching" / "refused_patterns.jsonl"


@pytest.mark.parametrize("line", CASES.read_text("utf-8").splitlines())
def test_refusal_names_the_construct_and_the_way_out(line: str) -> None:
    case = json.loads(line)

    with pytest.raises(PatternRefused) as caught:
        compile_pattern(case["pattern"])

    assert caught.value.construct == case["construct"]
    assert case["reason"] in caught.value.reason + caught.value.remedy
    assert caught.value.remedy


def test_a_pattern_longer_than_any_message_is_refused() -> None:
    with pytest.raises(PatternRefused, match="20,001 characters"):
        compile_pattern("a" * (MAX_LENGTH + 1))


def test_deep_nesting_does_not_exhaust_the_stack() -> None:
    with pytest.raises(PatternRefused, match="nested"):
        compile_pattern("(" * 9_000 + "a" + ")" * 9_000)
