"""The command for coding agents: mcp."""

from __future__ import annotations

from importlib import import_module

from errdex.cli.extras import needs_extra
from errdex.cli.views.terminal import USAGE, fail
from errdex.cli.wiring import (
    Database,
    Server,
    opened_server,
    opened_store,
    read_settings,
    watched_knowledge_of,
)


def mcp(server: Server = None, database: Database = None) -> None:
    """Serve the records to a coding agent that starts this command.

    It speaks the Model Context Protocol on standard input and output. For example, `claude mcp
    add errdex -- errdex mcp`. Logs are neither stored nor logged.
    """
    from errdex.matching.garbage_collection import collect_rarely

    if server is not None and database is not None:
        fail("--server and --database contradict each other: give one of them.", USAGE)
    collect_rarely()  # the SDK's imports are a tenth faster for it
    with needs_extra("mcp", "mcp"):
        stdio = import_module("errdex.mcp.stdio")
    if server is not None:
        from errdex.cli.remote_agents import ServerSource

        with opened_server(server) as opened:
            stdio.serve_stdio(ServerSource(opened, stdio.explain))
        return
    from errdex.config import match_limits

    settings = read_settings(database)
    with opened_store(database) as (store, indexes):
        stdio.serve_stdio(
            stdio.local_source(
                lambda: watched_knowledge_of(store, indexes, settings.watch_seconds),
                lambda: match_limits(settings),
                settings.public_url or "",
            )
        )
