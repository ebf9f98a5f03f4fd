"""Lines in, answers out: application/x-ndjson both ways, in constant memory.

A bounded part of the lines is read before the answers to those before them were taken; a
client that sends still more without reading waits. Each line is a paste of its own. It is
one of

    {"text": "…"} or "…"     the text
    any other JSON           a log record, in which the reader of pastes finds the message
    anything else            the text, as `tail -f` gives it

and its answer is the JSON of an answer on one line, with `line`, its number, in front; or
`{"line": …, "problem": {"status": …, "title": …, "detail": …}}`. With such a line ends a
stream that is damaged, lasts or pauses too long, or needs memory that the server does not have:
that line and those behind it were not looked at. A client that has nothing to send for long sends
an empty line now and then.

All of the work, to unpack lines and to cut them too, is done in turns in a thread; the event loop
passes bytes on. It ends when the client has left.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic

from fastapi import Request
from starlette.requests import ClientDisconnect

from errdex.knowledge import KnowledgeError
from errdex.store import StoreError
from errdex.web.http.limits.rate_limit import Client, client_of
from errdex.web.http.limits.request_memory import MemoryFull, Share
from errdex.web.http.statuses import name_of
from errdex.web.match.body import PasteRefused
from errdex.web.match.doing import MatchFault, Work, do
from errdex.web.match.json_body import parse_line
from errdex.web.match.line_stream import MAX_LINE, LineReader, StreamLine
from errdex.web.match.read_ahead import ReadAhead, StreamIdle
from errdex.web.match.work import MatchWork
from errdex.workers.cancellation import cancelled_by

log = logging.getLogger(__name__)

TURN_SECONDS = 0.1
"""How long lines of a stream are matched until others get a turn. A piece of a stream, 64 kB,
may be 30,000 lines."""


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as it is sent, and whether a record matched."""

    data: bytes
    found: bool


async def answer_lines(
    request: Request, encoding: str, matching: MatchWork, write: Work[Written], share: Share
) -> AsyncGenerator[bytes, None]:
    """The answers to the lines of the request's body, each ended by a line break. Raises
    starlette's ClientDisconnect."""
    reader = LineReader(encoding, share.take)
    deadline = asyncio.get_running_loop().time() + matching.stream_seconds
    async with ReadAhead(request, matching.max_bytes, share, matching.stream_idle_seconds) as body:
        turns = _Turns(matching, write, client_of(request.scope), body, reader, deadline)
        try:
            async for chunk in body.chunks(deadline):
                if reader.ends_no_line(chunk):
                    deque(reader.feed(chunk), 0)
                    continue
                async for answers in turns.of(reader.feed(chunk)):
                    yield answers
                if turns.ended:
                    return
            async for answers in turns.of(reader.end()):
                yield answers
        except (StreamIdle, TimeoutError) as error:
            yield _last(reader.number + 1, error, matching)


class _Turns:
    """The turns of one stream. It holds a place only while it has lines to match, for a turn at
    a time, and waits for one as long as it takes: the client is held up by that."""

    def __init__(
        self,
        matching: MatchWork,
        write: Work[Written],
        client: Client,
        body: ReadAhead,
        reader: LineReader,
        deadline: float,
    ) -> None:
        self._matching = matching
        self._write = write
        self._client = client
        self._body = body
        self._reader = reader
        self._deadline = deadline
        self.ended = False
        """Whether the lines could not be read to their end, which was said in an answer."""

    async def of(self, lines: Iterator[StreamLine | None]) -> AsyncIterator[bytes]:
        """The answers to the lines, those of a turn together. Raises TimeoutError when the time
        is over, and ClientDisconnect."""
        more = True
        while more:
            async with self._matching.lanes.streams.take(self._client, patient=True):
                if self._body.has_left():
                    raise ClientDisconnect
                if asyncio.get_running_loop().time() >= self._deadline:
                    raise TimeoutError
                answers, more = await self._matching.in_stream_thread(self._answer, lines)
            if answers:
                yield answers

    def _answer(self, lines: Iterator[StreamLine | None]) -> tuple[bytes, bool]:
        """To the first lines that wait, at least to one, and whether there are more. What is
        wrong with those is said here: an error that was passed on would keep all that reading
        them took alive."""
        answers: list[bytes] = []
        ends = monotonic() + TURN_SECONDS
        try:
            with cancelled_by(self._body.has_left):
                for line in lines:
                    if line is not None:
                        answers.append(_answer_of(line, self._matching, self._write))
                    if monotonic() >= ends or self._body.has_left():
                        return b"".join(answers), True
        except (PasteRefused, MemoryFull) as error:
            self.ended = True
            self._reader.close()
            answers.append(_last(self._reader.number + 1, error, self._matching))
        return b"".join(answers), False


def _last(number: int, error: Exception, matching: MatchWork) -> bytes:
    """The line that a stream ends with before its time."""
    unread = "This line and those behind it were not looked at: send them in a new one."
    if isinstance(error, PasteRefused):
        (wrong,) = error.errors()
        detail = f"body: {wrong['msg']}; {wrong['ctx']['remedy']}."
        return _problem(number, HTTPStatus.UNPROCESSABLE_ENTITY, detail)
    if isinstance(error, MemoryFull):
        return _problem(number, HTTPStatus.SERVICE_UNAVAILABLE, f"{error.detail} {unread}")
    if isinstance(error, StreamIdle):
        seconds = matching.stream_idle_seconds
        detail = f"Nothing came for {seconds:g} seconds, the longest pause there may be. {unread}"
    else:
        seconds = matching.stream_seconds
        detail = f"The stream lasted {seconds:g} seconds, the most it may. {unread}"
    return _problem(number, HTTPStatus.REQUEST_TIMEOUT, detail)


def _answer_of(line: StreamLine, matching: MatchWork, write: Work[Written]) -> bytes:
    if line.data is None:
        detail = f"The line is longer than {MAX_LINE:,} bytes, the most it may be."
        return _problem(line.number, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
    try:
        answer, stages = do(matching.knowledge, paste_of(line.data), matching.limits, write)
    except (MatchFault, StoreError, KnowledgeError) as error:
        log.error("A line of a stream could not be matched: %s", error)
        detail = "The line could not be matched; something is wrong on our side."
        return _problem(line.number, HTTPStatus.INTERNAL_SERVER_ERROR, detail)
    matching.count(answer, stages)
    return b'{"line":%d,%b\n' % (line.number, answer.data[1:])


def paste_of(line: bytes) -> bytes | str:
    """The paste that a line of a stream is."""
    item = parse_line(line)
    return item if isinstance(item, str) else line


def _problem(line: int, status: HTTPStatus, detail: str) -> bytes:
    problem = {"status": status.value, "title": name_of(status), "detail": detail}
    return json.dumps({"line": line, "problem": problem}).encode() + b"\n"
