"""What is wrong with a record or a record file, in words that say what to do.

RecordRefused    one record does not pass; `.problems` names every reason
Trouble          what the rooms raise when they cannot do what they were asked
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    `field` is the name on the wire (`errorMessage`, `solutions[2]`), empty when the
    record or the file as a whole is meant; `reason` says what is wrong with it,
    `remedy` what to write instead. All three are safe to print on a terminal.
    """

    field: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.field}: " if self.field else ""
        return f"{place}{self.reason}; {self.remedy}"


class Trouble(Exception):
    """Something could not be done; the message says why and what to do."""


class RecordRefused(ValueError):
    """A value is not a record. `problems` has at least one entry."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(" | ".join(str(problem) for problem in self.problems))


def shown(text: str, limit: int = 60) -> str:
    """`text` of the input for a message: quoted, escaped and cut short."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"“{printable(cut)}”"


def printable(text: str) -> str:
    """`text` with every character escaped that a terminal obeys or cannot show."""
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


_TYPE_NAMES = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def type_name(value: object) -> str:
    """The kind of a value, in words."""
    return _TYPE_NAMES.get(type(value), f"a {type(value).__name__}")
