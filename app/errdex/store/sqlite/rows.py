"""The values that go into and come out of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import orjson

from errdex.store.keys import id_of
from errdex.store.sqlite.checksums import damaged, is_row_sound, is_text_sound

if TYPE_CHECKING:
    from errdex.records.files.reader import Source


@dataclass(frozen=True, slots=True)
class RecordFields:
    """What of a record has a column of its own, for lists, rankings and conditions."""

    id: str
    repo: str
    slug: str
    error_message: str
    pattern: str
    error_class: str | None
    error_type: str | None
    error_code: str | None
    http_status: int | None
    severity: str | None
    language: str | None
    background_tag: str | None
    file_path: str | None
    line_number: int | None
    function: str | None
    tags: tuple[str, ...]
    """Each once."""


@dataclass(frozen=True, slots=True)
class RecordSummary(RecordFields):
    """What lists and rankings need of a stored record."""

    dataset: str
    changed_version: str
    """The version in which the record was added or last changed."""


@dataclass(frozen=True, slots=True)
class StoredRecord(RecordSummary):
    """A stored record whole."""

    body_json: str
    """The record as it is served: the JSON text that was stored, verbatim."""


def to_summary(row: tuple[Any, ...]) -> RecordSummary:
    """Of the columns of queries.CHECKED_SUMMARY. Raises StoreDamaged when they are not what
    was written."""
    return RecordSummary(*_values(row))


def to_record(row: Sequence[Any]) -> StoredRecord:
    """Of the same columns with the body behind them."""
    *summary, body = row
    values = _values(tuple(summary))
    if not is_text_sound(row[0], body, summary[-2]):
        raise damaged(f"the record {values[0]}")
    return StoredRecord(*(*values, body))


def _values(row: tuple[Any, ...]) -> Any:  # noqa: ANN401 (a row's columns have many types)
    key, dataset, *between, tags, changed_version, _, _ = row
    if not is_row_sound(row):
        raise damaged(f"the record {id_of(key)}")
    return id_of(key), *between, tuple(orjson.loads(tags)), dataset, changed_version


def to_facet_value(row: Sequence[Any]) -> FacetValue:
    """Of facet, value, count and checksum. Raises StoreDamaged."""
    if not is_row_sound(row):
        raise damaged("the counts of its records")
    return FacetValue(row[1], row[2])


class PatternRow(NamedTuple):
    """A record's pattern."""

    id: str
    pattern: str


class Address(NamedTuple):
    """What the address of a record's page is made of, and the version that last changed it."""

    id: str
    slug: str
    changed_version: str


class FacetValue(NamedTuple):
    """A value of a facet and how many records have it."""

    value: str
    records: int


class Changed(NamedTuple):
    """Where a page of the newest changes ended."""

    version: str
    id: str


class Traits(NamedTuple):
    """What makes a record kin to another one."""

    id: str
    repo: str
    background_tag: str | None
    file_path: str | None
    error_class: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatasetStats:
    """One dataset and how many records it holds."""

    name: str
    records: int


@dataclass(frozen=True, slots=True)
class StoreStats:
    """The store in numbers."""

    version: str
    records: int
    datasets: tuple[DatasetStats, ...]
    distinct: dict[str, int]
    """How many different values each facet has: {"repo": 12, "tag": 340, …}."""
    bytes: int
    """Size of the database file."""


class TopicCount(NamedTuple):
    """A topic, which is the first tag of its records, and how many of them there are and were
    reproduced."""

    topic: str | None
    """None: the records without tags."""
    records: int
    reproduced: int


@dataclass(frozen=True, slots=True)
class VerificationStats:
    """How well the records are verified, as far as they tell, and by topic, largest first."""

    records: int
    reproduced: int
    sampled: int
    """Records with at least two samples."""
    samples: int
    referenced: int
    """Records with at least one reference."""
    topics: tuple[TopicCount, ...]


class Known(NamedTuple):
    """What the store holds under an id."""

    dataset: str
    content_hash: bytes


class KnownSource(NamedTuple):
    """Which record a text in a file became."""

    id: str
    content_hash: bytes


class Seen(NamedTuple):
    """A record that a run came across, and where."""

    id: str
    content_hash: bytes
    source: Source


@dataclass(frozen=True, slots=True)
class NewRecord(RecordFields):
    """A record to be stored."""

    body_json: str
    content_hash: bytes
    source_hash: str | None = None
    """Of the text that it was read from (see identity.py); None when that is not to be known
    again."""


class FiltersLike(Protocol):
    """Exact conditions, all of which must hold; None means any. Full-text search
    has its own class of the same shape."""

    @property
    def repo(self) -> str | None:
        """owner/name."""

    @property
    def error_class(self) -> str | None:
        """As the record has it."""

    @property
    def tag(self) -> str | None:
        """One of the record's tags."""

    @property
    def error_type(self) -> str | None:
        """As the record has it."""

    @property
    def severity(self) -> str | None:
        """As the record has it."""

    @property
    def language(self) -> str | None:
        """As the record has it."""

    @property
    def background_tag(self) -> str | None:
        """As the record has it."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Filters of the store, with two that only the store knows: dataset and file path."""

    repo: str | None = None
    error_class: str | None = None
    tag: str | None = None
    error_type: str | None = None
    severity: str | None = None
    language: str | None = None
    background_tag: str | None = None
    dataset: str | None = None
    file_path: str | None = None

    @classmethod
    def of(cls, filters: FiltersLike | None) -> Conditions:
        """The same conditions as any object with the attributes of FiltersLike."""
        if filters is None:
            return cls()
        if isinstance(filters, cls):
            return filters
        return cls(
            repo=filters.repo,
            error_class=filters.error_class,
            tag=filters.tag,
            error_type=filters.error_type,
            severity=filters.severity,
            language=filters.language,
            background_tag=filters.background_tag,
        )

    def those_set(self) -> dict[str, str]:
        """The conditions that are not None, by name: the parameters of a statement."""
        return {
            name: value
            for name in type(self).__dataclass_fields__
            if (value := getattr(self, name)) is not None
        }
