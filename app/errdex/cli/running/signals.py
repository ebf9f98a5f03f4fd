"""Signals that are passed on to a program while it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Self

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_PASSED_ON = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
_WAKINGS = 512
"""Bytes that are read at once of the pipe that a signal writes to."""


class PassedSignals:
    """Takes the signals that come from before the program is started until after it has ended.
    Signals that were ignored stay so."""

    def __init__(self) -> None:
        self._pass_on: Callable[[int], None] | None = None
        self._early: list[int] = []
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in _PASSED_ON:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def started(self, pass_on: Callable[[int], None]) -> None:
        """The program runs: give it the signals that came, and all that come."""
        self._pass_on = pass_on
        while self._early:
            self._handle(self._early.pop(0))

    def _handle(self, number: int, _: FrameType | None = None) -> None:
        if self._pass_on is None:
            self._early.append(number)
            return
        with suppress(ProcessLookupError):  # it has ended already
            self._pass_on(number)


@contextmanager
def woken() -> Iterator[int]:
    """A pipe that can be read when a signal came, also that a child ended."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.signal(signal.SIGCHLD, lambda *_: None)
    alarm = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(alarm)
        signal.signal(signal.SIGCHLD, before)
        os.close(reading)
        os.close(writing)


def wait_for(process: subprocess.Popen[bytes]) -> int:
    """The exit status of the program. A signal is handled at once, also one that comes just before
    the wait begins: `Popen.wait` would let it lie until the program ends."""
    if sys.platform == "win32":
        return process.wait()
    with woken() as alarm:
        while (status := process.poll()) is None:
            os.read(alarm, _WAKINGS)
    return status
