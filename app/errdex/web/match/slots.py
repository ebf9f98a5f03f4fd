"""How many pastes are matched at once.

Matching is work for the processor: more at once than there are cores makes each slower
and none faster. So a few run, a few wait their turn, and who comes when all of those
places are taken, or has waited too long, is told when to come again.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from starlette.exceptions import HTTPException

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
    """`running` places to match and `waiting` places to wait in, in the order of coming.
    Of one event loop."""

    def __init__(
        self,
        running: int,
        waiting: int,
        wait_seconds: float,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._free = asyncio.Semaphore(running)
        self._places = running + waiting
        self.running = running
        """How many run at most."""
        self._wait_seconds = wait_seconds
        self._clock = clock
        self._mean = _FIRST_GUESS
        self.taken = 0
        """Requests that run or wait."""

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Hold a place while matching. Raises MatchingBusy when there is none, at once or
        after the longest wait."""
        if self.taken >= self._places:
            raise MatchingBusy(self.estimate())
        self.taken += 1
        try:
            try:
                await asyncio.wait_for(self._free.acquire(), self._wait_seconds)
            except TimeoutError:
                raise MatchingBusy(self.estimate()) from None
            begun = self._clock()
            try:
                yield
            finally:
                self._free.release()
                self._mean += _WEIGHT * (self._clock() - begun - self._mean)
        finally:
            self.taken -= 1

    def estimate(self) -> float:
        """Seconds until all that hold a place now will be done, going by the mean."""
        return self._mean * math.ceil(self.taken / self.running)
