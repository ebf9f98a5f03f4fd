"""Rendered pages in memory, up to a number of bytes, and the file behind them."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from anyio import CapacityLimiter

from errdex.store import PageFile

RENDERERS = 1
"""Threads that render pages at once. Two contend for the interpreter: 40 pages a second, where
one renders 71."""
DEFAULT_BYTES = 64 << 20
_OVERHEAD = 300
"""Bytes of an entry besides its page, estimated."""


Key = tuple[str, str]


class PageCache:
    """Cached pages; the least recently used are dropped first. Safe to share between threads."""

    def __init__(self, most_bytes: int = DEFAULT_BYTES, file: PageFile | None = None) -> None:
        self._most_bytes = most_bytes
        self.file = file
        """The file for pages of records; None for memory only."""
        self.bytes = 0
        """Bytes of all entries, with their overhead."""
        self.renderers = CapacityLimiter(RENDERERS)
        """Limits the threads that render pages."""
        self._pages: OrderedDict[Key, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> bytes | None:
        """The page of that key."""
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
            return page

    def put(self, key: Key, page: bytes) -> None:
        """Store a page, unless it alone is too large."""
        size = len(page) + _OVERHEAD
        if size > self._most_bytes:
            return
        with self._lock:
            old = self._pages.pop(key, None)
            self.bytes += size - (len(old) + _OVERHEAD if old is not None else 0)
            self._pages[key] = page
            while self.bytes > self._most_bytes:
                _, dropped = self._pages.popitem(last=False)
                self.bytes -= len(dropped) + _OVERHEAD
