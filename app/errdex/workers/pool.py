"""Worker processes that end with the block they were started in, and leave Ctrl-C to it.

Ctrl-C on a terminal goes to the whole group of processes. A worker never answers it, from
its first moment on: the parent does, and leaves the block. Workers then end after the
job at hand. They are not ended by a signal, since one that is stopped in the middle of an
answer's bytes leaves the parent waiting for their end.

Processes are spawned, not forked: the parent may have threads, such as those of a progress bar.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, ParamSpec, TypeVar

from errdex.workers.import_path import no_current_folder
from errdex.workers.interrupts import unheard_interrupts

P = ParamSpec("P")
R = TypeVar("R")


class WorkerPool:
    """Takes jobs for its processes, see `worker_pool`."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def submit(self, job: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> Future[R]:
        """Give a job to the next worker that is free. The future raises BrokenProcessPool when a
        worker died."""
        # A process may be started for it.
        with unheard_interrupts():
            return self._executor.submit(job, *arguments, **named)


@contextmanager
def worker_pool(
    workers: int, start: Callable[..., object] | None = None, *arguments: object
) -> Iterator[WorkerPool]:
    """So many processes, each calling `start` with the arguments first. Leaving the block waits
    for the jobs at hand; those that wait are dropped, and `is_stopped` is true in the workers
    when it is left by an exception."""
    context = get_context("spawn")
    stopped = context.RawValue("b", 0)
    with no_current_folder():
        executor = ProcessPoolExecutor(workers, context, _start, (stopped, start, arguments))
        try:
            yield WorkerPool(executor)
        except BaseException:
            stopped.value = 1
            raise
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


_STOPPED: list[Any] = []
"""In a worker: the shared number that is not 0 once nobody waits for its answers."""


def is_stopped() -> bool:
    """In a worker, whether to end the job early: nobody waits for its answer."""
    return any(flag.value for flag in _STOPPED)


def _start(
    stopped: Any,  # noqa: ANN401 - ctypes has no name for it
    start: Callable[..., object] | None,
    arguments: tuple[object, ...],
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _STOPPED.append(stopped)
    if start is not None:
        start(*arguments)
