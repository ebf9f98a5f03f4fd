"""The store in memory: every record is looked at for every query. What the others must equal."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from threading import Condition, Lock

from tests.store.contract.fake_snapshot import FakeSnapshot, State

from errdex.records.causes import Cause
from errdex.records.filters import ANY, Filters
from errdex.store import (
    Changes,
    Copied,
    Known,
    KnownCause,
    KnownSource,
    NewRecord,
    Seen,
    StoreBusy,
    StoredRecord,
)
from errdex.store.versions import next_version


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
