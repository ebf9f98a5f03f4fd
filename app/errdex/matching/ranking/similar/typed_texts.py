"""The texts of an event that similar records are looked for in, and places in one that was
searched without its quotation marks."""

from __future__ import annotations

from errdex.matching.model import Event, Piece
from errdex.matching.patterns.pattern import PatternMatch
from errdex.matching.ranking.searched_texts import PlacedText
from errdex.matching.reading import Paste


def message_texts(paste: Paste, event: Event) -> list[PlacedText]:
    """An event's message, and the line on which it begins: patterns may spell out the class, code
    or level before it."""
    texts = [PlacedText(event.message, event.pieces)]
    first = event.pieces[0]
    line = paste.texts[first.line]
    if line != event.message:
        start = min(first.column, len(line))
        texts.append(PlacedText(line, (Piece(0, first.line, 0),), start))
    return texts


def in_message(place: PatternMatch, places: list[int]) -> PatternMatch:
    """A place in what is left without the marks, as one in the message. `places`: where each
    character that is left stands in it."""

    def moved(span: tuple[int, int]) -> tuple[int, int]:
        start, end = span
        first = places[start] if start < len(places) else places[-1] + 1
        return first, (places[end - 1] + 1 if end > start else first)

    groups = tuple(None if span is None else moved(span) for span in place.groups)
    return PatternMatch(moved(place.span), groups, place.whole)
