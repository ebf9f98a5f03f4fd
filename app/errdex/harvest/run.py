"""Harvests whole trees on all cores.

Files go to worker processes in batches and come back in order, so the same input gives
the same bytes. A worker that dies of a file costs that file and no other.
"""

from __future__ import annotations

import gc
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from errdex.harvest.cross_file import (
    ClassMessage,
    Elsewhere,
    UnfinishedRecord,
    gives_a_word,
    wordings_of,
)
from errdex.harvest.extractors import ExtractorMissing, find_language, load_extractor
from errdex.harvest.merging import RecordLine, RecordSpool, to_line
from errdex.harvest.model import RaiseSite, SourceUnreadable
from errdex.harvest.records import Origin, RecordMaker
from errdex.harvest.rereading import HeldFile, HeldFiles
from errdex.harvest.sources.errors import ObjectMissing, ObjectTooLarge
from errdex.harvest.sources.selection import (
    ABSENT,
    HUGE,
    NOT_UTF_8,
    UNPARSED,
    UNREADABLE,
    Selection,
    decoded,
)
from errdex.harvest.sources.source_tree import FileReader, SourceFile, Tree, opened_contents
from errdex.records.languages import Language
from errdex.workers.cpu_limit import CpuTimeOver, cpu_limit
from errdex.workers.pool import WorkerPool, is_stopped, worker_pool

if TYPE_CHECKING:
    from errdex.harvest.trees.reporters import Known

BATCH = 32
"""Files that a worker takes at once."""
WAITING_BATCHES = 6
"""Per worker, given out and not yet taken back: what bounds the memory."""
_GARBAGE = 300_000
"""Objects made and not freed since the last look for garbage, where that is switched off."""
CRASHED = "ended its reader"
NOT_UNDERSTOOD = "not understood"
TOO_SLOW = "took too long"
FILE_SECONDS = 20.0
"""Seconds of CPU for one file. What surrounds a raise is looked at again for each of them, so that
a file of nothing else takes time by the square of its size."""


@dataclass(slots=True)
class Tally:
    """What came of the files."""

    files: int = 0
    """Files that were read."""
    records: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Files that were not, by the reason."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Places in files read that gave no record, by the reason."""
    missing: list[str] = field(default_factory=list)
    """What is to be installed to read the rest."""

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.files += other.files
        self.records += other.records
        self.skipped += other.skipped
        self.left_out += other.left_out
        self.missing += [text for text in other.missing if text not in self.missing]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a harvest is."""

    files: int
    total_files: int
    records: int


Listener = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files of one origin."""

    tree: int
    """The number of the tree."""
    origin: Origin
    files: Sequence[SourceFile]
    selection: Selection
    known: Known | None = None
    """For files that are read again: the functions of their tree that report."""


def harvest(
    trees: Sequence[Tree],
    selection: Selection,
    *,
    workers: int | None = None,
    progress: Listener | None = None,
    tally: Tally | None = None,
) -> Iterator[bytes]:
    """The records of all trees as lines of JSON, each ended by a line break.

    `tally` is filled on the way. With one worker everything happens in this process.
    """
    tally = Tally() if tally is None else tally
    for tree in trees:
        tally.skipped += tree.skipped
    batches = [
        FileBatch(number, tree.origin, tree.files[start : start + BATCH], selection)
        for number, tree in enumerate(trees)
        for start in range(0, len(tree.files), BATCH)
    ]
    total = sum(len(batch.files) for batch in batches)
    done = 0
    workers = workers or os.cpu_count() or 1
    with RecordSpool() as spool:
        held = HeldFiles(spool)
        for number, of_tree in groupby(_read(batches, workers), key=lambda outcome: outcome.tree):
            elsewhere = Elsewhere()
            for outcome in of_tree:
                spool.add(outcome.lines)
                held.hold(number, outcome.held)
                elsewhere.add(outcome.drafts, outcome.wordings)
                tally.add(outcome.tally)
                done += outcome.files
                if progress is not None:
                    progress(Progress(done, total, len(spool)))
            spool.add(list(map(to_line, elsewhere.records())))
        again = [
            FileBatch(number, trees[number].origin, files, selection, known)
            for number, files, known in held.reread()
        ]
        for outcome in _read(again, workers):
            held.replace(outcome.tree, outcome.held)
        for line in spool.lines():
            tally.records += 1
            yield line


def _read(batches: Sequence[FileBatch], workers: int) -> Iterator[BatchOutcome]:
    """What comes of batches, in their order."""
    workers = min(workers, len(batches))
    return map(read_batch, batches) if workers <= 1 else _in_parallel(batches, workers)


@dataclass(slots=True)
class BatchOutcome:
    """What came of a batch."""

    tree: int
    files: int
    lines: list[RecordLine] = field(default_factory=list)
    drafts: list[UnfinishedRecord] = field(default_factory=list)
    wordings: list[ClassMessage] = field(default_factory=list)
    held: list[HeldFile] = field(default_factory=list)
    """Files whose records wait until their tree is read."""
    tally: Tally = field(default_factory=Tally)


def read_batch(batch: FileBatch) -> BatchOutcome:
    """The records of a batch."""
    outcome = BatchOutcome(batch.tree, len(batch.files))
    with opened_contents() as contents:
        for file in batch.files:
            if is_stopped():
                break
            _read_file(file, batch, contents, outcome)
    if gc.get_count()[0] > _GARBAGE:
        gc.collect()
    return outcome


def _read_file(
    file: SourceFile, batch: FileBatch, contents: FileReader, outcome: BatchOutcome
) -> None:
    tally = outcome.tally
    language = find_language(file.path)
    if language is None:
        return
    try:
        text = decoded(contents.read(file))
    except OSError as error:
        tally.skipped[_reason(error)] += 1
        return
    reason = NOT_UTF_8 if text is None else batch.selection.reason_against_text(text)
    if text is None or reason is not None:
        tally.skipped[reason or NOT_UTF_8] += 1
        return
    try:
        with cpu_limit(FILE_SECONDS):
            _extract(text, language, file, batch, outcome)
    except CpuTimeOver:
        tally.skipped[TOO_SLOW] += 1
    except SourceUnreadable:
        tally.skipped[UNPARSED] += 1
    except ExtractorMissing as error:
        tally.skipped[f"{language.name} is not installed"] += 1
        if str(error) not in tally.missing:
            tally.missing.append(str(error))
    except Exception:  # noqa: BLE001 - what an extractor did not foresee costs one file
        tally.skipped[NOT_UNDERSTOOD] += 1


def _extract(
    text: str, language: Language, file: SourceFile, batch: FileBatch, outcome: BatchOutcome
) -> None:
    """Add the records of a file."""
    extractor = load_extractor(language)
    maker = RecordMaker(batch.origin, file.path, language.name, text)
    known = {} if batch.known is None else {"known": batch.known}
    found = extractor(text, file.path, **known)
    wordings = wordings_of(found.sites, file.path)
    own = {wording.error_class for wording in wordings}
    whole: list[RaiseSite] = []
    words: list[RaiseSite] = []
    for site in found.sites:
        waits = gives_a_word(site) and site.error_class not in own
        (words if waits else whole).append(site)
    lines = [
        to_line(record, listed=site.kind == "table")
        for site in whole
        if (record := maker.record(site)) is not None
    ]
    drafts = [
        UnfinishedRecord(maker.draft(site), (site.error_class, *site.base_classes), site.parts)
        for site in [*found.unsaid, *words]
        if site.error_class is not None
    ]
    if found.passed is not None:
        outcome.held.append(HeldFile(file, language.name, lines, found.passed))
    else:
        outcome.lines += lines
    outcome.wordings += wordings
    outcome.drafts += drafts
    outcome.tally.files += 1
    outcome.tally.left_out += found.left_out + maker.left_out


def _reason(error: OSError) -> str:
    """Why a file was not read."""
    if isinstance(error, ObjectMissing):
        return ABSENT
    return HUGE if isinstance(error, ObjectTooLarge) else UNREADABLE


def _in_parallel(batches: Sequence[FileBatch], workers: int) -> Iterator[BatchOutcome]:
    waiting = deque(batches)
    while waiting:
        try:
            # Trees of syntax are freed without the collector, which would only look at them
            # again and again.
            with worker_pool(workers, gc.disable) as pool:
                yield from _drained(pool, waiting, workers * WAITING_BATCHES)
        except BrokenProcessPool:
            # The first batch that has not come back is looked at file by file.
            yield from _one_by_one(waiting.popleft())


def _drained(pool: WorkerPool, waiting: deque[FileBatch], most: int) -> Iterator[BatchOutcome]:
    """Take each batch off `waiting` when its outcome is there."""
    given: deque[Future[BatchOutcome]] = deque()
    while waiting:
        while len(given) < min(most, len(waiting)):
            given.append(pool.submit(read_batch, waiting[len(given)]))
        outcome = given.popleft().result()
        waiting.popleft()
        yield outcome


def _one_by_one(batch: FileBatch) -> Iterator[BatchOutcome]:
    waiting = deque(replace(batch, files=[file]) for file in batch.files)
    while waiting:
        try:
            with worker_pool(1, gc.disable) as pool:
                yield from _drained(pool, waiting, 1)
        except BrokenProcessPool:
            waiting.popleft()
            yield BatchOutcome(batch.tree, 1, tally=Tally(skipped=Counter({CRASHED: 1})))
