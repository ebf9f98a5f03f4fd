"""Building the full-text index of a version, aside from the one that is being served."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from errdex.ingest.errors import IndexNotBuilt
from errdex.ingest.index_documents import document_of_stored
from errdex.search.protocol import (
    IndexDamaged,
    IndexDocument,
    IndexMissing,
    IndexStore,
    IndexWriter,
    SearchError,
)
from errdex.store import Store, StoredRecord


class IndexBuild:
    """The index of `version`, made from that of the version before it and what changed.

    Where the earlier index is missing or damaged the new one is built whole. Nothing is
    begun before there is something to write. Raises IndexNotBuilt.
    """

    def __init__(self, indexes: IndexStore, version: str, previous: str) -> None:
        self._indexes = indexes
        self._version = version
        self._previous = previous
        self._writer: IndexWriter | None = None
        self._has_base = True

    def put(self, documents: Iterable[IndexDocument]) -> None:
        """Add documents, or replace those with their ids."""
        with _explained():
            for document in documents:
                self._begun().put(document)

    def delete(self, record_id: str) -> None:
        """Take a record out."""
        with _explained():
            self._begun().delete(record_id)

    def end(self, unchanged: Iterable[StoredRecord]) -> None:
        """There is no more to put or delete. `unchanged` are the records that were neither;
        they are read only where there was no index to start from."""
        with _explained():
            writer = self._begun()
            if not self._has_base:
                for record in unchanged:
                    writer.put(document_of_stored(record))
            writer.end()

    def finish(self) -> None:
        """Make the index durable and openable, after `end`."""
        with _explained():
            self._begun().finish()

    def abort(self) -> None:
        """Drop what was written. Never raises."""
        if self._writer is not None:
            self._writer.abort()

    def _begun(self) -> IndexWriter:
        if self._writer is None:
            self._writer = self._begin()
        return self._writer

    def _begin(self) -> IndexWriter:
        if self._previous:
            try:
                return self._indexes.begin(self._version, base=self._previous)
            except (IndexMissing, IndexDamaged):
                self._has_base = False
        return self._indexes.begin(self._version)


def ensure_index(store: Store, indexes: IndexStore) -> bool:
    """Build the index of the version that is served, if there is none that is whole and
    holds as many records as the store. Says whether it did. The caller holds the ingestion
    lock. Raises IndexNotBuilt."""
    with store.snapshot() as snapshot:
        version, records = snapshot.version, snapshot.count_records()
    if not version:
        return False
    try:
        count = indexes.verify(version)
    except (IndexMissing, IndexDamaged):
        count = None
    if count == records:
        return False
    build_whole(store, indexes)
    return True


def build_whole(store: Store, indexes: IndexStore) -> str:
    """Build the index of the version that is served from the store alone; gives the version.
    The caller holds the ingestion lock. Raises IndexNotBuilt."""
    with store.snapshot() as snapshot, _explained():
        writer = indexes.begin(snapshot.version)
        try:
            for record in snapshot.documents():
                writer.put(document_of_stored(record))
            writer.finish()
        except BaseException:
            writer.abort()
            raise
        return snapshot.version


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except (SearchError, OSError) as error:
        raise IndexNotBuilt(
            f"The full-text index could not be written ({error}): what was served before is "
            "unchanged. Free some space or correct the rights to its folder, then try again."
        ) from error
