"""Patterns and samples: what is let in, and what is said of the rest."""

from __future__ import annotations

import pytest

from app.ingest.checks import find_problems
from app.records.validation import parse_record


def _problems(make_body, **changes: object) -> list[str]:
    record = parse_record(make_body(1, **changes))
    return [str(problem) for problem in find_problems(record)]


def test_a_good_record_has_no_problem(make_body):
    assert (
        _problems(
            make_body,
            messagePattern=r"the frobnicator (.+?) refused request number \d+",
            samples=["12:00 FrobnicationError: the frobnicator 7 refused request number 12"],
            counterSamples=["the frobnicator 7 refused request number x"],
        )
        == []
    )


@pytest.mark.parametrize(
    ("pattern", "field", "said"),
    [
        ("refused (?=twice)", "messagePattern", "look"),
        (r"(refused) \1", "messagePattern", r"\1"),
        ("refused (", "messagePattern", "("),
        ("(refused)?", "messagePattern", "optional"),
        (".*", "messagePattern", "optional"),
        (".+", "messagePattern", "nearly any"),
        ("refused a{1000}{1000}", "messagePattern", ""),
    ],
)
def test_a_pattern_that_cannot_be_used_is_named_with_a_way_out(make_body, pattern, field, said):
    (problem,) = _problems(make_body, messagePattern=pattern)
    assert problem.startswith(f"{field}: ")
    assert said in problem
    assert ";" in problem


def test_a_derived_pattern_that_cannot_be_used_points_to_the_message(make_body):
    (problem,) = _problems(make_body, errorMessage="{x}", errorClass=None)
    assert problem.startswith("errorMessage: the pattern derived from it")
    assert "messagePattern of its own" in problem


def test_samples_must_match_and_counter_samples_must_not(make_body):
    problems = _problems(
        make_body,
        samples=["the frobnicator 7 refused request number 1", "something else entirely"],
        counterSamples=["nothing", "the frobnicator 8 refused request number 1"],
    )
    assert [problem.partition(":")[0] for problem in problems] == [
        "samples[1]",
        "counterSamples[1]",
    ]
    assert "is not matched by the pattern" in problems[0]
    assert "is matched by the pattern" in problems[1]


def test_problems_can_be_printed_on_a_terminal(make_body):
    problems = _problems(make_body, samples=["\x1b]0;gotcha\x07 nothing like it"])
    assert problems
    assert "\x1b" not in problems[0]
    assert "\x07" not in problems[0]
