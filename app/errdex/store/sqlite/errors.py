"""What SQLite's errors mean, in sentences that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from errdex.store.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreTooOld,
)

_SAID = 200
"""Characters of what SQLite says."""
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}


def explain(path: Path, error: sqlite3.Error) -> StoreError:
    """The StoreError that says in words what SQLite's error means for the file at `path`."""
    said = " ".join(str(error).split())[:_SAID]  # of a damaged schema, it quotes all lines
    extended: int | None = getattr(error, "sqlite_errorcode", None)
    code = None if extended is None else extended & 0xFF  # the low byte is the primary code
    if code in _READ_ONLY:
        return StoreReadOnly(
            f"The database {path} cannot be opened for writing: give this user the right to write "
            "the file and its folder, or set ERRDEX_DATABASE_URL to another place."
        )
    if code in _BUSY:
        return StoreBusy(
            f"The database {path} is locked by another process: try again when it has finished."
        )
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(
            f"There is no room left to write the database {path}: free some space on that disk; "
            "what was there before is unchanged."
        )
    if code in _DAMAGED:
        return StoreDamaged(
            f"The file {path} is not a database or is damaged ({said}): move it away and ingest "
            "the record files again, or restore a copy."
        )
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(
            f"The disk failed while {path} was used ({said}): check the disk, then try again."
        )
    if "Could not decode to UTF-8" in said:  # it would quote what is there
        return _not_text(path)
    if "no such table" in said or "no such column" in said:
        return StoreTooOld(
            f"The database {path} lacks tables of this version of Errdex: run `errdex ingest` once."
        )
    return StoreError(f"The database {path} refused: {said}.")


def _not_text(path: Path) -> StoreDamaged:
    return StoreDamaged(
        f"The database {path} is damaged (a text in it is no text): move it away and ingest "
        "your record files again, or restore a copy of it."
    )


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into StoreErrors."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(path, error) from error
    except UnicodeDecodeError as error:  # what SQLite says of a damaged schema quotes it
        raise _not_text(path) from error
