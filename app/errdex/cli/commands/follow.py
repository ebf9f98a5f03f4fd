"""Answering a log while it is being written.

What came in is answered when nothing more comes for a while, so that a traceback that is
written line by line is answered once and whole. A log that never pauses is answered every
few seconds, without the error at its end, which may go on.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Event, Thread
from time import monotonic
from typing import BinaryIO

from errdex.cli.byte_queue import ByteQueue
from errdex.formats.answer import ErrorEvent, MatchedRecord, PasteAnswer, PasteRange
from errdex.formats.selection import keep_events

QUIET_SECONDS = 0.4
"""A pause after which what came in is taken to be whole."""
LONGEST_WAIT = 3.0
"""Seconds after which a log that never pauses is answered."""
MOST_LINES = 5_000
"""Lines that are waited with."""
MOST_HELD = 1_000
"""Lines of an error that does not end."""
MOST_BYTES = 65_536
"""Of a line; the rest of a longer one is left out."""
MOST_WAITING = 4_000_000
"""Bytes of the lines that are waited with, and of those that are read ahead."""

Match = Callable[[bytes], PasteAnswer]


def read_lines(source: BinaryIO) -> queue.Queue[bytes | None]:
    """The lines of a source as they come, by a thread that reads ahead a little; None at its
    end. A source that cannot be read any more has ended."""
    lines: queue.Queue[bytes | None] = ByteQueue(MOST_WAITING, lambda line: len(line or b""))

    def read() -> None:
        whole = True
        try:
            while line := source.readline(MOST_BYTES):
                if whole:
                    lines.put(line if line.endswith(b"\n") else line + b"\n")
                whole = line.endswith(b"\n")
        except (OSError, ValueError):
            pass
        finally:
            lines.put(None)

    Thread(target=read, name="log reader", daemon=True).start()
    return lines


def follow(
    lines: queue.Queue[bytes | None], match: Match, stop: Event | None = None
) -> Iterator[tuple[int, PasteAnswer]]:
    """Answers to the lines that come out of a queue, until None comes or `stop` is set, each
    with the number of the line that it begins at. Line numbers in an answer are those of the
    whole log, offsets are counted from that line."""
    pending = _Pending()
    while True:
        batch = pending.collect(lines, stop or Event())
        if pending.lines:
            first = pending.first
            yield first, pending.settle(match(b"".join(pending.lines)), batch)
        if batch.ended:
            return


@dataclass(frozen=True, slots=True)
class _Batch:
    quiet: bool
    ended: bool


@dataclass(slots=True)
class _Pending:
    """Lines that are not answered yet. `first`: the number of the first of them; `size`: the bytes
    of all."""

    lines: list[bytes] = field(default_factory=list)
    first: int = 1
    size: int = 0

    def collect(self, lines: queue.Queue[bytes | None], stop: Event) -> _Batch:
        """Take lines until they pause, end, or have been coming for long."""
        begun: float | None = None
        while not stop.is_set():
            left = None if begun is None else begun + LONGEST_WAIT - monotonic()
            full = len(self.lines) >= MOST_LINES or self.size >= MOST_WAITING
            if left is not None and (left <= 0 or full):
                return _Batch(quiet=False, ended=False)
            try:
                line = lines.get(timeout=QUIET_SECONDS)
            except queue.Empty:
                if self.lines:
                    return _Batch(quiet=True, ended=False)
                continue
            if line is None:
                return _Batch(quiet=True, ended=True)
            self._take(line)
            begun = monotonic() if begun is None else begun
        while not lines.empty() and (line := lines.get()) is not None:
            self._take(line)
        return _Batch(quiet=True, ended=True)

    def _take(self, line: bytes) -> None:
        self.lines.append(line)
        self.size += len(line)

    def settle(self, answer: PasteAnswer, batch: _Batch) -> PasteAnswer:
        """Drop the lines that are answered, and keep those of an error that may go on.
        Returns the answer without that error."""
        events = answer.events
        held = set() if batch.quiet or batch.ended else unfinished(events, len(self.lines))
        done = min((events[index].first_line - 1 for index in held), default=len(self.lines))
        rest = sum(map(len, self.lines[done:]))
        if len(self.lines) - done > MOST_HELD or rest > MOST_WAITING // 2:
            held, done, rest = set(), len(self.lines), 0
        settled = _part_of(answer, [n for n in range(len(events)) if n not in held], self.first)
        self.first += done
        del self.lines[:done]
        self.size = rest
        return settled


def unfinished(events: Sequence[ErrorEvent], lines: int) -> set[int]:
    """The errors that reach the end of the lines, with their causes and consequences."""
    held = {index for index, event in enumerate(events) if event.last_line >= lines - 1}
    grown = True
    while grown and held:
        begin = min(events[index].first_line for index in held)
        more = {
            index
            for index, event in enumerate(events)
            if event.cause in held
            or event.last_line >= begin
            or any(events[other].cause == index for other in held)
        }
        grown = not more <= held
        held |= more
    return held


def _part_of(answer: PasteAnswer, kept: Sequence[int], first: int) -> PasteAnswer:
    """The answer with some of its events, and with line numbers counted from `first`."""
    part = keep_events(answer, kept)
    return replace(part, events=[_shifted(event, first - 1) for event in part.events])


def _shifted(event: ErrorEvent, by: int) -> ErrorEvent:
    """The event with its line numbers in the log moved. Those of stack frames are of other
    files."""
    return replace(
        event,
        first_line=event.first_line + by,
        last_line=event.last_line + by,
        message_line=event.message_line + by,
        repeat_lines=[line + by for line in event.repeat_lines],
        matches=[_shifted_match(match, by) for match in event.matches],
    )


def _shifted_match(match: MatchedRecord, by: int) -> MatchedRecord:
    captures = [replace(each, place=_shifted_range(each.place, by)) for each in match.captures]
    return replace(match, captures=captures, place=_shifted_range(match.place, by))


def _shifted_range(place: PasteRange, by: int) -> PasteRange:
    return replace(place, line=place.line + by, end_line=place.end_line + by)
