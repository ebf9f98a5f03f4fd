"""The JSON forms of the API: what is asked and what is answered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from app.knowledge import Extract, Related, SearchItem
from app.search.protocol import Filters
from app.store import FacetValue, RecordSummary, StoreStats

Text = Annotated[str, Field(max_length=300)]
Span = tuple[int, int]


class Query(BaseModel):
    """Query parameters. One that a route does not have is refused, since a misspelled
    filter that is silently ignored gives wrong answers."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class PageQuery(Query):
    """A page of a list."""

    limit: Annotated[int, Field(ge=1, le=200, description="Entries in a page.")] = 50
    cursor: Annotated[
        str | None,
        Field(max_length=2000, description="`nextCursor` of the page before; none for the first."),
    ] = None


class RelatedQuery(Query):
    """How many related records."""

    limit: Annotated[int, Field(ge=1, le=50, description="Entries in the answer.")] = 10


class ErrorsQuery(PageQuery):
    """A search, a list, or both: words and filters are combined."""

    q: Annotated[
        str,
        Field(
            max_length=2000,
            description='Words, "phrases", `class:`, `repo:`, `tag:`, `code:`, `-not`, `prefix*`.',
        ),
    ] = ""
    repo: Annotated[Text | None, Field(description="Only this repository, as owner/name.")] = None
    error_class: Annotated[
        Text | None,
        Field(alias="class", description="Only this class, written as in the records."),
    ] = None
    tag: Annotated[Text | None, Field(description="Only records with this tag.")] = None
    error_type: Annotated[
        Text | None, Field(alias="type", description="Only this type, such as `validation`.")
    ] = None
    severity: Annotated[
        Text | None, Field(description="Only this severity, such as `error` or `warning`.")
    ] = None
    language: Annotated[Text | None, Field(description="Only this language, such as `python`.")] = (
        None
    )
    background: Annotated[
        Text | None, Field(description="Only this background; /api/backgrounds lists them.")
    ] = None
    line: Annotated[
        str | None,
        Field(
            max_length=8000,
            description="A line of a log to match, instead of a search: the answer is that of "
            "POST /api/errors/match. Goes with no other parameter.",
        ),
    ] = None
    limit: Annotated[int, Field(ge=1, le=200, description="Entries in a page.")] = 20

    def filters(self) -> Filters:
        """The exact conditions in it."""
        return Filters(
            repo=self.repo,
            error_class=self.error_class,
            tag=self.tag,
            error_type=self.error_type,
            severity=self.severity,
            language=self.language,
            background_tag=self.background,
        )


class Answer(BaseModel):
    """An answer of the API."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class RecordEnvelope(Answer):
    """One record, as it was ingested, and the version of the data it is from."""

    record: dict[str, Any]
    dataset_version: str


class Summary(Answer):
    """What lists tell of a record."""

    id: str
    repo: str
    slug: str
    error_message: str
    error_class: str | None
    error_type: str | None
    error_code: str | None
    http_status: int | None
    severity: str | None
    language: str | None
    background_tag: str | None
    file_path: str | None
    line_number: int | None
    tags: list[str]
    dataset: str
    page: str
    """The address of its page on this server."""

    @classmethod
    def of(cls, record: RecordSummary) -> Summary:
        """The summary of a stored record."""
        return cls(
            **{name: getattr(record, name) for name in cls.model_fields if name != "page"}
            | {"tags": list(record.tags), "page": f"/errors/{record.id}/{record.slug}"}
        )


class FoundExtract(Answer):
    """A piece of the record's text around what was searched for."""

    field: str
    text: str
    spans: list[Span]


class FoundError(Answer):
    """One entry of a search or a list."""

    record: Summary
    score: float
    all_words: bool
    """False where only some of the words occur."""
    message_spans: list[Span]
    extract: FoundExtract | None

    @classmethod
    def of(cls, item: SearchItem) -> FoundError:
        """The entry for a result."""
        return cls(
            record=Summary.of(item.record),
            score=round(item.score, 4),
            all_words=item.all_words,
            message_spans=list(item.message_spans),
            extract=_extract(item.extract) if item.extract else None,
        )


def _extract(extract: Extract) -> FoundExtract:
    return FoundExtract(field=extract.field, text=extract.text, spans=list(extract.spans))


class Count(Answer):
    """A value and how many records have it."""

    value: str
    count: int

    @classmethod
    def of(cls, value: FacetValue) -> Count:
        """The count of a facet's value."""
        return cls(value=value.value, count=value.records)


class ErrorList(Answer):
    """A page of a search or a list."""

    items: list[FoundError]
    total: int
    facets: dict[str, list[Count]]
    suggestion: str | None
    """A corrected query, when no record has every word."""
    notes: list[str]
    """What was ignored of the query, in words."""
    next_cursor: str | None
    dataset_version: str


class KinReason(Answer):
    """Why a record is related."""

    kind: Literal["background", "message", "tag", "file", "class"]
    values: list[str]
    """What both records have; empty for a message that is only alike."""
    words: str


class RelatedError(Answer):
    """A related record and why it is related, the strongest reason first."""

    record: Summary
    reasons: list[KinReason]
    score: float

    @classmethod
    def of(cls, related: Related) -> RelatedError:
        """The entry for a related record."""
        reasons = [KinReason.model_validate(each, from_attributes=True) for each in related.reasons]
        return cls(record=Summary.of(related.record), reasons=reasons, score=related.score)


class RelatedList(Answer):
    """Related records, the closest first."""

    items: list[RelatedError]
    dataset_version: str


class CountList(Answer):
    """A page of values, the most frequent first."""

    items: list[Count]
    total: int | None
    next_cursor: str | None
    dataset_version: str


class Repo(Answer):
    """One repository."""

    name: str
    records: int
    classes: list[Count]
    files: list[Count]
    tags: list[Count]
    dataset_version: str


class Stats(Answer):
    """The knowledge base in numbers."""

    records: int
    datasets: list[Count]
    distinct: dict[str, int]
    """How many different repositories, classes, tags … there are."""
    database_bytes: int
    dataset_version: str

    @classmethod
    def of(cls, stats: StoreStats) -> Stats:
        """The numbers of the store."""
        return cls(
            records=stats.records,
            datasets=[Count(value=each.name, count=each.records) for each in stats.datasets],
            distinct=stats.distinct,
            database_bytes=stats.bytes,
            dataset_version=stats.version,
        )


class Health(Answer):
    """Whether the server can do its work."""

    status: str
    dataset_version: str
