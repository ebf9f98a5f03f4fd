"""Lines in, answers out: application/x-ndjson both ways, in constant memory.

A bounded part of the lines is read before the answers to those before them were taken; a
client that sends still more without reading waits. Each line is a paste of its own. It is
one of

    {"text": "…"} or "…"     the text
    any other JSON           a log record, in which the reader of pastes finds the message
    anything else            the text, as `tail -f` gives it

and its answer is the JSON of an answer on one line, with `line`, its number, in front; or
`{"line": …, "problem": {"status": …, "title": …, "detail": …}}`. With such a line ends a
stream that is damaged or lasts too long: that line and those behind it were not looked at.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic

from fastapi import Request

from errdex.knowledge import KnowledgeError
from errdex.store import StoreError
from errdex.web.http.statuses import name_of
from errdex.web.match.body import PasteRefused
from errdex.web.match.line_stream import MAX_LINE, LineSplitter, StreamLine, unpacked
from errdex.web.match.read_ahead import ReadAhead
from errdex.web.match.slots import MatchingBusy
from errdex.web.match.work import MatchFault, MatchWork, Work, do

log = logging.getLogger(__name__)

_BUSY_SECONDS = 0.5
TURN_SECONDS = 0.1
"""How long lines of a stream are matched until others get a turn. A piece of a stream, 64 kB,
may be 30,000 lines."""


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as it is sent, and whether a record matched."""

    data: bytes
    found: bool


async def answer_lines(
    request: Request, encoding: str, matching: MatchWork, write: Work[Written]
) -> AsyncIterator[bytes]:
    """The answers to the lines of the request's body, each ended by a line break. Raises
    starlette's ClientDisconnect."""
    splitter = LineSplitter()
    waiting: deque[StreamLine] = deque()
    loop = asyncio.get_running_loop()
    deadline = loop.time() + matching.stream_seconds
    async with ReadAhead(request, matching.max_bytes) as body:
        try:
            async for piece in unpacked(body.chunks(deadline), encoding):
                waiting.extend(splitter.feed(piece))
                async for answers in _answers(waiting, matching, write, deadline):
                    yield answers
            waiting.extend(splitter.end())
            async for answers in _answers(waiting, matching, write, deadline):
                yield answers
        except PasteRefused as refused:
            (error,) = refused.errors()
            detail = f"body: {error['msg']}; {error['ctx']['remedy']}."
            yield _problem(splitter.number + 1, HTTPStatus.UNPROCESSABLE_ENTITY, detail)
        except TimeoutError:
            detail = (
                f"The stream lasted {matching.stream_seconds:g} seconds, the most it may. This "
                "line and those behind it were not looked at: send them in a new one."
            )
            number = waiting[0].number if waiting else splitter.number + 1
            yield _problem(number, HTTPStatus.REQUEST_TIMEOUT, detail)


async def _answers(
    waiting: deque[StreamLine], matching: MatchWork, write: Work[Written], deadline: float
) -> AsyncIterator[bytes]:
    """The answers to the lines that wait, which it takes away. A stream holds a place only
    while it has lines to match, for a turn at a time, and waits for one as long as it takes:
    the client is held up by that. Raises TimeoutError when the time is over."""
    loop = asyncio.get_running_loop()
    while waiting:
        if loop.time() >= deadline:
            raise TimeoutError
        try:
            async with matching.slots.take():
                answers = await matching.in_thread(_answer_some, waiting, matching, write)
        except MatchingBusy:
            await asyncio.sleep(_BUSY_SECONDS)
        else:
            yield answers


def _answer_some(waiting: deque[StreamLine], matching: MatchWork, write: Work[Written]) -> bytes:
    """Of the first lines that wait, at least of one."""
    answers: list[bytes] = []
    ends = monotonic() + TURN_SECONDS
    while waiting and (not answers or monotonic() < ends):
        answers.append(_answer_of(waiting[0], matching, write))
        waiting.popleft()
    return b"".join(answers)


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
    if line.lstrip()[:1] in (b"{", b'"'):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return line
        match value:
            case str(text):
                return text
            case {"text": str(text), **more} if not more:
                return text
    return line


def _problem(line: int, status: HTTPStatus, detail: str) -> bytes:
    problem = {"status": status.value, "title": name_of(status), "detail": detail}
    return json.dumps({"line": line, "problem": problem}).encode() + b"\n"
