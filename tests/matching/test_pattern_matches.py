"""What one pattern finds in one text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errdex.matching.patterns.pattern import PatternMatch, compile_pattern

CASES = Path(__file__).parent.parent / "cases" / "matching" / "pattern_matches.jsonl"


@pytest.mark.parametrize("line", CASES.read_text("utf-8").splitlines())
def test_pattern_finds_exactly_this(line: str) -> None:
    case = json.loads(line)

    found = compile_pattern(case["pattern"]).search(case["text"])

    if case["span"] is None:
        assert found is None
    else:
        groups = tuple(None if span is None else tuple(span) for span in case["groups"])
        assert found == PatternMatch(tuple(case["span"]), groups, case["whole"])


def test_group_names_are_in_the_order_of_the_groups() -> None:
    assert compile_pattern("(?P<a>x)((?<b>y)|z)").group_names == ("a", None, "b")


def test_offsets_deep_in_a_long_text_are_characters() -> None:
    text = "é" * 10_000 + "needle ✓" + "é" * 10_000

    found = compile_pattern("needle (✓)").search(text)

    assert found is not None
    assert found.span == (10_000, 10_008)
    assert found.groups == ((10_007, 10_008),)


@pytest.mark.parametrize(
    ("source", "length", "weak"),
    [
        ("(.+?) failed", 6, True),
        ("'(.+?)'", 2, True),
        ("Connection refused", 17, False),
        ("(?:disk|volume) full", 8, False),
        ("(?i)ошибка подключения", 17, False),
        ("[Ff]ailed", 6, True),
        ("errors? in (?:[^ ]+ )?(.+)", 7, True),
        ("(?:unused import: (.+)|(.+) imported and not used)", 18, False),
        ("(?:ab ){3}c", 7, False),
    ],
)
def test_a_pattern_knows_how_much_of_a_match_is_certain(
    source: str, length: int, weak: bool
) -> None:
    pattern = compile_pattern(source)

    assert pattern.literal_length == length
    assert pattern.weak is weak
