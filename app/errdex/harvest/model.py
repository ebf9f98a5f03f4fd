"""What an extractor finds in one source file: the places that raise or report an error.

An extractor is a module with one function:

    def extract(source: str, path: str) -> Extraction

It raises SourceUnreadable when the file does not parse, and nothing else. It says
only what the source says: a field it does not know stays None or empty. The same
source gives the same sites, in the order of their lines.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from errdex.harvest.trees.forwarding import Passed

Kind = Literal["raise", "log", "exit", "assert", "table"]
"""How the message gets out: thrown, logged, said on the way to the exit, asserted, or
only listed (an enum or a table of messages, a class that brings its own)."""

NO_FIXED_TEXT = "no fixed text"
NO_MESSAGE = "no message"
"""Reasons to leave a site out, as counted in `Extraction.left_out`."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Text that is printed as it stands, its escapes resolved."""

    text: str


@dataclass(frozen=True, slots=True)
class SourceHole:
    """A place that the program fills in."""

    expression: str
    """As the source writes it (`cfg.topk`, `user.getName()`); empty when unknown."""
    conversion: str = ""
    """What stands behind the expression in a Python field: `!r`, `:>10`, `!s:.20`."""
    digits: bool = False
    """True when only a whole number, without padding, can stand there."""


Part = Fixed | SourceHole


class SourceUnreadable(Exception):
    """The file does not parse in its language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseSite:
    """One place that raises or reports one message. Lines are counted from 1."""

    parts: tuple[Part, ...]
    line: int
    """The line that a frame of a traceback names: where the raising statement begins."""
    end_line: int
    kind: Kind
    error_class: str | None = None
    """As it is printed before the message: without its package, unless the language
    prints the package."""
    function: str | None = None
    """Qualified by classes and outer functions, not by the module."""
    raised_when: str | None = None
    """The guards on the way to the raise, in source form, on one line each joined by the
    language's own "and"."""
    comment: str | None = None
    """The comment right above the raise or its guard, without comment marks."""
    documentation_source: str | None = None
    """The words of the docstring, Javadoc or the like on this very raise."""
    documented: tuple[str, ...] = ()
    """What the documentation of the function says on errors of this class, an entry each, until
    it is known which of them is on this raise (`documentation.py`)."""
    base_classes: tuple[str, ...] = ()
    """Of the error class, nearest first, as far as the file itself tells."""
    error_code: str | None = None
    http_status: int | None = None
    severity: str | None = None
    """One of errdex.records.model.SEVERITIES, where the source tells; a raise is "error"
    without saying so."""
    excerpt_start: int | None = None
    excerpt_end: int | None = None
    """First and last line of the excerpt. None: some lines around `line`."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one file yields."""

    sites: list[RaiseSite]
    left_out: Counter[str] = field(default_factory=Counter)
    """How many places that raise or report an error gave no site, by the reason."""
    unsaid: list[RaiseSite] = field(default_factory=list)
    """Sites without parts: errors whose class may get its message in another file. They are
    among those left out as well."""
    passed: Passed | None = None
    """What the file's functions make of what they are given. None: nothing is known of it."""
