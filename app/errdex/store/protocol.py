"""The store as the rest of Errdex knows it, whatever keeps the data.

A `Store` holds versions of the data. A `Snapshot` reads one of them; a `WriteTransaction`
prepares the next one aside and makes it visible in one step. Every method may raise StoreError
(see errors.py); nothing of the database behind it is raised.

A `Primary` is what holds the data and need not answer queries: `Changes` says what it has that
an earlier version did not have, and a `CopyTransaction` takes that over elsewhere. A store in
SQLite is a primary as well; the one in PostgreSQL is read through a `Replica` on each host.

`errdex.store.open_database` opens them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from errdex.records.causes import Cause
from errdex.records.filters import ANY, Filters
from errdex.store.values import (
    Address,
    Changed,
    Copied,
    FacetValue,
    Known,
    KnownCause,
    KnownSource,
    NewRecord,
    PatternRow,
    RecordSummary,
    RelatedTraits,
    Seen,
    StoredRecord,
    StoreStats,
    VerificationStats,
)


class Primary(Protocol):
    """What holds the data. Safe to share between threads; opens nothing until it is used."""

    @property
    def name(self) -> str:
        """What messages call it; never with a password."""

    def check_mutable(self) -> None:
        """Raise StoreReadOnly when it is immutable."""

    def migrate(self, *, create: bool = True) -> None:
        """Create the database or bring its tables up to date; does nothing when they are. Safe
        when several processes do it at once. Raises StoreTooNew, and without `create`
        StoreMissing when there is none."""

    def write(
        self,
        dataset: str,
        now: datetime | None = None,
        *,
        wait_seconds: float | None = None,
        on_wait: Callable[[str], object] | None = None,
    ) -> AbstractContextManager[WriteTransaction]:
        """Change one dataset. Waits for another writer, by default as long as the store was
        opened for, then raises StoreBusy; `on_wait` may be called with a sentence before. Nothing
        is changed unless `commit` is called on the transaction. `now` names the new version, by
        default the clock does. Raises StoreReadOnly when the store is immutable."""

    def changes(self, since: str = "") -> AbstractContextManager[Changes]:
        """What changed since the version `since`, as of the newest one."""

    def receive(self, changes: Changes) -> AbstractContextManager[CopyTransaction]:
        """Take over the version that another store's changes lead to. Where these are not the
        changes since a version, what is here is replaced. Waits like `write`."""

    def list_versions(self, limit: int = 2) -> list[str]:
        """The newest versions, newest first: the one that is served, the one before it, …"""

    def current_version(self) -> str:
        """The newest version; "" before any ingestion."""

    def wait_for_version(self, known: str, seconds: float) -> str:
        """The newest version as soon as it is not `known`, at the latest after so many seconds.
        Use it in one thread."""

    def find_damage(self) -> list[str]:
        """A sentence for each thing in the database that is not what was written."""

    def close(self) -> None:
        """Let go of idle connections. The store can be used again afterwards."""


class Store(Primary, Protocol):
    """One database that answers queries. `current_version` is that of a snapshot taken now."""

    @property
    def path(self) -> Path:
        """The file beside which the index, the lock of ingestions and the kept pages are."""

    @property
    def immutable(self) -> bool:
        """Whether it is only read, and nothing is ever written beside it."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Read from one version. Raises StoreMissing, StoreTooOld or StoreTooNew."""


class Snapshot(Protocol):
    """One version of the data. Use it in one thread, inside the `with` that made it."""

    @property
    def version(self) -> str:
        """The version that everything read here belongs to; "" before any ingestion."""

    def find(self, record_id: str) -> StoredRecord | None:
        """The record with that id. Any string may be asked for."""

    def find_successor(self, former_id: str) -> StoredRecord | None:
        """The record that had that id once. Any string may be asked for."""

    def find_many(self, record_ids: Iterable[str]) -> dict[str, StoredRecord]:
        """The records that exist of these, by id."""

    def find_summaries(self, record_ids: Iterable[str]) -> dict[str, RecordSummary]:
        """The same without the bodies."""

    def list_records(
        self, filters: Filters = ANY, *, limit: int = 50, after: str | None = None
    ) -> list[StoredRecord]:
        """Up to `limit` records by id, from behind the id `after`."""

    def list_changes(
        self,
        since: str = "",
        filters: Filters = ANY,
        *,
        limit: int = 50,
        after: Changed | None = None,
    ) -> list[StoredRecord]:
        """Up to `limit` records that were added or changed later than the version `since`,
        newest first, from behind `after`."""

    def list_addresses(self, first: str = "0" * 16, *, limit: int = 50) -> list[Address]:
        """The addresses of up to `limit` records by id, from the id `first` on."""

    def every_nth(self, step: int) -> list[str]:
        """The first id of each piece, when the records by id are cut into pieces of `step`."""

    def count_records(self, filters: Filters = ANY) -> int:
        """How many records meet the conditions."""

    def counts(
        self,
        facet: str,
        filters: Filters = ANY,
        *,
        limit: int = 50,
        after: FacetValue | None = None,
    ) -> list[FacetValue]:
        """The most frequent values of a facet ("file" too) among the records that meet the
        conditions, from behind `after`."""

    def values(
        self,
        facet: str,
        *,
        contains: str = "",
        by_name: bool = False,
        limit: int = 50,
        after: FacetValue | None = None,
    ) -> list[FacetValue]:
        """The values of a facet among all records that contain a text, whatever its case: by
        name, or the most frequent first; from behind `after`."""

    def related_candidates(
        self, record: RecordSummary, alike: Iterable[str] = (), *, limit_each: int = 20
    ) -> list[RelatedTraits]:
        """Records that may be related to this one, and those with the ids `alike`."""

    def patterns(self) -> Iterator[PatternRow]:
        """The pattern of every record, by id."""

    def documents(self, dataset: str | None = None) -> Iterator[StoredRecord]:
        """Every record (of one dataset) whole, by id."""

    def causes(self) -> Mapping[str, KnownCause]:
        """Every cause that has a text, by tag, in the order of the tags."""

    def stats(self) -> StoreStats:
        """The store in numbers."""

    def verification(self) -> VerificationStats:
        """How well the records are verified. Reads every record."""


class SeenRecords(Protocol):
    """The first appearance of each id in a run, kept outside of memory when they are many."""

    def find(self, record_ids: Iterable[str]) -> dict[str, Seen]:
        """The ids that appeared before, each with its appearance."""

    def add(self, seen: Iterable[Seen]) -> None:
        """Note appearances; those of an id that appeared before are ignored."""


class KnownRecords(Protocol):
    """What a store knows of the records in an input, before they are read."""

    def known(self, record_ids: Iterable[str]) -> dict[str, Known]:
        """What the store has of these records, in any dataset, by id."""

    def known_sources(self, source_hashes: Iterable[str]) -> dict[str, KnownSource]:
        """The records of this dataset that were made of texts with these hashes, by hash."""

    def known_cause(self, tag: str) -> KnownCause | None:
        """The text of a cause, in any dataset."""

    def remember_sources(self, sources: Sequence[tuple[str, str]]) -> None:
        """Note the ids and hashes of texts that are read as records which did not change."""


class WriteTransaction(KnownRecords, Protocol):
    """Changes to one dataset, invisible before `commit`."""

    @property
    def previous_version(self) -> str:
        """The version that is served now; "" before any ingestion."""

    @property
    def version(self) -> str:
        """The version that `commit` makes, if anything changes."""

    @property
    def seen(self) -> SeenRecords:
        """The records that this run came across; see `remove_unseen`."""

    @property
    def removed(self) -> int:
        """How many records were removed."""

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to commit."""

    def add(self, records: Sequence[NewRecord]) -> None:
        """Store records whose ids the store does not have."""

    def change(self, records: Sequence[NewRecord]) -> None:
        """Replace the records with the same ids, which are in this dataset."""

    def put_causes(self, causes: Sequence[Cause]) -> None:
        """Store causes, or replace those of this dataset with the same tags."""

    def remove_causes_except(self, tags: Container[str]) -> None:
        """Remove the dataset's causes whose tags are not among these."""

    def remove_unseen(self, filters: Filters = ANY, *, with_file: bool = False) -> Iterator[str]:
        """Remove the dataset's records that are not in `seen`, of those that meet the conditions
        and, where that is asked for, name a file; yields their ids. Nothing is removed further than
        the iterator is followed."""

    def remove(self, filters: Filters) -> Iterator[str]:
        """Remove the records that meet the conditions, of any dataset; yields their ids. Nothing
        is removed further than the iterator is followed."""

    def unchanged_documents(self) -> Iterator[StoredRecord]:
        """Every record of every dataset that this transaction did not write, by id."""

    def prepare(self) -> None:
        """Do the long part of `commit` ahead of it: nothing more will be changed."""

    def commit(self) -> str:
        """Make the changes visible, all at once. Returns the version that is then served."""


class Changes(Protocol):
    """What a store has in one version that it did not have in an earlier one. Use it in one
    thread, inside the `with` that made it."""

    @property
    def version(self) -> str:
        """The version that they lead to; "" before any ingestion."""

    @property
    def since(self) -> str:
        """The version that they start from; "" where they are all there is, because the store does
        not know the version that was asked for."""

    @property
    def total(self) -> int:
        """How many records the store has, changed or not."""

    def records(self) -> Iterator[Copied]:
        """The records that were added or changed, by id. Raises StoreDamaged."""

    def ids(self) -> Iterator[str]:
        """The ids of all records, by id: what is not among them was removed."""

    def causes(self) -> Sequence[KnownCause]:
        """All causes, changed or not."""


class CopyTransaction(Protocol):
    """Another store's version, invisible before `commit`."""

    @property
    def previous_version(self) -> str:
        """The version that the changes start from; "" where what is here is replaced."""

    @property
    def version(self) -> str:
        """The version that `commit` makes."""

    def put(self, records: Sequence[Copied]) -> None:
        """Add records, or replace those with their ids, in whatever dataset."""

    def delete(self, record_ids: Iterable[str]) -> None:
        """Remove records."""

    def replace_causes(self, causes: Sequence[KnownCause]) -> None:
        """Store these causes, and no others."""

    def count(self) -> int:
        """How many records there are now."""

    def ids(self) -> Iterator[str]:
        """The ids of all records there are now, by id. Put and delete nothing meanwhile."""

    def unchanged_documents(self) -> Iterator[StoredRecord]:
        """Every record that was there before and is as it was, by id."""

    def prepare(self) -> None:
        """Do the long part of `commit` ahead of it: nothing more will be changed."""

    def commit(self) -> str:
        """Make the version visible, all at once, and return it."""
