"""Patterns that would match nearly anything are refused; those that say little are weak."""

from __future__ import annotations

import pytest

from errdex.matching.patterns.generality import check_generality
from errdex.matching.patterns.pattern import PatternRefused, compile_pattern


@pytest.mark.parametrize(
    "source",
    [
        ".+",
        ".+: .+",
        "(.+?)",
        r"\w+",
        "[A-Z].*",
        "error",
        "Error: .*",
        "(?i)ERROR",
        "failed",
        "Exception",
        "'(.+?)'",
        "(a+)+$",
        r"\d+: (.+)",
        "(?:disk full|.+)",
        "(?m)^(.+)$",
        "(.+?) (.+?)",
    ],
)
def test_what_matches_nearly_anything_is_refused(source: str) -> None:
    with pytest.raises(PatternRefused) as caught:
        check_generality(source)

    assert "words that the message always has" in caught.value.remedy


@pytest.mark.parametrize("source", ["(.+?)", ".+: .+", r"\w+", "[A-Z].+"])
def test_an_error_class_does_not_excuse_everything(source: str) -> None:
    with pytest.raises(PatternRefused):
        check_generality(source, "KeyError")


def test_a_message_of_only_a_key_needs_its_class() -> None:
    check_generality("'(.+?)'", "KeyError")

    assert compile_pattern("'(.+?)'").weak


@pytest.mark.parametrize(
    "source", ["(.+?) failed", "not found", "(.+?) is not a valid (.+?)", "exit code 1"]
)
def test_what_says_little_is_accepted_as_weak(source: str) -> None:
    pattern = compile_pattern(source)

    check_generality(pattern)

    assert pattern.weak


@pytest.mark.parametrize(
    "source",
    [
        "Connection refused",
        "No space left on device",
        r"\A(?:fork|clone): Resource temporarily unavailable\z",
        "(?i)ошибка подключения",
        "list index out of range",
    ],
)
def test_ordinary_messages_are_neither_refused_nor_weak(source: str) -> None:
    check_generality(source)

    assert not compile_pattern(source).weak
