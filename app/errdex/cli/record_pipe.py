"""The filter of `errdex pipe`: lines of a log pipeline in, the same lines with what is known out.

Lines are held by their writer until that one pauses, so that an error that comes line by line is
answered once and whole; a writer that never pauses is answered every few seconds, without the error
at its end. What is held is bounded; beyond that, the writer that waits longest is answered first.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from typing import Any, BinaryIO

import orjson

from errdex.cli.byte_queue import ByteQueue
from errdex.cli.commands.follow import unfinished
from errdex.cli.remote import ServerTrouble
from errdex.formats.annotation import annotation
from errdex.formats.answer import PasteAnswer
from errdex.matching.reading.record_streams import stream_by, stream_of
from errdex.records.problems import Trouble

FIELD = "errdex"
"""The key of what is known, in a record."""
MOST_LINE = 1_000_000
"""Bytes of a line; a longer one passes as it is."""
MOST_LINES = 2_000
"""Lines of a writer that are held."""
MOST_STREAMS = 1_000
MOST_BYTES = 16_000_000
"""Of all lines that are held."""
LONGEST = 5.0
"""Times the pause, after which a writer that never pauses is answered."""
_OF_A_REPETITION = ("outcome", "fingerprint", "errorClass", "id", "title", "url", "cause")
"""What is added to an error's repetitions, whose values may be others."""
_AHEAD = 4_000_000
"""Bytes that are read ahead."""
_POLL = 0.2

Match = Callable[[bytes], PasteAnswer]


def read_pieces(source: BinaryIO) -> queue.Queue[tuple[bytes, bool] | None]:
    """The lines of a source as they come, without their ends, each with whether it is whole: of a
    longer one, the pieces are not. None at the end. By a thread that reads ahead a little."""
    pieces: queue.Queue[tuple[bytes, bool] | None] = ByteQueue(
        _AHEAD, lambda piece: len(piece[0]) if piece else 0
    )

    def read() -> None:
        cut = False
        try:
            while line := source.readline(MOST_LINE):
                ended = line.endswith(b"\n")
                whole = not cut and (ended or len(line) < MOST_LINE)
                pieces.put((line.rstrip(b"\r\n"), True) if whole else (line, False))
                cut = not ended and not whole
        except (OSError, ValueError):
            pass
        finally:
            pieces.put(None)

    Thread(target=read, name="log reader", daemon=True).start()
    return pieces


@dataclass(slots=True)
class _Held:
    """The lines of one writer that are not answered yet."""

    begun: float
    last: float
    lines: list[bytes] = field(default_factory=list)
    size: int = 0


class RecordPipe:
    """Matches what passes. `pause`: seconds after which what a writer wrote is taken to be whole.
    `keys`: the fields that tell writers apart, by default those that shippers have."""

    def __init__(
        self,
        match: Match,
        write: Callable[[Iterable[bytes]], object],
        complain: Callable[[str], object],
        *,
        pause: float = 2.0,
        keys: Sequence[str] = (),
        site: str | None = None,
        only_known: bool = False,
    ) -> None:
        self._match = match
        self._write = write
        self._complain = complain
        self._pause = pause
        self._keys = keys
        self._site = site
        self._only_known = only_known
        self._held: dict[str, _Held] = {}
        self._bytes = 0
        self._said = ""

    def run(self, pieces: queue.Queue[tuple[bytes, bool] | None], stop: Event) -> None:
        """Until the source ends or `stop` is set; what is held is then answered."""
        while not stop.is_set():
            try:
                piece = pieces.get(timeout=min(_POLL, self._pause))
            except queue.Empty:
                self.answer_due(monotonic())
                continue
            if piece is None:
                break
            self.feed(*piece, monotonic())
        for stream in list(self._held):
            self._answer(stream, whole=True)

    def feed(self, line: bytes, whole: bool, now: float) -> None:
        """Take a line, at a time in seconds."""
        if not whole:
            if not self._only_known:
                self._write([line])
            return
        stream = self._stream_of(line)
        held = self._held.setdefault(stream, _Held(now, now))
        held.lines.append(line)
        held.last = now
        held.size += len(line)
        self._bytes += len(line)
        if len(held.lines) >= MOST_LINES:
            self._answer(stream, whole=False)
        while self._bytes > MOST_BYTES or len(self._held) > MOST_STREAMS:
            oldest = min(self._held, key=lambda each: self._held[each].begun)
            self._answer(oldest, whole=True)
        self.answer_due(now)

    def answer_due(self, now: float) -> None:
        """Answer the writers that pause, and those that have not for long."""
        for stream, held in list(self._held.items()):
            if now - held.last >= self._pause:
                self._answer(stream, whole=True)
            elif now - held.begun >= self._pause * LONGEST:
                self._answer(stream, whole=False)

    def _stream_of(self, line: bytes) -> str:
        record = _record_of(line)
        if record is None:
            return ""
        return stream_by(record, self._keys) if self._keys else stream_of(record)

    def _answer(self, stream: str, *, whole: bool) -> None:
        held = self._held.pop(stream)
        self._bytes -= held.size
        found: dict[int, dict[str, Any]] = {}
        done = len(held.lines)
        try:
            answer = self._match(b"\n".join(held.lines))
        except (Trouble, ServerTrouble) as trouble:
            self._say(str(trouble))  # and the lines pass as they are
        else:
            found, done = self._known(answer, len(held.lines), whole=whole)
        self._write(self._written(held.lines[:done], found))
        if rest := held.lines[done:]:
            size = sum(map(len, rest))
            self._held[stream] = _Held(held.last, held.last, rest, size)
            self._bytes += size

    def _known(
        self, answer: PasteAnswer, lines: int, *, whole: bool
    ) -> tuple[dict[int, dict[str, Any]], int]:
        """What is known by the index of its line, and how many lines are done with."""
        events = answer.events
        open_ends = set() if whole else unfinished(events, lines)
        done = min((events[number].first_line - 1 for number in open_ends), default=lines)
        if not done:  # an error that does not end
            open_ends, done = set(), lines
        found: dict[int, dict[str, Any]] = {}
        for number in reversed(answer.reading_order):  # the first one last, if they share a line
            event = events[number]
            if number not in open_ends and (event.known or not self._only_known):
                root = number == answer.root_cause
                known = annotation(event, self._site, root=root)
                if not self._only_known:
                    again = {key: known[key] for key in _OF_A_REPETITION if key in known}
                    found |= {line - 1: again for line in event.repeat_lines}
                found[event.message_line - 1] = known
        return found, done

    def _written(self, lines: Sequence[bytes], found: Mapping[int, Any]) -> Iterator[bytes]:
        for index, line in enumerate(lines):
            if index in found:
                yield with_field(line, found[index]) + b"\n"
            elif not self._only_known:
                yield line + b"\n"

    def _say(self, trouble: str) -> None:
        if trouble != self._said:
            self._said = trouble
            self._complain(trouble)


def with_field(line: bytes, known: Mapping[str, Any]) -> bytes:
    """The line with what is known. A record keeps all else as it was, character by character, and
    a field of that name that it has already; other lines become the message of a record."""
    record = _record_of(line)
    if record is None:
        return orjson.dumps({"message": line.decode("utf-8", "replace"), FIELD: known})
    if FIELD in record:
        return line
    comma = b"," if record else b""
    return line.rstrip()[:-1] + comma + b'"%b":' % FIELD.encode() + orjson.dumps(known) + b"}"


def _record_of(line: bytes) -> dict[str, Any] | None:
    if line.lstrip()[:1] != b"{":
        return None
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
