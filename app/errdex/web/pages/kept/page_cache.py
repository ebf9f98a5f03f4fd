"""A bounded memory of pages, and the file behind it; what is kept, and why, see keeping.py."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from anyio import CapacityLimiter

from errdex.store import PageFile

MAKERS = 1
"""Threads that make pages at once. Two hand the interpreter to and fro between SQLite's
answers: 40 pages a second, where one makes 71."""
DEFAULT_BYTES = 64 << 20
_OVERHEAD = 300
"""About what an entry takes besides its page."""


Key = tuple[str, str]


class PageCache:
    """Pages, of which the longest unused are dropped first. Safe between threads."""

    def __init__(self, most_bytes: int = DEFAULT_BYTES, file: PageFile | None = None) -> None:
        self._most_bytes = most_bytes
        self.file = file
        """Where the pages of records are kept besides, if anywhere."""
        self.bytes = 0
        """How many bytes are kept, those of the keeping included."""
        self.makers = CapacityLimiter(MAKERS)
        """To be held by a thread that makes a page."""
        self._pages: OrderedDict[Key, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> bytes | None:
        """The page kept under the key."""
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
            return page

    def put(self, key: Key, page: bytes) -> None:
        """Keep a page, unless it alone is too large."""
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
