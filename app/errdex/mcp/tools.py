"""The table of tools: what each one is asked, what it does and what it answers.

The knowledge base is imported when it is asked: an agent that starts Errdex is greeted before that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from anyio import to_thread
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from errdex.formats.answer import Part, PasteAnswer
from errdex.mcp import replies
from errdex.mcp.replies import Detail
from errdex.records.filters import Filters

if TYPE_CHECKING:
    from errdex.knowledge import CauseList, Knowledge, SearchResults

R = TypeVar("R")
A = TypeVar("A", bound="Arguments")


@dataclass(frozen=True, slots=True)
class AgentSource:
    """What the tools ask."""

    knowledge: Callable[[], Knowledge]
    """The knowledge base. Called, and asked, in threads."""
    match: Callable[[str], Awaitable[PasteAnswer]]
    """Matches a log, within the bounds of whoever serves."""
    site: str = ""
    """Scheme and host of the server, for addresses of pages; "" without one."""

    async def ask(self, question: Callable[[Knowledge], R]) -> R:
        """The answer of the knowledge base."""
        return await to_thread.run_sync(lambda: question(self.knowledge()))


class Arguments(BaseModel):
    """Base of the arguments of tools. Unknown ones are refused."""

    model_config = ConfigDict(extra="forbid")


DetailArgument = Annotated[
    Detail, Field(description="`brief` fits a context; `full` has every field of the records.")
]
Word = Annotated[str | None, Field(max_length=300)]
RecordId = Annotated[str, Field(max_length=100, description="16 hexadecimal digits.")]
Cursor = Annotated[
    str | None,
    Field(max_length=2000, description="`nextCursor` of the previous page; none for the first."),
]


class MatchArguments(Arguments):
    """Of match_log."""

    log: Annotated[
        str,
        Field(
            min_length=1,
            description="A failing log, traceback or error message, as it was printed. "
            "It is neither stored nor logged.",
        ),
    ]
    detail: DetailArgument = "brief"
    limit: Annotated[int, Field(ge=1, le=50, description="Errors in the answer.")] = 5


class SearchArguments(Arguments):
    """Of search_errors."""

    query: Annotated[
        str,
        Field(
            max_length=2000,
            description='Words, "phrases", `class:`, `repo:`, `tag:`, `code:`, `-not`, `prefix*`, '
            "or a line that a program printed. Empty: all records that match the filters.",
        ),
    ] = ""
    repo: Annotated[Word, Field(description="Only this project, as owner/name.")] = None
    error_class: Annotated[Word, Field(description="Only this class.")] = None
    tag: Annotated[Word, Field(description="Only this tag.")] = None
    language: Annotated[Word, Field(description="Only this language, such as `python`.")] = None
    cause: Annotated[Word, Field(description="Only this cause; list_causes lists them.")] = None
    limit: Annotated[int, Field(ge=1, le=50, description="Results in the answer.")] = 5
    cursor: Cursor = None
    detail: DetailArgument = "brief"


class RecordArguments(Arguments):
    """Of get_record."""

    id: RecordId
    detail: DetailArgument = "brief"


class RelatedArguments(Arguments):
    """Of related_errors."""

    id: RecordId
    limit: Annotated[int, Field(ge=1, le=50, description="Records in the answer.")] = 5


class CausesArguments(Arguments):
    """Of list_causes."""

    words: Annotated[
        str, Field(max_length=300, description="Words of the cause; empty: all causes.")
    ] = ""
    limit: Annotated[int, Field(ge=1, le=100, description="Causes in the answer.")] = 20
    cursor: Cursor = None
    detail: DetailArgument = "brief"


@dataclass(frozen=True)
class AgentTool(Generic[A]):
    """A tool."""

    name: str
    title: str
    description: str
    arguments: type[A]
    reply: type[Part]
    call: Callable[[A, AgentSource], Awaitable[Part]]

    async def answer(self, arguments: Mapping[str, Any], source: AgentSource) -> Part:
        """What the tool answers. Raises pydantic's ValidationError for wrong arguments, and what
        the knowledge base does."""
        return await self.call(self.arguments.model_validate(arguments), source)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        schema = self.arguments.model_json_schema()
        return {key: each for key, each in schema.items() if key not in ("title", "description")}

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of its reply."""
        return TypeAdapter(self.reply).json_schema(by_alias=True)


async def _match_log(asked: MatchArguments, source: AgentSource) -> Part:
    answer = await source.match(asked.log)
    return replies.match_reply(answer, source.site, asked.limit, asked.detail)


async def _search_errors(asked: SearchArguments, source: AgentSource) -> Part:
    filters = Filters(
        repo=asked.repo,
        error_class=asked.error_class,
        tag=asked.tag,
        language=asked.language,
        background_tag=asked.cause,
    )
    page = await source.ask(
        partial(_search, words=asked.query, filters=filters, limit=asked.limit, cursor=asked.cursor)
    )
    return replies.search_reply(page, source.site, asked.detail)


def _search(
    knowledge: Knowledge, words: str, filters: Filters, limit: int, cursor: str | None
) -> SearchResults:
    return knowledge.search_records(words, filters, limit=limit, cursor=cursor)


async def _get_record(asked: RecordArguments, source: AgentSource) -> Part:
    answer = await source.ask(lambda knowledge: knowledge.get_record(asked.id))
    return replies.record_reply(answer, source.site, asked.detail)


async def _related_errors(asked: RelatedArguments, source: AgentSource) -> Part:
    answer = await source.ask(
        lambda knowledge: knowledge.related_records(asked.id, limit=asked.limit)
    )
    return replies.related_reply(answer, source.site)


async def _list_causes(asked: CausesArguments, source: AgentSource) -> Part:
    def question(knowledge: Knowledge) -> CauseList:
        from errdex.knowledge import CauseList

        if not asked.words.strip():
            return knowledge.list_causes(limit=asked.limit, cursor=asked.cursor)
        items = knowledge.search_causes(asked.words, limit=asked.limit)
        return CauseList(items, len(items), None, "")

    return replies.causes_reply(await source.ask(question), asked.detail)


TOOLS: Mapping[str, AgentTool[Any]] = {
    tool.name: tool
    for tool in (
        AgentTool(
            "match_log",
            "Match a log",
            "Find the known errors in a failing log, traceback or error message: what each one "
            "means, why it happens and how to fix it. Begin with it when something fails. Unknown "
            "errors are reported as unknown.",
            MatchArguments,
            replies.MatchReply,
            _match_log,
        ),
        AgentTool(
            "search_errors",
            "Search the known errors",
            "Search the records of known errors by words and filters, the best first.",
            SearchArguments,
            replies.SearchReply,
            _search_errors,
        ),
        AgentTool(
            "get_record",
            "Get one record",
            "One known error: why it happens and how to fix it; with detail `full` every field, "
            "such as the source that raises it.",
            RecordArguments,
            replies.RecordReply,
            _get_record,
        ),
        AgentTool(
            "related_errors",
            "List related errors",
            "Records with the same cause, tags, file or class as a record, or a similar message.",
            RelatedArguments,
            replies.RelatedReply,
            _related_errors,
        ),
        AgentTool(
            "list_causes",
            "List causes",
            "What several errors have behind them, whatever tool reports them, with what to check.",
            CausesArguments,
            replies.CausesReply,
            _list_causes,
        ),
    )
}
"""All tools by name."""
