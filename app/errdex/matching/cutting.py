"""Cuts a log of any length into parts, between two errors and never within one.

*Invariant:* a cut depends on nothing but the bytes around it. So those who work on the part before
it and on the part behind it can find the same cut, each for itself; and a part is
answered as a log of its own.

*Cost:* reading `AROUND` bytes before and after each cut, and finding the errors there. At most one
part and what is around its end are in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from errdex.matching.events import EventLimits, find_events
from errdex.matching.model import Event
from errdex.matching.reading import read_paste

PART = 4 << 20
"""Bytes of a part; it grows by what an error at its end needs, up to `AROUND`."""
AROUND = 32 << 10
"""Bytes that are looked at on each side of a cut: an error that is longer may be cut."""
_LIMITS = EventLimits(events=2 * AROUND)  # without a clock, which would make cuts differ


class LogPart(NamedTuple):
    """A part of a log, cut at line ends unless a line is longer than a part."""

    first_line: int
    """The number of its first line in the log, from 1."""
    data: bytes


def cut_log(pieces: Iterable[bytes], first_line: int = 1, part: int = PART) -> Iterator[LogPart]:
    """The parts of a log that comes in pieces of bytes, cut anywhere."""
    held = bytearray()
    for piece in pieces:
        held += piece
        while len(held) >= part + AROUND:
            end = find_cut(held, part)
            yield LogPart(first_line, bytes(held[:end]))
            first_line += held.count(b"\n", 0, end)
            del held[:end]
    if held:
        yield LogPart(first_line, bytes(held))


def find_cut(log: bytes | bytearray, place: int) -> int:
    """Where to cut a log, at or behind `place`: the offset of the first line there that no error
    reaches over from above. Where an error goes on and on it is cut at the next line, and a line
    that does at `place`."""
    begin = max(0, place - AROUND)
    around = bytes(log[begin : place + AROUND])
    middle = around.find(b"\n", max(0, place - begin - 1)) + 1
    if not middle:
        return place
    line = 1 + around.count(b"\n", 0, middle)
    offset = middle
    for _ in range(_first_free_line(around, line) - line):
        offset = around.find(b"\n", offset) + 1
        if not offset:
            return begin + middle
    return begin + offset


def _first_free_line(log: bytes, line: int) -> int:
    """The first line from `line` on that is not in the middle of an error."""
    found = find_events(read_paste(log), limits=_LIMITS)
    for first, last in _reaches(found.events):
        if first < line <= last:
            line = last + 1
    return line


def _reaches(events: list[Event]) -> list[tuple[int, int]]:
    """The first and last lines of each error with all that it was raised from, in order."""
    reaches = [(event.first_line, event.last_line) for event in events]
    for index, event in enumerate(events):
        cause, links = event.cause, 0
        while cause is not None and links < len(events):  # a chain never comes back to itself
            first, last = reaches[index]
            other = events[cause]
            reaches[index] = min(first, other.first_line), max(last, other.last_line)
            cause, links = other.cause, links + 1
    return sorted(reaches)
