"""One ingestion at a time: a lock file next to the database.

The operating system lets go of the lock when its holder dies, however it dies.
The holder's process id is in a file beside it, for the message only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from errdex.ingest.errors import IngestError, IngestionRunning

WAIT_SECONDS = 60.0


@contextmanager
def ingestion_lock(
    database: Path, *, wait_seconds: float = WAIT_SECONDS, on_wait: Callable[[str], None]
) -> Iterator[None]:
    """Hold the lock of a database. When another process has it, `on_wait` is called once,
    and after `wait_seconds` IngestionRunning is raised."""
    lock = FileLock(database.with_name(database.name + ".lock"))
    holder = database.with_name(database.name + ".lock-pid")
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        _acquire(lock, holder, wait_seconds, on_wait)
    except OSError as error:
        raise IngestError(
            f"The lock file {lock.lock_file} cannot be made ({error.strerror or error}): give this "
            "user the right to write that folder, or set ERRDEX_DATABASE_URL to another place."
        ) from error
    try:
        with suppress(OSError):
            holder.write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        with suppress(OSError):
            holder.unlink()
        lock.release()


def _acquire(
    lock: FileLock, holder: Path, wait_seconds: float, on_wait: Callable[[str], None]
) -> None:
    try:
        lock.acquire(timeout=0)
        return
    except Timeout:
        pass
    on_wait(f"Another ingestion is running{_named(holder)}; waiting up to {wait_seconds:.0f} s.")
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise IngestionRunning(
            f"Another ingestion is still running{_named(holder)}: nothing was done. "
            "Try again when it has finished."
        ) from None


def _named(holder: Path) -> str:
    try:
        pid = holder.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""
    return f" (process {pid})" if pid.isdigit() else ""
