"""What can go wrong with the database, each with a sentence that says what to do.

StoreError
├── StoreMissing    there is no database yet
├── StoreReadOnly   the file, or the folder it lies in, cannot be written
├── StoreBusy       another process held the database for too long
├── StoreFull       the disk, or the database's own limit, is full
├── StoreDamaged    not a database, not ours, or broken
├── StoreUnreachable  the database server does not answer, or not to this user
├── StoreTooOld     its tables are from an earlier version of Errdex
└── StoreTooNew     its tables are from a later version of Errdex
"""

from __future__ import annotations

from errdex.records.problems import Trouble


class StoreError(Trouble):
    """Anything the database side cannot do; the message says what to do."""


class StoreMissing(StoreError):
    """There is no database at that place yet."""


class StoreReadOnly(StoreError):
    """The database or its folder cannot be written."""


class StoreBusy(StoreError):
    """Another process kept the database locked for longer than the busy timeout."""


class StoreFull(StoreError):
    """There is no room left for the database."""


class StoreDamaged(StoreError):
    """The file is not a database, not one of Errdex, or broken."""


class StoreUnreachable(StoreError):
    """The database server does not answer, does not let this user in, or was lost meanwhile."""


class StoreTooOld(StoreError):
    """The tables are those of an earlier version and were not updated yet."""


class StoreTooNew(StoreError):
    """The tables are those of a later version than this program knows."""
