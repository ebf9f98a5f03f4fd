"""The command for coding agents: mcp."""

from __future__ import annotations

from importlib import import_module

from errdex.cli.extras import needs_extra
from errdex.cli.wiring import Database, opened_knowledge, read_settings


def mcp(database: Database = None) -> None:
    """Serve the records to a coding agent that starts this command.

    It speaks the Model Context Protocol on standard input and output. For example, `claude mcp
    add errdex -- errdex mcp`. Logs are neither stored nor logged.
    """
    with needs_extra("mcp", "mcp"):
        stdio = import_module("errdex.mcp.stdio")
    from errdex.config import match_limits

    settings = read_settings(database)
    with opened_knowledge(database) as knowledge:
        stdio.serve_stdio(knowledge, match_limits(settings), settings.public_url or "")
