"""The store in SQLite: where the file is, how it is read and how it is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from errdex.store.checksums import damaged, is_row_sound
from errdex.store.errors import StoreError, StoreReadOnly, StoreTooOld
from errdex.store.sqlite.answer_cache import AnswerCache
from errdex.store.sqlite.connections import Readers, open_writer, path_of, status_of
from errdex.store.sqlite.errors import explained
from errdex.store.sqlite.migrations import MIGRATIONS, check_newest, migrate, seal
from errdex.store.sqlite.snapshot import DatabaseSnapshot
from errdex.store.sqlite.statements import reading
from errdex.store.sqlite.statements.compiled import Runner
from errdex.store.sqlite.version_watch import VersionWatch
from errdex.store.versions import format_version

if TYPE_CHECKING:
    from errdex.store.protocol import Changes
    from errdex.store.sqlite.copying import DatabaseChanges, DatabaseCopy
    from errdex.store.sqlite.writing import DatabaseTransaction

_LOOK_SECONDS = 0.1
"""How often a new version is looked for, for those that wait for one."""


class Database:
    """One SQLite file. Safe to share between threads; opens nothing until it is used.

    `url` is like `sqlite:////var/lib/errdex.db`; a lock held by another process is
    waited for `busy_timeout_ms`, then StoreBusy is raised. An `immutable` one is only
    read, and nothing is ever written beside it. Every method raises StoreError (see
    errors.py), and nothing of SQLite's or SQLAlchemy's.
    """

    def __init__(self, url: str, *, busy_timeout_ms: int, immutable: bool = False) -> None:
        self.path: Path = path_of(url)
        self.name = str(self.path)
        """What messages call it."""
        self.immutable = immutable
        self._busy_timeout_ms = busy_timeout_ms
        self._readers = Readers(self.path, busy_timeout_ms, immutable=immutable)
        self._cache = AnswerCache()
        self._watch = VersionWatch(self.path)

    def migrate(self, *, create: bool = True) -> None:
        """Bring the tables of the database up to date; without `create`, raise StoreMissing
        when there is none.

        Does nothing when they are; safe when several processes do it at once. Raises
        StoreTooNew, and leaves the database alone, when a later version wrote it.
        """
        with explained(self.path):
            if status_of(self.path) is None and create and not self.immutable:
                self._make_folder()
            elif self._is_current():
                return
            with closing(open_writer(self.path, self._busy_timeout_ms)) as connection:
                migrate(connection, self.path)

    @contextmanager
    def snapshot(self) -> Iterator[DatabaseSnapshot]:
        """Read from one state of the data. Raises StoreMissing, StoreTooOld or StoreTooNew."""
        with self._reader() as connection:
            with explained(self.path):
                connection.execute("BEGIN")
                version = self._read_version(connection)
            snapshot = DatabaseSnapshot(connection, version, self.path, self._cache)
            try:
                yield snapshot
            finally:
                snapshot.end()

    @contextmanager
    def write(
        self,
        dataset: str,
        now: datetime | None = None,
        *,
        wait_seconds: float | None = None,
        on_wait: Callable[[str], object] | None = None,
    ) -> Iterator[DatabaseTransaction]:
        """Change one dataset. Waits for another writer, then raises StoreBusy. `on_wait` is not
        called: SQLite does not say that it waits.

        Nothing is changed unless `commit` is called on the transaction. `now` is the moment
        that names the new version, by default the clock's. Raises StoreReadOnly for an
        immutable database.
        """
        from errdex.store.sqlite.writing import DatabaseTransaction

        with self._writing(wait_seconds) as (run, version):
            transaction = DatabaseTransaction(run, dataset, version, now)
            yield transaction
            if transaction.committed:
                self._shorten_log(run)

    @contextmanager
    def changes(self, since: str = "") -> Iterator[DatabaseChanges]:
        """What changed since the version `since`, as of the newest one."""
        with self.snapshot() as snapshot:
            yield snapshot.changes(since)

    @contextmanager
    def receive(self, changes: Changes) -> Iterator[DatabaseCopy]:
        """Take over the version that another store's changes lead to."""
        from errdex.store.sqlite.copying import DatabaseCopy

        with self._writing() as (run, _):
            transaction = DatabaseCopy(run, changes)
            yield transaction
            if transaction.committed:
                self._shorten_log(run)

    @contextmanager
    def _writing(self, wait_seconds: float | None = None) -> Iterator[tuple[Runner, str]]:
        """The write lock, and the version that is served."""
        self.check_mutable()
        wait_ms = self._busy_timeout_ms if wait_seconds is None else round(wait_seconds * 1000)
        with explained(self.path):
            self._readers.renew_if_replaced()
            connection = open_writer(self.path, wait_ms)
        with closing(connection):
            run = Runner(connection, self.path)
            run.run_text("BEGIN IMMEDIATE")
            try:
                yield run, self._read_version(connection)
            finally:
                # Closing alone keeps the lock while somebody holds a statement that is not read
                # to its end, such as an exception with its frames.
                if connection.in_transaction:
                    connection.rollback()

    def seal(self, moment: datetime) -> None:
        """Make the database ready to be shipped and opened as immutable: one file without a
        log, compact, with `moment` in place of the times at which its tables were made."""
        self.check_mutable()
        self.close()
        with explained(self.path), closing(open_writer(self.path, 0)) as connection:
            seal(connection, format_version(moment))

    def list_versions(self, limit: int = 2) -> list[str]:
        """The newest versions, newest first: the one that is served, the one before it, …"""
        with self.snapshot() as snapshot:
            return snapshot.list_versions(limit)

    def current_version(self) -> str:
        """The version that a snapshot taken now would have; "" before any ingestion."""
        look = self._watch.look()
        if (version := self._watch.version_at(look)) is not None:
            return version
        with self._reader() as connection, explained(self.path):
            version = self._read_version(connection)  # one statement needs no transaction
        # Written in between, the version may be newer than the look: then it is read again.
        self._watch.remember(look, version)
        return version

    def wait_for_version(self, known: str, seconds: float) -> str:
        """The newest version as soon as it is not `known`, at the latest after so many seconds."""
        end = monotonic() + seconds
        while (version := self.current_version()) == known and (left := end - monotonic()) > 0:
            sleep(min(_LOOK_SECONDS, left))
        return version

    def find_damage(self) -> list[str]:
        """A sentence for each thing in the database that is not what was written."""
        with self.snapshot() as snapshot:
            return list(snapshot.find_damage())

    def close(self) -> None:
        """Let go of idle connections. The store can be used again afterwards."""
        self._readers.close()

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        with ExitStack() as used:
            with explained(self.path):
                self._readers.renew_if_replaced()
                connection = used.enter_context(self._readers.connection())
            yield connection

    def _read_version(self, connection: sqlite3.Connection) -> str:
        version, checksum, migration = connection.execute(reading.VERSION.sql).fetchone()
        check_newest(self.path, migration or 0, len(MIGRATIONS))
        if migration != len(MIGRATIONS):
            raise StoreTooOld(
                f"The database {self.path} has the tables of an earlier version of Errdex: "
                "run `errdex ingest` once to update them."
            )
        if version is None:
            return ""
        if not is_row_sound((version, checksum)):
            raise damaged("its version")
        return str(version)

    def check_mutable(self) -> None:
        """Raise StoreReadOnly for an immutable database."""
        if self.immutable:
            raise StoreReadOnly(
                f"The starter database {self.path} is part of the program and is never changed: "
                "name a database of your own."
            )

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreReadOnly(
                f"The folder for the database {self.path} cannot be made ({error.strerror}): give "
                "this user the right to, or set ERRDEX_DATABASE_URL to another place."
            ) from error

    @staticmethod
    def _shorten_log(run: Runner) -> None:
        """Move what was committed from the log into the database file, as far as no reader
        needs it where it is; the next writer moves the rest."""
        with suppress(StoreError):  # the commit stands; only the file stays longer
            run.run_text("PRAGMA busy_timeout = 0", "PRAGMA wal_checkpoint(TRUNCATE)")

    def _is_current(self) -> bool:
        """Whether nothing is to be done; asked without writing, so that a database that
        cannot be written but needs nothing can be read."""
        try:
            with self.snapshot():
                return True
        except StoreTooOld:
            return False
