"""What the matcher answers: for every event of a paste the records that match it, why, and
what was captured, or that nothing is known.

Offsets are characters of the decoded paste, line numbers 1-based, both as it was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple

from errdex.matching.model import Event, Role
from errdex.records.places import PlaceFacts


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """What ranking asks of a record; the names are those of the record."""

    id: str
    repo: str
    error_message: str
    pattern: str
    error_class: str | None = None
    error_type: str | None = None
    error_code: str | None = None
    language: str | None = None
    file_path: str | None = None
    line_number: int | None = None
    function: str | None = None
    explained: bool = False
    """Whether it says what helps; what was only harvested does not."""
    places: Sequence[PlaceFacts] | None = None
    """Further places that say the same."""
    place: int | None = None
    """Which of its places this is, as the event's stack names it: 0 is the record's own, 1 the
    first of `places`. None where there is no choice, or the stack names none."""

    @classmethod
    def of(cls, record: object) -> RecordFacts:
        """Those facts of a record, in whatever form it has them under these names."""
        return cls(*_facts(record))


_facts = attrgetter(*(field.name for field in fields(RecordFacts) if field.name != "place"))


class Kind(StrEnum):
    """What a piece of evidence is about."""

    WHOLE_MESSAGE = "whole_message"
    WHOLE_LINE = "whole_line"
    WHOLE_CLAUSE = "whole_clause"
    PART_OF_MESSAGE = "part_of_message"
    TEXT = "text"
    CLASS = "class"
    CODE = "code"
    FILE = "file"
    FUNCTION = "function"
    LINE = "line"
    PACKAGE = "package"
    LANGUAGE = "language"


class Evidence(NamedTuple):
    """One reason for or against a match: what was compared, its points (below zero: against),
    and the same in words."""

    kind: Kind
    points: float
    words: str


class PastePlace(NamedTuple):
    """A stretch of the paste. `end` is the offset behind its last character."""

    line: int
    start: int
    end_line: int
    end: int


class Capture(NamedTuple):
    """The text under one hole of the record's message, which may have been shortened."""

    name: str
    text: str
    length: int
    """Characters of the whole text."""
    place: PastePlace


class Match(NamedTuple):
    """A record whose pattern was found in an event. Matches with the same `group` (1 is the
    best) cannot be distinguished by anything that the paste shows."""

    record: RecordFacts
    score: float
    group: int
    evidence: tuple[Evidence, ...]
    captures: tuple[Capture, ...]
    place: PastePlace


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A record that is like an event and yet does not match it. `missing`: words of the
    record's message that the event lacks; `other`: words that stand in their place."""

    record: RecordFacts
    missing: tuple[str, ...]
    other: tuple[str, ...]
    why: str
    likeness: float = 1.0
    """Share of the words of both that they have in common, 0 to 1."""


class Outcome(StrEnum):
    """What is known of an event."""

    KNOWN = "known"
    AMBIGUOUS = "ambiguous"
    """Several records match equally well."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class EventAnswer:
    """An event, and the records that match it, best first. `left_out` counts further ones
    that match less well or that a bound cut. An event that is repeated, but for
    numbers in it, is answered once: `repeats` counts the others, on `repeat_lines` (the first
    ones)."""

    event: Event
    matches: tuple[Match, ...]
    near_misses: tuple[NearMiss, ...] = ()
    left_out: int = 0
    repeats: int = 0
    repeat_lines: tuple[int, ...] = ()

    def with_cause(self, cause: int) -> EventAnswer:
        """The same, with another index of the event that it was raised from."""
        return replace(self, event=replace(self.event, cause=cause))

    def without_cause(self) -> EventAnswer:
        """The same, alone."""
        return replace(self, event=replace(self.event, cause=None))

    @property
    def explained(self) -> bool:
        """Whether the first record says what helps."""
        return bool(self.matches) and self.matches[0].record.explained

    @property
    def outcome(self) -> Outcome:
        """Whether a record is known, or several that cannot be distinguished, or none."""
        if not self.matches:
            return Outcome.UNKNOWN
        several = len(self.matches) > 1 and self.matches[1].group == self.matches[0].group
        return Outcome.AMBIGUOUS if several else Outcome.KNOWN


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a paste: its events in the order of the paste. `root_cause` is the index
    of the one to look at first (what came of the root cause, where that says next to
    nothing), None when the paste shows no cause. `limits_hit` says in words
    which bounds cut the work, `lines_matched` how many logical lines were looked at."""

    events: Sequence[EventAnswer]
    root_cause: int | None
    lines: int
    lines_matched: int
    limits_hit: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the whole paste was looked at."""
        return not self.limits_hit

    @property
    def reading_order(self) -> list[int]:
        """The indexes of events as one should read their answers: what is known before what is
        not, the root cause before what came of it, errors before warnings, what says only that
        something failed last."""

        def key(index: int) -> tuple[bool, ...]:
            event = self.events[index].event
            return (
                not self.events[index].matches,
                index != self.root_cause,
                event.role is Role.SYMPTOM,
                event.handled,
                event.severity == "warning",
            )

        return sorted(range(len(self.events)), key=key)

    @property
    def found(self) -> bool:
        """Whether any event has a match."""
        return any(each.matches for each in self.events)
