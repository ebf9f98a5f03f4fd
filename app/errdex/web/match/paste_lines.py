"""A paste as HTML: its lines with their numbers, matches marked and numbered, lines without
errors folded.

Lines around errors are an element each, so that they are wrapped beside their numbers. All others
are in a few large blocks of text, since a browser is slow with 20,000 elements.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup, escape

from errdex import lazy_re as re
from errdex.web.match.contexts import PasteChunk

CONTEXT = 4
"""Lines that are shown around an error."""
SHORT = 60
"""A paste of up to this many lines is not folded."""
MOST_FOLDED = 2_000_000
"""Characters of folded lines on a page; further lines are left out."""
MOST_WRAPPED = 400
"""Lines of a block that are an element each."""
LONG_LINE = 2_000
"""Characters of a line that are shown."""
_AROUND = 300
_MARKS = re.compile(r"</?(?:mark|b)(?: class=\"\w+\")?>")
_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)")
_CONTROLS = {code: " " if code == 13 else None for code in (*range(9), *range(11, 32), 127)}


@dataclass(frozen=True, slots=True)
class Spot:
    """A range of the paste, in characters, that belongs to an event."""

    start: int
    end: int
    number: int
    """The event's place in the order to read."""
    known: bool
    captures: Sequence[tuple[int, int]] = ()
    """Ranges of captured values."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The chunks of a paste, and the number of lines that they leave out."""

    chunks: Sequence[PasteChunk]
    left_out: int


def show_paste(text: str, spots: Iterable[Spot]) -> Lines:
    """The paste in chunks, split where folded lines begin and end."""
    text = text.rstrip("\n")
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    separate = list(_without_overlaps(spots, len(text)))
    chunks: list[PasteChunk] = []
    left_out, room = 0, MOST_FOLDED
    for first, last, folded in _ranges(starts, separate):
        begin = starts[first]
        end = starts[last + 1] - 1 if last + 1 < len(starts) else len(text)
        if folded:
            room -= end - begin
            if room < 0:
                left_out += last - first + 1
                continue
        inside = [spot for spot in separate if begin <= spot.start and spot.end <= end]
        html = Markup("").join(_marked(text, begin, end, inside))
        numbers = "\n".join(map(str, range(first + 1, last + 2)))
        lines = () if folded or last - first >= MOST_WRAPPED else _split(html)
        chunks.append(PasteChunk(numbers, html, first + 1, last + 1, folded, lines))
    return Lines(chunks, left_out)


def visible(text: str) -> str:
    """The text without terminal codes and other invisible characters."""
    return _CODES.sub("", text).translate(_CONTROLS)


def _without_overlaps(spots: Iterable[Spot], length: int) -> Iterator[Spot]:
    """The spots in order; of overlapping ones, the one whose event is read first."""
    taken: list[Spot] = []
    for spot in sorted(spots, key=lambda spot: (spot.number, spot.start)):
        if spot.start < spot.end <= length and not any(
            spot.start < other.end and other.start < spot.end for other in taken
        ):
            taken.append(spot)
    yield from sorted(taken, key=lambda spot: spot.start)


def _ranges(starts: Sequence[int], spots: Sequence[Spot]) -> Iterator[tuple[int, int, bool]]:
    """The first and last line, from 0, of each range, and whether it is folded."""
    final = len(starts) - 1
    if final < SHORT:
        yield 0, final, False
        return
    shown: list[list[int]] = []
    for spot in spots:
        first = max(0, bisect_right(starts, spot.start) - 1 - CONTEXT)
        last = min(final, bisect_right(starts, spot.end - 1) - 1 + CONTEXT)
        if shown and first <= shown[-1][1] + CONTEXT:
            shown[-1][1] = max(shown[-1][1], last)
        else:
            shown.append([first, last])
    if not shown:
        shown = [[0, min(final, SHORT)]]
    if shown[0][0] > 0:
        yield 0, shown[0][0] - 1, True
    for (first, last), following in pairwise([*shown, [final + 1, final + 1]]):
        yield first, last, False
        if following[0] > last + 1:
            yield last + 1, following[0] - 1, True


def _marked(text: str, begin: int, end: int, spots: Sequence[Spot]) -> Iterator[Markup]:
    place = begin
    for spot in spots:
        yield _plain(text[place : spot.start], after=place > begin, before=True)
        kind = "known" if spot.known else "unknown"
        yield Markup(
            '<a class="pin {0}" id="at-{1}" href="#event-{1}" aria-label="Error {1}">{1}</a>'
            '<mark class="{0}">'
        ).format(kind, spot.number)
        yield from _with_captures(text, spot)
        yield Markup("</mark>")
        place = spot.end
    yield _plain(text[place:end], after=place > begin, before=False)


def _split(html: Markup) -> list[Markup]:
    """The lines of the HTML, in each of which the marks that are open are begun again."""
    opened: list[str] = []
    lines: list[Markup] = []
    for line in str(html).split("\n"):
        begun = "".join(opened)
        for tag in _MARKS.findall(line):
            if tag.startswith("</"):
                opened.pop()
            else:
                opened.append(tag)
        ended = "".join(f"</{tag[1:].split()[0].rstrip('>')}>" for tag in reversed(opened))
        lines.append(Markup(begun + line + ended))  # noqa: S704 (our own tags, closed)
    return lines


def _with_captures(text: str, spot: Spot) -> Iterator[Markup]:
    place = spot.start
    for start, end in sorted(spot.captures):
        if place <= start < end <= spot.end:
            yield _plain(text[place:start], after=True, before=True)
            yield Markup("<b>{}</b>").format(_plain(text[start:end], after=True, before=True))
            place = end
    yield _plain(text[place : spot.end], after=True, before=True)


def _plain(text: str, *, after: bool, before: bool) -> Markup:
    """Text without marks, with very long lines shortened. `after` and `before`: whether a mark
    is at its start or end, next to which some text is always kept."""
    text = visible(text)
    if len(text) <= LONG_LINE:
        return escape(text)
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if len(line) > LONG_LINE:
            head = LONG_LINE // 2 if index or not after else _AROUND
            tail = _AROUND if before and index == len(lines) - 1 else 0
            left_out = len(line) - head - tail
            lines[index] = f"{line[:head]} … {left_out:,} characters … {line[len(line) - tail :]}"
    return escape("\n".join(lines))
