"""Neighbouring lines taken together, for patterns that reach over line breaks.

A message may be broken over lines where no parser knows its form. So runs of a few lines are
matched as well, each line in two of them, but only as far as it is cheap: everywhere in a
short paste, in a long one around events of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from errdex.matching.events import Units
from errdex.matching.model import Piece
from errdex.matching.ranking.searched_texts import PlacedText

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


def crosses_lines(text: str, span: tuple[int, int]) -> bool:
    """Whether a match takes text of more than one line."""
    return "\n" in text[span[0] : span[1]].strip()


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
    texts = [units.texts[line] for line in window]
    if sum(1 for text in texts if text and not text.isspace()) < 2:
        return
    parts: list[str] = []
    pieces: list[Piece] = []
    size = 0
    for line, text in zip(window, texts, strict=True):
        kept = text[:_LONGEST]
        pieces.append(Piece(size, line, 0))
        parts.append(kept)
        size += len(kept) + 1
    yield PlacedText("\n".join(parts), tuple(pieces))
