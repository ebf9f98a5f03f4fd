"""Brings the copy on this host to the newest version of its primary, in one atomic switch."""

from __future__ import annotations

from collections.abc import Sequence

from errdex.ingest.errors import IngestError, IngestionRunning
from errdex.ingest.lock import WAIT_SECONDS, ingestion_lock
from errdex.ingest.report import IngestProgress, Listener, ignore_progress
from errdex.ingest.version_build import VersionBuild, sweep
from errdex.search.protocol import IndexStore
from errdex.store import Changes, Copied, Replica, Store, StoreError, put_changes

_FIRST_COPY_SECONDS = 600.0
"""How long a reader waits for another process that makes the first copy on this host."""


def follow(
    store: Store,
    indexes: IndexStore,
    *,
    progress: Listener = ignore_progress,
    wait_seconds: float = WAIT_SECONDS,
) -> str:
    """Copy what changed in the primary, with the index and the pack that follow from it. A store
    that is no copy is left as it is. Returns the version that is served then.

    Raises IngestionRunning when another process on this host does it for longer than
    `wait_seconds`, IndexNotBuilt, PackNotBuilt and StoreError; what was served before is then
    served on, whole.
    """
    served = store.current_version()
    if not isinstance(store, Replica) or store.primary.current_version() in ("", served):
        return served
    with ingestion_lock(
        store.path,
        wait_seconds=wait_seconds,
        on_wait=lambda message: progress(IngestProgress("waiting", message)),
    ):
        sweep(store, indexes, set(store.list_versions(2)))
        served = store.current_version()  # another process may have done it meanwhile
        with store.changes(served) as changes:
            if changes.version in ("", served):
                return served
            _take_over(store, indexes, changes, progress)
            sweep(store, indexes, {changes.version, served} - {""})
            return changes.version


def _take_over(store: Replica, indexes: IndexStore, changes: Changes, progress: Listener) -> None:
    with store.receive_copy(changes) as transaction:
        build = VersionBuild(store, indexes, transaction)
        copied = 0

        def put(records: Sequence[Copied]) -> None:
            nonlocal copied
            copied += len(records)
            build.put_stored([each.record for each in records])
            progress(IngestProgress("copying", records=copied))

        try:
            put_changes(changes, transaction, put, build.delete)
            progress(IngestProgress("indexing", records=copied))
            build.finish()
            progress(IngestProgress("committing", records=copied))
            transaction.commit()
        except BaseException:
            build.abort()
            raise


def follow_after_commit(
    store: Replica, indexes: IndexStore, progress: Listener, wait_seconds: float
) -> list[str]:
    """`follow` for an ingestion whose records are in the primary, whatever happens here. A sentence
    if the copy could not be brought up to date."""
    try:
        follow(store, indexes, progress=progress, wait_seconds=wait_seconds)
    except (IngestError, StoreError) as error:
        return [f"The records are in {store.name}, but this host does not serve them yet: {error}"]
    return []


def catch_up(store: Store, indexes: IndexStore, progress: Listener = ignore_progress) -> str:
    """`follow` for a reader, who is served what there is. A sentence where that may not be the
    newest version, else "". Raises what `follow` raises where there is nothing to serve."""
    version = store.current_version()
    wait_seconds = 0.0 if version else _FIRST_COPY_SECONDS
    try:
        follow(store, indexes, progress=progress, wait_seconds=wait_seconds)
    except IngestionRunning:  # another process copies what is newer
        if not version:
            raise
    except (IngestError, StoreError) as error:
        if not version:
            raise
        return f"{error} This is dataset version {version}, which is on this host."
    return ""
