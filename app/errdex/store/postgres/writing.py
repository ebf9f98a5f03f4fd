"""Writing: one transaction, which nobody sees before it is committed."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any

from sqlalchemy import Connection, UpdateBase

from errdex.records.causes import Cause
from errdex.records.filters import ANY, Filters
from errdex.store.checksums import damaged, is_row_sound, row_sum
from errdex.store.errors import StoreBusy, StoreReadOnly
from errdex.store.keys import FIRST_KEY, LAST_KEY, id_of, is_record_id, key_of
from errdex.store.postgres import statements
from errdex.store.postgres.streams import stream
from errdex.store.protocol import SeenRecords
from errdex.store.schema.rows import SUMMARY, to_cause, to_cause_row, to_record, to_row
from errdex.store.values import Known, KnownCause, KnownSource, NewRecord, StoredRecord
from errdex.store.versions import next_version

_REMOVED_AT_ONCE = 500
_VERSION_PLACE = SUMMARY.index("changed_version")


def lock_key(what: str) -> int:
    """The number of an advisory lock."""
    return int.from_bytes(blake2b(f"errdex {what}".encode(), digest_size=8).digest(), signed=True)


_VERSIONS = lock_key("versions")
"""The lock of those that commit."""


def begin(
    connection: Connection,
    name: str,
    dataset: str,
    wait_seconds: float,
    on_wait: Callable[[str], object] | None,
) -> None:
    """Take the lock of a dataset. Raises StoreReadOnly and StoreBusy."""
    if connection.execute(statements.READ_ONLY).scalar_one():
        raise StoreReadOnly(
            f"Nothing can be written to {name}, which is a read-only replica or set to read-only: "
            "ingest into the primary server, which it follows."
        )
    # Reading the input may take longer than a server lets a transaction be idle.
    for setting, value in (
        ("idle_in_transaction_session_timeout", "0"),
        ("lock_timeout", f"{max(1, round(wait_seconds * 1000))}ms"),
    ):
        connection.execute(statements.LOCAL_SETTING, {"name": setting, "value": value})
    key = {"key": lock_key(f"dataset {dataset}")}
    if connection.execute(statements.TRY_LOCK, key).scalar_one():
        return
    holder = connection.execute(statements.HOLDER, key).scalar_one_or_none()
    named = f" ({holder})" if holder else ""
    if wait_seconds > 0:
        if on_wait is not None:
            on_wait(
                f"Another ingestion into the dataset {dataset} is running{named}; waiting up to "
                f"{wait_seconds:.0f} s."
            )
        connection.execute(statements.LOCK, key)
        return
    raise StoreBusy(
        f"Another ingestion into the dataset {dataset} is still running{named}: nothing was done. "
        "Try again when it has finished."
    )


def newest_version(connection: Connection) -> str:
    """The newest version; "" before any ingestion."""
    row = connection.execute(statements.NEWEST).one_or_none()
    if row is None:
        return ""
    if not is_row_sound(tuple(row)):
        raise damaged("its version")
    return str(row[0])


class ServerTransaction:
    """Changes to one dataset. Made by `PostgresPrimary.write`."""

    def __init__(
        self, connection: Connection, dataset: str, seen: SeenRecords, now: datetime | None
    ) -> None:
        self._connection = connection
        self._dataset = dataset
        self._dataset_keys: dict[str, int] = {}
        self._now = now
        self.seen = seen
        """The records that this run came across; see `remove_unseen`."""
        self.previous_version = newest_version(connection)
        """The version that is served now; "" before any ingestion."""
        self.version = next_version(self.previous_version, now)
        """The version that `commit` makes; a later one if others commit before."""
        self.added = self.changed = self.removed = 0
        self._remembered = self._causes_changed = False

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self.added or self.changed or self.removed or self._causes_changed)

    def known(self, record_ids: Iterable[str]) -> dict[str, Known]:
        """What the store has of these records, in whatever dataset, by id."""
        keys = [key_of(each) for each in record_ids if is_record_id(each)]
        rows = self._connection.execute(statements.KNOWN, {"keys": keys})
        return {id_of(key): Known(name, bytes(content)) for key, name, content in rows}

    def known_sources(self, source_hashes: Iterable[str]) -> dict[str, KnownSource]:
        """The records of this dataset that were made of texts with these hashes, by hash."""
        values = {"dataset": self._dataset, "hashes": list(source_hashes)}
        rows = self._connection.execute(statements.KNOWN_SOURCES, values)
        return {each: KnownSource(id_of(key), bytes(content)) for each, key, content in rows}

    def known_cause(self, tag: str) -> KnownCause | None:
        """The text of a cause, in whatever dataset."""
        row = self._connection.execute(statements.CAUSE, {"tag": tag}).one_or_none()
        return None if row is None else to_cause(tuple(row))

    def remember_sources(self, sources: Sequence[tuple[str, str]]) -> None:
        """Note ids and hashes of texts that stand for the very records that are stored."""
        rows = [{"of_key": key_of(each), "new_hash": value} for each, value in sources]
        self._run_many(statements.REMEMBER_SOURCE, rows)
        self._remembered |= bool(rows)

    def add(self, records: Sequence[NewRecord]) -> None:
        """Store records whose ids the store does not have."""
        self._insert(records, self._dataset, self.version)
        self.added += len(records)

    def change(self, records: Sequence[NewRecord]) -> None:
        """Put records in the place of those with their ids, which are in this dataset."""
        in_order = sorted(records, key=lambda record: record.id)  # so that no two writers deadlock
        rows = [to_row(each, self._dataset, self.version) for each in in_order]
        changes = [
            {"of_key": row.pop("key")} | {f"new_{name}": value for name, value in row.items()}
            for row in rows
        ]
        found = self._run_many(statements.CHANGE_RECORD, changes)
        if found != len(changes):
            raise StoreBusy(
                "Another process has just removed records that this ingestion changes: nothing was "
                "done. Run it again."
            )
        bodies = [{"of_key": key_of(each.id), "new_body": each.body_json} for each in in_order]
        self._run_many(statements.CHANGE_BODY, bodies)
        self.changed += len(records)

    def put_causes(self, causes: Sequence[Cause]) -> None:
        """Store causes, or replace those of this dataset with the same tags."""
        self._put_causes([KnownCause(self._dataset, each) for each in causes])
        self._causes_changed |= bool(causes)

    def remove_causes_except(self, tags: Container[str]) -> None:
        """Remove the dataset's causes whose tags are not among these."""
        stored = [to_cause(tuple(row)) for row in self._connection.execute(statements.CAUSES)]
        own = [each.cause.tag for each in stored if each.dataset == self._dataset]
        gone = [{"of_tag": tag} for tag in own if tag not in tags]
        self._run_many(statements.REMOVE_CAUSE, gone)
        self._causes_changed |= bool(gone)

    def remove_unseen(self, filters: Filters = ANY, *, with_file: bool = False) -> Iterator[str]:
        """Remove the dataset's records that are not in `seen`; yields their ids as it goes."""
        given = replace(filters, dataset=self._dataset).given()
        for ids in self._pages(given, with_file=with_file):
            seen = self.seen.find(ids)
            yield from self._remove([each for each in ids if each not in seen])

    def remove(self, filters: Filters) -> Iterator[str]:
        """Remove the records that meet the conditions, of any dataset; yields their ids as it
        goes."""
        for ids in self._pages(filters.given()):
            yield from self._remove(ids)

    def unchanged_documents(self) -> Iterator[StoredRecord]:
        """Every record of every dataset that this transaction did not write, by id."""
        rows = stream(self._connection, statements.UNCHANGED, version=self.version)
        return map(to_record, rows)

    def prepare(self) -> None:
        """There is nothing that takes long."""

    def commit(self) -> str:
        """Make the changes visible, all at once. Returns the version that is then newest; without
        changes that is the previous one."""
        if not self.has_changes:
            if self._remembered:
                self._connection.commit()
            return self.previous_version
        self._take_turn()
        self._finish(self._dataset)
        return self.version

    def _take_turn(self) -> None:
        """Until this transaction ends nobody else commits, so that versions grow in the order in
        which they become visible."""
        self._hold_commits()
        newest = newest_version(self._connection)
        if newest >= self.version:
            self._renumber(next_version(newest, self._now))
        self.previous_version = newest

    def _hold_commits(self) -> None:
        self._connection.execute(statements.LOCK, {"key": _VERSIONS})

    def _renumber(self, version: str) -> None:
        """Others committed since this transaction began: its version is to be later than theirs."""
        written = {"version": self.version, "dataset": self._dataset}
        rows = []
        for row in self._connection.execute(statements.CHANGED_IN, written):
            values = list(row[:-1])
            values[_VERSION_PLACE] = version
            rows.append({"of_key": row[0], "new_version": version, "new_sum": row_sum(*values)})
        self._run_many(statements.RENUMBER, rows)
        self.version = version

    def _finish(self, dataset: str) -> None:
        row = {
            "version": self.version,
            "dataset": dataset,
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "checksum": row_sum(self.version),
        }
        self._connection.execute(statements.ADD_INGESTION, row)
        self._connection.execute(statements.ANNOUNCE, {"version": self.version})
        self._connection.commit()

    def _insert(self, records: Sequence[NewRecord], dataset: str, version: str) -> None:
        dataset_key = self._key_of_dataset(dataset)
        in_order = sorted(records, key=lambda record: record.id)  # so that no two writers deadlock
        rows = [to_row(each, dataset, version) | {"dataset_key": dataset_key} for each in in_order]
        self._run_many(statements.ADD_RECORD, rows)
        bodies = [{"record_key": key_of(each.id), "body_json": each.body_json} for each in in_order]
        self._run_many(statements.ADD_BODY, bodies)

    def _put_causes(self, causes: Sequence[KnownCause]) -> None:
        names = ("tag", "dataset", "body_json", "checksum")
        rows = [to_cause_row(each.cause, each.dataset) for each in causes]
        self._run_many(statements.PUT_CAUSE, [dict(zip(names, row, strict=True)) for row in rows])

    def _remove(self, ids: Sequence[str]) -> Sequence[str]:
        keys = [key_of(each) for each in ids]
        self._connection.execute(statements.REMOVE_RECORDS, {"keys": keys})
        self.removed += len(keys)
        return ids

    def _pages(self, conditions: dict[str, str], *, with_file: bool = False) -> Iterator[list[str]]:
        """The ids of the records that meet the conditions, in order, some at once."""
        first = FIRST_KEY
        statement = statements.keys_under(tuple(conditions), with_file=with_file)
        values: dict[str, object] = dict(conditions)
        while True:
            page = values | {"first": first, "limit": _REMOVED_AT_ONCE}
            keys = [key for (key,) in self._connection.execute(statement, page)]
            if not keys:
                return
            yield [id_of(key) for key in keys]
            if keys[-1] == LAST_KEY:
                return
            first = keys[-1] + 1

    def _key_of_dataset(self, name: str) -> int:
        """The key of a dataset, which is made where there is none."""
        if name not in self._dataset_keys:
            self._connection.execute(statements.ADD_DATASET, {"dataset": name})
            found = self._connection.execute(statements.FIND_DATASET, {"dataset": name})
            self._dataset_keys[name] = int(found.scalar_one())
        return self._dataset_keys[name]

    def _run_many(self, statement: UpdateBase, rows: Sequence[dict[str, Any]]) -> int:
        """How many rows were written."""
        return self._connection.execute(statement, rows).rowcount if rows else 0
