"""How much memory all requests of a worker hold together.

Each request has a share, which grows with the bytes of it that are held: of bodies, of lines
that wait, of what an unpacker needs. When all shares together, or those of one client beyond
half of that, are over the bound, a request that would hold more is refused with when to come
again. What was held is given back to the system soon after.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread

from starlette.exceptions import HTTPException

from errdex.web.http.limits.allocator import give_back
from errdex.web.http.limits.rate_limit import Client

DEFAULT_BYTES = 128 << 20
_RETRY_SECONDS = 5
_WORTH_GIVING_BACK = 4 << 20
_GIVE_BACK_AFTER = 2.0
"""Seconds after a large share was given up, in which others may be as well."""


class MemoryFull(HTTPException):
    """All requests together hold as much as they may."""

    def __init__(self) -> None:
        super().__init__(
            503,
            f"The server holds as many requests as it can. Try again in {_RETRY_SECONDS} s.",
            {"Retry-After": str(_RETRY_SECONDS)},
        )


class RequestMemory:
    """The shares of all requests. Safe between threads."""

    def __init__(self, most: int = DEFAULT_BYTES) -> None:
        self._most = most
        self._of_client: Counter[Client] = Counter()
        self._lock = Lock()
        self._freed = 0
        self._giving_back: asyncio.TimerHandle | None = None
        self.held = 0
        """Bytes, of all of them."""

    @contextmanager
    def share(self, client: Client) -> Iterator[Share]:
        """A share, for as long as the context lasts."""
        share = Share(self, client)
        try:
            yield share
        finally:
            share.give_up()

    def is_over(self, client: Client) -> bool:
        """Whether more is held than may be, by all or by that client."""
        return self.held > self._most or self._of_client[client] > self._most // 2

    def change(self, client: Client, size: int) -> None:
        """Count bytes more or, if negative, less."""
        with self._lock:
            self.held += size
            self._of_client[client] += size
            if not self._of_client[client]:
                del self._of_client[client]

    def give_back_soon(self, size: int) -> None:
        """Have the system get back what so many bytes took, once much was freed."""
        self._freed += size
        if self._freed < _WORTH_GIVING_BACK or self._giving_back is not None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._giving_back = loop.call_later(_GIVE_BACK_AFTER, self._give_back)

    def _give_back(self) -> None:
        self._giving_back, self._freed = None, 0
        Thread(target=give_back, name="give back", daemon=True).start()


class Share:
    """What one request holds."""

    def __init__(self, memory: RequestMemory, client: Client) -> None:
        self._memory = memory
        self._client = client
        self._most = 0
        self.held = 0
        """Bytes."""

    @property
    def is_over(self) -> bool:
        """Whether its client, or all, hold more than they may."""
        return self._memory.is_over(self._client)

    def add(self, size: int) -> None:
        """Count bytes that are held already."""
        self.held += size
        self._most = max(self._most, self.held)
        self._memory.change(self._client, size)

    def take(self, size: int) -> None:
        """Count bytes that are to be held. Raises MemoryFull when there is no place for them."""
        self.add(size)
        if size > 0 and self.is_over:
            raise MemoryFull

    def give_up(self) -> None:
        """Hold nothing any more."""
        self._memory.change(self._client, -self.held)
        self._memory.give_back_soon(self._most)
        self.held = 0
