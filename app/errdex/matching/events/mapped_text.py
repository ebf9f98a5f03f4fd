"""The texts to match patterns against, each of which knows where it stands in the paste."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from errdex import lazy_re as re
from errdex.matching.events.finder import Found
from errdex.matching.model import Event, Piece
from errdex.matching.reading import Paste, Place
from errdex.matching.reading.escapes import unescape
from errdex.matching.reading.paste import UNREAD

_MARKUP = re.compile(r"```|~~~|\{(?:noformat|code)[^}\n]{0,40}\}|</?(?:pre|code)>")
"""Begins or ends a block of code."""
_MIN_WRAP, _MAX_WRAP = 40, 400
_MAX_WRAPPED_LINES = 20_000
_MAX_UNESCAPED, _MAX_UNESCAPED_LINE = 300_000, 50_000


@dataclass(frozen=True, slots=True)
class Extra:
    """A text beside the logical lines: "message" of an event, "wrapped" lines made one,
    "unescaped" or "raw" (the physical text of a line that was opened up)."""

    text: str
    kind: str
    pieces: tuple[Piece, ...]
    event: int | None = None


class Units:
    """All texts to match: first each logical line (those that quote source left empty),
    then the extras."""

    def __init__(self, paste: Paste, found: Found, extras: list[Extra]) -> None:
        self.paste = paste
        self.extras = extras
        texts = paste.texts
        if found.quoted:
            texts = texts.copy()
            for line in found.quoted:
                texts[line] = ""
        self.lines = len(texts)
        self.texts: list[str] = [*texts, *(extra.text for extra in extras)]
        self._event_of_line = _lines_of_events(found.events)

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def locate(self, unit: int, offset: int) -> Place:
        """Where the character at `offset` of a unit stands in the paste."""
        if unit < self.lines:
            return self.paste.locate(unit, offset)
        pieces = self.extras[unit - self.lines].pieces
        piece = pieces[max(0, bisect_right(pieces, offset, key=lambda item: item.start) - 1)]
        return self.paste.locate(piece.line, piece.column + offset - piece.start)

    @property
    def event_lines(self) -> Mapping[int, int]:
        """The event of each logical line that is a line of an event's message."""
        return self._event_of_line

    def event_of(self, unit: int) -> int | None:
        """The event whose message the unit is, or a line of."""
        if unit < self.lines:
            return self._event_of_line.get(unit)
        return self.extras[unit - self.lines].event


def units(paste: Paste, found: Found) -> Units:
    """Every logical line, every event's whole message where it is more than a line, lines that
    were wrapped, and what stands behind escapes."""
    extras = [
        Extra(event.message, "message", event.pieces, index)
        for index, event in enumerate(found.events)
        if len(event.pieces) > 1
    ]
    extras += _wrapped_messages(paste, found.events)
    extras += _wrapped_lines(paste, found.quoted)
    extras += [
        Extra(text, "raw", (Piece(0, line, UNREAD),))
        for line, text in paste.unread
        if line < len(paste)
    ]
    if "\\" in paste.clean:
        extras += _unescaped(paste, found)
    return Units(paste, found, extras)


def _lines_of_events(events: Sequence[Event]) -> dict[int, int]:
    lines: dict[int, int] = {}
    for index, event in enumerate(events):
        for piece in event.pieces:
            lines.setdefault(piece.line, index)
    return lines


def _wrapped_messages(paste: Paste, events: Sequence[Event]) -> Iterator[Extra]:
    """Messages whose lines were broken by a width: their lines joined without a break."""
    for index, event in enumerate(events):
        if len(event.pieces) < 2:
            continue
        lines = [paste.texts[piece.line] for piece in event.pieces]
        width = max(map(len, lines[:-1]))
        if _MIN_WRAP <= width <= _MAX_WRAP and len(lines[0]) == width:
            yield _join(paste, [(piece.line, piece.column) for piece in event.pieces], width, index)


def _join(
    paste: Paste, parts: Sequence[tuple[int, int]], width: int, event: int | None = None
) -> Extra:
    text = ""
    pieces: list[Piece] = []
    for line, column in parts:
        whole = paste.texts[line]
        pieces.append(Piece(len(text), line, column))
        text += whole[column:]
        text += "" if len(whole) >= width else " "
    return Extra(text.rstrip(), "wrapped", tuple(pieces), event)


def _wrapped_lines(paste: Paste, quoted: frozenset[int]) -> list[Extra]:
    """Runs of lines that a terminal broke at its width, which is that of the longest line.
    None of them quotes source."""
    if len(paste) > _MAX_WRAPPED_LINES or len(paste) < 2:
        return []
    physical = _physical_widths(paste)
    width = max(physical)
    if not _MIN_WRAP <= width <= _MAX_WRAP:
        return []
    extras: list[Extra] = []
    line = 0
    while line < len(paste):
        parts = [line]
        while (
            physical[line] == width and line + 1 < len(paste) and _goes_on(paste, line, len(parts))
        ):
            line += 1
            parts.append(line)
        if len(parts) > 1 and quoted.isdisjoint(parts):
            extras.append(_join(paste, [(part, 0) for part in parts], 0))
        line += 1
    return extras


def _physical_widths(paste: Paste) -> list[int]:
    """The length of each line as the terminal showed it, with its prefix; 0 of those that were
    read from data."""
    widths = []
    for line, text in enumerate(paste.texts):
        if line in paste.field_texts or line in paste.flat or line in paste.runs:
            widths.append(0)
            continue
        prefix = 0
        if paste.kinds[line]:
            original = paste.locate(line).offset
            prefix = original - (paste.text.rfind("\n", 0, original) + 1)
        widths.append(len(text) + prefix)
    return widths


def _goes_on(paste: Paste, line: int, parts: int) -> bool:
    if parts > 50 or paste.kinds[line + 1]:
        return False
    text, following = paste.texts[line], paste.texts[line + 1]
    if (
        not following
        or _MARKUP.match(following)
        or (not text[-1:].isalnum() and text[-1:] not in " ,.:;'\"([{-_/=")
    ):
        return False
    return not following[:2].isspace() and following[0] != "\t" and len(set(text[-5:])) > 1


def _unescaped(paste: Paste, found: Found) -> Iterator[Extra]:
    """Lines whose escapes hide line breaks or quotes from a pattern, within a bound; those of
    events first."""
    size = 0
    reported = {piece.line for event in found.events for piece in event.pieces}
    rest = (line for line in range(len(paste)) if line not in reported)
    for line in chain(sorted(reported), rest):
        text = paste.texts[line]
        if "\\" not in text or line in found.quoted or len(text) > _MAX_UNESCAPED_LINE:
            continue
        if "\\n" in text or '\\"' in text or "\\'" in text:
            size += len(text)
            if size > _MAX_UNESCAPED:
                return
            mapped = unescape(text)
            pieces = tuple(Piece(column, line, source) for column, source in mapped.runs)
            yield Extra(mapped.text, "unescaped", pieces)
