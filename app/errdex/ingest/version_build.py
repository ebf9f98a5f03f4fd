"""What is derived from the records of a version: its full-text index and its pack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from errdex.ingest.changes import Accepted
from errdex.ingest.index_build import IndexBuild, ensure_index
from errdex.ingest.index_documents import document_of_stored
from errdex.ingest.pack_build import PackBuild, ensure_pack
from errdex.knowledge.packs import PackFolder
from errdex.search.protocol import IndexStore
from errdex.store import CopyTransaction, Replica, Store, StoredRecord, WriteTransaction


class VersionBuild:
    """The index and the pack of the version that a transaction makes, made from those of the
    version before it and what changed. Raises IndexNotBuilt and PackNotBuilt."""

    def __init__(
        self, store: Store, indexes: IndexStore, transaction: WriteTransaction | CopyTransaction
    ) -> None:
        self._transaction = transaction
        version, previous = transaction.version, transaction.previous_version
        self._index = IndexBuild(indexes, version, previous)
        self._pack = PackBuild(store, PackFolder(store.path), version, previous)

    def put(self, accepted: Sequence[Accepted]) -> None:
        """Add records, or replace those with their ids."""
        self._index.put(each.document for each in accepted)
        for each in accepted:
            self._pack.put(each.row.id, each.row.pattern)

    def put_stored(self, records: Sequence[StoredRecord]) -> None:
        """Add records that another store had, or replace those with their ids."""
        self._index.put(map(document_of_stored, records))
        for each in records:
            self._pack.put(each.id, each.pattern)

    def delete(self, record_id: str) -> None:
        """Take a record out."""
        self._index.delete(record_id)
        self._pack.delete(record_id)

    def finish(self) -> None:
        """There is no more to put or delete: make both durable and openable, and do the long part
        of the commit while the index is written."""
        self._index.end(self._transaction.unchanged_documents())
        self._pack.finish(self._transaction.unchanged_documents)
        self._transaction.prepare()
        self._index.finish()

    def abort(self) -> None:
        """Drop what was written. Never raises."""
        self._index.abort()


class DeferredBuild:
    """For a transaction of a primary: each host builds for itself, once it is committed."""

    def put(self, accepted: Sequence[Accepted]) -> None:
        """Nothing yet."""

    def delete(self, record_id: str) -> None:
        """Nothing yet."""

    def finish(self) -> None:
        """Nothing yet."""

    def abort(self) -> None:
        """Nothing to drop."""


Build: TypeAlias = VersionBuild | DeferredBuild


def begin_build(store: Store, indexes: IndexStore, transaction: WriteTransaction) -> Build:
    """What a transaction of `store` needs."""
    if isinstance(store, Replica):
        return DeferredBuild()
    return VersionBuild(store, indexes, transaction)


def sweep(store: Store, indexes: IndexStore, keep: set[str]) -> None:
    """Remove what was derived for other versions than these."""
    indexes.sweep(keep)
    PackFolder(store.path).sweep(keep)


def ensure_derived(store: Store, indexes: IndexStore) -> list[str]:
    """Build what is missing or damaged of the version that is served; a sentence for each. The
    caller holds the ingestion lock. Raises IndexNotBuilt and PackNotBuilt."""
    notes = []
    if ensure_index(store, indexes):
        notes.append("The full-text index was missing or damaged and was rebuilt.")
    if ensure_pack(store, PackFolder(store.path)):
        notes.append("The compiled patterns were missing or damaged and were rebuilt.")
    return notes
