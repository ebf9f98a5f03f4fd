"""The values that go into and come out of a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from errdex import lazy_re as re
from errdex.records.places import PlaceFacts, list_places
from errdex.records.wire import load_wire
from errdex.store.keys import is_record_id

if TYPE_CHECKING:
    from errdex.records.causes import Cause
    from errdex.records.files.reader import Source


_PLACED = '"places":'
_EXPLAINED = re.compile(r'"solutions":\s*\[\s*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFields:
    """What lists, rankings and conditions need of a record: the id and the fields that have a
    column in the table of fields."""

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
    title: str | None = None

    @property
    def heading(self) -> str:
        """What heads the record in lists."""
        return self.title or self.error_message


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSummary(RecordFields):
    """What lists and rankings need of a stored record."""

    dataset: str
    changed_version: str
    """The version in which the record was added or last changed."""


@dataclass(frozen=True, kw_only=True)
class StoredRecord(RecordSummary):
    """A stored record whole."""

    body_json: str
    """The record as it is served: the JSON that was stored, verbatim."""

    @property
    def explained(self) -> bool:
        """Whether the record says what helps."""
        return _EXPLAINED.search(self.body_json) is not None

    @cached_property
    def places(self) -> Sequence[PlaceFacts]:
        """The record's places besides its own."""
        return list_places(self.body) if _PLACED in self.body_json else ()

    @cached_property
    def body(self) -> Mapping[str, Any]:
        """The wire object in `body_json`, parsed once. Do not change it."""
        return load_wire(self.body_json)


class Copied(NamedTuple):
    """A stored record with what only an ingestion needs of it."""

    record: StoredRecord
    content_hash: bytes
    source_hash: str | None

    @property
    def former_ids(self) -> tuple[str, ...]:
        """Ids that lead to it."""
        if '"formerIds"' not in self.record.body_json:
            return ()
        named = self.record.body.get("formerIds") or ()
        # In bodies that were stored before the key was known, it holds anything.
        return tuple(
            dict.fromkeys(each for each in named if isinstance(each, str) and is_record_id(each))
        )

    def as_new(self) -> NewRecord:
        """The record as it is to be stored elsewhere."""
        record = self.record
        return NewRecord(
            **{each.name: getattr(record, each.name) for each in fields(RecordFields)},
            body_json=record.body_json,
            content_hash=self.content_hash,
            source_hash=self.source_hash,
            former_ids=self.former_ids,
        )


def group_copied(
    records: Iterable[Copied],
) -> Iterator[tuple[str, str, list[NewRecord]]]:
    """The records of each dataset and version of a change, as they are to be stored elsewhere."""
    ordered = sorted(records, key=_dataset_and_version)
    for (dataset, version), group in groupby(ordered, key=_dataset_and_version):
        yield dataset, version, [each.as_new() for each in group]


def _dataset_and_version(copied: Copied) -> tuple[str, str]:
    return copied.record.dataset, copied.record.changed_version


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


class RelatedTraits(NamedTuple):
    """What makes a record related to another one."""

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


class KnownCause(NamedTuple):
    """A stored cause."""

    dataset: str
    cause: Cause


class KnownSource(NamedTuple):
    """Which record a text in a file became."""

    id: str
    content_hash: bytes


class Seen(NamedTuple):
    """A record that a run came across, and where."""

    id: str
    content_hash: bytes
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecord(RecordFields):
    """A record to be stored."""

    body_json: str
    content_hash: bytes
    source_hash: str | None = None
    """The hash of the text that it was read from (see identity.py); None when that text is not
    to be recognised again."""
    former_ids: tuple[str, ...] = ()
    """Ids that lead to it."""


class KeptPage(NamedTuple):
    """A page as it is kept in the file of pages."""

    etag: str
    """The tag of the answer that it was, or was found again to be."""
    shows: bytes
    """A hash of all that the page shows."""
    body: bytes
