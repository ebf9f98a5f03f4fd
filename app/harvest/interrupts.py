"""Ctrl-C while worker processes are being started."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unheard_interrupts() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, and a worker that is started in it never hears of
    it: it would complain as long as it has not come to ignore it itself."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
