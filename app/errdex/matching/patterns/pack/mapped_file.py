"""A file that is mapped into memory, which all processes that read it share."""

from __future__ import annotations

import os
from mmap import ACCESS_READ, mmap
from pathlib import Path

from errdex.matching.patterns.pack.sections import PackDamaged


class MappedFile:
    """The bytes of a file. They stay when the file is deleted or replaced."""

    def __init__(self, path: Path) -> None:
        """Raises FileNotFoundError, another OSError, and PackDamaged for an empty file."""
        self._number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._written = self._state()
        try:
            self.data = memoryview(mmap(self._number, 0, access=ACCESS_READ))
        except ValueError:
            raise PackDamaged(f"{path} is empty.") from None

    def check(self) -> None:
        """Raise PackDamaged when somebody has written into the file since it was opened: reading
        behind the end of one that was cut short would kill the process."""
        if self._state() != self._written:
            raise PackDamaged("The pack was changed while it was in use.")

    def _state(self) -> tuple[int, int]:
        found = os.fstat(self._number)
        return found.st_size, found.st_mtime_ns

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            os.close(self._number)
