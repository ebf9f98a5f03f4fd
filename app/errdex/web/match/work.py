"""Matching for the web: where the work is done, and for how long.

*Small* pastes are answered in a thread of this process. Larger ones are answered in a
process of their own, since matching is Python and long passes of C that hold the
interpreter. Measured on two busy cores with eight hostile pastes of 5 MB: beside a thread
that matches, `/healthz` took up to 660 ms (the 95th percentile up to 90 ms, by the paste),
beside a process 32 ms (15 ms), and 22 ms (6 ms) alone. Such a process takes some seconds to
start and to compile the patterns, so that one is made ready ahead of the first large paste,
and again for each new version (`keep_ready`). It is ended when it goes far beyond the time
bound.

Nothing of a paste is written, logged or put into an error. A fault is told by its kind and
the line of our source.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache, partial
from pathlib import Path
from traceback import extract_tb
from typing import Protocol, TypeAlias, TypeVar, TypeVarTuple

from anyio import (
    BrokenWorkerProcess,
    CancelScope,
    CapacityLimiter,
    fail_after,
    to_process,
    to_thread,
)

from errdex.knowledge import Knowledge, KnowledgeError
from errdex.matching.ranking import MatchLimits
from errdex.matching.timings import Stages, noted_stages
from errdex.store import StoreError
from errdex.web.http.allocator import give_back, share_arenas
from errdex.web.http.errors import BodyTooLarge
from errdex.web.http.metrics import Metrics
from errdex.web.match.body import Body, PasteRefused, unpack
from errdex.web.match.slots import MatchSlots

SMALL = 65_536
"""Bytes of a paste that is answered in a thread: work of some 20 ms, of a hostile one 200."""
_OVERTIME = 60.0
"""Seconds beyond the time bound after which a process is ended: it may have to start first,
and to compile the patterns."""

_LET_OTHERS_FIRST = 3.0
"""Seconds after a start or a new version in which the processor is left to requests."""
_FIRST_PASTE = "Error: a paste of no one, that the next one need not wait\n"

log = logging.getLogger(__name__)

OpenKnowledge = Callable[[], Knowledge]
"""Opens the knowledge base in another process: can be pickled and compared."""


class Answered(Protocol):
    """What work on a paste gives."""

    @property
    def found(self) -> bool:
        """Whether a record matched."""


T = TypeVar("T", bound=Answered)
R = TypeVar("R")
Args = TypeVarTuple("Args")
Work = Callable[[Knowledge, bytes | str, MatchLimits], T]
"""What is to be made of a paste: can be pickled, and so can what it gives."""
Done: TypeAlias = tuple[T, Stages]
"""What was made, and how long each step took."""


class MatchFault(Exception):
    """Matching failed for a reason of ours; told without a word of the paste."""


class MatchWork:
    """Does work on pastes. `slots` bounds how many at once, `limits` how much of it,
    `max_bytes` how large a paste may be, `stream_seconds` how long a stream of lines may last."""

    def __init__(
        self,
        knowledge: Knowledge,
        open_elsewhere: OpenKnowledge,
        slots: MatchSlots,
        limits: MatchLimits,
        max_bytes: int,
        metrics: Metrics | None = None,
        *,
        stream_seconds: float,
    ) -> None:
        self.knowledge = knowledge
        self.slots = slots
        self.limits = limits
        self.max_bytes = max_bytes
        self.stream_seconds = stream_seconds
        self.metrics = metrics
        self._open_elsewhere = open_elsewhere
        # Of their own, or those that have a place would wait for the threads of searches.
        self._threads = CapacityLimiter(slots.running)

    async def run(self, body: Body, work: Work[T]) -> T:
        """Do the work on the paste in a body. Raises what `paste_body.unpack` does,
        MatchingBusy, StoreError, KnowledgeError and MatchFault."""
        async with self.slots.take():
            with self._timed():
                answer, stages = await self._run_here_or_elsewhere(body, work)
        self.count(answer, stages)
        return answer

    async def run_small(self, paste: str, work: Work[T]) -> T:
        """The same for a paste that is known to be small."""
        async with self.slots.take():
            with self._timed():
                answer, stages = await self.in_thread(do, self.knowledge, paste, self.limits, work)
        self.count(answer, stages)
        return answer

    async def in_thread(self, function: Callable[[*Args], R], *arguments: *Args) -> R:
        """Call a function in one of the threads that match; for whoever holds a place."""
        return await to_thread.run_sync(function, *arguments, limiter=self._threads)

    async def keep_ready(self, new_version: asyncio.Event) -> None:
        """Make a process ready for large pastes whenever there is a new version; until it is
        cancelled."""
        while True:
            await new_version.wait()
            new_version.clear()
            await asyncio.sleep(_LET_OTHERS_FIRST)
            try:
                await self.make_ready()
            except (BrokenWorkerProcess, OSError, StoreError, KnowledgeError, MatchFault) as error:
                log.warning("No process could be made ready for large pastes: %r", error)

    async def make_ready(self) -> None:
        """Start the process that answers large pastes, unless there is one, and have it compile
        the patterns and open the index."""
        with CancelScope(shield=True):  # or a half-started process would be left behind
            await to_process.run_sync(os.getpid)
        there = partial(_make_ready, self._open_elsewhere, self.limits)
        await to_process.run_sync(there, cancellable=True)

    def count(self, answer: Answered, stages: Stages) -> None:
        """Count a paste that was matched, and the time that each step of it took."""
        if self.metrics:
            self.metrics.count_match(answer.found)
            self.metrics.count_stages(stages)

    def _timed(self) -> AbstractContextManager[None]:
        return self.metrics.stage("match") if self.metrics else nullcontext()

    async def _run_here_or_elsewhere(self, body: Body, work: Work[T]) -> Done[T]:
        if len(body.data) <= SMALL:
            try:
                return await self.in_thread(
                    unpack_and_do, self.knowledge, body, SMALL, self.limits, work
                )
            except BodyTooLarge:  # once unpacked
                if self.max_bytes <= SMALL:
                    raise
        return await self._run_elsewhere(body, work)

    async def _run_elsewhere(self, body: Body, work: Work[T]) -> Done[T]:
        seconds = self.limits.seconds
        there = partial(_run_here, self._open_elsewhere, body, self.max_bytes, self.limits, work)
        try:
            with fail_after(seconds + _OVERTIME):
                return await to_process.run_sync(there, cancellable=True)
        except TimeoutError:
            raise PasteRefused(
                f"it took far longer than {seconds:g} seconds to match",
                "send less, such as the part around the error",
            ) from None
        except BrokenWorkerProcess:
            raise MatchFault("the process that matched a paste ended") from None


def unpack_and_do(
    knowledge: Knowledge, body: Body, max_bytes: int, limits: MatchLimits, work: Work[T]
) -> Done[T]:
    """Do the work on the paste in a body."""
    return do(knowledge, unpack(body, max_bytes), limits, work)


def do(knowledge: Knowledge, paste: bytes | str, limits: MatchLimits, work: Work[T]) -> Done[T]:
    """Do the work, and say how long each step of it took. Raises StoreError, KnowledgeError,
    and MatchFault for anything else."""
    try:
        with noted_stages() as stages:
            answer = work(knowledge, paste, limits)
        return answer, stages
    except (StoreError, KnowledgeError):
        raise
    except Exception as error:  # noqa: BLE001 (its text may hold a piece of the paste)
        raise MatchFault(_told(error)) from None


def _told(error: Exception) -> str:
    last = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}, {Path(last.filename).name}:{last.lineno}"


@lru_cache(maxsize=1)
def _opened(open_knowledge: OpenKnowledge) -> Knowledge:
    share_arenas()
    return open_knowledge()


def _make_ready(open_knowledge: OpenKnowledge, limits: MatchLimits) -> None:
    try:
        do(_opened(open_knowledge), _FIRST_PASTE, limits, _answer_nobody)
    finally:
        give_back()


def _answer_nobody(knowledge: Knowledge, paste: bytes | str, limits: MatchLimits) -> Answered:
    return knowledge.match(paste, limits).answer


def _run_here(
    open_knowledge: OpenKnowledge,
    body: Body,
    max_bytes: int,
    limits: MatchLimits,
    work: Work[T],
) -> Done[T]:
    """In the other process, which keeps its knowledge base open."""
    try:
        return unpack_and_do(_opened(open_knowledge), body, max_bytes, limits, work)
    finally:
        give_back()  # a large paste takes a hundred times its size
