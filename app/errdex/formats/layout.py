"""Lines of text for a reader with a screen: tones, code, and wrapping.

Lines are at most as wide as asked. Code is never broken, since it is copied: a line of it may be
wider. List items are indented below their mark, and no line ends in spaces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from errdex import lazy_re as re
from errdex.formats.ci.build_commands import disarm_line, disarm_text

WIDTH = 100
"""Columns of a line, where the reader's screen does not set fewer."""
MOST_PLACES = 20
"""Further places of a record that are listed."""
_LEAST = 20
"""Columns that are left for text, however far it is indented."""
_CODE = re.compile(r"(`{1,2})(?!`)([^`\n]+)\1(?!`)")
_FENCE = re.compile(r"\s*```[^`]*")
_BULLET = re.compile(r"(?:[-*•]|\d{1,3}[.)])\s+(?=\S)")
_SPACES = re.compile(r"(\s+)")


class Tone(StrEnum):
    """How a part of a line stands out, where colours can be shown."""

    PLAIN = "plain"
    DIM = "dim"
    HEADING = "heading"
    ERROR = "error"
    KNOWN = "known"
    CAPTURE = "capture"
    FILLED = "filled"
    """A value of the paste within a text of the record."""
    BLANK = "blank"
    """The name of a hole that has no value."""
    CODE = "code"
    MARK = "mark"
    """A mark around code; left out where code stands out by itself."""


Part = tuple[str, Tone]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of text: its indentation in columns, and its parts with their tones."""

    indent: int
    parts: tuple[Part, ...]
    hang: int = 0
    """Further columns by which wrapped lines are indented."""
    whole: bool = False
    """Never wrapped."""

    def __str__(self) -> str:
        return (" " * self.indent + "".join(text for text, _ in self.parts)).rstrip()


def prose_rows(indent: int, mark: str, lines: Iterable[Sequence[Part]]) -> Iterator[Row]:
    """The lines of a text behind a list's mark, such as "1. ", with its code marked."""
    fenced = False
    for number, line in enumerate(lines):
        text = "".join(part for part, _ in line)
        begin = indent if number == 0 else indent + len(mark)
        lead: tuple[Part, ...] = ((mark, Tone.PLAIN),) if mark and number == 0 else ()
        if _FENCE.fullmatch(text):
            fenced = not fenced
            yield Row(begin, (*lead, (text, Tone.MARK)), whole=True)
        elif fenced:
            yield Row(begin, (*lead, *_as_code(line)), whole=True)
        else:
            spaces = len(text) - len(text.lstrip())
            bullet = _BULLET.match(text, spaces)
            hang = spaces + (len(bullet.group()) if bullet else 0)
            yield Row(begin, (*lead, *_mark_code(line)), hang + sum(len(t) for t, _ in lead))


def code_rows(indent: int, lines: Iterable[Sequence[Part]]) -> Iterator[Row]:
    """The lines of a text that is code."""
    return (Row(indent, tuple(_as_code(line)), whole=True) for line in lines)


def split_lines(parts: Iterable[Part]) -> list[list[Part]]:
    """The parts of a text, line by line."""
    lines: list[list[Part]] = [[]]
    for text, tone in parts:
        first, *more = text.split("\n")
        lines[-1].append((first, tone))
        lines += [[(line, tone)] for line in more]
    return lines


def lay_out(rows: Iterable[Row], width: int = WIDTH, *, marks: bool = True) -> Iterator[Row]:
    """The rows, wrapped to a width. Without `marks`, code has none. No line is a command to a build
    server."""
    return (_disarmed(row) for row in _laid_out(rows, width, marks=marks))


def _disarmed(row: Row) -> Row:
    line = str(row)
    if "##" not in line and not line.lstrip().startswith("::"):
        return row
    text = disarm_text(line)
    if text == line:
        return row
    parts = tuple((disarm_line(part), tone) for part, tone in row.parts)
    disarmed = replace(row, parts=parts)
    whole = disarm_text(str(disarmed))
    # What several parts make together, or the beginning of a line: without its tones.
    return disarmed if whole == str(disarmed) else Row(0, ((whole, Tone.PLAIN),), whole=True)


def _laid_out(rows: Iterable[Row], width: int, *, marks: bool) -> Iterator[Row]:
    for row in rows:
        if not marks and row.parts and all(tone is Tone.MARK for _, tone in row.parts):
            continue
        if row.whole or row.indent + sum(columns_of(text) for text, _ in row.parts) <= width:
            parts = row.parts if marks else _without_marks(row.parts)
            yield replace(row, parts=_stripped(parts))
        else:
            yield from _wrapped(row, width, marks=marks)


def columns_of(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1
        for c in text
    )


def _wrapped(row: Row, width: int, *, marks: bool) -> Iterator[Row]:
    room = max(_LEAST, width - row.indent)
    indent, line, used = row.indent, list[Part](), 0
    for space, word in _words(row.parts):
        shown = word if marks else list(_without_marks(word))
        size = sum(columns_of(text) for text, _ in shown)
        if line and used + len(space) + size > room:
            yield Row(indent, _stripped(line))
            indent = row.indent + row.hang
            room = max(_LEAST, width - indent)
            line, used = [], 0
        elif space:
            tone = word[0][1]
            line.append((space, tone if line and line[-1][1] is tone else Tone.PLAIN))
            used += len(space)
        line += shown
        used += size
    if line:
        yield Row(indent, _stripped(line))


def _words(parts: Iterable[Part]) -> Iterator[tuple[str, list[Part]]]:
    """The words of a line with the spaces before each. Code between marks is one word."""
    space, word, inside = "", list[Part](), False
    for text, tone in parts:
        if tone is Tone.MARK:
            inside = not inside
        if inside or tone is Tone.MARK:
            word.append((text, tone))
            continue
        for piece in _SPACES.split(text):
            if piece.isspace():
                if word:
                    yield space, word
                    space, word = piece, []
                else:
                    space += piece
            elif piece:
                word.append((piece, tone))
    if word:
        yield space, word


def _mark_code(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts of a line, those between backticks with the tone of code."""
    text = "".join(part for part, _ in parts)
    cuts: dict[int, Tone | None] = {}
    for found in _CODE.finditer(text):
        cuts |= {
            found.start(): Tone.MARK,
            found.start(2): Tone.CODE,
            found.end(2): Tone.MARK,
            found.end(): None,
        }
    if not cuts:
        yield from parts
        return
    offset, kind = 0, None
    for part, tone in parts:
        begin = offset
        for place in range(offset, offset + len(part)):
            if place in cuts:
                if part[begin - offset : place - offset]:
                    yield part[begin - offset : place - offset], _toned(tone, kind)
                begin, kind = place, cuts[place]
        yield part[begin - offset :], _toned(tone, kind)
        offset += len(part)


def _toned(tone: Tone, kind: Tone | None) -> Tone:
    if kind is Tone.MARK:
        return kind
    return Tone.CODE if kind is Tone.CODE and tone is Tone.PLAIN else tone


def _as_code(line: Iterable[Part]) -> Iterator[Part]:
    return ((text, Tone.CODE if tone is Tone.PLAIN else tone) for text, tone in line)


def _without_marks(parts: Iterable[Part]) -> tuple[Part, ...]:
    return tuple(each for each in parts if each[1] is not Tone.MARK)


def _stripped(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts without spaces at the end of the line."""
    kept = list(parts)
    while kept:
        text, tone = kept.pop()
        if text := text.rstrip():
            return _joined([*kept, (text, tone)])
    return ()


def _joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, neighbours with one tone as one."""
    joined: list[Part] = []
    for text, tone in parts:
        if joined and joined[-1][1] is tone:
            text = joined.pop()[0] + text  # noqa: PLW2901 (the part so far)
        joined.append((text, tone))
    return tuple(joined)
