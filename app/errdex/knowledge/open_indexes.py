"""Open full-text indexes, one for each version, shared between requests.

A request reads the store in one snapshot and needs the index of exactly that version. An index
stays open while a request uses it, and the latest one stays open for the next request; the
others are closed when their last request ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from errdex.search.protocol import IndexDamaged, IndexStore, SearchIndex


class Rebuilder(Protocol):
    """Builds an index that is missing or damaged."""

    def __call__(self) -> bool:
        """Build the index or wait for it. Returns whether it exists now."""


def no_rebuilder() -> bool:
    """For read-only use: a missing index stays missing."""
    return False


@dataclass
class _OpenIndex:
    index: SearchIndex
    users: int = 0


class OpenIndexes:
    """Safe to share between threads."""

    def __init__(self, indexes: IndexStore) -> None:
        self._indexes = indexes
        self._opened: dict[str, _OpenIndex] = {}
        self._latest: _OpenIndex | None = None
        self._lock = Lock()
        self._opening = Lock()

    @contextmanager
    def use(self, version: str) -> Iterator[SearchIndex]:
        """The index of that version. Raises IndexMissing and IndexDamaged; a damaged index is not
        used again."""
        opened = self._acquire(version)
        try:
            yield opened.index
        except IndexDamaged:
            self._forget(version, opened)
            raise
        finally:
            self._release(version, opened)

    def close(self) -> None:
        """Close unused indexes now, the others when their last request ends."""
        with self._lock:
            self._latest = None
            idle = self._take_idle()
        for index in idle:
            index.close()

    def _acquire(self, version: str) -> _OpenIndex:
        with self._lock:
            opened = self._opened.get(version)
            if opened:
                opened.users += 1
                return opened
        with self._opening:  # one thread reads and verifies the files, the others wait
            with self._lock:
                opened = self._opened.get(version)
                if opened:
                    opened.users += 1
                    return opened
            opened = _OpenIndex(self._indexes.open(version), users=1)
            with self._lock:
                self._opened[version] = self._latest = opened
            return opened

    def _release(self, version: str, opened: _OpenIndex) -> None:
        with self._lock:
            opened.users -= 1
            forgotten = self._opened.get(version) is not opened
            idle = self._take_idle()
            if forgotten and not opened.users:
                idle.append(opened.index)
        for index in idle:
            index.close()

    def _take_idle(self) -> list[SearchIndex]:
        idle = [
            version
            for version, opened in self._opened.items()
            if not opened.users and opened is not self._latest
        ]
        return [self._opened.pop(version).index for version in idle]

    def _forget(self, version: str, opened: _OpenIndex) -> None:
        with self._lock:
            if self._opened.get(version) is opened:
                del self._opened[version]
