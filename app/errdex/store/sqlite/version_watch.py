"""Checks by the files whether the data may have changed since its version was read.

Two looks at the files' times cost a tenth of a read. A commit writes to the database file or
to the log beside it, so files that look as they did hold the version that they held. Only
writes that are younger than the clock of the file system ticks cannot be distinguished: for a
moment after the last one, the answer is "may have changed".
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

SETTLED_NS = 100_000_000
"""After so long without a write, the next one is sure to show another time."""

Look = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    look: Look
    version: str


class VersionWatch:
    """Remembers the version that a database had. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self._files = (str(path), f"{path}-wal")
        self._known: _Known | None = None

    def look(self) -> Look | None:
        """What the files look like now; None as long as they cannot be relied on. Ask before
        reading the version."""
        look: list[int] = []
        latest = 0
        for file in self._files:
            try:
                status = os.stat(file)  # noqa: PTH116 (a Path takes twice the time)
            except OSError:
                look.append(-1)
                continue
            look += (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            latest = max(latest, status.st_mtime_ns)
        settled = look[0] != -1 and abs(time.time_ns() - latest) > SETTLED_NS
        return tuple(look) if settled else None

    def version_at(self, look: Look | None) -> str | None:
        """The version that was read when the files looked so, if it is remembered."""
        known = self._known
        return known.version if known and look is not None and known.look == look else None

    def remember(self, look: Look | None, version: str) -> None:
        """Keep the version that was read after that look."""
        if look is not None:
            self._known = _Known(look, version)
