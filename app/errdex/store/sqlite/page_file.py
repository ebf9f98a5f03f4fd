"""Rendered pages, kept in a file beside the database.

All workers share the file, and it outlives them. Nothing depends on it: what cannot be written
is not kept, what was damaged is not served, and the file is safe to delete. So it is written
without waiting for the disk, which a database must do.
"""

from __future__ import annotations

import logging
import sqlite3
import zlib
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from errdex.store.values import KeptPage

log = logging.getLogger("errdex")

_FORMAT = 1
_CHECK_EVERY = 100
"""Pages put before the size is looked at."""
_PARTS = 256
"""A file that has become too large loses one part in so many, as often as needed."""
_WAIT_SECONDS, _PATIENT_SECONDS = 0.02, 30.0
"""For another process that is writing; the page is not kept then."""
_TABLE = """CREATE TABLE page (
    address INTEGER NOT NULL PRIMARY KEY,
    etag TEXT NOT NULL,
    shows BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    body BLOB NOT NULL
)"""


_FIND = "SELECT etag, shows, body, checksum FROM page WHERE address = ?"


class PageFile:
    """The file. Safe to use from several threads; raises nothing."""

    def __init__(self, path: Path, most_bytes: int, *, patient: bool = False) -> None:
        """`patient`: to wait for others that write, rather than not to keep a page."""
        self._path = path
        self._most_bytes = most_bytes
        self._wait_seconds = _PATIENT_SECONDS if patient else _WAIT_SECONDS
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._closed = most_bytes <= 0
        self._puts = 0
        self.dropped = 0
        """How many pages had to make room for others."""
        self._next_part = 0

    def find(self, address: str) -> KeptPage | None:
        """The page last put under the address, if it is sound."""
        with self._lock:
            try:
                connection = self._open()
                row = connection and connection.execute(_FIND, (_number_of(address),)).fetchone()
            except (sqlite3.Error, OSError) as error:
                self._start_again(error)
                return None
        if not row:
            return None
        page = KeptPage(*row[:3])
        return page if _checksum(page) == row[3] else None

    def put(self, address: str, page: KeptPage) -> None:
        """Keep the page instead of the one before it at the address."""
        values = (_number_of(address), page.etag, page.shows, _checksum(page), page.body)
        with self._lock:
            try:
                if connection := self._open():
                    connection.execute("REPLACE INTO page VALUES (?, ?, ?, ?, ?)", values)
                    self._puts += 1
                    if self._puts % _CHECK_EVERY == 0:
                        self._make_room(connection)
            except (sqlite3.Error, OSError) as error:
                self._start_again(error)

    def close(self) -> None:
        """Keep and find nothing any more."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _open(self) -> sqlite3.Connection | None:
        if self._connection is None and not self._closed:
            if self._path.exists() and self._path.stat().st_size > self._most_bytes * 2:
                self._remove()  # its bound was made smaller
            # Several threads use it, one at a time.
            connection = sqlite3.connect(
                self._path,
                timeout=self._wait_seconds,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                _prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """Drop pages until the file's bound is kept: part by part of all addresses, which are
        hashes, so that no page is dropped for what it is."""
        for _ in range(_PARTS):
            if _bytes_used(connection) <= self._most_bytes:
                return
            self._next_part = (self._next_part + 1) % _PARTS
            step = (1 << 64) // _PARTS
            first = self._next_part * step - (1 << 63)
            dropping = connection.execute(
                "DELETE FROM page WHERE address BETWEEN ? AND ?", (first, first + step - 1)
            )
            self.dropped += dropping.rowcount

    def _start_again(self, error: Exception) -> None:
        """After a failure: a file that is no database is replaced; one that cannot be written
        or is full is left alone until the next start; one that is busy is asked again."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return
        self._let_go()
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) and self._remove():
            log.warning("The file of kept pages was damaged and is started again: %s", self._path)
            return
        self._closed = True
        log.info("Made pages are kept in memory only: %s: %s", self._path, error)

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _remove(self) -> bool:
        try:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        except OSError:
            return False
        return True


def _prepare(connection: sqlite3.Connection) -> None:
    for setting in ("journal_mode = WAL", "synchronous = OFF"):
        connection.execute(f"PRAGMA {setting}").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone() != (_FORMAT,):
        connection.execute("DROP TABLE IF EXISTS page")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
    connection.execute("COMMIT")


def _bytes_used(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _number_of(address: str) -> int:
    digest = blake2b(address.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def _checksum(page: KeptPage) -> int:
    return zlib.crc32(page.body, zlib.crc32(page.shows, zlib.crc32(page.etag.encode())))
