"""The processes that build an index beside the one that reads records.

Each is a companion (workers/companion.py) that a thread calls with one batch of operations after
the other, so that records are read meanwhile. It ends with its parent, however that ends.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import TypeAlias, TypeVar, TypeVarTuple

from errdex.search.protocol import IndexDocument, SearchError
from errdex.search.whoosh.build import Builder, BuildLimits, Built, Operation
from errdex.workers.companion import Companion, CompanionEnded

R = TypeVar("R")
Args = TypeVarTuple("Args")
_FIELDS = tuple(IndexDocument.__dataclass_fields__)
_QUEUED = 8
_Rows: TypeAlias = Sequence[object]
"""Operations as a process is sent them: a data class is pickled five times slower than a tuple."""


class Worker:
    """The parent's side of the process. Its methods are called from one thread."""

    def __init__(self, folder: Path, limits: BuildLimits) -> None:
        """Start the process for the index in that folder."""
        self._companion = Companion()
        self._error: Exception | None = None
        self._built: Built | None = None
        self._queue: Queue[_Rows | None] = Queue(_QUEUED)
        self._thread = Thread(target=self._run, args=(folder, limits), name="index-worker")
        self._thread.daemon = True
        self._thread.start()

    def send(self, operations: Sequence[Operation]) -> None:
        """Hand over a batch; waits when the process is some batches behind. Raises SearchError
        when it has ended."""
        if self._error is not None:
            self.end()
            self.finish()
        get_fields = attrgetter(*_FIELDS)
        self._queue.put(
            [get_fields(each) if isinstance(each, IndexDocument) else each for each in operations]
        )

    def end(self) -> None:
        """There is no more to do: let it write what it has. Does not wait."""
        self._queue.put(None)

    def finish(self) -> Built:
        """Wait, after `end`, for what it has built. Raises SearchError."""
        self._thread.join()
        self._companion.close()
        if isinstance(self._error, CompanionEnded):
            raise SearchError("The process that builds the full-text index has ended.")
        if self._error is not None:
            said = f"{self._error} ({type(self._error).__name__})"
            raise SearchError(f"The full-text index could not be built: {said}") from self._error
        assert self._built is not None  # noqa: S101 - for the type checker
        return self._built

    def kill(self) -> None:
        """Stop it wherever it is."""
        self._companion.end()
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
        self._companion.close()

    def _run(self, folder: Path, limits: BuildLimits) -> None:
        self._call(_begin, folder, limits)
        while (rows := self._queue.get()) is not None:
            self._call(_apply, rows)
        self._built = self._call(_finish)

    def _call(self, function: Callable[[*Args], R], *arguments: *Args) -> R | None:
        """What the process answers. After an error, which `finish` raises, nothing is asked."""
        if self._error is None:
            try:
                return self._companion.call(function, *arguments)
            except Exception as error:  # noqa: BLE001 - see above
                self._error = error
        return None


_BUILDERS: list[Builder] = []
"""In such a process: what it builds."""


def _begin(folder: Path, limits: BuildLimits) -> None:
    # Nearly everything made here lives until the segment is written: looking for rubbish
    # in it takes a fifth of the time and finds none.
    gc.disable()
    _BUILDERS.append(Builder(folder, limits))


def _apply(rows: _Rows) -> None:
    _BUILDERS[0].apply(
        IndexDocument(*row) if isinstance(row, tuple) else row  # type: ignore[misc]
        for row in rows
    )


def _finish() -> Built:
    return _BUILDERS[0].finish()
