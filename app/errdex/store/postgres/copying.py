"""A knowledge base in PostgreSQL as the source and the target of a copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from errdex.store.keys import id_of
from errdex.store.postgres import statements
from errdex.store.postgres.streams import stream
from errdex.store.postgres.writing import ServerTransaction, newest_version
from errdex.store.protocol import Changes, SeenRecords
from errdex.store.schema.rows import to_cause, to_copied, to_record
from errdex.store.values import Copied, KnownCause, StoredRecord, group_copied


class ServerChanges:
    """What changed since a version. Made by `PostgresPrimary.changes`, in one state of the data."""

    def __init__(self, connection: Connection, since: str) -> None:
        self._connection = connection
        self.version = newest_version(connection)
        """The version that they lead to; "" before any ingestion."""
        found = connection.execute(statements.VERSION, {"version": since}).one_or_none()
        self.since = since if found else ""
        """The version that they start from; "" when they are all there is."""

    @property
    def total(self) -> int:
        """How many records there are, changed or not."""
        return int(self._connection.execute(statements.COUNT).scalar_one())

    def records(self) -> Iterator[Copied]:
        """The records that were added or changed, by id. Raises StoreDamaged."""
        for row in stream(self._connection, statements.COPIED, since=self.since):
            yield to_copied((*row[:-2], bytes(row[-2]), row[-1]))

    def ids(self) -> Iterator[str]:
        """The ids of all records, by id."""
        return (id_of(row[0]) for row in stream(self._connection, statements.EVERY_KEY))

    def causes(self) -> Sequence[KnownCause]:
        """All causes, changed or not."""
        return [to_cause(tuple(row)) for row in self._connection.execute(statements.CAUSES)]


class ServerCopy(ServerTransaction):
    """Another store's version. Made by `PostgresPrimary.receive`."""

    def __init__(self, connection: Connection, seen: SeenRecords, changes: Changes) -> None:
        super().__init__(connection, "", seen, None)
        self.previous_version = changes.since
        self.version = changes.version
        self._hold_commits()
        if not changes.since:
            for clear in statements.CLEAR:
                connection.execute(clear)

    def put(self, records: Sequence[Copied]) -> None:
        """Add records, or replace those with their ids, in whatever dataset."""
        self._remove(list(self.known(each.record.id for each in records)))
        for dataset, version, group in group_copied(records):
            self._insert(group, dataset, version)
        self.added += len(records)

    def delete(self, record_ids: Iterable[str]) -> None:
        """Remove records."""
        self._remove(list(record_ids))

    def replace_causes(self, causes: Sequence[KnownCause]) -> None:
        """Store these causes, and no others."""
        self._connection.execute(statements.CLEAR_CAUSES)
        self._put_causes(causes)

    def count(self) -> int:
        """How many records there are now."""
        return int(self._connection.execute(statements.COUNT).scalar_one())

    def ids(self) -> Iterator[str]:
        """The ids of all records there are now, by id."""
        return (id_of(row[0]) for row in stream(self._connection, statements.EVERY_KEY))

    def unchanged_documents(self) -> Iterator[StoredRecord]:
        """Every record that was there before and is as it was, by id."""
        if not self.previous_version:
            return iter(())
        rows = stream(self._connection, statements.UNTIL, version=self.previous_version)
        return map(to_record, rows)

    def commit(self) -> str:
        """Make the version visible, all at once, and return it."""
        self._finish("")
        return self.version
