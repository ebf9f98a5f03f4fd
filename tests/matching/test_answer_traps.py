"""Whole answers: the traps of real reports, each with the records that could be confused."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.loops import for_each

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.ranking import Answer, EventAnswer, Matcher, RecordFacts
from errdex.records.messages.derived_pattern import derive_pattern

FOLDER = Path(__file__).parent.parent / "cases" / "answers"


@functools.cache
def cases() -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (case["name"], case)
        for file in sorted(FOLDER.glob("*.yaml"))
        for case in yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    ]


def cases_with(key: str) -> Callable[[], list[tuple[str, Mapping[str, Any]]]]:
    return lambda: [(name, case) for name, case in cases() if key in case]


AROUND = {
    "alone": ("", ""),
    "between healthy lines": (
        '10.0.0.7 - - [29/Nov/2026:12:00:00 +0000] "GET /health HTTP/1.1" 200 2\n' * 3,
        "INFO shutting down in good order\n",
    ),
}


def matcher_of(records: Mapping[str, Mapping[str, Any]]) -> tuple[Matcher, dict[str, RecordFacts]]:
    facts = {name: facts_of(name, record) for name, record in records.items()}
    patterns = PatternSet.compile((name, each.pattern) for name, each in facts.items())
    assert not patterns.refused
    return Matcher(patterns), facts


def facts_of(name: str, record: Mapping[str, Any]) -> RecordFacts:
    message = record["errorMessage"]
    return RecordFacts(
        id=name,
        repo=record.get("repo", "a/b"),
        error_message=message,
        pattern=record.get("messagePattern") or derive_pattern(message),
        error_class=record.get("errorClass"),
        error_code=record.get("errorCode"),
        language=record.get("language"),
        file_path=record.get("filePath"),
        line_number=record.get("lineNumber"),
        function=record.get("function"),
        explained=bool(record.get("solutions")),
    )


def answer_of(case: Mapping[str, Any], before: str = "", behind: str = "") -> Answer:
    matcher, facts = matcher_of(case["records"])
    fill = "".join(
        f"INFO step {n} of the warm-up took {n} ms\n" for n in range(case.get("fill", 0))
    )
    paste = case["paste"].replace("FILL\n", fill).replace("LONG", "lorem ipsum " * 900)
    return matcher.match(
        before + paste + behind, lambda ids: {key: facts[key] for key in ids if key in facts}
    )


def event_of(answer: Answer, wanted: str) -> EventAnswer:
    for each in answer.events:
        if wanted.startswith("CLASS:"):
            if each.event.error_class == wanted.removeprefix("CLASS:"):
                return each
        elif wanted in each.event.message:
            return each
    pytest.fail(f"no event with {wanted!r} in {[each.event.message for each in answer.events]}")


@pytest.mark.parametrize("around", AROUND)
@for_each(cases)
def test_a_trap_is_answered_rightly(case: Mapping[str, Any], around: str) -> None:
    answer = answer_of(case, *AROUND[around])
    assert answer.complete
    for wanted, expected in case["events"].items():
        each = event_of(answer, wanted)
        first = [match.record.id for match in each.matches if match.group == 1]
        if expected == "unknown":
            assert not first
        else:
            assert sorted(first) == sorted([expected] if isinstance(expected, str) else expected)
    if not case["events"]:
        assert not answer.found


@for_each(cases_with("root"))
def test_the_root_cause_is_named(case: Mapping[str, Any]) -> None:
    answer = answer_of(case)
    if case["root"] == "none":
        assert answer.root_cause is None
    else:
        assert answer.root_cause is not None
        assert case["root"] in answer.events[answer.root_cause].event.message


@for_each(cases_with("told_once"))
def test_what_is_said_twice_is_told_once(case: Mapping[str, Any]) -> None:
    messages = [each.event.message for each in answer_of(case).events]
    assert len(messages) == len(case["events"]), messages


@for_each(cases_with("captures"))
def test_captures_go_by_the_names_of_holes(case: Mapping[str, Any]) -> None:
    answer = answer_of(case)
    found = {
        capture.name: capture.text
        for each in answer.events
        for match in each.matches
        for capture in match.captures
    }
    assert found == case["captures"]


@for_each(cases_with("repeats"))
def test_repeated_errors_are_answered_once(case: Mapping[str, Any]) -> None:
    answer = answer_of(case)
    assert [each.repeats for each in answer.events] == [case["repeats"]]
    assert answer.events[0].repeat_lines == (2, 3)
