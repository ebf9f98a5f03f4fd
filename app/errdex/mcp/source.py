"""What answers the requests of agents: a knowledge base here, or a server that has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

from errdex.formats.answer import to_wire
from errdex.mcp.replies import CAUSE_URI, RECORD_URI
from errdex.mcp.tools import AgentSource, AgentTool
from errdex.records.problems import Trouble

if TYPE_CHECKING:
    from errdex.knowledge import Knowledge


class ResourceNotFound(Trouble):
    """There is no resource at an address."""


class ToolSource(Protocol):
    """What answers the requests of agents."""

    async def call(self, tool: AgentTool[Any], arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a tool answers, as JSON. Raises pydantic's ValidationError for wrong arguments."""

    async def read(self, uri: str) -> str:
        """The Markdown of a resource. Raises ResourceNotFound."""

    def explain(self, error: Exception) -> str:
        """What a client reads about an error. The rest is logged, without the log's text."""

    def prepare(self) -> None:
        """Called when the tools are listed, since one of them will be called soon."""


def nothing() -> None:
    """There is nothing to prepare."""


@dataclass(frozen=True)
class KnowledgeSource:
    """A knowledge base of this process."""

    asked: AgentSource
    explain: Callable[[Exception], str]
    prepare: Callable[[], None] = nothing

    async def call(self, tool: AgentTool[Any], arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the tool answers."""
        reply: Mapping[str, Any] = to_wire(await tool.answer(arguments, self.asked))
        return reply

    async def read(self, uri: str) -> str:
        """The text of a record or a cause."""
        return await self.asked.ask(lambda knowledge: _read(knowledge, uri, self.asked.site))


def _read(knowledge: Knowledge, uri: str, site: str) -> str:
    from errdex.formats.records.markdown import cause_markdown, record_markdown
    from errdex.knowledge import RecordNotFound, ValueNotFound

    try:
        if uri.startswith(CAUSE_URI):
            found = knowledge.get_cause(unquote(uri.removeprefix(CAUSE_URI)))
            return cause_markdown(found.item, site=site)
        if not uri.startswith(RECORD_URI):
            raise ValueNotFound("resource", uri)
        answer = knowledge.get_record(uri.removeprefix(RECORD_URI))
    except (RecordNotFound, ValueNotFound) as error:
        raise ResourceNotFound(str(error)) from None
    cause = knowledge.find_cause(answer.record.background_tag)
    return record_markdown(answer.record, cause, site=site)
