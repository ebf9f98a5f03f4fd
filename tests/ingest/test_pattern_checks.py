"""Patterns and samples: what is let in, and what is said of the rest."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from errdex.ingest.pattern_checks import _is_surely_good, find_problems
from errdex.matching.patterns.generality import check_generality
from errdex.matching.patterns.pattern import compile_pattern
from errdex.records.messages.derived_pattern import derive_pattern
from errdex.records.validation import parse_record


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


_PIECES = st.one_of(
    st.sampled_from(
        ["(.+?)", "(.*)", r"\d+", r"\w", r"\.", r"\-", r"\\", "(.+)", r"([+-]?\d+)", " ", "\t"]
    ),
    st.sampled_from(
        ["the frobnicator refused", "request", "ünicode", "日本語", "\ud800", "&&", "--"]
    ),
    st.text(max_size=8),
)


# Joined by words, nearly half of them are surely good.
@given(st.lists(_PIECES, max_size=12).map("the frobnicator refused ".join))
@example(r"error\\failed\\missing\\value")
@example("frobnicate—refused" + r"\—")
@example("a" * 1000)
@example("frobnicate " + "(.+?)" * 150)
@example("frobnicate " + r"\w" * 450)
@example("frobnicate " + "日" * 900)
def test_the_short_way_lets_nothing_in_that_the_long_way_would_not(source):
    assume(_is_surely_good(source))
    check_generality(compile_pattern(source))


def test_the_short_way_is_taken_for_derived_patterns():
    message = "{name}: expected a frobnicator (of {size:.3f} MB), got [{other!r}] instead"
    assert _is_surely_good(derive_pattern(message))
    assert not _is_surely_good("(.+?) failed")
