"""A terminal as a user has one: keys, a size, and what is shown."""

from __future__ import annotations

import os
import select
import subprocess
import termios
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Self

SECONDS = 60
"""For what a test waits for, on a machine that is busy."""


class UserTerminal:
    """A command in a terminal of its own. `apart` has the command's standard error instead."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        *,
        size: tuple[int, int] = (24, 80),
        cwd: str | os.PathLike[str] = ".",
        **streams: int,
    ) -> None:
        self._ours, theirs = os.openpty()
        termios.tcsetwinsize(self._ours, size)
        given = {"stdin": theirs, "stdout": theirs, "stderr": theirs, **streams}
        self.process = subprocess.Popen(["setsid", "-c", *command], env=env, cwd=cwd, **given)
        os.close(theirs)
        self.shown = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._ours)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._ours, keys)

    def resize(self, rows: int, columns: int) -> None:
        """Drag the window's corner."""
        termios.tcsetwinsize(self._ours, (rows, columns))

    def settings(self) -> list[object]:
        """The settings of the terminal."""
        return termios.tcgetattr(self._ours)

    def wait_for(self, text: bytes, count: int = 1) -> bytes:
        """All that is shown when this was shown so often."""
        ends = monotonic() + SECONDS
        while self.shown.count(text) < count:
            assert monotonic() < ends, self.shown
            assert self._read(), self.shown
        return self.shown

    def wait(self) -> int:
        """The exit code, when all has been shown."""
        ends = monotonic() + SECONDS
        while self._read():
            assert monotonic() < ends, self.shown
        return self.process.wait(SECONDS)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._ours], [], [], SECONDS)
        assert ready, self.shown
        try:
            data = os.read(self._ours, 65_536)
        except OSError:  # the other side has closed
            return False
        self.shown += data
        return bool(data)
