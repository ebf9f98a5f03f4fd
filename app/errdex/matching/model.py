"""The nouns of matching: a paste's lines, the events found in it, their frames.

Line numbers are 1-based and always those of the paste as it was given;
offsets are characters in the decoded paste, before anything was stripped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a paste with its decoration taken off.

    `text` is what the program wrote; `number` and `offset` say where that text
    begins in the paste; `writer` distinguishes interleaved sources ("rank0",
    "web-1", "pid=1234"; empty when there is no such prefix); `level` is the log
    level that a prefix named, in lower case ("error", "warning", …, or empty).
    """

    number: int
    offset: int
    text: str
    writer: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """One entry of a stack, as the paste shows it."""

    file: str | None = None
    line: int | None = None
    function: str | None = None
    package: str | None = None
    """The package or module that the frame's path or name shows, such as `sqlalchemy`."""


class Role(StrEnum):
    """What an event is to the others of its chain."""

    ALONE = "alone"
    ROOT_CAUSE = "root_cause"
    """The innermost cause: what to look at first."""
    WRAPPER = "wrapper"
    """Raised because of another event that the paste also shows."""
    MEMBER = "member"
    """One of several in an exception group or a suppressed one."""
    SYMPTOM = "symptom"
    """Says only that something failed ("exit code 1"), not what."""


class Piece(NamedTuple):
    """A part of a message that stands on one logical line of the paste."""

    start: int
    """Where it begins in the message."""
    line: int
    """Index of the logical line."""
    column: int


@dataclass(frozen=True, slots=True)
class Event:
    """One error found in a paste."""

    language: str
    """"python", "java", "node", …; "tool:npm" and the like for the lines of tools; "" unknown."""
    error_class: str | None
    """As the paste shows it, qualified or not: `sqlalchemy.exc.OperationalError`."""
    message: str
    """The whole message, lines joined by `\\n`; empty when the error has none."""
    first_line: int
    last_line: int
    message_line: int
    """The line on which the message begins."""
    message_offset: int = 0
    """Where the message begins, in characters of the decoded paste."""
    frames: tuple[Frame, ...] = ()
    """Outermost call first, the frame that raised last, whatever the language's own order."""
    role: Role = Role.ALONE
    cause: int | None = None
    """Index, in the list of events, of the event that this one was raised from."""
    code: str | None = None
    """An error code shown beside the message: `E0382`, `ERR_MODULE_NOT_FOUND`, `42P01`."""
    severity: str = "error"
    """"error", "fatal" or "warning"."""
    writer: str = ""
    handled: bool = False
    """True when the paste says that this was logged or retried rather than fatal."""
    notes: tuple[str, ...] = field(default=())
    """Lines that the program attached to the error (Python's `add_note`, "help:", "hint:")."""
    test: str = ""
    """The failing test, as its runner names it; empty outside of tests."""
    pieces: tuple[Piece, ...] = field(default=(), repr=False, compare=False)
    """Where each line of the message stands, so that a place in it can be found again."""
