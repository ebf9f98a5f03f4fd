"""A database as the source and the target of a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import delete

from errdex.records.filters import ANY
from errdex.store.keys import id_of, key_of
from errdex.store.protocol import Changes
from errdex.store.schema.rows import to_cause_row, to_copied, to_record
from errdex.store.schema.tables import RECORD, CauseText, Ingestion, table_of
from errdex.store.sqlite.snapshot import DatabaseSnapshot
from errdex.store.sqlite.statements import queries
from errdex.store.sqlite.statements.compiled import Runner, compiled
from errdex.store.sqlite.writing import PUT_CAUSE, REMOVE_RECORD, DatabaseTransaction
from errdex.store.values import Copied, KnownCause, StoredRecord, group_copied

_CLEAR_CAUSES = compiled(delete(table_of(CauseText)))
_CLEAR = (compiled(delete(RECORD)), _CLEAR_CAUSES, compiled(delete(table_of(Ingestion))))


class DatabaseChanges:
    """What changed since a version. Made by `Database.changes`."""

    def __init__(self, snapshot: DatabaseSnapshot, run: Runner, since: str) -> None:
        self._snapshot = snapshot
        self._run = run
        self.version = snapshot.version
        """The version that they lead to; "" before any ingestion."""
        self.since = since if run.rows(queries.version(), version=since) else ""
        """The version that they start from; "" when they are all there is."""

    @property
    def total(self) -> int:
        """How many records there are, changed or not."""
        return self._snapshot.count_records(ANY)

    def records(self) -> Iterator[Copied]:
        """The records that were added or changed, by id. Raises StoreDamaged."""
        return map(to_copied, self._run.stream(queries.copied(), since=self.since))

    def ids(self) -> Iterator[str]:
        """The ids of all records, by id."""
        return (id_of(key) for (key,) in self._run.stream(queries.every_key()))

    def causes(self) -> Sequence[KnownCause]:
        """All causes, changed or not."""
        return list(self._snapshot.causes().values())


class DatabaseCopy(DatabaseTransaction):
    """Another store's version. Made by `Database.receive`."""

    def __init__(self, run: Runner, changes: Changes) -> None:
        super().__init__(run, "", changes.since)
        self.version = changes.version
        if not changes.since:
            for clear in _CLEAR:
                run.run(clear)

    @property
    def has_changes(self) -> bool:
        """The version itself is one."""
        return True

    def put(self, records: Sequence[Copied]) -> None:
        """Add records, or replace those with their ids, in whatever dataset."""
        self.delete(self.known(each.record.id for each in records))
        for dataset, version, group in group_copied(records):
            self._insert(group, dataset, version)

    def delete(self, record_ids: Iterable[str]) -> None:
        """Remove records."""
        keys = [(key_of(each),) for each in record_ids]
        self._run.run_many(REMOVE_RECORD, keys)
        self.removed += len(keys)

    def replace_causes(self, causes: Sequence[KnownCause]) -> None:
        """Store these causes, and no others."""
        self._run.run(_CLEAR_CAUSES)
        rows = [to_cause_row(each.cause, each.dataset) for each in causes]
        self._run.run_many(PUT_CAUSE, rows)

    def count(self) -> int:
        """How many records there are now."""
        return int(self._run.rows(queries.count(()))[0][0])

    def ids(self) -> Iterator[str]:
        """The ids of all records there are now, by id."""
        return (id_of(key) for (key,) in self._run.stream(queries.every_key()))

    def unchanged_documents(self) -> Iterator[StoredRecord]:
        """Every record that was there before and is as it was, by id."""
        if not self.previous_version:
            return iter(())
        rows = self._run.stream(queries.documents_until(), version=self.previous_version)
        return map(to_record, rows)
