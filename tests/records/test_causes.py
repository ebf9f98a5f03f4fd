"""Causes in files: what is taken for one, and what is refused."""

from __future__ import annotations

import pytest

from errdex.records.causes import Cause, is_cause, parse_cause
from errdex.records.problems import RecordRefused

WHOLE = {
    "tag": "empty-input",
    "title": "Empty input",
    "text": "The input has nothing in it.",
    "tell": "The message names the input.",
    "checks": ["Print the input.", "Ask who writes it."],
}


def problems_of(**changed):
    with pytest.raises(RecordRefused) as refusal:
        parse_cause({**WHOLE, **changed})
    return [f"{each.field}: {each.reason}" for each in refusal.value.problems]


def test_a_cause_is_never_taken_for_a_record():
    assert is_cause(WHOLE)
    assert is_cause({"title": "No tag", "text": "Forgotten."})
    assert not is_cause({"repo": "a/b", "errorMessage": "x", "text": "an unknown key"})
    assert not is_cause({"repo": "a/b", "tell": "a misspelled record"})
    assert not is_cause({"title": "A record without its message"})


def test_a_cause_is_read_and_written_equal():
    cause = parse_cause(WHOLE)
    assert cause.to_dict() == WHOLE
    short = {key: WHOLE[key] for key in ("tag", "title", "text")}
    assert parse_cause(short) == Cause(**short)
    assert parse_cause(short).to_dict() == short


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"tag": None}, "tag: is missing"),
        ({"title": 7}, "title: expected a string, got a number"),
        ({"text": "  "}, "text: is empty"),
        ({"title": "two\nlines"}, "title: contains a control character or a line break"),
        ({"text": "a \x1b[31m colour"}, "text: contains a control character"),
        ({"checks": "Look."}, "checks: expected a list, got a string"),
        ({"checks": ["Look.", None]}, "checks[1]: is missing"),
        ({"checks": ["Look."] * 21}, "checks: has 21 entries"),
        ({"title": "t" * 121}, "title: has 121 characters"),
        ({"solutions": []}, "“solutions”: is no key of a cause"),
    ],
)
def test_what_is_wrong_with_a_cause_is_named(changed, problem):
    assert problem in problems_of(**changed)
