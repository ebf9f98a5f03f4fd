"""Opens what a store is kept in: the only module outside of `sqlite` and `postgres` that knows of
them. What belongs to PostgreSQL is imported for a URL that names one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from errdex.store.errors import StoreError
from errdex.store.postgres.address import PostgresAddress, is_postgres
from errdex.store.protocol import Primary, SeenRecords, Store
from errdex.store.sqlite.connections import path_of
from errdex.store.sqlite.database import Database
from errdex.store.sqlite.page_file import PageFile

__all__ = [
    "BUSY_TIMEOUT_MS",
    "PageFile",
    "database_path",
    "open_database",
    "open_primary",
    "open_seen_records",
    "seal_database",
]

BUSY_TIMEOUT_MS = 10_000
COPY_NAME = "errdex.db"
"""The file of the copy of a PostgreSQL database."""


def open_database(
    url: str,
    *,
    busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    immutable: bool = False,
    cache: Path | None = None,
) -> Store:
    """The store at `url`, like `sqlite:////var/lib/errdex.db`, or like
    `postgresql+psycopg://user:password@host/database`, of which a copy is kept in a folder in
    `cache`. A lock that another process holds is waited for `busy_timeout_ms`, then StoreBusy is
    raised. An `immutable` one is only read, and nothing is ever written beside it. Raises
    StoreError for a URL that names no database, and where the driver is missing."""
    path = database_path(url, cache)
    if not is_postgres(url):
        return Database(url, busy_timeout_ms=busy_timeout_ms, immutable=immutable)
    from errdex.store.replica import Replica

    copy = Database(f"sqlite:///{path}", busy_timeout_ms=busy_timeout_ms)
    return Replica(open_primary(url, busy_timeout_ms=busy_timeout_ms), copy)


def open_primary(url: str, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> Primary:
    """What holds the data at `url`, without a copy of it. Raises StoreError as `open_database`
    does."""
    if not is_postgres(url):
        return Database(url, busy_timeout_ms=busy_timeout_ms)
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreError(
            f"A PostgreSQL database needs the package psycopg, which cannot be used ({error}): "
            "install it with `pip install 'errdex[postgres]'`."
        ) from error
    from errdex.store.postgres.primary import PostgresPrimary

    return PostgresPrimary(url, busy_timeout_ms=busy_timeout_ms)


def database_path(url: str, cache: Path | None = None) -> Path:
    """The file that a database URL names, or in which there is a copy. Raises StoreError as
    `open_database` does."""
    if not is_postgres(url):
        return path_of(url)
    if cache is None:
        raise StoreError("Set ERRDEX_CACHE_FOLDER: there is no folder for the copy of PostgreSQL.")
    return cache.expanduser().absolute() / PostgresAddress.of(url).folder / COPY_NAME


def seal_database(url: str, moment: datetime) -> None:
    """Make a database ready to be shipped and opened as immutable: one compact file without a
    log, with `moment` in place of the times at which its tables were made."""
    Database(url, busy_timeout_ms=BUSY_TIMEOUT_MS).seal(moment)


def open_seen_records() -> AbstractContextManager[SeenRecords]:
    """For a run that has no store: they are kept in a temporary file."""
    from errdex.store.sqlite.seen_records import seen_without_store

    return seen_without_store()
