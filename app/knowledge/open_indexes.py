"""Open full-text indexes, one a version, shared by the requests that need them.

A request reads the store in one snapshot and needs the index of exactly that
version. An index stays open while a request uses it, and the one used last stays
open for the next; older ones are closed when their last request ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from app.search.protocol import IndexDamaged, IndexStore, SearchIndex


class Rebuilder(Protocol):
    """Whoever builds an index that is missing or damaged."""

    def __call__(self) -> bool:
        """Build it, or have it built. True when it is there now."""


def no_rebuilder() -> bool:
    """For a reader that may not write: an index that is missing stays missing."""
    return False


@dataclass
class _Opened:
    index: SearchIndex
    users: int = 0


class OpenIndexes:
    """Safe to share between threads."""

    def __init__(self, indexes: IndexStore) -> None:
        self._indexes = indexes
        self._opened: dict[str, _Opened] = {}
        self._lock = Lock()
        self._opening = Lock()

    @contextmanager
    def use(self, version: str) -> Iterator[SearchIndex]:
        """The index of that version. Raises IndexMissing and IndexDamaged; one that turns out
        to be damaged is not used again."""
        opened = self._acquire(version)
        try:
            yield opened.index
        except IndexDamaged:
            self._forget(version, opened)
            raise
        finally:
            self._release(version, opened)

    def close(self) -> None:
        """Close those that nobody uses."""
        with self._lock:
            idle = [version for version, opened in self._opened.items() if not opened.users]
            for version in idle:
                self._opened.pop(version).index.close()

    def _acquire(self, version: str) -> _Opened:
        with self._lock:
            opened = self._opened.get(version)
            if opened:
                opened.users += 1
                return opened
        with self._opening:  # one thread reads and verifies the files, the others wait for it
            with self._lock:
                opened = self._opened.get(version)
            if opened is None:
                opened = _Opened(self._indexes.open(version))
            with self._lock:
                opened.users += 1
                self._opened[version] = opened
                return opened

    def _release(self, version: str, opened: _Opened) -> None:
        with self._lock:
            opened.users -= 1
            newest = max(self._opened, default="")
            if opened.users or (version == newest and self._opened.get(version) is opened):
                stale = None
            else:
                stale = opened
                if self._opened.get(version) is opened:
                    del self._opened[version]
            others = [
                name for name, each in self._opened.items() if name < newest and not each.users
            ]
            idle = [self._opened.pop(name).index for name in others]
        for index in idle:
            index.close()
        if stale:
            stale.index.close()

    def _forget(self, version: str, opened: _Opened) -> None:
        with self._lock:
            if self._opened.get(version) is opened:
                del self._opened[version]
