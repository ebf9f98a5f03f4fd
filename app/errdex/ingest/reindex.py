"""Rebuilds the full-text index, and a pack that is not whole, from the store alone."""

from __future__ import annotations

from errdex.ingest.index_build import build_whole
from errdex.ingest.lock import WAIT_SECONDS, ingestion_lock
from errdex.ingest.pack_build import ensure_pack
from errdex.ingest.report import IngestProgress, Listener, ignore_progress
from errdex.ingest.version_build import sweep
from errdex.knowledge.packs import PackFolder
from errdex.search.protocol import IndexStore
from errdex.store import Store


def rebuild_index(
    store: Store,
    indexes: IndexStore,
    *,
    progress: Listener = ignore_progress,
    wait_seconds: float = WAIT_SECONDS,
) -> str:
    """Build the index of the version that is served, whether or not there is one, and remove
    what no version needs. Gives the version; "" when nothing was ever ingested.

    Raises IngestionRunning when an ingestion holds the lock for longer than `wait_seconds`
    (it makes a version of its own, with its index), IndexNotBuilt,
    PackNotBuilt and StoreError.
    """
    store.check_mutable()
    store.current_version()  # a lock is not left beside a database that is not there
    with ingestion_lock(
        store.path,
        wait_seconds=wait_seconds,
        on_wait=lambda message: progress(IngestProgress("waiting", message)),
    ):
        versions = store.list_versions(2)
        sweep(store, indexes, set(versions))
        if not versions:
            return ""
        progress(IngestProgress("indexing"))
        ensure_pack(store, PackFolder(store.path))
        return build_whole(store, indexes)
