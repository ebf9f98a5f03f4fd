"""The processes that answer large pastes.

As many as there are places for large pastes; the first is made ready ahead of the first of them
and for each new version, since it takes some seconds to start and to compile the patterns. Each
keeps its knowledge base open. More than one are ended when they had nothing to do for a while.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from threading import Lock, Timer
from typing import TypeVar, TypeVarTuple

from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.web.http.limits.allocator import give_back, share_arenas
from errdex.web.match.body import Body
from errdex.web.match.doing import Answered, Done, Work, do, unpack_and_do
from errdex.workers.cancellation import Cancellation
from errdex.workers.companion import Companion, CompanionEnded

T = TypeVar("T", bound=Answered)
R = TypeVar("R")
Args = TypeVarTuple("Args")
IDLE_SECONDS = 300.0
_FIRST_PASTE = "Error: a paste of no one, that the next one need not wait\n"

OpenKnowledge = Callable[[], Knowledge]
"""Opens the knowledge base in another process: can be pickled and compared."""


class MatchProcesses:
    """Some processes, of which one is taken for each call. Safe between threads."""

    def __init__(self) -> None:
        self._idle: list[Companion] = []
        self._running: set[Companion] = set()
        self._lock = Lock()
        self._closed = False

    def call(
        self,
        function: Callable[[*Args], R],
        *arguments: *Args,
        cancellation: Cancellation,
        seconds: float | None = None,
    ) -> R:
        """What the function gives in one of them. Raises what it raises, CompanionEnded, and
        CompanionTimeout when it takes longer."""
        companion = self._take()
        try:
            cancellation.then(companion.cancel)
            return companion.call(function, *arguments, seconds=seconds)
        finally:
            self._put(companion)

    def close(self) -> None:
        """End all of them, those that are called too, for good."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            running = list(self._running)
        for each in idle:
            each.close()
        for each in running:
            each.end()  # and closed by the thread that calls it

    def _take(self) -> Companion:
        with self._lock:
            if self._closed:
                raise CompanionEnded
            while self._idle:
                companion = self._idle.pop()
                if companion.is_alive:
                    break
                companion.close()
            else:
                companion = Companion()
            self._running.add(companion)
            return companion

    def _put(self, companion: Companion) -> None:
        with self._lock:
            self._running.discard(companion)
            if companion.is_alive and not self._closed:
                self._idle.append(companion)
                timer = Timer(IDLE_SECONDS, self._prune)
                timer.daemon = True
                timer.start()
                return
        companion.close()

    def _prune(self) -> None:
        """End those that wait, but for the one that was used last."""
        with self._lock:
            ended, self._idle = self._idle[:-1], self._idle[-1:]
        for each in ended:
            each.close()


@lru_cache(maxsize=1)
def _opened(open_knowledge: OpenKnowledge) -> Knowledge:
    share_arenas()
    return open_knowledge()


def make_ready_there(open_knowledge: OpenKnowledge, limits: MatchLimits) -> None:
    """In such a process: open the knowledge base, and have it compile the patterns."""
    try:
        do(_opened(open_knowledge), _FIRST_PASTE, limits, _answer_nobody)
    finally:
        give_back()


def _answer_nobody(knowledge: Knowledge, paste: bytes | str, limits: MatchLimits) -> Answered:
    return knowledge.match(paste, limits).answer


def work_there(
    open_knowledge: OpenKnowledge,
    body: Body,
    max_bytes: int,
    limits: MatchLimits,
    work: Work[T],
) -> Done[T]:
    """In such a process: do the work on the paste in a body."""
    try:
        return unpack_and_do(_opened(open_knowledge), body, max_bytes, limits, work)
    finally:
        give_back()  # a large paste takes a hundred times its size
