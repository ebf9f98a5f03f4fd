"""Opens what a store is kept in: the only module outside of `sqlite` that knows of it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from errdex.store.protocol import SeenRecords, Store
from errdex.store.sqlite.connections import path_of
from errdex.store.sqlite.database import Database
from errdex.store.sqlite.page_file import PageFile

__all__ = [
    "BUSY_TIMEOUT_MS",
    "PageFile",
    "database_path",
    "open_database",
    "open_seen_records",
    "seal_database",
]

BUSY_TIMEOUT_MS = 10_000


def open_database(
    url: str, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS, immutable: bool = False
) -> Store:
    """The store at `url`, like `sqlite:////var/lib/errdex.db`. A lock that another process holds
    is waited for `busy_timeout_ms`, then StoreBusy is raised. An `immutable` one is only read,
    and nothing is ever written beside it. Raises StoreError for a URL that names no SQLite
    file."""
    return Database(url, busy_timeout_ms=busy_timeout_ms, immutable=immutable)


def database_path(url: str) -> Path:
    """The file that a database URL names. Raises StoreError as `open_database` does."""
    return path_of(url)


def seal_database(url: str, moment: datetime) -> None:
    """Make a database ready to be shipped and opened as immutable: one compact file without a
    log, with `moment` in place of the times at which its tables were made."""
    Database(url, busy_timeout_ms=BUSY_TIMEOUT_MS).seal(moment)


def open_seen_records() -> AbstractContextManager[SeenRecords]:
    """For a run that has no store: they are kept in a temporary file."""
    from errdex.store.sqlite.seen_records import seen_without_store

    return seen_without_store()
