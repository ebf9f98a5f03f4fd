"""The schemas of the API's parameters and responses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from errdex.formats.chosen_fields import ERROR_FIELDS
from errdex.formats.selection import Only
from errdex.formats.table import FORMATS
from errdex.knowledge import CauseItem, Extract, Related, SearchItem
from errdex.records.fields import FACETS, FIELDS
from errdex.records.fields import Field as RecordField
from errdex.records.filters import Filters
from errdex.store import FacetValue, RecordSummary, StoreStats

Text = Annotated[str, Field(max_length=300)]
Span = tuple[int, int]


class QueryModel(BaseModel):
    """Query parameters. Unknown ones are refused, since a misspelled filter that is silently
    ignored gives wrong answers."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class PageQuery(QueryModel):
    """A page of a list."""

    limit: Annotated[int, Field(ge=1, le=200, description="Entries in a page.")] = 50
    cursor: Annotated[
        str | None,
        Field(
            max_length=2000, description="`nextCursor` of the previous page; none for the first."
        ),
    ] = None


class RelatedQuery(QueryModel):
    """The number of related records."""

    limit: Annotated[int, Field(ge=1, le=50, description="Entries in the response.")] = 10


FormatName = Annotated[
    str | None,
    Field(
        max_length=300,
        description=f"How the answer to a log is written: {', '.join(FORMATS)}. "
        "By default, `Accept` decides.",
        json_schema_extra={"enum": list(FORMATS)},
    ),
]


class MatchQuery(QueryModel):
    """How a log is read, and how its answer is written."""

    format: FormatName = None
    only: Annotated[
        Only | None,
        Field(description="Only errors with a record (`known`), or only those without one."),
    ] = None
    fields: Annotated[
        str | None,
        Field(
            max_length=2000,
            description="The fields of each error in the formats json and ndjson, with commas: "
            f"{', '.join(ERROR_FIELDS)}; and `record.NAME` for those of the records that match, "
            "such as `record.id,record.solutions`. By default all.",
        ),
    ] = None
    key: Annotated[
        str | None,
        Field(
            max_length=1000,
            description="The fields of log records that tell their writers apart, with commas, "
            "such as `kubernetes.pod_name,stream`, for JSON and NDJSON. The lines of one writer "
            "are matched together. By default, those that log shippers have. With `key`, a body of "
            "NDJSON is answered as a whole.",
        ),
    ] = None


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
        Text | None, Field(description="Only this cause; /api/causes lists them.")
    ] = None
    line: Annotated[
        str | None,
        Field(
            max_length=8000,
            description="A line of a log to match instead of a search. The answer is that of "
            "POST /api/errors/match. Only `format` can be combined with it.",
        ),
    ] = None
    format: FormatName = None
    limit: Annotated[int, Field(ge=1, le=200, description="Entries in a page.")] = 20

    def filters(self) -> Filters:
        """The filters among the parameters."""
        given = self.model_dump(by_alias=True)
        return Filters(**{attribute: given[facet] for facet, attribute in FACETS.items()})


class ApiModel(BaseModel):
    """Base of response schemas. The docstrings of fields become their descriptions."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, use_attribute_docstrings=True
    )


class RecordEnvelope(ApiModel):
    """One record as it was ingested, with the version of the data."""

    record: dict[str, Any]
    """The record, with every key of the input."""
    dataset_version: str
    """The version of the data."""


def fields_of_records(
    chosen: Iterable[RecordField], *, all_present: bool
) -> dict[str, tuple[object, object]]:
    """Fields of a record as `create_model` needs them. Unless `all_present`, keys without a value
    are left out of the response."""
    schema: dict[str, tuple[object, object]] = {}
    for field in chosen:
        plain = get_args(field.type)[0]
        always = field.required or field.derived or (all_present and field.is_list)
        value = plain if always else plain | None
        described = (
            Field(description=field.about)
            if always or all_present
            else Field(default=None, description=field.about)
        )
        schema[field.name] = (value, described)
    return schema


class SummaryBase(ApiModel):
    """Fields of a list's entry besides those of the record."""

    dataset: str
    """The dataset that it belongs to."""
    url: str
    """The address of its page."""

    @classmethod
    def of(cls, record: RecordSummary, site: str) -> Self:
        """The summary of a stored record on the server of `site`."""
        return cls(
            **{name: getattr(record, name) for name in cls.model_fields if name != "url"}
            | {"tags": list(record.tags), "url": f"{site}/errors/{record.id}/{record.slug}"}
        )


_LISTED = [field for field in FIELDS if field.listed]
if TYPE_CHECKING:
    Summary = SummaryBase
else:
    Summary = create_model(
        "Summary",
        __base__=SummaryBase,
        __doc__="The fields of a record in lists.",
        **fields_of_records(_LISTED, all_present=True),
    )


class FoundExtract(ApiModel):
    """An extract of the record around the words of the search."""

    field: str
    """The key of the record's field."""
    text: str
    """The extract."""
    spans: list[Span]
    """The words in it, as start and end in characters."""


class FoundError(ApiModel):
    """One entry of a search or a list."""

    record: Summary
    """The record."""
    score: float
    """How well it matches the words; 0 without words."""
    all_words: bool
    """False if only some of the words occur."""
    matched: bool
    """True if `q` is a line that a program printed and the record matches it."""
    message_spans: list[Span]
    """The words in `errorMessage`, as start and end in characters."""
    extract: FoundExtract | None
    """An extract of another field with the words; null if there is none."""

    @classmethod
    def of(cls, item: SearchItem, site: str) -> FoundError:
        """The entry for a result on the server of `site`."""
        return cls(
            record=Summary.of(item.record, site),
            score=round(item.score, 4),
            all_words=item.all_words,
            matched=item.matched,
            message_spans=list(item.message_spans),
            extract=_extract(item.extract) if item.extract else None,
        )


def _extract(extract: Extract) -> FoundExtract:
    return FoundExtract(field=extract.field, text=extract.text, spans=list(extract.spans))


class Count(ApiModel):
    """A value and its number of records."""

    value: str
    """The value."""
    count: int
    """The number of records that have it."""

    @classmethod
    def of(cls, value: FacetValue) -> Count:
        """The count of a facet's value."""
        return cls(value=value.value, count=value.records)


class ErrorList(ApiModel):
    """A page of a search or a list."""

    items: list[FoundError]
    """The entries of this page."""
    total: int
    """The number of records with every word, on all pages."""
    partial: int
    """The number of records with only some of the words, on all pages."""
    facets: dict[str, list[Count]]
    """The most frequent values of each filter, over all pages."""
    suggestion: str | None
    """A corrected query, if no record has every word."""
    notes: list[str]
    """Parts of the query that were ignored, as sentences."""
    next_cursor: str | None
    """The `cursor` of the next page; null on the last."""
    dataset_version: str
    """The version of the data."""


class RelatedReason(ApiModel):
    """Why a record is related."""

    kind: Literal["background", "message", "tag", "file", "class"]
    """The kind of what they share."""
    values: list[str]
    """The shared values; empty for a similar message."""
    words: str
    """The reason in words."""


class RelatedError(ApiModel):
    """A related record with the reasons."""

    record: Summary
    """The record."""
    reasons: list[RelatedReason]
    """Why it is related, the strongest reason first."""
    score: float
    """How closely; compare scores within one response only."""

    @classmethod
    def of(cls, related: Related, site: str) -> RelatedError:
        """The entry for a related record on the server of `site`."""
        reasons = [
            RelatedReason.model_validate(each, from_attributes=True) for each in related.reasons
        ]
        return cls(record=Summary.of(related.record, site), reasons=reasons, score=related.score)


class RelatedList(ApiModel):
    """Related records, the closest first."""

    items: list[RelatedError]
    """The related records."""
    dataset_version: str
    """The version of the data."""


class CountList(ApiModel):
    """A page of values, the most frequent first."""

    items: list[Count]
    """The values of this page."""
    total: int | None
    """The number of entries on all pages."""
    next_cursor: str | None
    """The `cursor` of the next page; null on the last."""
    dataset_version: str
    """The version of the data."""


class CauseSummary(ApiModel):
    """A cause in a list."""

    tag: str
    """Its name, the `backgroundTag` of its records."""
    title: str
    """What heads it."""
    records: int
    """The number of its records."""
    url: str
    """The address of its page."""

    @classmethod
    def of(cls, item: CauseItem, site: str) -> Self:
        """The entry for a cause on the server of `site`."""
        url = f"{site}/causes/{quote(item.tag, safe='/~')}"
        return cls(tag=item.tag, title=item.title, records=item.records, url=url)


class CauseSummaries(ApiModel):
    """A page of causes, those with the most records first."""

    items: list[CauseSummary]
    """The causes of this page."""
    total: int
    """The number of causes on all pages."""
    next_cursor: str | None
    """The `cursor` of the next page; null on the last."""
    dataset_version: str
    """The version of the data."""


class CauseDocument(CauseSummary):
    """One cause. Without a text, `text`, `tell` and `checks` are empty."""

    text: str = ""
    """What is behind its errors."""
    tell: str = ""
    """How to distinguish its errors."""
    checks: list[str] = []
    """What to check, in this order."""
    dataset_version: str
    """The version of the data."""


class Repo(ApiModel):
    """One repository."""

    name: str
    """As owner/name."""
    records: int
    """The number of its records."""
    classes: list[Count]
    """Its most frequent error classes."""
    files: list[Count]
    """The files that raise the most errors."""
    tags: list[Count]
    """Its most frequent tags."""
    dataset_version: str
    """The version of the data."""


class Stats(ApiModel):
    """The knowledge base in numbers."""

    records: int
    """The number of records."""
    datasets: list[Count]
    """The datasets with their numbers of records."""
    distinct: dict[str, int]
    """The numbers of different repositories, classes, tags and so on."""
    database_bytes: int
    """The size of the database in bytes."""
    dataset_version: str
    """The version of the data."""

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


class Health(ApiModel):
    """Whether the server is alive or ready."""

    status: str
    """`alive` or `ready`."""
    dataset_version: str
    """The version of the data; empty for `/healthz`."""


class Readiness(Health):
    """Whether the server is ready, and what else than this API it offers."""

    extras: list[str]
    """Which of `/mcp`, for coding agents, and `/v1/logs`, for OpenTelemetry, it has: those whose
    extra is installed."""
