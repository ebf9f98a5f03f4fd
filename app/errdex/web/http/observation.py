"""What is kept of each request: counters, and a line of JSON in the access log.

Neither holds anything that a client wrote. A line has the route's template, and the
path only of what was found, whose every word is then one of ours; query strings and
bodies are in none. The request id is the one that the client was answered with.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from time import perf_counter

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.web.http.metrics import Metrics, method_of

log = logging.getLogger("errdex.access")

NO_ROUTE = "none"
_PATH_LENGTH = 300
_FOUND = frozenset({200, 304})


class Observed:
    """Counts and logs each request, once it is answered or its client has left."""

    def __init__(self, app: ASGIApp, metrics: Metrics | None, access_log: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = perf_counter()
        status = sent = 0

        async def answer(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                sent += len(message.get("body", b""))
            await send(message)

        if self._metrics:
            self._metrics.under_way.inc()
        try:
            await self._app(scope, receive, answer)
        finally:
            seconds = perf_counter() - begun
            route = template_of(scope)
            if self._metrics:
                self._metrics.under_way.dec()
                self._metrics.count_request(route, method_of(scope), status, seconds)
            if self._access_log and log.isEnabledFor(logging.INFO):
                log.info("%s", line_of(scope, route, status, sent, seconds))


def template_of(scope: Scope) -> str:
    """The template of the route that answered, such as /errors/{record_id}/{slug}."""
    route = scope.get("route")
    template = getattr(route, "path_format", None) or getattr(route, "path", None)
    return template if isinstance(template, str) else NO_ROUTE


def line_of(scope: Scope, route: str, status: int, sent: int, seconds: float) -> str:
    """The access log's line."""
    line: dict[str, object] = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "id": scope["state"]["request_id"],
        "client": (scope.get("client") or ("",))[0][:64],
        "method": method_of(scope),
        "route": route,
        "status": status,
        "bytes": sent,
        "ms": round(seconds * 1000, 2),
    }
    if status in _FOUND and route != NO_ROUTE:
        line["path"] = scope["path"][:_PATH_LENGTH]
    return orjson.dumps(line, default=str).decode()
