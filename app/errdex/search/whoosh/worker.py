"""The processes that build an index beside the one that reads records.

What such a process is to keep to, and then batches of operations, come on standard
input, each a length and a pickle; an empty batch means that there are no more. The
answer on standard output is one pickle: what was built, or the words of what went
wrong. When its parent is killed, standard input ends without an empty batch, and the
process ends with it.
"""

from __future__ import annotations

import gc
import pickle
import struct
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import BinaryIO

from errdex.resources import package_folder
from errdex.search.protocol import IndexDocument, SearchError
from errdex.search.whoosh.build import Builder, BuildLimits, Built, Operation

_LENGTH = struct.Struct("!Q")
_FIELDS = tuple(IndexDocument.__dataclass_fields__)
_QUEUED = 8


class Worker:
    """The parent's side of the process. Its methods are called from one thread."""

    def __init__(self, folder: Path, limits: BuildLimits) -> None:
        """Start the process for the index in that folder."""
        root = str(package_folder().parent)
        command = "import sys; sys.path.append(sys.argv[1]); "
        command += "from errdex.search.whoosh.worker import main; main(sys.argv[2])"
        self._process = subprocess.Popen(  # noqa: S603 - this very interpreter
            [sys.executable, "-P", "-c", command, root, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is for the parent, which then gives the build up.
            start_new_session=True,
        )
        self._failed = False
        self._queue: Queue[bytes | None] = Queue(_QUEUED)
        self._queue.put(_frame(limits))
        self._thread = Thread(target=self._write, name="index-worker", daemon=True)
        self._thread.start()

    def send(self, operations: Sequence[Operation]) -> None:
        """Hand over a batch; waits when the process is some batches behind. Raises SearchError
        when it has ended."""
        if self._failed:
            self.end()
            self.finish()
        self._queue.put(_pack(operations))

    def end(self) -> None:
        """There is no more to do: let it write what it has. Does not wait."""
        self._queue.put(_pack(()))
        self._queue.put(None)

    def finish(self) -> Built:
        """Wait, after `end`, for what it has built. Raises SearchError."""
        self._thread.join()
        assert self._process.stdout is not None  # noqa: S101 - for the type checker
        answer = self._process.stdout.read()
        self._close()
        if not answer:
            code = self._process.returncode
            raise SearchError(f"The process that builds the full-text index has ended ({code}).")
        result = pickle.loads(answer)  # noqa: S301 - from our own process
        if isinstance(result, str):
            raise SearchError(f"The full-text index could not be built: {result}")
        assert isinstance(result, Built)  # noqa: S101 - for the type checker
        return result

    def kill(self) -> None:
        """Stop it wherever it is."""
        self._process.kill()
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
        self._close()

    def _close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._process.wait()

    def _write(self) -> None:
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - for the type checker
        while (batch := self._queue.get()) is not None:
            # When it has ended, `finish` says why; what is still sent goes nowhere.
            if not self._failed:
                try:
                    stream.write(batch)
                    stream.flush()
                except OSError:
                    self._failed = True


def _pack(operations: Sequence[Operation]) -> bytes:
    # Tuples: a data class is pickled five times slower.
    get_fields = attrgetter(*_FIELDS)
    rows = [get_fields(op) if isinstance(op, IndexDocument) else op for op in operations]
    return _frame(rows)


def _frame(content: object) -> bytes:
    data = pickle.dumps(content, 5)
    return _LENGTH.pack(len(data)) + data


def _read(stream: BinaryIO) -> object:
    """The next thing that was sent; None when the parent is gone."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    data = stream.read(length)
    if len(data) < length:
        return None
    content: object = pickle.loads(data)  # noqa: S301 - from our own parent
    return content


def _read_operations(stream: BinaryIO) -> list[Operation] | None:
    rows = _read(stream)
    if not isinstance(rows, list):
        return None
    return [IndexDocument(*row) if isinstance(row, tuple) else row for row in rows]


def main(folder: str) -> None:
    """Build the index in the folder from what comes on standard input."""
    # Nearly everything made here lives until the segment is written: looking for rubbish
    # in it takes a fifth of the time and finds none.
    gc.disable()
    result: Built | str
    try:
        limits = _read(sys.stdin.buffer)
        if not isinstance(limits, BuildLimits):
            sys.exit(1)
        builder = Builder(Path(folder), limits)
        while operations := _read_operations(sys.stdin.buffer):
            builder.apply(operations)
        if operations is None:
            sys.exit(1)
        result = builder.finish()
    except (OSError, SearchError, MemoryError) as error:
        result = f"{error} ({type(error).__name__})"
    try:
        sys.stdout.buffer.write(pickle.dumps(result))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.exit(1)
