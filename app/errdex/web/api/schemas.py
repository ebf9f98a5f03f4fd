"""The JSON forms of the API: what is asked and what is answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from errdex.formats.table import FORMATS
from errdex.knowledge import Extract, Related, SearchItem
from errdex.records.fields import FACETS, FIELDS
from errdex.records.fields import Field as RecordField
from errdex.records.filters import Filters
from errdex.store import FacetValue, RecordSummary, StoreStats

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


FormatName = Annotated[
    str | None,
    Field(
        max_length=300,
        description=f"How the answer to a log is written: {', '.join(FORMATS)}. "
        "By default, `Accept` decides.",
        json_schema_extra={"enum": list(FORMATS)},
    ),
]


class MatchQuery(Query):
    """How the answer to a log is written."""

    format: FormatName = None


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
            description="A line of a log to match instead of a search. The answer is that of "
            "POST /api/errors/match. Only `format` can be combined with it.",
        ),
    ] = None
    format: FormatName = None
    limit: Annotated[int, Field(ge=1, le=200, description="Entries in a page.")] = 20

    def filters(self) -> Filters:
        """The exact conditions in it."""
        given = self.model_dump(by_alias=True)
        return Filters(**{attribute: given[facet] for facet, attribute in FACETS.items()})


class Answer(BaseModel):
    """An answer of the API. What its fields are is said below each, and in the description."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, use_attribute_docstrings=True
    )


class RecordEnvelope(Answer):
    """One record, as it was ingested, and the version of the data it is from."""

    record: dict[str, Any]
    """The record, with every key that it was ingested with."""
    dataset_version: str
    """The version of the data."""


def fields_of_records(
    chosen: Iterable[RecordField], *, all_present: bool
) -> dict[str, tuple[object, object]]:
    """Fields of a record as a schema has them, for `create_model`. Where not `all_present`, keys
    without a value are left out of the answer."""
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


class SummaryBase(Answer):
    """What every entry of a list has beside the record's own fields."""

    dataset: str
    """The dataset that it belongs to."""
    page: str
    """The address of its page on this server."""

    @classmethod
    def of(cls, record: RecordSummary) -> Self:
        """The summary of a stored record."""
        return cls(
            **{name: getattr(record, name) for name in cls.model_fields if name != "page"}
            | {"tags": list(record.tags), "page": f"/errors/{record.id}/{record.slug}"}
        )


_LISTED = [field for field in FIELDS if field.listed]
if TYPE_CHECKING:
    Summary = SummaryBase
else:
    Summary = create_model(
        "Summary",
        __base__=SummaryBase,
        __doc__="What lists show of a record.",
        **fields_of_records(_LISTED, all_present=True),
    )


class FoundExtract(Answer):
    """A piece of the record's text around what was searched for."""

    field: str
    """The key of the record that it is from."""
    text: str
    """The piece."""
    spans: list[Span]
    """Where the words stand in it: from, and up to, in characters."""


class FoundError(Answer):
    """One entry of a search or a list."""

    record: Summary
    """What lists tell of it."""
    score: float
    """How well it fits the words; 0 in a list without words."""
    all_words: bool
    """False where only some of the words occur."""
    message_spans: list[Span]
    """Where the words stand in `errorMessage`: from, and up to, in characters."""
    extract: FoundExtract | None
    """A piece of another field that has them; null where none has."""

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
    """The value."""
    count: int
    """How many records have it."""

    @classmethod
    def of(cls, value: FacetValue) -> Count:
        """The count of a facet's value."""
        return cls(value=value.value, count=value.records)


class ErrorList(Answer):
    """A page of a search or a list."""

    items: list[FoundError]
    """The entries of this page."""
    total: int
    """How many there are on all pages."""
    facets: dict[str, list[Count]]
    """The most frequent values of each filter among all of them."""
    suggestion: str | None
    """A corrected query, when no record has every word."""
    notes: list[str]
    """What was ignored of the query, in words."""
    next_cursor: str | None
    """For the `cursor` of the next page; null on the last."""
    dataset_version: str
    """The version of the data."""


class KinReason(Answer):
    """Why a record is related."""

    kind: Literal["background", "message", "tag", "file", "class"]
    """What they share."""
    values: list[str]
    """What both records have; empty for a message that is only alike."""
    words: str
    """The same in words."""


class RelatedError(Answer):
    """A related record and why it is related, the strongest reason first."""

    record: Summary
    """What lists tell of it."""
    reasons: list[KinReason]
    """Why it is related, the strongest first."""
    score: float
    """How closely; only scores of one answer can be compared."""

    @classmethod
    def of(cls, related: Related) -> RelatedError:
        """The entry for a related record."""
        reasons = [KinReason.model_validate(each, from_attributes=True) for each in related.reasons]
        return cls(record=Summary.of(related.record), reasons=reasons, score=related.score)


class RelatedList(Answer):
    """Related records, the closest first."""

    items: list[RelatedError]
    """The related records."""
    dataset_version: str
    """The version of the data."""


class CountList(Answer):
    """A page of values, the most frequent first."""

    items: list[Count]
    """The values of this page."""
    total: int | None
    """How many there are on all pages."""
    next_cursor: str | None
    """For the `cursor` of the next page; null on the last."""
    dataset_version: str
    """The version of the data."""


class Repo(Answer):
    """One repository."""

    name: str
    """As owner/name."""
    records: int
    """How many records it has."""
    classes: list[Count]
    """Its most frequent error classes."""
    files: list[Count]
    """The files that raise most of them."""
    tags: list[Count]
    """Its most frequent tags."""
    dataset_version: str
    """The version of the data."""


class Stats(Answer):
    """The knowledge base in numbers."""

    records: int
    """How many records there are."""
    datasets: list[Count]
    """The datasets, and how many records each has."""
    distinct: dict[str, int]
    """How many different repositories, classes, tags … there are."""
    database_bytes: int
    """The size of the database."""
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


class Health(Answer):
    """Whether the server can do its work."""

    status: str
    """`alive` or `ready`."""
    dataset_version: str
    """The version that is served; empty where it is not asked for."""
