"""Neighbouring lines taken together, for patterns that reach over line breaks.

A message may be broken over lines where no parser knows its form. So runs of a few lines are
matched as well, each line in two of them, but only as far as it is cheap: everywhere in a
short paste, in a long one around events of which nothing is known. A run ends before a line
that has a time or a log header of its own or begins another event, and a hole of a pattern
takes no line break there: the lines are one message only where the pattern's text says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from errdex.matching.events import Units
from errdex.matching.model import Piece
from errdex.matching.patterns.pattern import PatternMatch
from errdex.matching.ranking.searched_texts import PlacedText
from errdex.matching.reading.prefixes import STAMPED

_LINES, _STEP = 8, 4
_EVERYWHERE = 5_000
"""Lines of a paste up to which all of it is looked at."""
_LONGEST = 2_000
"""Characters of a line that is no part of a message broken by hand."""


def windows(units: Units, unknown: Collection[int]) -> Iterator[PlacedText]:
    """Runs of neighbouring lines of one writer, without blank ones. `unknown`: the events for
    which nothing was found yet."""
    wanted = None if units.lines <= _EVERYWHERE else _around(units, unknown)
    if wanted is not None and not wanted:
        return
    for indexes in units.paste.streams().values():
        starts = range(0, max(1, len(indexes) - _STEP), _STEP)
        for start in starts if wanted is None else _starts_around(indexes, wanted, starts):
            yield from _join(units, indexes[start : start + _LINES])


def crosses_lines(text: str, place: PatternMatch) -> bool:
    """Whether a match takes text of more than one line, and each hole no more than one."""
    holes = (text[slice(*span)].strip() for span in place.groups if span is not None)
    return "\n" in text[slice(*place.span)].strip() and not any("\n" in hole for hole in holes)


def lines_taken(window: PlacedText, span: tuple[int, int]) -> PlacedText:
    """The whole lines of a window that a match takes."""
    start = window.text.rfind("\n", 0, span[0]) + 1
    end = window.text.find("\n", span[1])
    end = len(window.text) if end < 0 else end
    pieces = tuple(
        Piece(piece.start - start, piece.line, piece.column)
        for piece in window.pieces
        if start <= piece.start < max(end, start + 1)
    )
    return PlacedText(window.text[start:end], pieces)


def _starts_around(indexes: Sequence[int], wanted: set[int], starts: range) -> list[int]:
    """Where the windows begin that hold one of the wanted lines: each lies in two."""
    chosen: set[int] = set()
    for position, line in enumerate(indexes):
        if line in wanted:
            last = position - position % _STEP
            chosen.update((last - _STEP, last))
    return [start for start in sorted(chosen) if start in starts]


def _around(units: Units, events: Collection[int]) -> set[int]:
    return {line for line, event in units.event_lines.items() if event in events}


def _join(units: Units, window: Sequence[int]) -> Iterator[PlacedText]:
    """The texts of a window's runs, of those that have two lines or more."""
    runs: list[list[int]] = []
    kinds, owner = units.paste.kinds, units.event_lines
    current: int | None = None
    for line in window:
        event = owner.get(line)
        stamped = kinds[line] >= STAMPED and not units.paste.same_time(line, line - 1)
        if not runs or stamped or (event is not None and event != current):
            runs.append([])
            current = event
        runs[-1].append(line)
    for run in runs:
        if sum(1 for line in run if units.texts[line].strip()) > 1:
            yield _text_of(units, run)


def _text_of(units: Units, run: Sequence[int]) -> PlacedText:
    parts: list[str] = []
    pieces: list[Piece] = []
    size = 0
    for line in run:
        kept = units.texts[line][:_LONGEST]
        pieces.append(Piece(size, line, 0))
        parts.append(kept)
        size += len(kept) + 1
    return PlacedText("\n".join(parts), tuple(pieces))
