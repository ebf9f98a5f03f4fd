"""The values that templates show of an answer; the pages themselves are in `pages/contexts/`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from errdex.formats.answer import FirstSteps, NamedRecord, SimilarRecord
from errdex.formats.draft import RecordDraft
from errdex.records.messages.filling import Segment


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


@dataclass(frozen=True, slots=True)
class ReportLink:
    """A link that opens a report, filled in for its sender to read."""

    problem: str
    url: str


@dataclass(frozen=True, kw_only=True)
class MatchView:
    """A record that an event matches."""

    record: NamedRecord
    heading: Sequence[Segment]
    """Its title, or its message."""
    meaning: Sequence[Segment]
    """What the error means; may be empty."""
    long_meaning: bool
    """Whether there is more of the meaning than a sentence or two."""
    solutions: Sequence[Sequence[Segment]]
    example: Sequence[Segment]
    """The example fix; may be empty."""
    captures: Sequence[CapturedValue]
    evidence: Sequence[str] = ()
    """Evidence for the match, in words."""
    against: Sequence[str] = ()
    raised_when: str
    """The condition in the source; may be empty."""
    differences: Sequence[str] = ()
    """Differences between the paste's own stack and the record, in words."""
    reports: Sequence[ReportLink] = ()
    """Links to report a problem with the record; empty where the server names no place."""
    shown_at: int = 0
    """The number of the answer above that shows the record's meaning and fix; 0 when this one
    shows them."""


@dataclass(frozen=True, slots=True)
class MaskedPiece:
    """A piece of a message: fixed text, or a value that changes from run to run."""

    text: str
    kind: str
    """What kind of value it is; empty for fixed text."""


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A search on another site, for fixed words alone. It is made when its link is opened."""

    name: str
    url: str


@dataclass(frozen=True, kw_only=True)
class UnknownView:
    """An error that no record matches."""

    message: Sequence[MaskedPiece]
    words: str
    """What of it is searched for; may be empty."""
    searches: Sequence[WebSearch]
    draft: RecordDraft | None
    """None when it has no message to draft a record of."""


@dataclass(frozen=True, kw_only=True)
class EventView:
    """An event of a paste, with the records that match it."""

    number: int
    """Its place among the errors of the log, from 1."""
    opened: bool
    """Whether it is the one to see first."""
    starts: bool
    """Whether it is the cause of others."""
    follows: int
    """The number of the error that caused it; 0 for none."""
    role: str
    """Its place in a chain, in words; may be empty."""
    name: str
    """Its class or code; may be empty."""
    message: str
    notes: Sequence[str]
    """Lines that the program attached to it."""
    line: int
    test: str
    """The name of the failing test; may be empty."""
    repeats: str
    """How often it is repeated, in words; may be empty."""
    matches: Sequence[MatchView]
    """The best matches; several where the paste does not distinguish them."""
    others: Sequence[MatchView]
    """Less likely matches."""
    near: Sequence[SimilarRecord]
    where: str
    """The file and line, in words; may be empty."""
    unknown: UnknownView | None
    """Set when no record matches."""
    first_steps: FirstSteps | None
    """What its class and its stack say, with a record or without one."""
    markdown: str
    """The error and its fix as Markdown, masked; may be empty."""


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
    lines: Sequence[Markup] = ()
    """The same text line by line, which a narrow column can wrap; of few lines only."""


@dataclass(frozen=True, slots=True)
class PagePart:
    """Another page of the errors of a paste."""

    name: str
    start: int
    """How many errors are before it."""


@dataclass(frozen=True, kw_only=True)
class PasteView:
    """The answer to a paste."""

    events: Sequence[EventView]
    known: int
    """How many of all the events are known."""
    total: int
    """The number of all events; `events` may hold fewer."""
    start: int
    """How many events are on pages before this one."""
    pages: Sequence[PagePart]
    paste: str
    """The paste, which is sent again for another page; empty when there is none."""
    summary: str
    """How many errors there are, and how they depend on each other."""
    place: str
    """The class, file and line of the only error; else empty."""
    limits: Sequence[str]
    """The limits that left out a part of the paste, as sentences."""
    lines: int
    chunks: Sequence[PasteChunk]
    lines_left_out: int
    """Lines that are not shown."""
    share_url: str
    """A link to the same records and values; empty when there are none."""
    shared: Sequence[CapturedValue]
    """The values in that link."""
    keep: bool = True
    """Whether a browser keeps the answer for its tab: reloading it would send the paste again."""
