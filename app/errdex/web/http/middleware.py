"""What happens to every request and answer, whatever its route."""

from __future__ import annotations

import asyncio
import math
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex import lazy_re as re
from errdex.web.http.errors import BodyTooLarge, BodyTooSlow, UrlTooLong
from errdex.web.match.body import NDJSON, media_type

PASTE_PATHS = ("/api/errors/match", "/match")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestId:
    """Gives each request an id, the client's own if it sent a plain one, and answers with it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = Headers(scope=scope).get("x-request-id", "")
        request_id = sent if _REQUEST_ID.fullmatch(sent) else uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = (b"x-request-id", request_id.encode())
                message["headers"] = [*message.get("headers", ()), named]
            await send(message)

        await self._app(scope, receive, answer)


class HeadAsGet:
    """Answers HEAD as GET without the body, on every route that takes GET."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        as_get = {**scope, "method": "GET"}
        try:
            await self._app(as_get, receive, answer)
        finally:
            if "route" in as_get:  # which the middleware outside of this one looks at
                scope["route"] = as_get["route"]


class Faults:
    """Answers what no handler of the application did: faults of ours, and what the
    middleware inside of this one raises."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            if started:
                raise
            request = Request(scope)
            response = await request.app.state.answer_error(request, error)
            await response(scope, receive, send)


class RequestLimits:
    """Refuses an address over `url_bytes`, a body over `body_bytes`, announced or not, and
    one that is not there after `body_seconds`. Pastes may be larger: their routes bound them.
    A stream of lines (application/x-ndjson) to such a route is bounded by the line."""

    def __init__(self, app: ASGIApp, url_bytes: int, body_bytes: int, body_seconds: float) -> None:
        self._app = app
        self._url_bytes = url_bytes
        self._body_bytes = body_bytes
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > self._url_bytes:
            raise UrlTooLong(self._url_bytes)
        headers = Headers(scope=scope)
        if scope["path"] in PASTE_PATHS:
            is_stream = media_type(headers.get("content-type", "")) == NDJSON
            bounded = receive if is_stream else self._bounded(receive, math.inf)
            await self._app(scope, bounded, send)
            return
        announced = headers.get("content-length", "0")
        if announced.isdecimal() and int(announced) > self._body_bytes:
            raise BodyTooLarge(self._body_bytes)
        await self._app(scope, self._bounded(receive, self._body_bytes), send)

    def _bounded(self, receive: Receive, body_bytes: float) -> Receive:
        taken, complete = 0, False
        deadline = asyncio.get_running_loop().time() + self._body_seconds

        async def bounded() -> Message:
            nonlocal taken, complete
            if complete:  # what comes now is that the client left, whenever that is
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise BodyTooSlow(self._body_seconds) from None
            complete = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > body_bytes:
                raise BodyTooLarge(self._body_bytes)
            return message

        return bounded
