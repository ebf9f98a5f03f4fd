"""A bound on the CPU time of work on a stranger's input."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class CpuTimeOver(BaseException):
    """The work took longer than it may. No `except Exception` of what does it is in the way."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise CpuTimeOver within the block once this process has spent so many seconds of CPU
    there. Where that cannot be measured (on Windows, or outside of the main thread), the work
    goes on."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise CpuTimeOver

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
