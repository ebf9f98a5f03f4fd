"""Ending with the process that started this one, however that ended.

A worker whose master was killed would go on to hold its port, and nobody would watch it.
multiprocessing gives each process one end of a pipe whose other end only its parent has: it can
be read from when the parent is there no more, on every system.
"""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing.process import BaseProcess
from time import sleep


def end_with(parent: BaseProcess, grace_seconds: float) -> None:
    """Have this process ended as by its user, by SIGTERM, when the parent has ended; in earnest
    when it has not ended by itself so many seconds later."""
    watch = threading.Thread(
        target=_wait, args=(parent, grace_seconds), name="parent watch", daemon=True
    )
    watch.start()


def _wait(parent: BaseProcess, grace_seconds: float) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    sleep(grace_seconds)
    os._exit(1)
