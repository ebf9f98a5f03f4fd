"""How the database file is opened: once for writing, from a pool for reading.

Readers never write (`query_only`), never create the file, and see one state of
the data from their first read to their last. A database in a folder that cannot
be written has no place for the write-ahead log's index; SQLite then refuses to
read it at all. When no process has it open (there is no log), such a file is
opened as immutable, and that is given up as soon as the file changes.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR
from threading import Lock

from errdex import lazy_re as re
from errdex.store.checksums import row_sum, text_sum
from errdex.store.errors import StoreDamaged, StoreError, StoreMissing, StoreReadOnly

_WRITER_CACHE_KIB = 32_768
_READER_CACHE_KIB = 2_048
"""For each connection; a busy server has as many as threads. Four times as much made
nothing faster: the system keeps the file's pages as well."""
_IDLE_READERS = 16
_URL = re.compile(r"sqlite(?:\+pysqlite)?:///(?P<file>[^?]+)(?:\?.*)?", re.DOTALL)
"""As SQLAlchemy reads it."""


def path_of(url: str) -> Path:
    """The file that a database URL names. Raises StoreError when it is not SQLite's or no file."""
    named = _URL.fullmatch(url)
    if named is None or named["file"] == ":memory:":
        shown = re.sub(r"://.*", "://…", url, flags=re.DOTALL)  # what follows may have a password
        path = Path(url).absolute() if "/" in url and "://" not in url else "/var/lib/errdex.db"
        raise StoreError(
            f"The database URL {shown!r} does not name a SQLite file: write it like "
            f"sqlite:///{path}."
        )
    try:
        return Path(named["file"]).expanduser().absolute()
    except RuntimeError as error:  # this user has no home folder
        raise StoreError(
            f"The database {named['file']} cannot be placed, since this user has no home folder: "
            "set ERRDEX_DATABASE_URL to a place for it."
        ) from error


def status_of(path: Path) -> os.stat_result | None:
    """The status of a file, None when there is none. Raises StoreReadOnly when this user has
    no right to know."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreReadOnly(
            f"The database {path} cannot be reached ({error.strerror}): give this user the right "
            "to enter its folder, or set ERRDEX_DATABASE_URL to another place."
        ) from error


def open_writer(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    """A connection in autocommit mode that may create the file."""
    connection = sqlite3.connect(
        path, timeout=busy_timeout_ms / 1000, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # A commit is one instant per ingestion: it can afford to survive a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
        add_checksums(connection)
        _check_schema(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreDamaged for a database with views or triggers: they are statements, which
    whoever forged them may have made endless, in place of tables."""
    connection.execute("PRAGMA trusted_schema = OFF")
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
    ).fetchone()
    if found is not None:
        raise StoreDamaged(
            f"The database {path} has views or triggers, of which Errdex makes none: set "
            "ERRDEX_DATABASE_URL to another one."
        )


def add_checksums(connection: sqlite3.Connection) -> None:
    """Let statements on this connection use `row_sum` and `text_sum`."""
    connection.create_function("row_sum", -1, row_sum, deterministic=True)
    connection.create_function("text_sum", 2, text_sum, deterministic=True)


class Readers:
    """The read connections: as many as are needed at once, of which some are kept for the next
    ones. All are let go of when another file takes the database's place or the file is written,
    by a restored copy or when an ingestion's log is moved into it, and when damage was read: each
    has pages of its own in memory, which SQLite knows to be out of date only when it wrote the
    newer ones itself."""

    def __init__(self, path: Path, busy_timeout_ms: int, *, immutable: bool = False) -> None:
        """`immutable`: the file is never written, so it is opened without locks and logs."""
        self._path = path
        self._immutable = immutable
        self._busy_timeout_ms = busy_timeout_ms
        self._identity: tuple[int, ...] | None = None
        self._frozen: tuple[int, ...] | None = None
        """What the file looked like when it was opened as immutable."""
        self._idle: list[sqlite3.Connection] = []
        """Those that wait for their next use, the last used one last."""
        weakref.finalize(self, _close_all, self._idle)  # where nobody calls `close`
        self._generation = 0
        """Grows when all connections that are open now are not to be used again."""
        self._lock = Lock()

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection in autocommit mode, which no other caller uses meanwhile. What was begun
        and not ended on it is rolled back."""
        with self._lock:
            generation = self._generation
            connection = self._idle.pop() if self._idle else None
        if connection is None:  # a snapshot never waits for another to end
            connection = self._open()
        try:
            yield connection
        except (StoreDamaged, sqlite3.DatabaseError):
            self.close()
            raise
        finally:
            self._take_back(connection, generation)

    def _take_back(self, connection: sqlite3.Connection, generation: int) -> None:
        try:
            connection.rollback()
        except sqlite3.Error:  # a failing disk: the error was reported
            connection.close()
            return
        with self._lock:
            kept = generation == self._generation and len(self._idle) < _IDLE_READERS
            if kept:
                self._idle.append(connection)
        if not kept:
            connection.close()

    def close(self) -> None:
        """Close idle connections, and each that is in use when it has ended."""
        with self._lock:
            self._generation += 1
            idle = self._idle[:]
            self._idle.clear()
        _close_all(idle)

    def renew_if_replaced(self) -> None:
        """Let go of connections to a file that is not the database any more."""
        status = status_of(self._path)
        if status is None:
            raise StoreMissing(
                f"There is no database at {self._path}: create it with "
                f"`errdex ingest FILES --database sqlite:///{self._path}`, or name another one."
            )
        if S_ISDIR(status.st_mode):
            raise StoreError(
                f"The database {self._path} is a folder: name a file in it, "
                f"such as sqlite:///{self._path}/errdex.db."
            )
        identity = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
        replaced = self._identity not in (None, identity)
        written = self._frozen is not None and self._frozen != self._state()
        self._identity = identity
        if replaced or written:
            self._frozen = None
            self.close()

    def _open(self) -> sqlite3.Connection:
        if self._immutable:
            return self._connect("mode=ro&immutable=1")
        try:
            return self._connect("mode=rw")
        except sqlite3.OperationalError as error:
            code = error.sqlite_errorcode & 0xFF
            if code not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or self._has_log():
                raise
        state = self._state()
        connection = self._connect("mode=ro&immutable=1")
        self._frozen = state
        return connection

    def _connect(self, how: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self._path.as_uri()}?{how}",
            uri=True,
            timeout=self._busy_timeout_ms / 1000,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
            # Opening is lazy: only a read shows whether the file can be used.
            _check_schema(connection, self._path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _state(self) -> tuple[int, ...]:
        status = self._path.stat()
        return status.st_ino, status.st_mtime_ns, status.st_size, int(self._has_log())

    def _has_log(self) -> bool:
        return any(
            self._path.with_name(self._path.name + suffix).exists() for suffix in ("-wal", "-shm")
        )


def _close_all(connections: Iterable[sqlite3.Connection]) -> None:
    for connection in connections:
        connection.close()
