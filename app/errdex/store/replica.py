"""A store whose data are held elsewhere, and read from a copy on this host.

The primary may be slow, far away, restarting or gone: readers get answers from the copy, in
its version, whole. The copy is brought up to date by `errdex.ingest.follow`, in one atomic switch
together with its index and its pack. All that is lost with it is time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from threading import Lock

from errdex.store.errors import (
    StoreDamaged,
    StoreError,
    StoreMissing,
    StoreReadOnly,
    StoreTooNew,
    StoreTooOld,
)
from errdex.store.protocol import (
    Changes,
    CopyTransaction,
    Primary,
    Snapshot,
    Store,
    WriteTransaction,
)


class Replica:
    """The store of a primary. Writes go to the primary, queries to the copy."""

    immutable = False

    def __init__(self, primary: Primary, copy: Store) -> None:
        self.primary = primary
        """What holds the data."""
        self.copy = copy
        """What answers queries."""
        self.path: Path = copy.path
        self._made = False
        self._lock = Lock()

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.primary.name

    def check_mutable(self) -> None:
        """Raise StoreReadOnly when the primary is immutable."""
        self.primary.check_mutable()

    def migrate(self, *, create: bool = True) -> None:
        """Bring the tables of the primary up to date. Where it cannot be asked, the copy is
        served; raises StoreError when there is no version in the copy."""
        self._make_copy()
        try:
            self.primary.migrate(create=create)
        except StoreError:
            if create or not self.copy.current_version():
                raise

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Read from the version of the copy."""
        self._make_copy()
        return self.copy.snapshot()

    def write(
        self,
        dataset: str,
        now: datetime | None = None,
        *,
        wait_seconds: float | None = None,
        on_wait: Callable[[str], object] | None = None,
    ) -> AbstractContextManager[WriteTransaction]:
        """Change one dataset of the primary."""
        return self.primary.write(dataset, now, wait_seconds=wait_seconds, on_wait=on_wait)

    def changes(self, since: str = "") -> AbstractContextManager[Changes]:
        """What changed in the primary."""
        return self.primary.changes(since)

    def receive(self, changes: Changes) -> AbstractContextManager[CopyTransaction]:
        """Take over another store's version into the primary."""
        return self.primary.receive(changes)

    @contextmanager
    def receive_copy(self, changes: Changes) -> Iterator[CopyTransaction]:
        """Take over the primary's version into the copy."""
        self._make_copy()
        with self.copy.receive(changes) as transaction:
            yield transaction

    def list_versions(self, limit: int = 2) -> list[str]:
        """The newest versions of the copy, newest first."""
        self._make_copy()
        return self.copy.list_versions(limit)

    def current_version(self) -> str:
        """The version of the copy; "" before it has one."""
        self._make_copy()
        return self.copy.current_version()

    def wait_for_version(self, known: str, seconds: float) -> str:
        """The newest version of the primary."""
        return self.primary.wait_for_version(known, seconds)

    def find_damage(self) -> list[str]:
        """What is damaged in the copy and in the primary."""
        self._make_copy()
        copied = [f"{each} (in the copy {self.path})" for each in self.copy.find_damage()]
        return copied + self.primary.find_damage()

    def close(self) -> None:
        """Let go of idle connections."""
        self.copy.close()
        self.primary.close()

    def _make_copy(self) -> None:
        """Once. A copy of another version of Errdex, or a damaged one, is replaced."""
        with self._lock:
            if self._made:
                return
            try:
                self.copy.current_version()
            except (StoreMissing, StoreTooOld):
                self._migrate_copy()
            except (StoreDamaged, StoreTooNew):
                self._remove_copy()
                self._migrate_copy()
            self._made = True

    def _migrate_copy(self) -> None:
        try:
            # What it has may be of private code.
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.copy.migrate()
        except (OSError, StoreReadOnly) as error:
            raise StoreReadOnly(
                f"The copy of {self.name} cannot be kept in {self.path.parent} ({error}): set "
                "ERRDEX_CACHE_FOLDER to a folder that this user may write."
            ) from error

    def _remove_copy(self) -> None:
        self.copy.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
