"""What the pages that answer a paste are given, below the pages themselves (`contexts.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from errdex.store import StoredRecord


@dataclass(frozen=True, slots=True)
class CapturedValue:
    """What a text has in a hole of the record's message."""

    name: str
    text: str
    shortened: bool


@dataclass(frozen=True, slots=True)
class Example:
    """A paste to try."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True)
class MatchedRecord:
    """A record that an event matches."""

    stored: StoredRecord
    meaning: str
    solutions: Sequence[str]
    captures: Sequence[CapturedValue]
    evidence: Sequence[str]
    """What speaks for it, in words."""
    against: Sequence[str]
    raised_when: str
    """The condition in the source; may be empty."""
    differences: Sequence[str]
    """What the text's own stack says otherwise of the raise, in words."""
    told_at: int = 0
    """The number of the answer above that tells what the record means and how to fix it; 0
    when this one is to."""


@dataclass(frozen=True, slots=True)
class NearRecord:
    """A record that is like an event and does not match it."""

    stored: StoredRecord
    why: str


@dataclass(frozen=True, kw_only=True)
class EventView:
    """An event of a paste, and what is known of it."""

    number: int
    """1 is to be read first."""
    role: str
    """What it is to the others, in words; may be empty."""
    name: str
    """Its class or code; may be empty."""
    message: str
    notes: Sequence[str]
    """What the program attached to it, a line each."""
    line: int
    repeats: str
    """How often it comes again, in words; may be empty."""
    matches: Sequence[MatchedRecord]
    """Those that fit best; more than one where the paste does not tell them apart."""
    others: Sequence[MatchedRecord]
    """Those that fit less well."""
    near: Sequence[NearRecord]


@dataclass(frozen=True, slots=True)
class Link:
    """An event in a chain, from the cause to what came of it."""

    number: int
    name: str
    message: str
    known: bool


@dataclass(frozen=True, slots=True)
class PasteChunk:
    """Consecutive lines of a paste."""

    numbers: str
    """Their numbers, a line each."""
    html: Markup
    """Their text, with what was matched marked."""
    first: int
    last: int
    folded: bool
    """Whether nothing in it belongs to an event."""


@dataclass(frozen=True, kw_only=True)
class MatchView:
    """The answer to a paste."""

    events: Sequence[EventView]
    known: int
    """How many of all the events are known."""
    total: int
    """All events; those behind a bound are not among `events`."""
    chains: Sequence[Sequence[Link]]
    limits: Sequence[str]
    """What was left out of the work, in sentences."""
    lines: int
    chunks: Sequence[PasteChunk]
    lines_left_out: int
    """Lines that are not shown."""
    share_url: str
    """Shows the same records and values; empty when there are none."""
