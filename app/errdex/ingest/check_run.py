"""The checks of an ingestion alone: no store, no index, nothing written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import BinaryIO

from errdex.ingest.changes import Accepted, Sorter, in_batches
from errdex.ingest.coverage import Coverage
from errdex.ingest.fix_checks import find_fix_warnings
from errdex.ingest.report import MAX_PROBLEMS, IngestReport, IngestTally, Listener, ignore_progress
from errdex.ingest.run import note_skipped, progress_of
from errdex.records.files.reader import read_records
from errdex.records.misspelled import find_misspelled
from errdex.records.problems import shown
from errdex.store import Known, KnownCause, KnownSource, open_seen_records


def check(
    paths: Sequence[Path],
    *,
    progress: Listener = ignore_progress,
    stdin: BinaryIO | None = None,
) -> IngestReport:
    """Read and check record files. The report counts what passed as added, since an
    ingestion into an empty database would add it; its coverage shows how well that is
    verified."""
    started = perf_counter()
    tally = IngestTally()
    coverage = Coverage()
    reader = read_records(paths, stdin=stdin)
    with open_seen_records() as seen:
        sorter = Sorter("", tally, seen, _EmptyStore())
        for batch in in_batches(reader):
            for accepted in sorter.sort(batch).added:
                coverage.count(accepted.source, accepted.record)
                _note_misspelled(accepted, tally)
                _note_fix(accepted, tally)
            progress(progress_of("reading", reader, tally))
    coverage.explained = sorter.causes.keys()
    note_skipped(reader, tally)
    seconds = perf_counter() - started
    report = tally.report(dataset="", applied=False, version="", previous="", seconds=seconds)
    return replace(report, coverage=coverage)


def _note_misspelled(accepted: Accepted, tally: IngestTally) -> None:
    """Name keys that may be meant for a field: they are kept, and nobody sees them."""
    for key, meant in find_misspelled(accepted.record.body()).items():
        if len(tally.notes) < MAX_PROBLEMS:
            tally.notes.append(
                f"{accepted.source}: {shown(key)} is no field: did you mean {meant}?"
            )


def _note_fix(accepted: Accepted, tally: IngestTally) -> None:
    """Name what a fix's commands hold instead of the holes of the message."""
    for warning in find_fix_warnings(accepted.record):
        if len(tally.notes) < MAX_PROBLEMS:
            tally.notes.append(f"{accepted.source}: {warning}: name the hole, as {{{{name}}}}")


class _EmptyStore:
    def known(self, record_ids: Iterable[str]) -> dict[str, Known]:
        return {}

    def known_sources(self, source_hashes: Iterable[str]) -> dict[str, KnownSource]:
        return {}

    def known_cause(self, tag: str) -> KnownCause | None:
        return None

    def remember_sources(self, sources: Sequence[tuple[str, str]]) -> None:
        pass
