"""The same over streamable HTTP, at /mcp of a server: without sessions, so that any worker answers
any request. The SDK is imported at the first request.

Logs are matched in the places and within the bounds of all other pastes, and work ends when its
client leaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Scope, Send

from errdex.formats.answer import PasteAnswer
from errdex.formats.build import build_answer
from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.web.http.dependencies import context_of
from errdex.web.http.errors import explain
from errdex.web.http.limits.rate_limit import client_of
from errdex.web.http.site import origin_of
from errdex.web.match.body import Body, take_body
from errdex.web.match.work import while_connected
from errdex.workers.cancellation import Cancellation

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from errdex.mcp.server import Asked
    from errdex.mcp.source import ToolSource

PATH = "/mcp"
HEADERS = ("Mcp-Method", "Mcp-Name", "MCP-Protocol-Version", "Mcp-Session-Id")
"""Of a request, which pages of other origins may send."""
_ROUTE = SimpleNamespace(path=PATH)
"""The route for the access log and the metrics."""
_CANCELLATION = "errdex.cancellation"
"""The key in a request's scope."""


class McpEndpoint:
    """The application at PATH. `run` has to run beside it. A body may have `max_bytes`; pages of
    `origins` may call it, * for all."""

    def __init__(self, max_bytes: int, origins: Sequence[str]) -> None:
        self._max_bytes = max_bytes
        self._origins = origins
        self._wanted = asyncio.Event()
        self._manager: asyncio.Future[StreamableHTTPSessionManager] | None = None

    async def run(self) -> None:
        """Start what answers when it is first needed; until it is cancelled."""
        self._manager = asyncio.get_running_loop().create_future()
        await self._wanted.wait()
        try:
            manager = await to_thread.run_sync(_new_manager, self._max_bytes)
        except Exception as error:  # noqa: BLE001 (an unfit version of the SDK, which requests say)
            self._manager.set_exception(error)
            return
        async with manager.run():
            self._manager.set_result(manager)
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises BodyTooLarge, MemoryFull and ClientDisconnect."""
        scope["route"] = _ROUTE
        request = Request(scope, receive)
        self._check_origin(request.headers.get("origin"))
        if self._manager is None:
            raise HTTPException(503, "The server is starting.", {"Retry-After": "1"})
        with context_of(request).matching.memory.share(client_of(scope)) as share:
            body = await take_body(request, self._max_bytes, share)
            self._wanted.set()
            manager = await asyncio.shield(self._manager)
            await while_connected(request, partial(_answer, manager, body, request, send))

    def _check_origin(self, origin: str | None) -> None:
        """As the protocol wants it, for the sake of servers that a network protects."""
        if origin is not None and "*" not in self._origins and origin not in self._origins:
            raise HTTPException(403, "Pages of this origin may not call the server.")


async def _answer(
    manager: StreamableHTTPSessionManager,
    body: Body,
    request: Request,
    send: Send,
    cancellation: Cancellation,
) -> None:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:  # the client's leaving is waited for elsewhere
            await asyncio.Event().wait()
        sent = True
        return {"type": "http.request", "body": body.data, "more_body": False}

    scope = {**request.scope, _CANCELLATION: cancellation}
    await manager.handle_request(scope, replay, send)


def _new_manager(max_bytes: int) -> StreamableHTTPSessionManager:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from errdex.mcp.server import build_server

    return StreamableHTTPSessionManager(
        build_server(_source_of),
        json_response=True,
        stateless=True,
        max_request_body_size=max_bytes,
    )


def _source_of(asked: Asked) -> ToolSource:
    from errdex.mcp.source import KnowledgeSource
    from errdex.mcp.tools import AgentSource

    request: Any = asked.request
    context = context_of(request)

    async def match(log: str) -> PasteAnswer:
        body = Body(log.encode("utf-8", "replace"))
        cancellation = request.scope[_CANCELLATION]
        work = partial(answer_log, site=origin_of(request))
        return await context.matching.run(body, work, client_of(request.scope), cancellation)

    def explain_to_client(error: Exception) -> str:
        gone = isinstance(error, ClientDisconnect)
        return "The client has left." if gone else explain(request, error).detail

    source = AgentSource(lambda: context.knowledge, match, origin_of(request))
    return KnowledgeSource(source, explain_to_client)


def answer_log(
    knowledge: Knowledge, paste: bytes | str, limits: MatchLimits, site: str
) -> PasteAnswer:
    """The work that answers a log."""
    return build_answer(knowledge.match(paste, limits), site)
