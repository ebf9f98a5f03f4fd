"""The command for editors: lsp."""

from __future__ import annotations

from importlib import import_module

from errdex.cli.extras import needs_extra
from errdex.cli.wiring import Database, opened_knowledge, read_settings


def lsp(database: Database = None) -> None:
    """Show known errors of log files in the editor that starts this command.

    It speaks the Language Server Protocol on standard input and output. Files are neither stored
    nor logged.
    """
    with needs_extra("lsp", "lsp"):
        server = import_module("errdex.lsp.server")
    from errdex.config import match_limits
    from errdex.formats.build import build_answer

    settings = read_settings(database)
    limits, site = match_limits(settings), settings.public_url
    with opened_knowledge(database) as knowledge:
        server.serve_stdio(lambda text: build_answer(knowledge.match(text, limits), site), site)
