"""The texts of a record that may name holes, and how each of them is filled.

Texts are known by their attribute's name: `documentation`, `solutions`, `example_fix` …
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from errdex import lazy_re as re
from errdex.records.messages.derived_pattern import group_names
from errdex.records.messages.filling import Segment, fill_code, fill_prose, joined

if TYPE_CHECKING:
    from errdex.records.model import Record

PROSE = (
    "documentation",
    "solutions",
    "trigger_scenarios",
    "common_situations",
    "handling_strategy",
    "prevention_tips",
)
"""Texts with code spans and fenced blocks in them."""
CODE = ("example_fix", "validation_code", "type_guard", "try_catch_pattern")
"""Texts that are code as a whole."""

_COMMAND = re.compile(
    r"(?:\$ |#!|--?\w|(?:sudo|pip3?|python3?|npm|npx|yarn|pnpm|node|git|docker|kubectl|helm|curl|"
    r"wget|export|unset|cd|ls|apt|apt-get|brew|cargo|rustup|go (?:build|get|mod|run|test|install)|"
    r"mvn|gradle|\./\w|make|cmake|gcc|g\+\+|ssh|scp|chmod|chown|systemctl|psql|mysql|terraform|aws|"
    r"composer|php artisan|bundle|gem|dotnet|java|javac|pytest|uv|conda|ulimit)\b)"
)
_COMMENT = re.compile(r"\s*(?:#|//|--\s|;|/\*)")


def language_of_snippet(code: str, language: str | None) -> str | None:
    """What an example is written in: commands are shell, whatever the record's language."""
    for line in code.split("\n"):
        text = line.strip()
        if text and not _COMMENT.match(line):
            return "bash" if _COMMAND.match(text) else language
    return language


def holes_of(pattern: str, message: str) -> Collection[str]:
    """The names that the texts of a record with this pattern and message may refer to."""
    return frozenset(group_names(pattern, message))


def fill_text(
    name: str,
    text: str,
    holes: Collection[str],
    values: Mapping[str, str] | None,
    language: str | None = None,
) -> list[Segment]:
    """A text of the record, filled, or ready for values that come later (None). `name` is its
    attribute, `language` the record's."""
    if name in CODE:
        return fill_code(text, language_of_snippet(text, language) or "", holes, values)
    return fill_prose(text, holes, values)


def with_blanks(name: str, text: str, pattern: str, message: str) -> str:
    """A text of the record as plain text, in which each hole is a named blank."""
    if "{{" not in text:
        return text
    return joined(fill_text(name, text, holes_of(pattern, message), {}))


def filled_texts(
    record: Record, values: Mapping[str, str] | None = None
) -> dict[str, list[list[Segment]]]:
    """The texts of a record by their names, filled; a text that is no list is a list of one,
    one that the record lacks an empty list."""
    holes = holes_of(record.pattern, record.error_message)
    filled: dict[str, list[list[Segment]]] = {}
    for name in (*PROSE, *CODE):
        value = getattr(record, name)
        texts = value if isinstance(value, list) else [value] if value else []
        filled[name] = [
            fill_text(name, each, holes, values or {}, record.language) for each in texts
        ]
    return filled


def record_texts(record: Record) -> dict[str, Any]:
    """Each text of a record by its name, a string, a list of strings or None, in which each
    hole is a named blank."""
    return {
        name: [joined(each) for each in texts]
        if isinstance(getattr(record, name), list)
        else (joined(texts[0]) if texts else None)
        for name, texts in filled_texts(record).items()
    }


def values_of(captures: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The value of each hole, of captures by name; where a name comes twice, the first value
    that is not empty."""
    values: dict[str, str] = {}
    for name, text in captures:
        values[name] = values.get(name) or text
    return values
