"""Whether the client of a request is still there."""

from __future__ import annotations

import asyncio
import select
from time import monotonic

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

_LOOK_SECONDS = 0.1
"""Between two looks at the system's side of the connection."""


class ClientLoss:
    """Whether a request's client has left. From any thread. Asked of the system as well, since a
    transport whose reading is paused does not notice it."""

    def __init__(self, cycle: RequestResponseCycle, transport: asyncio.Transport) -> None:
        self._cycle = cycle
        self._transport = transport
        self._lost = False
        self._next_look = 0.0

    def __call__(self) -> bool:
        """Whether it has left, as far as that is known."""
        if self._lost or self._cycle.disconnected:
            return True
        if (now := monotonic()) >= self._next_look:
            self._next_look = now + _LOOK_SECONDS
            self._lost = self._has_hung_up()
        return self._lost

    def _has_hung_up(self) -> bool:
        connection = self._transport.get_extra_info("socket")
        if not hasattr(select, "POLLRDHUP") or connection is None or connection.fileno() < 0:
            return False
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLRDHUP)
        return bool(poll.poll(0))
