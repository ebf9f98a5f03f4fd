"""What a program printed, in bounded memory: its beginning and its end."""

from __future__ import annotations

from collections import deque
from threading import Lock

HEAD = 500_000
"""Bytes of the beginning that are kept."""
TAIL = 4_000_000
"""Bytes of the end that are kept; errors are usually there."""


class KeptOutput:
    """Collects output from several threads."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._most_head, self._most_tail = head, tail
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = False
        self._lock = Lock()

    def add(self, data: bytes) -> None:
        """Keep a piece of output."""
        with self._lock:
            room = self._most_head - len(self._head)
            self._head += data[:room]
            if rest := data[room:]:
                self._tail.append(rest)
                self._tail_size += len(rest)
            while self._tail_size - len(self._tail[0] if self._tail else b"") > self._most_tail:
                self._tail_size -= len(self._tail.popleft())
                self._dropped = True

    def data(self) -> bytes:
        """All that was kept; a line break where something is left out."""
        with self._lock:
            return bytes(self._head) + (b"\n" if self._dropped else b"") + b"".join(self._tail)
