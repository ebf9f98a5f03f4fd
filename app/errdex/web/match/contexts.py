"""The values that templates show of an answer; the pages themselves are in `pages/contexts.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from errdex.formats.answer import NamedRecord, SimilarRecord
from errdex.records.filling import Segment


@dataclass(frozen=True, slots=True)
class CapturedValue:
    """The text in a hole of the record's message."""

    name: str
    text: str
    shortened: bool


@dataclass(frozen=True, slots=True)
class Example:
    """A paste to try."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True)
class MatchView:
    """A record that an event matches."""

    record: NamedRecord
    meaning: Sequence[Segment]
    """What the error means; may be empty."""
    solutions: Sequence[Sequence[Segment]]
    captures: Sequence[CapturedValue]
    evidence: Sequence[str] = ()
    """Evidence for the match, in words."""
    against: Sequence[str] = ()
    raised_when: str
    """The condition in the source; may be empty."""
    differences: Sequence[str] = ()
    """Differences between the paste's own stack and the record, in words."""
    shown_at: int = 0
    """The number of the answer above that shows the record's meaning and fix; 0 when this one
    shows them."""


@dataclass(frozen=True, kw_only=True)
class EventView:
    """An event of a paste, with the records that match it."""

    number: int
    """Its place in the order to read, from 1."""
    role: str
    """Its place in a chain, in words; may be empty."""
    name: str
    """Its class or code; may be empty."""
    message: str
    notes: Sequence[str]
    """Lines that the program attached to it."""
    line: int
    repeats: str
    """How often it is repeated, in words; may be empty."""
    matches: Sequence[MatchView]
    """The best matches; several where the paste does not distinguish them."""
    others: Sequence[MatchView]
    """Less likely matches."""
    near: Sequence[SimilarRecord]


@dataclass(frozen=True, slots=True)
class Link:
    """An event in a chain, from the cause to its consequences."""

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
    """Their text, with the matched ranges marked."""
    first: int
    last: int
    folded: bool
    """Whether nothing in it belongs to an event."""


@dataclass(frozen=True, kw_only=True)
class PasteView:
    """The answer to a paste."""

    events: Sequence[EventView]
    known: int
    """How many of all the events are known."""
    total: int
    """The number of all events; `events` may hold fewer."""
    chains: Sequence[Sequence[Link]]
    limits: Sequence[str]
    """The limits that left out a part of the paste, as sentences."""
    lines: int
    chunks: Sequence[PasteChunk]
    lines_left_out: int
    """Lines that are not shown."""
    share_url: str
    """A link to the same records and values; empty when there are none."""
