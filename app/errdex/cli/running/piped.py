"""Runs a program with both streams passed on apart, where standard output is no terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from time import monotonic
from typing import IO

from errdex.cli.running.kept_output import KeptOutput
from errdex.cli.running.signals import PassedSignals, wait_for

PIECE = 65_536
QUIET_SECONDS = 1.0
"""How long output is waited for when the program has ended and something in its background holds
its streams open."""


def run_piped(command: Sequence[str], kept: KeptOutput) -> int:
    """The exit status of the program; a signal's number below zero. Raises OSError when it
    cannot be started."""
    with PassedSignals() as signals:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 (what the user asks for)
        assert process.stdout  # noqa: S101 (it is a pipe)
        assert process.stderr  # noqa: S101
        signals.started(partial(_pass_on, process))
        streams = [_Stream(process.stdout, 1, kept), _Stream(process.stderr, 2, kept)]
        status = wait_for(process)
        for stream in streams:
            stream.drain()
    return status


def _pass_on(process: subprocess.Popen[bytes], number: int) -> None:
    """Send the program a signal, unless the terminal has sent it to both."""
    if number not in (signal.SIGINT, signal.SIGQUIT) or not _in_foreground():
        process.send_signal(number)


class _Stream:
    """A thread that passes one stream on."""

    def __init__(self, source: IO[bytes], target: int, kept: KeptOutput) -> None:
        self._source = source
        self._target = target
        self._kept = kept
        self._last = monotonic()
        self._thread = Thread(target=self._pass_on, name=f"stream {target}", daemon=True)
        self._thread.start()

    def _pass_on(self) -> None:
        with self._source:
            while data := os.read(self._source.fileno(), PIECE):
                self._last = monotonic()
                self._kept.add(data)
                try:
                    write_all(self._target, data)
                except OSError:
                    return  # the reader is gone, which the program learns from its closed pipe

    def drain(self) -> None:
        """Wait until the stream ends, or has been quiet for a while."""
        while self._thread.is_alive() and monotonic() - self._last < QUIET_SECONDS:
            self._thread.join(QUIET_SECONDS / 10)


def write_all(target: int, data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _in_foreground() -> bool:
    """Whether the terminal sends what is typed to this process's group."""
    with suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
        try:
            return sys.platform != "win32" and os.tcgetpgrp(terminal) == os.getpgrp()
        finally:
            os.close(terminal)
    return False
