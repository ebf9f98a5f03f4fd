"""The store in memory: every record is looked at for every query. What the others must equal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from threading import Condition, Lock
from typing import Any

from errdex.records.causes import Cause
from errdex.records.filters import ANY, Filters
from errdex.store import (
    Address,
    Changed,
    Changes,
    Copied,
    DatasetStats,
    FacetValue,
    Known,
    KnownCause,
    KnownSource,
    NewRecord,
    PatternRow,
    RecordSummary,
    RelatedTraits,
    Seen,
    StoreBusy,
    StoredRecord,
    StoreStats,
    TopicCount,
    VerificationStats,
)
from errdex.store.facets import FACET_OF_CONDITION, FACETS
from errdex.store.versions import next_version

_COLUMNS = {facet: name for name, facet in FACET_OF_CONDITION.items()} | {"file": "file_path"}


@dataclass(frozen=True)
class State:
    """One version. Nothing of it is ever changed."""

    versions: tuple[str, ...] = ()
    """Newest first."""
    records: Mapping[str, Copied] = field(default_factory=dict)
    causes: Mapping[str, KnownCause] = field(default_factory=dict)

    @property
    def version(self) -> str:
        return self.versions[0] if self.versions else ""


class FakeStore:
    """A store. `path` is where derived files would be."""

    immutable = False

    def __init__(self, path: Path, busy_seconds: float = 10.0) -> None:
        self.path = path
        self.name = "the store in memory"
        self.state = State()
        self._busy_seconds = busy_seconds
        self._writing = Lock()
        self._news = Condition()

    def check_mutable(self) -> None:
        pass

    def migrate(self, *, create: bool = True) -> None:
        pass

    @contextmanager
    def snapshot(self) -> Iterator[FakeSnapshot]:
        snapshot = FakeSnapshot(self.state)
        yield snapshot
        snapshot.ended = True

    @contextmanager
    def write(
        self,
        dataset: str,
        now: datetime | None = None,
        *,
        wait_seconds: float | None = None,
        on_wait: Callable[[str], object] | None = None,
    ) -> Iterator[FakeTransaction]:
        with self._exclusive(wait_seconds):
            yield FakeTransaction(self, dataset, now)

    @contextmanager
    def changes(self, since: str = "") -> Iterator[FakeChanges]:
        yield FakeChanges(self.state, since)

    @contextmanager
    def receive(self, changes: Changes) -> Iterator[FakeCopy]:
        with self._exclusive(None):
            yield FakeCopy(self, changes)

    def list_versions(self, limit: int = 2) -> list[str]:
        return list(self.state.versions[:limit])

    def current_version(self) -> str:
        return self.state.version

    def wait_for_version(self, known: str, seconds: float) -> str:
        with self._news:
            self._news.wait_for(lambda: self.state.version != known, seconds)
        return self.state.version

    def find_damage(self) -> list[str]:
        return []

    def close(self) -> None:
        pass

    def show(self, state: State) -> None:
        with self._news:
            self.state = state
            self._news.notify_all()

    @contextmanager
    def _exclusive(self, wait_seconds: float | None) -> Iterator[None]:
        wait = self._busy_seconds if wait_seconds is None else wait_seconds
        if not self._writing.acquire(timeout=wait):
            raise StoreBusy("Another writer has it.")
        try:
            yield
        finally:
            self._writing.release()


class FakeSnapshot:
    """One version."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.version = state.version
        self.ended = False

    @property
    def _all(self) -> list[StoredRecord]:
        if self.ended:
            raise RuntimeError("this snapshot has ended")
        return [copied.record for _, copied in sorted(self._state.records.items())]

    def list_versions(self, limit: int = 2) -> list[str]:
        return list(self._state.versions[:limit])

    def find(self, record_id: str) -> StoredRecord | None:
        return self.find_many([record_id]).get(record_id)

    def find_successor(self, former_id: str) -> StoredRecord | None:
        for copied in sorted(self._state.records.values(), key=lambda each: each.record.id):
            if former_id in copied.former_ids:
                return copied.record
        return None

    def find_many(self, record_ids: Iterable[str]) -> dict[str, StoredRecord]:
        asked = set(record_ids)
        return {each.id: each for each in self._all if each.id in asked}

    def find_summaries(self, record_ids: Iterable[str]) -> dict[str, RecordSummary]:
        names = [each.name for each in fields(RecordSummary)]
        return {
            key: RecordSummary(**{name: getattr(each, name) for name in names})
            for key, each in self.find_many(record_ids).items()
        }

    def list_records(
        self, filters: Filters = ANY, *, limit: int = 50, after: str | None = None
    ) -> list[StoredRecord]:
        found = [each for each in self._meeting(filters) if after is None or each.id > after]
        return found[:limit]

    def list_changes(
        self,
        since: str = "",
        filters: Filters = ANY,
        *,
        limit: int = 50,
        after: Changed | None = None,
    ) -> list[StoredRecord]:
        found = [each for each in self._meeting(filters) if each.changed_version > since]
        if after is not None:
            found = [each for each in found if (each.changed_version, each.id) < tuple(after)]
        return sorted(found, key=lambda each: (each.changed_version, each.id))[::-1][:limit]

    def list_addresses(self, first: str = "0" * 16, *, limit: int = 50) -> list[Address]:
        if not re.fullmatch("[0-9a-f]{16}", first):
            return []
        found = [each for each in self._all if each.id >= first]
        return [Address(each.id, each.slug, each.changed_version) for each in found[:limit]]

    def every_nth(self, step: int) -> list[str]:
        return [each.id for each in self._all[::step]]

    def count_records(self, filters: Filters = ANY) -> int:
        return len(self._meeting(filters))

    def counts(
        self,
        facet: str,
        filters: Filters = ANY,
        *,
        limit: int = 50,
        after: FacetValue | None = None,
    ) -> list[FacetValue]:
        if facet not in _COLUMNS:
            raise ValueError(f"there is no facet {facet!r}")
        found = sorted(self._counted(facet, filters).items(), key=lambda each: (-each[1], each[0]))
        if after is not None:
            # Half a character pair is found nowhere; it has its place among texts nevertheless.
            last = (-after.records, after.value.encode("utf-8", "backslashreplace").decode())
            found = [each for each in found if (-each[1], each[0]) > last]
        return [FacetValue(*each) for each in found[:limit]]

    def values(
        self,
        facet: str,
        *,
        contains: str = "",
        by_name: bool = False,
        limit: int = 50,
        after: FacetValue | None = None,
    ) -> list[FacetValue]:
        def order(value: FacetValue) -> tuple[Any, ...]:
            name = (value.value.lower(), value.value)
            return name if by_name else (-value.records, value.value)

        found = [FacetValue(*each) for each in self._counted(facet, ANY).items()]
        found = [each for each in found if contains.lower() in each.value.lower()]
        found.sort(key=order)
        if after is not None:
            found = [each for each in found if order(each) > order(after)]
        return found[:limit]

    def related_candidates(
        self, record: RecordSummary, alike: Iterable[str] = (), *, limit_each: int = 20
    ) -> list[RelatedTraits]:
        frequent = self._counted("tag", ANY)
        tags = sorted(set(record.tags), key=lambda tag: frequent[tag])[:5]
        shared: list[Callable[[RecordSummary], bool]] = [
            *([_same(record, "background_tag")] if record.background_tag else ()),
            *(lambda other, tag=tag: tag in other.tags for tag in tags),
            *([_same(record, "repo", "file_path")] if record.file_path else ()),
            *([_same(record, "repo", "error_class")] if record.error_class else ()),
        ]
        found: Counter[str] = Counter()
        for holds in shared:
            keys = [each.id for each in self._all if holds(each)]
            behind = [key for key in keys if key > record.id] + keys
            found.update(set(behind[:limit_each]))
        del found[record.id]
        chosen = {*alike, *(key for key, _ in found.most_common(40))} - {record.id}
        return [
            RelatedTraits(
                each.id, each.repo, each.background_tag, each.file_path, each.error_class, each.tags
            )
            for each in self._all
            if each.id in chosen
        ]

    def patterns(self) -> Iterator[PatternRow]:
        return (PatternRow(each.id, each.pattern) for each in self._streamed())

    def documents(self, dataset: str | None = None) -> Iterator[StoredRecord]:
        return (each for each in self._streamed() if dataset in (None, each.dataset))

    def causes(self) -> Mapping[str, KnownCause]:
        return dict(sorted(self._state.causes.items()))

    def stats(self) -> StoreStats:
        datasets = sorted(self.counts("dataset", limit=1000))
        datasets.sort(key=lambda each: -each.records)
        return StoreStats(
            version=self.version,
            records=len(self._all),
            datasets=tuple(DatasetStats(*each) for each in datasets),
            distinct={facet: len(self._counted(facet, ANY)) for facet in FACETS},
            bytes=0,
        )

    def verification(self) -> VerificationStats:
        rows: dict[str | None, Counter[str]] = {}
        for each in self._all:
            topic = rows.setdefault(each.tags[0] if each.tags else None, Counter())
            samples = len(each.body.get("samples") or ())
            verified = each.body.get("verifiedWith") or each.body.get("reproducedWith")
            topic["records"] += 1
            topic["reproduced"] += bool(verified)
            topic["sampled"] += samples >= 2
            topic["samples"] += samples
            topic["referenced"] += bool(each.body.get("references"))
        topics = [TopicCount(tag, one["records"], one["reproduced"]) for tag, one in rows.items()]
        topics.sort(key=lambda each: (-each.records, each.topic or ""))
        total = sum(rows.values(), Counter[str]())
        names = ("records", "reproduced", "sampled", "samples", "referenced")
        return VerificationStats(*(total[name] for name in names), tuple(topics))

    def _streamed(self) -> Iterator[StoredRecord]:
        for each in self._all:
            if self.ended:
                raise RuntimeError("this snapshot has ended")
            yield each

    def _meeting(self, filters: Filters) -> list[StoredRecord]:
        return [
            each
            for each in self._all
            if all(
                value in each.tags if name == "tag" else getattr(each, name) == value
                for name, value in filters.given().items()
            )
        ]

    def _counted(self, facet: str, filters: Filters) -> Counter[str]:
        found: Counter[str] = Counter()
        for each in self._meeting(filters):
            values = each.tags if facet == "tag" else [getattr(each, _COLUMNS[facet])]
            found.update(value for value in values if value is not None)
        return found


def _same(record: RecordSummary, *names: str) -> Callable[[RecordSummary], bool]:
    return lambda other: all(getattr(other, name) == getattr(record, name) for name in names)


class FakeChanges:
    """What changed since a version."""

    def __init__(self, state: State, since: str) -> None:
        self._state = state
        self.version = state.version
        self.since = since if since in state.versions else ""
        self.total = len(state.records)

    def records(self) -> Iterator[Copied]:
        for _, copied in sorted(self._state.records.items()):
            if copied.record.changed_version > self.since:
                yield copied

    def ids(self) -> Iterator[str]:
        return iter(sorted(self._state.records))

    def causes(self) -> Sequence[KnownCause]:
        return [cause for _, cause in sorted(self._state.causes.items())]


class FakeSeen:
    """The first appearance of each id in a run."""

    def __init__(self) -> None:
        self._seen: dict[str, Seen] = {}

    def find(self, record_ids: Iterable[str]) -> dict[str, Seen]:
        return {each: self._seen[each] for each in record_ids if each in self._seen}

    def add(self, seen: Iterable[Seen]) -> None:
        for each in seen:
            self._seen.setdefault(each.id, each)


class FakeTransaction:
    """Changes to one dataset."""

    def __init__(self, store: FakeStore, dataset: str, now: datetime | None = None) -> None:
        self._store = store
        self._dataset = dataset
        self._records = dict(store.state.records)
        self._causes = dict(store.state.causes)
        self.previous_version = store.state.version
        self.version = next_version(self.previous_version, now)
        self.seen = FakeSeen()
        self.removed = 0
        self._written: set[str] = set()
        self._remembered = False

    @property
    def has_changes(self) -> bool:
        there = self._store.state
        return bool(self._written or self.removed or self._causes != there.causes)

    def known(self, record_ids: Iterable[str]) -> dict[str, Known]:
        return {
            each: Known(copied.record.dataset, copied.content_hash)
            for each in record_ids
            if (copied := self._records.get(each))
        }

    def known_sources(self, source_hashes: Iterable[str]) -> dict[str, KnownSource]:
        asked = set(source_hashes)
        return {
            copied.source_hash: KnownSource(key, copied.content_hash)
            for key, copied in self._records.items()
            if copied.source_hash in asked and copied.record.dataset == self._dataset
        }

    def known_cause(self, tag: str) -> KnownCause | None:
        return self._causes.get(tag)

    def remember_sources(self, sources: Sequence[tuple[str, str]]) -> None:
        for key, source_hash in sources:
            self._records[key] = self._records[key]._replace(source_hash=source_hash)
            self._remembered = True

    def add(self, records: Sequence[NewRecord]) -> None:
        for new in records:
            values = {each.name: getattr(new, each.name) for each in fields(NewRecord)}
            hashes = values.pop("content_hash"), values.pop("source_hash")
            del values["former_ids"]
            stored = StoredRecord(**values, dataset=self._dataset, changed_version=self.version)
            self._records[new.id] = Copied(stored, *hashes)
            self._written.add(new.id)

    change = add

    def put_causes(self, causes: Sequence[Cause]) -> None:
        for cause in causes:
            self._causes[cause.tag] = KnownCause(self._dataset, cause)

    def remove_causes_except(self, tags: Container[str]) -> None:
        for tag, known in list(self._causes.items()):
            if known.dataset == self._dataset and tag not in tags:
                del self._causes[tag]

    def remove_unseen(self, filters: Filters = ANY, *, with_file: bool = False) -> Iterator[str]:
        for record in self._meeting(replace(filters, dataset=self._dataset)):
            if not self.seen.find([record.id]) and (record.file_path or not with_file):
                yield self._remove(record.id)

    def remove(self, filters: Filters) -> Iterator[str]:
        for record in self._meeting(filters):
            yield self._remove(record.id)

    def _meeting(self, filters: Filters) -> list[StoredRecord]:
        state = replace(self._store.state, records=self._records)
        return FakeSnapshot(state).list_records(filters, limit=len(self._records))

    def _remove(self, record_id: str) -> str:
        del self._records[record_id]
        self.removed += 1
        return record_id

    def unchanged_documents(self) -> Iterator[StoredRecord]:
        for key, copied in sorted(self._records.items()):
            if key not in self._written:
                yield copied.record

    def prepare(self) -> None:
        pass

    def commit(self) -> str:
        versions = self._store.state.versions
        if self.has_changes:
            versions = (self.version, *versions)
        self._store.show(State(versions, self._records, self._causes))
        return versions[0] if versions else ""


class FakeCopy(FakeTransaction):
    """Another store's version."""

    def __init__(self, store: FakeStore, changes: Changes) -> None:
        super().__init__(store, "")
        self.previous_version, self.version = changes.since, changes.version
        if not changes.since:
            self._records.clear()

    def put(self, records: Sequence[Copied]) -> None:
        self._records |= {each.record.id: each for each in records}
        self._written |= {each.record.id for each in records}

    def delete(self, record_ids: Iterable[str]) -> None:
        for each in record_ids:
            self._remove(each)

    def replace_causes(self, causes: Sequence[KnownCause]) -> None:
        self._causes = {each.cause.tag: each for each in causes}

    def count(self) -> int:
        return len(self._records)

    def ids(self) -> Iterator[str]:
        return iter(sorted(self._records))

    def commit(self) -> str:
        earlier = self._store.state.versions if self.previous_version else ()
        self._store.show(State((self.version, *earlier), self._records, self._causes))
        return self.version
