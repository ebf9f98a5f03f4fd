"""What the page of a record is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from errdex.knowledge import CauseItem, Related
from errdex.records.field_types import Place
from errdex.records.messages.filling import Segment
from errdex.records.model import Record
from errdex.web.match.contexts import CapturedValue
from errdex.web.pages.contexts.page import PageContext
from errdex.web.pages.rendering.fixes import Fix


@dataclass(frozen=True, slots=True)
class MessagePiece:
    """A piece of a message: text, or a hole that is filled in when the error is raised."""

    text: str
    hole: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The source around the line that raises."""

    html: Markup
    """Its lines. A template would take twenty times as long to write them."""
    left_out: int
    """How many lines of a very long excerpt are not shown."""


@dataclass(frozen=True, slots=True)
class PlaceView:
    """A place besides the first that says the same."""

    place: Place
    url: str | None
    """The address of its source, where it may become a link."""
    source: Markup | None
    """Its excerpt; None for places far behind, which the JSON has."""


@dataclass(frozen=True, slots=True)
class PatternTest:
    """The result of a text tested against a record's pattern."""

    text: str
    shown: Markup
    """The text, with what matches marked."""
    verdict: str
    captures: Sequence[CapturedValue]


@dataclass(frozen=True, kw_only=True)
class RecordPage(PageContext):
    """`/errors/{id}/{slug}`: one record, the fix first."""

    template: ClassVar[str] = "record.html"

    record: Record
    texts: Mapping[str, Sequence[Sequence[Segment]]]
    """Its texts by their names; one that is no list is a list of one."""
    headline: str
    """The message cut to a heading."""
    heads: bool
    """Whether the whole message is the heading, so that it is not said again below."""
    message: Sequence[MessagePiece]
    """The whole message."""
    language: str | None
    """The language of its code."""
    fix: Fix | None
    source: Excerpt | None
    places: Sequence[PlaceView]
    """The record's further places, in their order."""
    strategy: str | None
    """How a program should handle it, in words; None for what has no words of ours."""
    related: Sequence[Related]
    cause: CauseItem | None
    pattern_test: PatternTest | None
    """Set when a text was tested against the pattern."""
    contents: Sequence[tuple[str, str]]
    """The parts that the page has: anchor and heading."""
