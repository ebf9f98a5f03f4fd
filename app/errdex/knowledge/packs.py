"""The compiled patterns of each version, in files beside the database.

    DATABASE.patterns/<version>.pack    a pack (see `errdex.matching.patterns.pack`)
    DATABASE.patterns/<random>.new      one that is being written, or was when its writer was killed

A file is written aside, made durable and renamed into place, so one with its final name is whole,
but for what a disk does to it later: its checksum is verified whenever it is opened. It is derived
from the store, and safe to delete.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from time import time
from urllib.parse import quote
from uuid import uuid4

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pack.sections import PackDamaged, PackMissing

_PACK, _NEW = ".pack", ".new"
_LEFT_OVER_SECONDS = 3600.0
"""After which a file that is being written was left by a writer that was killed."""


class PackFolder:
    """The packs of one database."""

    def __init__(self, database: Path) -> None:
        """The folder is made when a pack is written."""
        self._folder = database.with_name(f"{database.name}.patterns")

    def open(self, version: str, records: int) -> PatternSet:
        """The patterns of a version, which has so many records. Raises PackMissing, PackDamaged
        and OSError."""
        path = self._place(version)
        try:
            patterns = PatternSet.open(path)
        except FileNotFoundError:
            raise PackMissing(f"There is no pack {path.name}: build it.") from None
        if len(patterns) + len(patterns.refused) != records:
            raise PackDamaged(f"The pack {path.name} is not of {records:,} records.")
        return patterns

    def write(self, version: str, pack: bytes | memoryview) -> None:
        """Write the pack of a version, durably and in one step. Raises OSError, and leaves
        nothing then."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_durably(self._place(version), pack)

    def sweep(self, keep: set[str]) -> None:
        """Remove the packs of all other versions and what killed writers left. A pack that is
        in use can still be read, except on Windows, where it stays until the next time."""
        if not self._folder.is_dir():
            return
        kept = {self._place(version) for version in keep}
        for path in self._folder.iterdir():
            with suppress(OSError):
                old = path.suffix == _NEW and path.stat().st_mtime < time() - _LEFT_OVER_SECONDS
                if old or (path.suffix == _PACK and path not in kept):
                    path.unlink()

    def _place(self, version: str) -> Path:
        return self._folder / f"{quote(version, safe='')}{_PACK}"


def write_durably(path: Path, data: bytes | memoryview) -> None:
    """Write a file in one step: what had its name before stays until all is on disk. Raises
    OSError, and leaves nothing then."""
    new = path.with_name(f"{uuid4().hex}{_NEW}")
    try:
        with new.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise
    if sys.platform == "win32":  # which has no call to make a name durable
        return
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
