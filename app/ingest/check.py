"""The checks of an ingestion alone: no store, no index, nothing written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import BinaryIO

from app.ingest.report import Listener, Report, Tally, ignore_progress
from app.ingest.run import note_skipped, progress_of
from app.ingest.sorting import Sorter, in_batches
from app.records.reading import read_records
from app.store import Known, KnownSource
from app.store.seen import seen_without_store


def check(
    paths: Sequence[Path],
    *,
    progress: Listener = ignore_progress,
    stdin: BinaryIO | None = None,
) -> Report:
    """Read and check record files. The report counts what passed as added, since an
    ingestion into an empty database would add it."""
    started = perf_counter()
    tally = Tally()
    reader = read_records(paths, stdin=stdin)
    with seen_without_store() as seen:
        sorter = Sorter("", tally, seen, _EmptyStore())
        for batch in in_batches(reader):
            sorter.sort(batch)
            progress(progress_of("reading", reader, tally))
    note_skipped(reader, tally)
    seconds = perf_counter() - started
    return tally.report(dataset="", applied=False, version="", previous="", seconds=seconds)


class _EmptyStore:
    def known(self, record_ids: Iterable[str]) -> Mapping[str, Known]:
        return {}

    def known_sources(self, source_hashes: Iterable[str]) -> Mapping[str, KnownSource]:
        return {}
