"""What coding agents ask of another Errdex: its `/mcp` answers, whatever version it has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from anyio import to_thread

from errdex.cli.remote import NothingThere, Server, ServerTrouble
from errdex.mcp.source import ResourceNotFound

if TYPE_CHECKING:
    from errdex.mcp.tools import AgentTool

_PATH = "/mcp"
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
_INVALID_PARAMS = -32602


class ServerSource:
    """A server, asked without a session: each request stands alone."""

    def __init__(self, server: Server, explain: Callable[[Exception], str]) -> None:
        self._server = server
        self._explain = explain

    async def call(self, tool: AgentTool[Any], arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the server's tool of this name answers. Raises ServerTrouble, and ValidationError
        for wrong arguments, which are not sent."""
        tool.arguments.model_validate(arguments)
        asked = {"name": tool.name, "arguments": dict(arguments)}
        result = await to_thread.run_sync(partial(self._ask, "tools/call", asked))
        if result.get("isError"):
            raise ServerTrouble(str(result["content"][0]["text"]))
        reply = result["structuredContent"]
        if not isinstance(reply, dict):
            raise self._server.stranger()
        return reply

    async def read(self, uri: str) -> str:
        """The text of a resource. Raises ResourceNotFound and ServerTrouble."""
        result = await to_thread.run_sync(partial(self._ask, "resources/read", {"uri": uri}))
        return str(result["contents"][0]["text"])

    def explain(self, error: Exception) -> str:
        """Answers of another form are those of a stranger."""
        if isinstance(error, LookupError | TypeError | AttributeError | ValueError):
            error = self._server.stranger()
        return self._explain(error)

    def prepare(self) -> None:
        """The server is prepared."""

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            document = self._server.post(_PATH, json.dumps(message).encode(), _HEADERS)
        except NothingThere:
            url = self._server.url
            raise ServerTrouble(f"{url} has no {_PATH}: it needs the extra errdex[mcp].") from None
        if error := document.get("error"):
            kind = ResourceNotFound if error["code"] == _INVALID_PARAMS else ServerTrouble
            raise kind(str(error["message"]))
        result = document["result"]
        if not isinstance(result, dict):
            raise self._server.stranger()
        return result
