"""Copies a knowledge base from one database into another, and compares the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from time import perf_counter
from typing import Any

import orjson

from errdex.ingest.errors import CopyRefused
from errdex.ingest.following import follow
from errdex.ingest.lock import WAIT_SECONDS, ingestion_lock
from errdex.ingest.report import IngestProgress, Listener, ignore_progress
from errdex.ingest.version_build import ensure_derived
from errdex.search.protocol import IndexStore
from errdex.store import Changes, Copied, Primary, Replica, Store, put_changes


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What was copied and found to be equal."""

    version: str
    records: int
    causes: int
    checksum: str
    """A hash of everything that was copied."""
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The report's JSON form."""
        return asdict(self) | {"seconds": round(self.seconds, 3)}


def copy(
    source: Store,
    target: Store,
    indexes: IndexStore,
    *,
    progress: Listener = ignore_progress,
    wait_seconds: float = WAIT_SECONDS,
) -> CopyReport:
    """Copy the newest version of `source` into `target`, which must have none, and read all of it
    again to compare. `indexes` are those of the target.

    Raises CopyRefused when there is nothing to copy, when the target has a version, and when the
    two differ afterwards; IngestError and StoreError when it cannot be done, and nothing is copied
    then.
    """
    target.check_mutable()
    started = perf_counter()
    if isinstance(target, Replica):
        copied = _copy(_primary(source), target.primary, progress)
        follow(target, indexes, progress=progress, wait_seconds=wait_seconds)
    else:
        with ingestion_lock(
            target.path,
            wait_seconds=wait_seconds,
            on_wait=lambda message: progress(IngestProgress("waiting", message)),
        ):
            copied = _copy(_primary(source), target, progress)
            progress(IngestProgress("indexing", records=copied.records))
            ensure_derived(target, indexes)
    return CopyReport(
        copied.version, copied.records, copied.causes, copied.checksum, perf_counter() - started
    )


def _primary(store: Store) -> Primary:
    """What holds the data, rather than a copy that may be behind."""
    return store.primary if isinstance(store, Replica) else store


def _copy(source: Primary, target: Primary, progress: Listener) -> _Total:
    target.migrate()
    if present := target.current_version():
        raise CopyRefused(
            f"Nothing was copied: {target.name} has a dataset version already ({present}). Name an "
            "empty database."
        )
    total = _Total()

    def count(records: Sequence[Copied]) -> None:
        total.add(records)
        progress(IngestProgress("copying", records=total.records))

    with source.changes() as changes:
        if not changes.version:
            raise CopyRefused(f"Nothing was copied: {source.name} has no records yet.")
        with target.receive(changes) as transaction:
            put_changes(changes, transaction, on_put=count)
            total.end(changes)
            progress(IngestProgress("committing", records=total.records))
            transaction.commit()
    arrived = _Total()
    with target.changes() as changes:
        for each in changes.records():
            arrived.add([each])
        arrived.end(changes)
    if arrived != total:
        raise CopyRefused(
            f"What arrived in {target.name} differs from what was sent ({arrived} instead of "
            f"{total}): remove it, check its disk, and copy again."
        )
    return arrived


class _Total:
    """All that a version has, as numbers and one hash."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)
        self.version, self.records, self.causes, self.checksum = "", 0, 0, ""

    def add(self, records: Sequence[Copied]) -> None:
        for record, content_hash, source_hash in records:
            parts = (record.id, record.dataset, record.changed_version, record.pattern)
            hashes = (record.body_json, content_hash.hex(), source_hash)
            self._hash.update(orjson.dumps((*parts, *hashes)))
        self.records += len(records)

    def end(self, changes: Changes) -> None:
        causes = changes.causes()
        for dataset, cause in causes:
            self._hash.update(orjson.dumps((dataset, cause.to_dict())))
        self.version, self.causes = changes.version, len(causes)
        self.checksum = self._hash.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Total) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self.records:,} records, {self.causes:,} causes, checksum {self.checksum}"
