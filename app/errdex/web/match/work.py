"""Matching for the web: where the work is done, and for how long.

*Small* pastes are answered in a thread of this process. Larger ones are answered in a
process of their own, since matching is Python and long passes of C that hold the
interpreter. Measured on two busy cores with eight hostile pastes of 5 MB: beside a thread
that matches, `/healthz` took up to 660 ms (the 95th percentile up to 90 ms, by the paste),
beside a process 32 ms (15 ms), and 22 ms (6 ms) alone. Such a process is made ready ahead
(`keep_ready`). It is ended when it goes far beyond the time bound. When one ends for another
reason, the next is started and the paste given to it, once.

Work ends within a second when its client leaves. Nothing of a paste is written or logged.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import TypeVar, TypeVarTuple

from anyio import CapacityLimiter, to_thread
from fastapi import Request
from starlette.requests import ClientDisconnect

from errdex.knowledge import Knowledge, KnowledgeError
from errdex.matching.ranking import MatchLimits
from errdex.matching.timings import Stages
from errdex.store import StoreError
from errdex.web.http.errors import BodyTooLarge
from errdex.web.http.limits.rate_limit import Client, client_of
from errdex.web.http.limits.request_memory import RequestMemory
from errdex.web.http.metrics import Metrics
from errdex.web.match.body import Body, PasteRefused, take_body
from errdex.web.match.doing import Answered, Done, MatchFault, Work, do, unpack_and_do
from errdex.web.match.process import (
    MatchProcesses,
    OpenKnowledge,
    make_ready_there,
    work_there,
)
from errdex.web.match.slots import MatchLanes, MatchSlots
from errdex.workers.cancellation import Cancellation, cancelled_by
from errdex.workers.companion import CompanionEnded, CompanionTimeout

SMALL = 65_536
"""Bytes of a paste that is answered in a thread: work of some 20 ms, of a hostile one 200."""
_OVERTIME = 60.0
"""Seconds beyond the time bound after which a process is ended: it may have to start first,
and to compile the patterns."""
_TRIES = 2
"""How often a paste is given to a process, if that ends."""
_LET_OTHERS_FIRST = 3.0
"""Seconds after a start or a new version in which the processor is left to requests."""

log = logging.getLogger(__name__)

T = TypeVar("T", bound=Answered)
R = TypeVar("R")
Args = TypeVarTuple("Args")


class MatchWork:
    """Does work on pastes. `lanes` bound how many at once, `limits` how much of it,
    `max_bytes` how large a paste may be, `memory` what all requests hold; `stream_seconds` how
    long a stream of lines may last, `stream_idle_seconds` how long it may pause."""

    def __init__(
        self,
        knowledge: Knowledge,
        open_elsewhere: OpenKnowledge,
        lanes: MatchLanes,
        limits: MatchLimits,
        max_bytes: int,
        metrics: Metrics | None = None,
        *,
        stream_seconds: float,
        stream_idle_seconds: float = 30.0,
        memory: RequestMemory | None = None,
    ) -> None:
        self.knowledge = knowledge
        self.lanes = lanes
        self.limits = limits
        self.max_bytes = max_bytes
        self.stream_seconds = stream_seconds
        self.stream_idle_seconds = stream_idle_seconds
        self.memory = memory or RequestMemory()
        self.metrics = metrics
        self._open_elsewhere = open_elsewhere
        self._processes = MatchProcesses()
        self._renew: asyncio.Event | None = None
        # Of their own, or those that have a place would wait for the threads of searches.
        self._threads = CapacityLimiter(lanes.short.running)
        self._stream_threads = CapacityLimiter(lanes.streams.running)
        self._waiting_threads = CapacityLimiter(lanes.long.running + 1)  # one makes ready

    async def answer(self, request: Request, work: Work[T]) -> T:
        """Do the work on the paste in the request's body. Raises what `take_body` and `run` do."""
        client = client_of(request.scope)
        with self.memory.share(client) as share:
            body = await take_body(request, self.max_bytes, share)
            return await while_connected(
                request, lambda cancellation: self.run(body, work, client, cancellation)
            )

    async def run(
        self,
        body: Body,
        work: Work[T],
        client: Client = "",
        cancellation: Cancellation | None = None,
    ) -> T:
        """Do the work on the paste in a body. Raises what `body.unpack` does,
        MatchingBusy, StoreError, KnowledgeError, MatchFault, and ClientDisconnect when it is
        cancelled."""
        cancellation = cancellation or Cancellation()
        if len(body.data) <= SMALL:
            here = partial(unpack_and_do, self.knowledge, body, SMALL, self.limits, work)
            try:
                return await self._in_lane(
                    self.lanes.short, client, cancellation, partial(self._here, here, cancellation)
                )
            except BodyTooLarge:  # once unpacked
                if self.max_bytes <= SMALL:
                    raise
        there = partial(work_there, self._open_elsewhere, body, self.max_bytes, self.limits, work)
        return await self._in_lane(
            self.lanes.long, client, cancellation, partial(self._there, there, cancellation)
        )

    async def run_small(self, paste: str, work: Work[T], client: Client = "") -> T:
        """The same for a paste that is known to be small."""
        cancellation = Cancellation()
        here = partial(do, self.knowledge, paste, self.limits, work)
        return await self._in_lane(
            self.lanes.short, client, cancellation, partial(self._here, here, cancellation)
        )

    async def in_short_turn(self, function: Callable[[], R], client: Client) -> R:
        """Call a function in the place of a short paste, for work that a stranger's pattern asks
        for. Raises MatchingBusy."""
        async with self.lanes.short.take(client):
            return await to_thread.run_sync(function, limiter=self._threads)

    async def in_stream_thread(self, function: Callable[[*Args], R], *arguments: *Args) -> R:
        """Call a function in one of the threads that match streams; for whoever holds a place."""
        return await to_thread.run_sync(function, *arguments, limiter=self._stream_threads)

    async def keep_ready(self, new_version: asyncio.Event) -> None:
        """Make a process ready for large pastes whenever there is a new version or the one
        before has ended; until it is cancelled."""
        self._renew = new_version
        while True:
            await new_version.wait()
            new_version.clear()
            await asyncio.sleep(_LET_OTHERS_FIRST)
            try:
                await self.make_ready()
            except (CompanionEnded, OSError, StoreError, KnowledgeError, MatchFault) as error:
                log.warning("No process could be made ready for large pastes: %r", error)

    async def make_ready(self) -> None:
        """Start the process that answers large pastes, unless there is one, and have it compile
        the patterns and open the index."""
        there = partial(make_ready_there, self._open_elsewhere, self.limits)
        await to_thread.run_sync(
            partial(self._processes.call, there, cancellation=Cancellation()),
            limiter=self._waiting_threads,
        )

    def close(self) -> None:
        """End the processes; what is done in them fails."""
        self._processes.close()

    def count(self, answer: Answered, stages: Stages) -> None:
        """Count a paste that was matched, and the time that each step of it took."""
        if self.metrics:
            self.metrics.count_match(answer.found)
            self.metrics.count_stages(stages)

    def _timed(self) -> AbstractContextManager[None]:
        return self.metrics.stage("match") if self.metrics else nullcontext()

    async def _in_lane(
        self,
        lane: MatchSlots,
        client: Client,
        cancellation: Cancellation,
        work: Callable[[], Awaitable[Done[T]]],
    ) -> T:
        async with lane.take(client, cancellation):
            if cancellation.is_set():
                raise ClientDisconnect
            with self._timed():
                answer, stages = await work()
        if cancellation.is_set():
            raise ClientDisconnect
        self.count(answer, stages)
        return answer

    async def _here(self, work: Callable[[], Done[T]], cancellation: Cancellation) -> Done[T]:
        def do_it() -> Done[T]:
            with cancelled_by(cancellation.is_set):
                return work()

        return await to_thread.run_sync(do_it, limiter=self._threads)

    async def _there(self, work: Callable[[], Done[T]], cancellation: Cancellation) -> Done[T]:
        seconds = self.limits.seconds
        call = partial(
            self._processes.call, work, cancellation=cancellation, seconds=seconds + _OVERTIME
        )
        for _ in range(_TRIES):
            try:
                return await to_thread.run_sync(call, limiter=self._waiting_threads)
            except CompanionTimeout:
                self._start_next()
                raise PasteRefused(
                    f"it took far longer than {seconds:g} seconds to match",
                    "send less, such as the part around the error",
                ) from None
            except CompanionEnded:
                self._start_next()
                if cancellation.is_set():
                    raise ClientDisconnect from None
        raise MatchFault("the process that matched a paste ended, and so did the next one")

    def _start_next(self) -> None:
        if self._renew is not None:
            self._renew.set()


async def while_connected(request: Request, work: Callable[[Cancellation], Awaitable[R]]) -> R:
    """What the work gives. When the client leaves, the work is cancelled, and ClientDisconnect
    raised once it has ended. The request's body was read."""
    cancellation = Cancellation()

    async def wait_for_leaving() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    leaving = asyncio.ensure_future(wait_for_leaving())
    working = asyncio.ensure_future(work(cancellation))
    try:
        await asyncio.wait({leaving, working}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            cancellation.set()
            with suppress(Exception):
                await working
            raise ClientDisconnect
        return working.result()
    finally:
        leaving.cancel()
        working.cancel()
        await asyncio.wait({leaving, working})
