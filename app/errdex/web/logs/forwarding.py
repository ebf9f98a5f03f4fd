"""Hands known errors on to a configured endpoint of OTLP, since who sends logs discards answers.

One request at a time, in a thread of its own; what waits is bounded. An endpoint that fails is
logged, and what it did not take is dropped.
"""

from __future__ import annotations

import asyncio
import logging
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from anyio import CapacityLimiter, to_thread

log = logging.getLogger(__name__)
TIMEOUT = 10.0
"""Seconds without a word from the endpoint."""
MOST_WAITING = 100
MOST_BYTES = 16_000_000
"""Of all requests that wait."""


class _Unmoved(HTTPRedirectHandler):
    """Follows no redirect, which would take logs to another host."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Let it be an error."""


class Forwarder:
    """Hands on to `endpoint`, such as http://localhost:4318/v1/logs. `run` has to run beside it."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._opener = build_opener(_Unmoved)
        self._waiting: asyncio.Queue[tuple[bytes, str]] = asyncio.Queue(MOST_WAITING)
        self._bytes = 0
        self._said = ""

    def offer(self, data: bytes, kind: str) -> bool:
        """Hand on a request in an encoding, soon; False when too much waits already."""
        if self._bytes + len(data) > MOST_BYTES or self._waiting.full():
            return False
        self._bytes += len(data)
        self._waiting.put_nowait((data, kind))
        return True

    async def run(self) -> None:
        """Until it is cancelled."""
        limiter = CapacityLimiter(1)
        while True:
            data, kind = await self._waiting.get()
            try:
                await to_thread.run_sync(
                    self._send, data, kind, limiter=limiter, abandon_on_cancel=True
                )
            finally:
                self._bytes -= len(data)

    def _send(self, data: bytes, kind: str) -> None:
        headers = {"Content-Type": kind, "User-Agent": "errdex"}
        request = Request(self._endpoint, data, headers)  # noqa: S310 (the setting is an http address)
        try:
            with self._opener.open(request, timeout=TIMEOUT):
                self._say("")
        except HTTPError as error:
            error.close()
            self._say(f"it answered {error.code}")
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            self._say(getattr(reason, "strerror", None) or type(reason).__name__)

    def _say(self, trouble: str) -> None:
        """Log a change of what is wrong, not every request."""
        if trouble != self._said:
            self._said = trouble
            if trouble:
                log.warning("Known errors are not handed on to ERRDEX_OTLP_ENDPOINT: %s.", trouble)
            else:
                log.info("Known errors are handed on to ERRDEX_OTLP_ENDPOINT again.")
