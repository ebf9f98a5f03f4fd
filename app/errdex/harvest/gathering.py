"""The outcomes of files in their order: taken from the state of an earlier harvest where it has
them, read otherwise, by worker processes where there are many.

Files go to worker processes in batches and come back in order, so the same input gives
the same bytes. A worker that dies of a file costs that file and no other.
"""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from errdex.harvest.merging import RecordLine
from errdex.harvest.reading import (
    CRASHED,
    FileBatch,
    FileOutcome,
    Tally,
    content_name,
    read_batch,
)
from errdex.harvest.rereading import Rereading
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import SourceFile, Tree, opened_contents
from errdex.workers.pool import WorkerPool, worker_pool

if TYPE_CHECKING:
    from errdex.harvest.state import HarvestState

BATCH = 32
"""Files that a worker takes at once."""
WAITING_BATCHES = 6
"""Per worker, given out and not yet taken back: what bounds the memory."""


T = TypeVar("T")


class Gathered(NamedTuple):
    """The outcome of a file of a tree."""

    tree: int
    file: SourceFile
    outcome: FileOutcome
    key: str
    """Under which the state has it. Empty where it has not."""


class Gathering:
    """Gathers the outcomes of the files of some trees."""

    def __init__(
        self, trees: Sequence[Tree], selection: Selection, workers: int, state: HarvestState | None
    ) -> None:
        self._trees = trees
        self._selection = selection
        self._workers = workers
        self._state = state

    def first(self) -> Iterator[Gathered]:
        """The outcome of each file."""
        keys = [self._known_keys(tree) for tree in self._trees]
        unknown = [
            FileBatch(tree.origin, files, self._selection)
            for tree, own in zip(self._trees, keys, strict=True)
            for files in _in_batches(
                [file for file, key in zip(tree.files, own, strict=True) if not key]
            )
        ]
        read = _read(unknown, self._workers)
        for number, tree in enumerate(self._trees):
            for file, key in zip(tree.files, keys[number], strict=True):
                yield self._gathered(number, file, key, read)

    def again(self, files: Iterable[Rereading]) -> Iterator[tuple[Rereading, list[RecordLine]]]:
        """The records of files that are read again, of those that could be, in any order."""
        unknown: list[Rereading] = []
        for each in files:
            origin = self._trees[each.tree].origin
            lines = None
            if self._state is not None:
                lines = self._state.take_again(each.key, each.known_name, origin)
            if lines is None:
                unknown.append(each)
            else:
                yield each, lines
        batches = [
            FileBatch(
                self._trees[tree].origin,
                [each.file for each in some],
                self._selection,
                [each.known for each in some],
            )
            for tree, of_tree in groupby(unknown, key=lambda each: each.tree)
            for some in _in_batches(list(of_tree))
        ]
        for each, outcome in zip(unknown, _read(batches, self._workers), strict=True):
            if outcome.tally.files:
                if self._state is not None and each.key:
                    self._state.keep_again(each.key, each.known_name, outcome.lines)
                yield each, outcome.lines

    def _known_keys(self, tree: Tree) -> list[str]:
        """For each file of a tree the key under which the state has its outcome, or ""."""
        state = self._state
        if state is None or state.is_empty:
            return [""] * len(tree.files)
        keys = []
        with opened_contents() as contents:
            for file in tree.files:
                try:
                    content = b"" if file.blob else contents.read(file)
                except OSError:  # which is said when it is read
                    keys.append("")
                    continue
                key = self._key(tree, file, content_name(file, content))
                keys.append(key if state.knows(key) else "")
        return keys

    def _gathered(
        self, number: int, file: SourceFile, key: str, read: Iterator[FileOutcome]
    ) -> Gathered:
        tree, state = self._trees[number], self._state
        if state is None:
            return Gathered(number, file, next(read), "")
        outcome = state.take(key, tree.origin) if key else next(read)
        if outcome is not None and key:
            return Gathered(number, file, outcome, key)
        if outcome is None:
            (outcome,) = read_batch(FileBatch(tree.origin, [file], self._selection))
        key = ""
        if outcome.content:
            key = self._key(tree, file, outcome.content)
            state.keep(key, outcome)
        return Gathered(number, file, outcome, key)

    def _key(self, tree: Tree, file: SourceFile, content: str) -> str:
        from errdex.harvest.state import key_of

        return key_of(file, content, tree.origin, self._selection)


def _in_batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    return (values[start : start + BATCH] for start in range(0, len(values), BATCH))


def _read(batches: Sequence[FileBatch], workers: int) -> Iterator[FileOutcome]:
    """What comes of the files of batches, in their order."""
    workers = min(workers, len(batches))
    read = map(read_batch, batches) if workers <= 1 else _in_parallel(batches, workers)
    return chain.from_iterable(read)


def _in_parallel(batches: Sequence[FileBatch], workers: int) -> Iterator[list[FileOutcome]]:
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


def _drained(pool: WorkerPool, waiting: deque[FileBatch], most: int) -> Iterator[list[FileOutcome]]:
    """Take each batch off `waiting` when its outcome is there."""
    given: deque[Future[list[FileOutcome]]] = deque()
    while waiting:
        while len(given) < min(most, len(waiting)):
            given.append(pool.submit(read_batch, waiting[len(given)]))
        outcomes = given.popleft().result()
        waiting.popleft()
        yield outcomes


def _one_by_one(batch: FileBatch) -> Iterator[list[FileOutcome]]:
    waiting = deque(
        replace(batch, files=[file], known=batch.known[number : number + 1])
        for number, file in enumerate(batch.files)
    )
    while waiting:
        try:
            with worker_pool(1, gc.disable) as pool:
                yield from _drained(pool, waiting, 1)
        except BrokenProcessPool:
            waiting.popleft()
            yield [FileOutcome(tally=Tally(skipped=Counter({CRASHED: 1})))]
