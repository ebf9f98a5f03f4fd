"""However much comes at once, the lines of a stream are matched in turns that end."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from fastapi import Request
from starlette.types import Message

from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.web.http.limits.request_memory import Share
from errdex.web.match import stream
from errdex.web.match.slots import lanes_of
from errdex.web.match.stream import Written, answer_lines
from errdex.web.match.work import MatchWork

LINES = 500
BODY = b"".join(b"line %d\n" % number for number in range(1, LINES + 1))


class Slow:
    """Answers a line in longer than a turn lasts."""

    def __init__(self) -> None:
        self.answered = 0

    def __call__(self, knowledge: Knowledge, paste: bytes | str, limits: MatchLimits) -> Written:
        time.sleep(0.02)
        self.answered += 1
        return Written(b'{"found":false}', False)


@pytest.fixture(autouse=True)
def _short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "TURN_SECONDS", 0.01)


def request() -> Request:
    sent = iter([{"type": "http.request", "body": BODY, "more_body": False}])

    async def receive() -> Message:
        for message in sent:
            return message
        await asyncio.Event().wait()  # the client stays
        raise AssertionError

    return Request({"type": "http", "method": "POST"}, receive)


def matching(seconds: float) -> MatchWork:
    nobody = cast(Any, None)
    limits = MatchLimits()
    return MatchWork(nobody, nobody, lanes_of(1, 1, 60), limits, 1_000_000, stream_seconds=seconds)


def answers_of(work: MatchWork, slow: Slow) -> AsyncGenerator[bytes, None]:
    share = Share(work.memory, "")
    return answer_lines(request(), "", work, slow, share)


def test_a_stream_ends_in_time_though_all_of_it_came_in_one_piece() -> None:
    async def collect() -> list[dict[str, Any]]:
        answers = [part async for part in answers_of(matching(0.3), Slow())]
        return [json.loads(line) for line in b"".join(answers).splitlines()]

    *answered, last = asyncio.run(collect())
    assert [each["line"] for each in answered] == list(range(1, len(answered) + 1))
    assert len(answered) < LINES
    assert (last["line"], last["problem"]["status"]) == (len(answered) + 1, 408)


def test_others_get_a_turn_between_the_lines_of_a_piece() -> None:
    slow = Slow()

    async def run() -> int:
        work = matching(60)
        stream = answers_of(work, slow)
        await anext(stream)
        async with work.lanes.streams.take():
            before = slow.answered
        await stream.aclose()
        return before

    assert 0 < asyncio.run(run()) < LINES
