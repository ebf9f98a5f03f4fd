"""Errdex for the agent that starts it: the protocol over standard input and output."""

from __future__ import annotations

import logging
from functools import partial
from threading import Thread

import anyio
from anyio import to_thread
from mcp.server.stdio import stdio_server

from errdex.formats.answer import PasteAnswer
from errdex.formats.build import build_answer
from errdex.knowledge import Knowledge, SearchUnavailable
from errdex.matching.ranking import MatchLimits
from errdex.mcp.server import build_server
from errdex.mcp.tools import AgentSource
from errdex.records.problems import Trouble
from errdex.store import StoreError

log = logging.getLogger(__name__)


def serve_stdio(knowledge: Knowledge, limits: MatchLimits, site: str = "") -> None:
    """Answer until standard input ends. `limits` bound the work for one log."""
    Thread(target=_prepare, args=(knowledge,), name="patterns", daemon=True).start()

    async def match(text: str) -> PasteAnswer:
        answer = await to_thread.run_sync(partial(knowledge.match, text, limits))
        return build_answer(answer, site or None)

    source = AgentSource(knowledge, match, _explain, site)
    anyio.run(_serve, source)


async def _serve(source: AgentSource) -> None:
    server = build_server(lambda _: source)
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def _prepare(knowledge: Knowledge) -> None:
    """Compile the patterns while the agent reads what tools there are."""
    try:
        knowledge.prepare()
    except (SearchUnavailable, StoreError):
        return  # the first question that needs it says so


def _explain(error: Exception) -> str:
    if isinstance(error, Trouble):
        return str(error)
    log.error("A request failed: %s", type(error).__name__)  # its text may quote the log
    return f"Something is wrong on the side of Errdex: {type(error).__name__}."
