"""Work that is not wanted any more, because whoever asked for it has left.

Long work looks at a clock now and then, to end in time. `clock` is that clock: once the work
is cancelled its time is over. So what bounds the time of work also ends it early, and nothing
has to be passed through what lies between.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_is_cancelled: ContextVar[Callable[[], bool] | None] = ContextVar("is_cancelled", default=None)


class Cancellation:
    """Whether some work is cancelled, and what is to be called when it is. Safe between
    threads."""

    def __init__(self) -> None:
        self._event = Event()
        self._then: list[Callable[[], None]] = []

    def is_set(self) -> bool:
        """Whether the work is not wanted any more."""
        return self._event.is_set()

    def set(self) -> None:
        """Cancel the work."""
        self._event.set()
        while self._then:
            self._then.pop()()

    def then(self, call: Callable[[], None]) -> None:
        """Have something called when the work is cancelled; at once if it is already."""
        self._then.append(call)
        if self.is_set():
            self.set()


@contextmanager
def cancelled_by(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Within, `clock` jumps to infinity as soon as that is so."""
    token = _is_cancelled.set(is_cancelled)
    try:
        yield
    finally:
        _is_cancelled.reset(token)


def clock() -> float:
    """Seconds that never go back; infinity once the work is cancelled."""
    is_cancelled = _is_cancelled.get()
    return math.inf if is_cancelled is not None and is_cancelled() else time.monotonic()
