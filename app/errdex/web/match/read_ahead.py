"""A request's body read while the lines before are being answered.

Who sends all lines before reading an answer would stall a server that reads a line only when
the answer before it was taken: each would wait for the other. So some of the body is read
ahead, in bounded memory; past that a client has to take answers before it can send on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi import Request
from starlette.requests import ClientDisconnect

from errdex.web.http.limits.request_memory import Share

FLOOR = 262_144
"""Bytes that each stream may hold, however much others do."""
_ALWAYS = 65_536
"""Bytes that are read ahead whatever others hold; as many may wait below, in the connection."""


class StreamIdle(Exception):
    """Nothing came for too long."""


class ReadAhead:
    """The body of a request, of which at most `most` bytes (and a chunk) wait to be taken, less
    when all requests hold as much as they may. It is read from when the context is entered until
    it is left."""

    def __init__(self, request: Request, most: int, share: Share, idle_seconds: float) -> None:
        self._request = request
        self._most = most
        self._share = share
        self._idle_seconds = idle_seconds
        self._left = False
        self._ready: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._held = 0
        self._room = asyncio.Event()

    async def __aenter__(self) -> ReadAhead:
        """Begin to read."""
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Read no more."""
        self._reading.cancel()
        await asyncio.wait([self._reading])

    async def chunks(self, deadline: float) -> AsyncIterator[bytes]:
        """What was read, in order. Raises starlette's ClientDisconnect at once when the client
        left, TimeoutError when at `deadline`, by the clock of the event loop, there is more
        to come, and StreamIdle."""
        loop = asyncio.get_running_loop()
        while True:
            idle = loop.time() + self._idle_seconds
            try:
                async with asyncio.timeout_at(min(idle, deadline)):
                    chunk = await self._ready.get()
            except TimeoutError:
                if idle < deadline:
                    raise StreamIdle from None
                raise
            if chunk is None:
                return
            if isinstance(chunk, Exception):
                raise chunk
            if loop.time() >= deadline:  # what has come already does not wait for the timeout
                raise TimeoutError
            self._count(-len(chunk))
            self._room.set()
            yield chunk

    def has_left(self) -> bool:
        """Whether the client is there no more. From any thread."""
        is_lost = self._request.scope.get("state", {}).get("is_lost")
        return self._left or (is_lost is not None and is_lost())

    def _count(self, size: int) -> None:
        self._held += size
        self._share.add(size)

    def _is_full(self) -> bool:
        return self._held >= self._most or (self._held >= _ALWAYS and self._share.is_over)

    async def _read(self) -> None:
        try:
            async for chunk in self._request.stream():
                self._ready.put_nowait(chunk)
                self._count(len(chunk))
                while self._is_full():
                    self._room.clear()
                    await self._room.wait()
            self._ready.put_nowait(None)
            await self._request.receive()  # which now only tells that the client left
            raise ClientDisconnect
        except Exception as error:  # noqa: BLE001 (raised where the chunks are taken)
            self._left = isinstance(error, ClientDisconnect)
            while not self._ready.empty():  # nobody will read the answers
                self._ready.get_nowait()
            self._ready.put_nowait(error)
