"""Ctrl-C while worker processes are being started."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unheard_interrupts() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, and a worker that is started in it never hears of
    it: it would complain as long as it has not come to ignore it itself."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    came = threading.Event()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # Another thread, such as one of numpy's, may take what this one has blocked; the worker
    # would then be left half started.
    handler = signal.signal(signal.SIGINT, lambda *_: came.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if came.is_set():
            signal.raise_signal(signal.SIGINT)
