"""Errdex for the agent that starts it: the protocol over standard input and output.

The agent waits for the answers to its first messages, so what matches is imported after them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from mcp.server.stdio import stdio_server

from errdex.mcp.server import build_server
from errdex.mcp.source import KnowledgeSource, ToolSource
from errdex.mcp.tools import AgentSource
from errdex.records.problems import Trouble

if TYPE_CHECKING:
    from errdex.formats.answer import PasteAnswer
    from errdex.knowledge import Knowledge
    from errdex.matching.ranking import MatchLimits

log = logging.getLogger(__name__)


def serve_stdio(source: ToolSource) -> None:
    """Answer until standard input ends."""
    anyio.run(_serve, source)


async def _serve(source: ToolSource) -> None:
    server = build_server(lambda _: source)
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def local_source(
    open_knowledge: Callable[[], Knowledge], limits: Callable[[], MatchLimits], site: str = ""
) -> ToolSource:
    """What a knowledge base answers, which is opened when it is first needed, in a thread. `limits`
    bound the work for one log."""
    opening = _Opening(open_knowledge)

    async def match(text: str) -> PasteAnswer:
        return await to_thread.run_sync(partial(_match, opening, text, limits, site or None))

    return KnowledgeSource(AgentSource(opening.knowledge, match, site), explain, opening.begin)


class _Opening:
    """Opens the knowledge base once."""

    def __init__(self, open_knowledge: Callable[[], Knowledge]) -> None:
        self._open = open_knowledge
        self._lock = Lock()
        self._knowledge: Knowledge | None = None
        self._begun = False

    def knowledge(self) -> Knowledge:
        """The knowledge base, opened by the first call."""
        with self._lock:
            if self._knowledge is None:
                self._knowledge = self._open()
            return self._knowledge

    def begin(self) -> None:
        """Open it and compile the patterns, while the agent reads what tools there are."""
        if not self._begun:
            self._begun = True
            Thread(target=self._prepare, name="patterns", daemon=True).start()

    def _prepare(self) -> None:
        try:
            self.knowledge().prepare()
        except Trouble:
            return  # the first question that needs it says so


def _match(
    opening: _Opening, text: str, limits: Callable[[], MatchLimits], site: str | None
) -> PasteAnswer:
    from errdex.formats.build import build_answer

    return build_answer(opening.knowledge().match(text, limits()), site)


def explain(error: Exception) -> str:
    """What the agent reads about an error."""
    if isinstance(error, Trouble):
        return str(error)
    log.error("A request failed: %s", type(error).__name__)  # its text may quote the log
    return f"Something is wrong on the side of Errdex: {type(error).__name__}."
