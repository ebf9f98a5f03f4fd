"""What is no record, and the words in which that is said."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from errdex.records.extra_values import MAX_DEPTH
from errdex.records.field_types import MAX_ITEMS, MAX_MESSAGE, MAX_TEXT
from errdex.records.problems import Problem
from errdex.records.validation import (
    MAX_PROBLEMS,
    MAX_RECORD_BYTES,
    RecordRefused,
    identify,
    parse_record,
)

CASES = yaml.safe_load(
    (Path(__file__).parent.parent / "cases" / "records" / "refused_fields.yaml").read_text()
)


@pytest.fixture
def good(shared: Path) -> dict[str, Any]:
    text = (shared / "seeds" / "002_b50cfdfc33be0e10.txt").read_bytes()
    return json.loads(text)["record"]


def problems_of(value: object) -> list[Problem]:
    with pytest.raises(RecordRefused) as refusal:
        parse_record(value)
    assert refusal.value.problems
    assert all(problem.reason and problem.remedy for problem in refusal.value.problems)
    return refusal.value.problems


def changed(good: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in good.items() if key not in case.get("without", ())}
    return {**kept, **case.get("set", {})}


def words_of(case: dict[str, Any]) -> str:
    return json.dumps({key: case[key] for key in ("set", "without") if key in case})


@pytest.mark.parametrize("case", [c for c in CASES if not c.get("accepted")], ids=words_of)
def test_one_bad_field_is_one_problem(good: dict[str, Any], case: dict[str, Any]) -> None:
    [problem] = problems_of(changed(good, case))
    assert problem.field == case["field"]
    assert case["reason"] in problem.reason
    assert case["remedy"] in problem.remedy
    assert str(problem).isprintable()


@pytest.mark.parametrize("case", [c for c in CASES if c.get("accepted")], ids=words_of)
def test_near_misses_are_taken(good: dict[str, Any], case: dict[str, Any]) -> None:
    value = changed(good, case)
    assert parse_record(value).body() == value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "a list"),
        ("text", "a string"),
        (None, "null"),
        (7, "a number"),
        (True, "true or false"),
        ({1, 2}, "a set"),
    ],
)
def test_a_record_is_an_object(value: object, said: str) -> None:
    [problem] = problems_of(value)
    assert problem.reason == f"expected a record, got {said}"
    with pytest.raises(RecordRefused):
        identify(value)


def test_every_bad_field_is_named_at_once(good: dict[str, Any]) -> None:
    bad = {**good, "id": "x", "lineNumber": "1", "tags": [1, "a", 2], "free": float("nan")}
    assert {p.field for p in problems_of(bad)} == {"id", "lineNumber", "tags[0]", "tags[2]", "free"}


def test_a_flood_of_problems_is_cut_short(good: dict[str, Any]) -> None:
    problems = problems_of({**good, "tags": [1] * MAX_ITEMS})
    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1].reason == f"has {MAX_ITEMS - MAX_PROBLEMS} more problems"


@pytest.mark.parametrize(
    ("field", "text", "allowed"),
    [
        ("errorMessage", "x" * (MAX_MESSAGE + 1), MAX_MESSAGE),
        ("documentation", "x" * (MAX_TEXT + 1), MAX_TEXT),
    ],
)
def test_a_text_has_a_bound(good: dict[str, Any], field: str, text: str, allowed: int) -> None:
    [problem] = problems_of({**good, field: text})
    assert problem.field == field
    assert problem.reason == f"has {allowed + 1:,} characters, {allowed:,} are allowed"
    parse_record({**good, field: text[1:]})


def test_a_list_has_a_bound(good: dict[str, Any]) -> None:
    [problem] = problems_of({**good, "solutions": ["x"] * (MAX_ITEMS + 1)})
    assert problem.field == "solutions"
    assert "entries" in problem.reason


def test_a_record_has_a_bound_in_all(good: dict[str, Any]) -> None:
    [problem] = problems_of({**good, "unknown": "x" * MAX_RECORD_BYTES})
    assert problem.field == ""
    assert f"{MAX_RECORD_BYTES:,} are allowed" in problem.reason


def test_half_of_a_character_pair_is_refused_wherever_it_stands(good: dict[str, Any]) -> None:
    for spot in (
        {"errorMessage": "a\ud800"},
        {"tags": ["\udfff"]},
        {"unknown": "\ud800"},
        {"unknown": [{"\ud800": 1}]},
        {"\ud800": 1},
    ):
        [problem] = problems_of({**good, **spot})
        assert problem.reason == "holds half of a character pair"
        assert str(problem).isprintable()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (float("inf"), "not finite"),
        ([{"deep": float("nan")}], "not finite"),
        (datetime.date(2026, 1, 1), "a date, which JSON has no form for"),
        ({"a": {1, 2}}, "a set, which JSON has no form for"),
        ((1, 2), "a tuple, which JSON has no form for"),
        ({1: 2}, "the key “1”, which is not a string"),
    ],
)
def test_unknown_keys_hold_json_only(good: dict[str, Any], value: object, reason: str) -> None:
    [problem] = problems_of({**good, "unknown": value})
    assert problem.field == "unknown"
    assert reason in problem.reason


def test_a_key_that_is_no_text_is_refused(good: dict[Any, Any]) -> None:
    [problem] = problems_of({**good, 7: "x"})
    assert problem.reason == "the key “7” is not a string"


def nested(depth: int) -> object:
    value: object = "leaf"
    for level in range(depth):
        value = [value] if level % 2 else {"in": value}
    return value


def test_unknown_keys_are_nested_to_a_bound(good: dict[str, Any]) -> None:
    value = {**good, "unknown": nested(MAX_DEPTH)}
    assert parse_record(value).body() == value
    for depth in (MAX_DEPTH + 1, 300, 100_000):
        [problem] = problems_of({**good, "unknown": nested(depth)})
        assert problem.reason == f"is nested more than {MAX_DEPTH} deep"


def test_a_problem_never_carries_what_a_terminal_obeys(good: dict[str, Any]) -> None:
    hostile = "\x1b[2J\x07\u202e\n"
    problems = problems_of({**good, "id": hostile, "severity": 3, hostile: float("inf")})
    assert len(problems) == 3
    assert all(str(problem).isprintable() for problem in problems)


def test_identify_leaves_invalid_fields_to_the_full_way(good: dict[str, Any]) -> None:
    assert identify({**good, "lineNumber": "7"}) != identify(good)
    for bad in ({**good, "id": "a/b"}, {**good, "id": 7}):
        with pytest.raises(RecordRefused):
            identify(bad)
    without_id = {key: value for key, value in good.items() if key != "id"}
    for key in ("repo", "errorMessage", "errorClass", "messagePattern"):
        with pytest.raises(RecordRefused, match=key):
            identify({**without_id, key: 7})
