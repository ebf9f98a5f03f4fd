"""Runs a program in a pseudo-terminal, which it cannot tell from the user's own.

The user's terminal is set to raw, so that every key goes to the program's terminal, which makes of
Ctrl-C what the program wants. Its size follows the user's. Where standard error is no terminal, it
stays a stream of its own.
"""

from __future__ import annotations

import errno
import fcntl
import os
import selectors
import signal
import subprocess
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from errdex.cli.running.kept_output import KeptOutput
from errdex.cli.running.piped import PIECE, write_all
from errdex.cli.running.signals import PassedSignals, woken

_QUIET_SECONDS = 0.1
"""How long output is waited for when the program has ended."""
_PENDING = 1 << 20
"""Bytes that were typed or pasted and that the program has not read."""


def run_in_terminal(command: Sequence[str], kept: KeptOutput) -> int:
    """The exit status of the program; a signal's number below zero. Raises OSError when it
    cannot be started."""
    master, slave = os.openpty()
    with PassedSignals() as signals:
        try:
            with suppress(termios.error):
                termios.tcsetattr(slave, termios.TCSANOW, termios.tcgetattr(1))
            _copy_size(slave)
            process = _start(command, slave)
        finally:
            os.close(slave)
        try:
            return _Session(process, master, kept).run(signals)
        finally:
            os.close(master)


def _start(command: Sequence[str], slave: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 (what the user asks for)
        command,
        stdin=slave if os.isatty(0) else None,
        stdout=slave,
        stderr=slave if os.isatty(2) else subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),  # noqa: PLW1509 (no threads)
    )


class _Session:
    """The program's terminal, its keys and its output."""

    def __init__(self, process: subprocess.Popen[bytes], master: int, kept: KeptOutput) -> None:
        self._process = process
        self._master = master
        self._kept = kept
        self._keys = os.isatty(0)
        self._typed = bytearray()
        self._status: int | None = None
        self._settings = termios.tcgetattr(0) if self._keys else None
        self._selector = selectors.DefaultSelector()

    def run(self, signals: PassedSignals) -> int:
        """Pass everything on until the program ends."""
        os.set_blocking(self._master, False)
        with self._selector, woken() as alarm, self._size_followed():
            signals.started(self._pass_on)
            self._selector.register(alarm, selectors.EVENT_READ)
            self._selector.register(self._master, selectors.EVENT_READ)
            if self._process.stderr:
                self._selector.register(self._process.stderr, selectors.EVENT_READ)
            self._take_keys()
            try:
                self._work(alarm)
            finally:
                self._give_keys_back()
        assert self._status is not None  # noqa: S101 (the work ends when there is one)
        return self._status

    def _work(self, alarm: int) -> None:
        while self._status is None or self._drains():
            ready = self._selector.select(None if self._status is None else _QUIET_SECONDS)
            for key, _ in ready:
                if key.fd == alarm:
                    os.read(alarm, PIECE)
                elif key.fd == self._master:
                    self._send_typed()
                    self._show(self._master, 1)
                elif key.fd == 0:
                    self._read_keys()
                else:
                    self._show(key.fd, 2)
            if self._status is None:
                self._status = self._process.poll()
            elif not ready:
                return

    def _drains(self) -> bool:
        """Whether a stream of the program is still open."""
        streams = self._selector.get_map().values()
        return any(key.fd == self._master or key.fileobj is self._process.stderr for key in streams)

    # Output

    def _show(self, source: int, target: int) -> None:
        try:
            data = os.read(source, PIECE)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EIO:  # which is the end of a terminal
                raise
            data = b""
        if not data:
            self._selector.unregister(source if source == self._master else self._process.stderr)  # type: ignore[arg-type]
            return
        self._kept.add(data)
        with suppress(OSError):  # the terminal is gone, which the program learns by a signal
            write_all(target, data)

    # Keys

    def _take_keys(self) -> None:
        """Set the user's terminal to raw and read it, if this process is in the foreground."""
        if not self._keys or os.tcgetpgrp(0) != os.getpgrp():
            return
        with suppress(termios.error):
            tty.setraw(0, termios.TCSADRAIN)
        if 0 not in self._selector.get_map():
            self._selector.register(0, selectors.EVENT_READ)

    def _give_keys_back(self) -> None:
        if 0 in self._selector.get_map():
            self._selector.unregister(0)
            with suppress(termios.error):
                termios.tcsetattr(0, termios.TCSADRAIN, self._settings or [])

    def _read_keys(self) -> None:
        try:
            data = os.read(0, PIECE)
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(0)
            return
        before, stop, after = data.partition(self._stop_key())
        self._type(before)
        if stop:
            self._stop()
            self._type(after)

    def _type(self, data: bytes) -> None:
        self._typed += data[: _PENDING - len(self._typed)]
        self._send_typed()

    def _send_typed(self) -> None:
        if not self._typed:
            return
        with suppress(OSError):  # it is full, or gone
            del self._typed[: os.write(self._master, self._typed)]
        if self._master in self._selector.get_map():
            waits = selectors.EVENT_WRITE if self._typed else 0
            self._selector.modify(self._master, selectors.EVENT_READ | waits)

    # Signals

    def _stop_key(self) -> bytes:
        """The key that stops the program (Ctrl-Z), if its terminal is to make a signal of it and
        no shell in it does so: the system stops no program whose parent is in another session."""
        settings = termios.tcgetattr(self._master)
        own = os.tcgetpgrp(self._master) == self._process.pid
        if not own or not settings[3] & termios.ISIG:
            return b"\0never\0"
        key: bytes = settings[6][termios.VSUSP]
        return key if key != b"\0" else b"\0never\0"

    def _stop(self) -> None:
        """Stop the program and this process, as Ctrl-Z does, until the shell goes on with it."""
        os.killpg(self._process.pid, signal.SIGSTOP)
        self._give_keys_back()
        os.kill(0, signal.SIGTSTP)
        self._take_keys()
        _copy_size(self._master)
        os.killpg(self._process.pid, signal.SIGCONT)

    def _pass_on(self, number: int) -> None:
        with suppress(OSError):
            os.killpg(os.tcgetpgrp(self._master) or self._process.pid, number)

    @contextmanager
    def _size_followed(self) -> Iterator[None]:
        """The program's terminal has the size of the user's, whose size may change."""
        before = signal.signal(signal.SIGWINCH, lambda *_: _copy_size(self._master))
        try:
            yield
        finally:
            signal.signal(signal.SIGWINCH, before)


def _copy_size(terminal: int) -> None:
    with suppress(termios.error, OSError):
        termios.tcsetwinsize(terminal, termios.tcgetwinsize(1))
