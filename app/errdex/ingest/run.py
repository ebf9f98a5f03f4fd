"""Record files into the store, the full-text index and the pack of patterns, in one atomic switch.

1. The rows are written in one transaction, which nobody sees yet.
2. The index and the pack of the coming version are built aside and made durable.
3. The transaction commits the rows together with the version.

In a store whose data are held elsewhere, the second step comes last, on each host (following.py).

Readers take the version from the store and the index and pack that bear its name, so the
third step is the only one that they notice. Killed before it, a run leaves the old
version whole and some files that nobody opens; the next run removes them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import BinaryIO, NamedTuple

from errdex import lazy_re as re
from errdex.ingest.changes import Sorted, Sorter, in_batches
from errdex.ingest.errors import DatasetNameRefused
from errdex.ingest.following import follow_after_commit
from errdex.ingest.lock import WAIT_SECONDS, ingestion_lock
from errdex.ingest.report import (
    IngestProgress,
    IngestReport,
    IngestTally,
    Listener,
    ignore_progress,
)
from errdex.ingest.version_build import Build, begin_build, ensure_derived, sweep
from errdex.records.files.reader import RecordReader, read_records
from errdex.records.filters import ANY, Filters
from errdex.search.protocol import IndexStore
from errdex.store import Replica, Store, WriteTransaction

_DATASET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SKIPPED_NAMED = 20


def check_dataset_name(dataset: str) -> None:
    """Raises DatasetNameRefused."""
    if not _DATASET.fullmatch(dataset):
        raise DatasetNameRefused(
            f"The dataset name {dataset!r:.100} cannot be used: write up to 100 letters, digits, "
            "dots, hyphens and underscores, such as starter."
        )


def ingest(
    paths: Sequence[Path],
    *,
    store: Store,
    indexes: IndexStore,
    dataset: str,
    prune: bool = False,
    prune_sources: Collection[Filters] = (),
    strict: bool = False,
    progress: Listener = ignore_progress,
    stdin: BinaryIO | None = None,
    wait_seconds: float = WAIT_SECONDS,
    now: datetime | None = None,
) -> IngestReport:
    """Bring `dataset` to what the record files say, all at once or not at all.

    `prune` removes the dataset's records that the input no longer has; `prune_sources` only those
    that come from a file and meet one of these conditions. `strict` changes
    nothing if anything is wrong with the input; `now` names the new version, by default
    the clock does. What is wrong is in the report. Raises
    IngestError and StoreError when the run itself cannot be done; nothing is changed then.
    """
    check_dataset_name(dataset)
    store.check_mutable()
    started = perf_counter()

    def on_wait(message: str) -> None:
        progress(IngestProgress("waiting", message))

    def begin() -> AbstractContextManager[WriteTransaction]:
        if isinstance(store, Replica):
            return store.write(dataset, now, wait_seconds=wait_seconds, on_wait=on_wait)
        return store.write(dataset, now)  # under the lock

    pruned = _Pruned(prune, prune_sources)
    run = _Run(paths, stdin, store, indexes, dataset, progress, begin, strict=strict)
    if isinstance(store, Replica):
        store.migrate()
        version = run.execute(pruned)
        run.tally.notes += follow_after_commit(store, indexes, progress, wait_seconds)
    else:
        with ingestion_lock(store.path, wait_seconds=wait_seconds, on_wait=on_wait):
            store.migrate()
            sweep(store, indexes, set(store.list_versions(2)))
            version = run.execute(pruned)
            if run.applied:
                sweep(store, indexes, {version, run.previous} - {""})
            if version == run.previous:
                run.tally.notes += ensure_derived(store, indexes)
    return run.tally.report(
        dataset=dataset,
        applied=run.applied,
        version=version,
        previous=run.previous,
        seconds=perf_counter() - started,
    )


class _Pruned(NamedTuple):
    """Of which records of the dataset those that the input lacks are removed."""

    all: bool
    sources: Collection[Filters]


class _Run:
    def __init__(
        self,
        paths: Sequence[Path],
        stdin: BinaryIO | None,
        store: Store,
        indexes: IndexStore,
        dataset: str,
        progress: Listener,
        begin: Callable[[], AbstractContextManager[WriteTransaction]],
        *,
        strict: bool,
    ) -> None:
        self._reader = read_records(paths, stdin=stdin)
        self._store = store
        self._indexes = indexes
        self._dataset = dataset
        self._progress = progress
        self._strict = strict
        self._begin = begin
        self._causes: Mapping[str, object] = {}
        self.tally = IngestTally()
        self.previous = ""
        self.applied = False

    def execute(self, pruned: _Pruned) -> str:
        """Do it; gives the version that is served afterwards."""
        with self._begin() as transaction:
            self.previous = transaction.previous_version
            build = begin_build(self._store, self._indexes, transaction)
            try:
                self._read(transaction, build)
                self._prune(pruned, transaction, build)
                if self._is_doomed():
                    return self._give_up(build)
                if transaction.has_changes:
                    self._report("indexing")
                    build.finish()
                self._report("committing")
                version = transaction.commit()
            except BaseException:
                build.abort()
                raise
        self.applied = True
        return version

    def _read(self, transaction: WriteTransaction, build: Build) -> None:
        sorter = Sorter(self._dataset, self.tally, transaction.seen, transaction)
        self._causes = sorter.causes
        for batch in in_batches(self._reader):
            found = sorter.sort(batch)
            if not self._is_doomed():
                _write(found, transaction, build)
            self._report("reading")
        note_skipped(self._reader, self.tally)

    def _prune(self, pruned: _Pruned, transaction: WriteTransaction, build: Build) -> None:
        if self._is_doomed() or not (pruned.all or pruned.sources):
            return
        if self.tally.unidentified:
            self.tally.notes.append(
                "Nothing was removed: not all of the input could be read, so it is "
                "unknown which records are in the rest. Fix it and run again."
            )
            return
        self._report("removing")
        for filters in (ANY,) if pruned.all else pruned.sources:
            for record_id in transaction.remove_unseen(filters, with_file=not pruned.all):
                build.delete(record_id)
        self.tally.removed = transaction.removed
        if pruned.all:
            transaction.remove_causes_except(self._causes)

    def _is_doomed(self) -> bool:
        """Whether the rest is only read to list what else is wrong."""
        return self._strict and self.tally.refused > 0

    def _give_up(self, build: Build) -> str:
        build.abort()
        tally = self.tally
        tally.notes.append("Nothing was changed: the run is strict and the input has problems.")
        tally.added = tally.changed = tally.removed = 0
        return self.previous

    def _report(self, phase: str) -> None:
        self._progress(progress_of(phase, self._reader, self.tally))


def _write(found: Sorted, transaction: WriteTransaction, build: Build) -> None:
    if found.causes:
        transaction.put_causes(found.causes)
    if found.added:
        transaction.add([accepted.row for accepted in found.added])
        build.put(found.added)
    if found.changed:
        transaction.change([accepted.row for accepted in found.changed])
        build.put(found.changed)


def progress_of(phase: str, reader: RecordReader, tally: IngestTally) -> IngestProgress:
    """How far a run has come."""
    return IngestProgress(
        phase,
        file=reader.progress.file,
        read_bytes=reader.progress.read_bytes,
        total_bytes=reader.progress.total_bytes,
        records=tally.looked_at,
        refused=tally.refused,
    )


def note_skipped(reader: RecordReader, tally: IngestTally) -> None:
    """Say which files of a folder were passed over."""
    for skipped in reader.skipped[:_SKIPPED_NAMED]:
        tally.notes.append(f"Not read: {skipped.file}, {skipped.reason}.")
    if (more := len(reader.skipped) - _SKIPPED_NAMED) > 0:
        tally.notes.append(f"Not read: {more} other files and folders.")
