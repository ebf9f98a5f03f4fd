"""Opens what a store is kept in: the only module outside of `sqlite` that knows of it."""

from __future__ import annotations

from contextlib import AbstractContextManager

from errdex.store.protocol import SeenRecords, Store
from errdex.store.sqlite.database import Database
from errdex.store.sqlite.page_file import PageFile

__all__ = ["BUSY_TIMEOUT_MS", "PageFile", "open_database", "open_seen_records"]

BUSY_TIMEOUT_MS = 10_000


def open_database(url: str, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> Store:
    """The store at `url`, like `sqlite:////var/lib/errdex.db`. A lock that another process holds
    is waited for `busy_timeout_ms`, then StoreBusy is raised. Raises StoreError for a URL that
    names no SQLite file."""
    return Database(url, busy_timeout_ms=busy_timeout_ms)


def open_seen_records() -> AbstractContextManager[SeenRecords]:
    """For a run that has no store: they are kept in a temporary file."""
    from errdex.store.sqlite.seen_records import seen_without_store

    return seen_without_store()
