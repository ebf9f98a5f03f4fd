"""The holes of messages, and the patterns made of them, case by case."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import re2
import yaml
from hypothesis import given
from hypothesis import strategies as st

from errdex.records.messages.derived_pattern import derive_pattern, group_names
from errdex.records.messages.hole_expressions import MAX_FIELD
from errdex.records.messages.holes import (
    Hole,
    LiteralText,
    Syntax,
    hole_names,
    literal_text,
    parse_message,
)

CASES = yaml.safe_load(
    (Path(__file__).parent.parent / "cases" / "records" / "holes.yaml").read_text()
)


def of_message(case: dict[str, Any]) -> str:
    return case["message"]


@pytest.mark.parametrize("case", CASES, ids=of_message)
def test_names_of_holes(case: dict[str, Any]) -> None:
    assert hole_names(case["message"]) == case["names"]


@pytest.mark.parametrize("case", [c for c in CASES if "pattern" in c], ids=of_message)
def test_derived_pattern(case: dict[str, Any]) -> None:
    assert derive_pattern(case["message"]) == case["pattern"]


PRINTED = [(c["message"], *p) for c in CASES for p in c.get("printed", ())]


@pytest.mark.parametrize(("message", "line", "captures"), [(m, p, c) for m, p, *c in PRINTED])
def test_what_is_printed_is_captured(message: str, line: str, captures: list[str]) -> None:
    found = re2.search(derive_pattern(message), line)
    assert found is not None
    assert list(found.groups()) == captures


@pytest.mark.parametrize("case", CASES, ids=of_message)
def test_re2_takes_the_pattern_and_counts_its_groups_alike(case: dict[str, Any]) -> None:
    pattern = derive_pattern(case["message"])
    assert re2.compile(pattern).groups == len(case["names"])
    assert group_names(pattern, case["message"]) == case["names"]


def test_a_message_without_holes_matches_itself() -> None:
    for case in CASES:
        if not case["names"]:
            lines_joined = re.sub(r"\s*\n\s*", "\n", case["message"].strip())
            blanks_joined = re.sub(r" *\t\s*", " ", lines_joined)
            assert re2.search(derive_pattern(case["message"]), blanks_joined)


CHARACTERS = "{}:!='\"`\\()[],a1% \né\x00\ud800"
FRAGMENTS = st.sampled_from(CHARACTERS) | st.sampled_from(
    ["{{", "}}", "${", "%%", "%s", "%d", "%(a)s", "%Y-%m", "<*>", "{x}", "{x!r}", "{0}", "{}"]
)
MESSAGES = st.lists(FRAGMENTS, max_size=25).map("".join) | st.text(max_size=60)


@given(MESSAGES)
def test_sources_joined_are_the_message(message: str) -> None:
    parts = parse_message(message)
    assert "".join(part.source for part in parts) == message


@given(MESSAGES)
def test_every_derived_pattern_has_a_group_a_hole(message: str) -> None:
    pattern = derive_pattern(message.encode("utf-8", "replace").decode())
    assert re2.compile(pattern).groups == len(hole_names(message))


@given(MESSAGES.filter(lambda message: "\ud800" not in message))
def test_an_unfilled_message_matches_its_own_pattern(message: str) -> None:
    """In doubt a hole: a hole also matches the literal text. (A whole number's does not, nor
    one whose expression is written on several lines: values are on one.)"""
    holes = [part for part in parse_message(message.strip()) if isinstance(part, Hole)]
    if any(hole.digits or hole.lead or "\n" in hole.source for hole in holes):
        return
    text = re.sub(r"[ \t\n\r\f\v]*[\t\n\r\f\v][ \t\n\r\f\v]*", _one_blank, message).strip()
    assert re2.search(derive_pattern(message), text)


def _one_blank(run: re.Match[str]) -> str:
    return "\n" if "\n" in run.group() else " "


def test_only_the_syntaxes_asked_for_are_read() -> None:
    message = "{a} ${b} %s <*> {{"
    for syntax, source in zip(Syntax, ["{a}", "${b}", "%s", "<*>"], strict=True):
        holes = [part.source for part in parse_message(message, {syntax}) if isinstance(part, Hole)]
        # Without templates, the braces of `${b}` are an ordinary field behind a dollar sign.
        assert holes == (["{a}", "{b}"] if syntax is Syntax.FORMAT else [source])
    assert parse_message(message, ()) == [LiteralText(message, message)]


def test_literal_text_leaves_holes_out() -> None:
    assert literal_text("got {x=} of {{y}} at 100%%") == "got x=  of {y} at 100%"


def test_a_field_longer_than_any_field_is_prose() -> None:
    assert hole_names("{" + "a" * MAX_FIELD + "}") == ["a" * MAX_FIELD]
    assert hole_names("{" + "a" * (MAX_FIELD + 1) + "}") == []


@pytest.mark.parametrize("fragment", ["{", "{[", "${", "{'", "{a:{", "%(", "{(((", "{a!r", "{1, "])
def test_hostile_messages_end(fragment: str) -> None:
    message = fragment * 10_000
    assert "".join(part.source for part in parse_message(message)) == message


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (r"a (.+?) b (.+)", ["x", "y"]),
        (r"(?P<own>a) (b)", ["own", "y"]),
        (r"(?<own>a) (?:b) (?i:c) (?i)(d)", ["own", "y"]),
        (r"(a) [(] \( [^(] []()] [[:alpha:](] \Q((\E (b)", ["x", "y"]),
        (r"one (a) only", ["arg1"]),
        (r"(a)(b)(c)", ["arg1", "arg2", "arg3"]),
        (r"none", []),
    ],
)
def test_names_of_a_given_patterns_groups(pattern: str, names: list[str]) -> None:
    assert re2.compile(pattern).groups == len(names)
    assert group_names(pattern, "a {x} b {y}") == names
