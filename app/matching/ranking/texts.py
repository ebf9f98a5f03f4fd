"""Which texts of a paste are matched against patterns, and what a match in one is a match of.

Two lots: the texts of events (an event's whole message, the line it begins on with the class,
what unescaping or joining wrapped lines makes of it), and quiet lines, which no parser took for
an error. In a quiet line only patterns with telling text are looked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from app.matching.events import Found, Units
from app.matching.model import Event, Piece
from app.matching.ranking.answer import PastePlace
from app.matching.ranking.evidence import Fit
from app.matching.reading import Paste

_DECORATION_BEFORE = re.compile(
    r"(?:\s*(?:\([\w.:]{1,120}\)|\[[^\]\n]{1,80}\]|(?:[\w.$]+(?:Error|Exception)|[Ee]rror|ERROR|fatal):))*\s*"
)
"""Around the text of the raise site: "(sqlite3.IntegrityError) …", "[Errno 2] …", "error: …"."""
_DECORATION_BEHIND = re.compile(
    r"[\s.!;,:\"')\]]*(?:\n\[(?:SQL|parameters)|\n?\(Background on this error|\n\s*\^|\n\s*at |$)"
)


@dataclass(frozen=True, slots=True)
class EventText:
    """A text in which an event's record is looked for. `start`: where the message itself
    begins in it. `pieces`: where its parts stand in the paste."""

    text: str
    event: int
    start: int
    pieces: tuple[Piece, ...]


def event_texts(found: Found, units: Units) -> list[EventText]:
    """The texts of events, the one that tells most first for each event."""
    texts: list[EventText] = []
    for index, event in enumerate(found.events):
        if not event.pieces:
            continue
        first = event.pieces[0]
        line = units.paste.texts[first.line]
        if event.message:
            texts.append(EventText(event.message, index, 0, event.pieces))
        if line != event.message:
            start = min(first.column, len(line))
            texts.append(EventText(line, index, start, (Piece(0, first.line, 0),)))
    for number, extra in enumerate(units.extras, units.lines):
        event_index = extra.event
        if event_index is None:
            event_index = _event_at(units, extra.pieces)
        if event_index is not None and extra.kind != "message":
            start = 0 if extra.event is not None else _message_start(found, event_index, extra.text)
            texts.append(EventText(units.texts[number], event_index, start, extra.pieces))
    return texts


def quiet_units(units: Units) -> list[int]:
    """The units of no event."""
    lines = [
        unit for unit in range(units.lines) if units.texts[unit] and units.event_of(unit) is None
    ]
    extras = [
        number
        for number, extra in enumerate(units.extras, units.lines)
        if extra.event is None and _event_at(units, extra.pieces) is None
    ]
    return lines + extras


def fit_in(text: str, start: int, span: tuple[int, int]) -> Fit:
    """How a span lies in a message that begins at `start` of a text."""
    message_end = len(text.rstrip())
    before = span[0] <= start or _covers(_DECORATION_BEFORE, text, start, span[0])
    behind = span[1] >= message_end or _DECORATION_BEHIND.match(text, span[1]) is not None
    if before and behind:
        return Fit(True, True, 1.0)
    line_start = text.rfind("\n", 0, span[0]) + 1
    line_end = text.find("\n", span[1])
    line_end = len(text) if line_end < 0 else line_end
    begins = before or _covers(_DECORATION_BEFORE, text, line_start, span[0])
    ends = behind or not text[span[1] : line_end].strip(" \t.!;,")
    if begins and ends:
        return Fit(False, True, 1.0)
    length = max(1, min(message_end, line_end) - max(start, line_start))
    return Fit(False, False, min(1.0, (span[1] - span[0]) / length))


def is_quoted(text: str, span: tuple[int, int]) -> bool:
    """Whether a match stands in quotes, as a message does in source or prose."""
    before, after = text[: span[0]].rstrip()[-1:], text[span[1] - 1 : span[1] + 2]
    return before in ('"', "'", "`") and before != "" and before in after


def place_in(paste: Paste, pieces: Sequence[Piece], span: tuple[int, int]) -> PastePlace:
    """Where a span of a text stands in the paste."""
    start, end = span
    first = _locate(paste, pieces, start)
    last = _locate(paste, pieces, max(start, end - 1))
    return PastePlace(first[0], first[1], last[0], last[1] + (1 if end > start else 0))


def quiet_event(units: Units, unit: int, text: str) -> Event:
    """A quiet line as an event of its own."""
    place = units.locate(unit, 0)
    line = unit if unit < units.lines else units.extras[unit - units.lines].pieces[0].line
    return Event(
        language="",
        error_class=None,
        message=text,
        first_line=place.number,
        last_line=units.locate(unit, max(0, len(text) - 1)).number,
        message_line=place.number,
        message_offset=place.offset,
        writer=units.paste.writers.get(line, ""),
        handled=units.paste.level(line) in ("trace", "debug", "info", "notice"),
    )


def pieces_of(units: Units, unit: int) -> tuple[Piece, ...]:
    """Where the parts of a unit stand."""
    if unit < units.lines:
        return (Piece(0, unit, 0),)
    return units.extras[unit - units.lines].pieces


def _covers(regex: re.Pattern[str], text: str, start: int, end: int) -> bool:
    found = regex.match(text, start)
    return found is not None and found.end() >= end


def _event_at(units: Units, pieces: Sequence[Piece]) -> int | None:
    for piece in pieces[:50]:
        event = units.event_of(piece.line) if piece.line < units.lines else None
        if event is not None:
            return event
    return None


def _message_start(found: Found, event: int, text: str) -> int:
    """Where an event's message begins in another form of its lines."""
    head = found.events[event].message[:20]
    return max(0, text.find(head)) if head else 0


def _locate(paste: Paste, pieces: Sequence[Piece], offset: int) -> tuple[int, int]:
    piece = pieces[max(0, bisect_right(pieces, offset, key=lambda item: item.start) - 1)]
    return paste.locate(piece.line, piece.column + offset - piece.start)
