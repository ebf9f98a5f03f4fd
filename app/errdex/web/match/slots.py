"""How many pastes are matched at once, and in which order.

Matching is work for the processor: more at once than there are cores makes each slower
and none faster. So a few run and a few wait their turn. A place that becomes free goes to the
client of whom the fewest run, and among those to the one that has waited longest for a turn:
who sends much waits behind itself. Who comes when all places to wait are taken, by a client
that holds as many of them as any other, is told when to come again, and so is who has waited
too long; of who comes with fewer, the last one of the client with most makes place.

There are three lots of places, so that short pastes wait neither behind long ones nor behind
streams of lines.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from errdex.web.http.limits.rate_limit import Client
from errdex.workers.cancellation import Cancellation

_FIRST_GUESS = 0.2
"""Seconds that a match takes, before any was measured."""
_WEIGHT = 0.1
"""Of the latest match in the mean."""
_LONGEST_WAIT = 60


class MatchingBusy(HTTPException):
    """All places to match a paste are taken. `wait`: seconds until one may be free."""

    def __init__(self, wait: float) -> None:
        seconds = min(max(1, math.ceil(wait)), _LONGEST_WAIT)
        super().__init__(
            503,
            f"The server is busy with other pastes. Try again in {seconds} s.",
            {"Retry-After": str(seconds)},
        )


class MatchSlots:
    """`running` places to match and `waiting` places to wait in. Of one event loop."""

    def __init__(
        self,
        running: int,
        waiting: int,
        wait_seconds: float,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.running = running
        """How many run at most."""
        self._places = waiting
        self._wait_seconds = wait_seconds
        self._clock = clock
        self._mean = _FIRST_GUESS
        self._run = Counter[Client]()
        self._queues: OrderedDict[Client, deque[asyncio.Future[None]]] = OrderedDict()
        """By client, the one whose turn is next in front."""

    @property
    def taken(self) -> int:
        """Requests that run or wait."""
        return self._run.total() + self._waiting

    @property
    def _waiting(self) -> int:
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def take(
        self,
        client: Client = "",
        cancellation: Cancellation | None = None,
        *,
        patient: bool = False,
    ) -> AsyncIterator[None]:
        """Hold a place while matching. Raises MatchingBusy when there is none, at once or
        after the longest wait; a `patient` one waits for as long as it takes. Raises starlette's
        ClientDisconnect when it is cancelled while it waits."""
        if self._run.total() < self.running and not self._queues:
            self._run[client] += 1
        else:
            await self._wait(client, cancellation or Cancellation(), patient)
        begun = self._clock()
        try:
            yield
        finally:
            self._leave(client)
            self._mean += _WEIGHT * (self._clock() - begun - self._mean)

    def estimate(self) -> float:
        """Seconds until all that hold a place now will be done, going by the mean."""
        return self._mean * math.ceil(self.taken / self.running)

    async def _wait(self, client: Client, cancellation: Cancellation, patient: bool) -> None:
        if not patient and self._waiting >= self._places:
            self._make_place(client)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(turn)
        cancellation.then(partial(_refuse, turn, ClientDisconnect()))
        try:
            async with asyncio.timeout(None if patient else self._wait_seconds):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._leave(client)  # its turn came as it gave up
            else:
                self._forget(client, turn)
            if isinstance(error, TimeoutError):
                raise MatchingBusy(self.estimate()) from None
            raise

    def _make_place(self, client: Client) -> None:
        """By refusing the last one of the client with most that wait. Raises MatchingBusy for
        one of the same client, or of one with as many."""
        own = len(self._queues.get(client, ()))
        most = max(self._queues, key=lambda each: len(self._queues[each]), default=client)
        if most == client or len(self._queues[most]) <= own + 1:
            raise MatchingBusy(self.estimate())
        refused = self._queues[most][-1]
        self._forget(most, refused)
        _refuse(refused, MatchingBusy(self.estimate()))

    def _forget(self, client: Client, turn: asyncio.Future[None]) -> None:
        queue = self._queues.get(client)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._queues[client]

    def _leave(self, client: Client) -> None:
        self._run[client] -= 1
        if not self._run[client]:
            del self._run[client]
        while self._queues and self._run.total() < self.running:
            following = min(self._queues, key=lambda each: self._run[each])
            queue = self._queues[following]
            turn = queue.popleft()
            if queue:
                self._queues.move_to_end(following)
            else:
                del self._queues[following]
            if not turn.done():
                self._run[following] += 1
                turn.set_result(None)


def _refuse(turn: asyncio.Future[None], error: Exception) -> None:
    if not turn.done():
        turn.set_exception(error)


@dataclass(frozen=True, slots=True)
class MatchLanes:
    """The places by what is matched in them."""

    short: MatchSlots
    """Pastes that are answered in a thread."""
    long: MatchSlots
    """Those that are answered in a process."""
    streams: MatchSlots
    """Streams of lines, a turn at a time."""


def lanes_of(running: int, waiting: int, wait_seconds: float) -> MatchLanes:
    """Lanes with so many places each."""
    return MatchLanes(*(MatchSlots(running, waiting, wait_seconds) for _ in range(3)))
