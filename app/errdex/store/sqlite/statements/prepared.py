"""Statements that are compiled ahead: those of which a command needs nothing else.

To import SQLAlchemy and SQLModel and to describe the tables took half of the time that
`errdex match` took for one error. queries.py says what the statements are; readying.py keeps
their texts beside this file, and a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from errdex.store.sqlite.statements.compiled import Query

KEPT_IN = Path(__file__).with_name("prepared.json")


def version() -> Query:
    """The version that is served, its checksum and the newest migration."""
    return _statement("version")


def record() -> Query:
    """A whole record by `key`."""
    return _statement("record")


def records_by_key(*, bodies: bool) -> Query:
    """The records whose keys are in the JSON list `keys`, in any order."""
    return _statement("records_by_key" if bodies else "summaries_by_key")


def bodies_of() -> Query:
    """Those of the keys in the JSON list `keys` under which there is a body."""
    return _statement("bodies_of")


def patterns() -> Query:
    """Key, pattern and the checksum of it, of every record, by id."""
    return _statement("patterns")


def patterns_since() -> Query:
    """The same of the records that changed later than `version`."""
    return _statement("patterns_since")


def pattern_state() -> Query:
    """What `PatternState` holds."""
    return _statement("pattern_state")


def every_count() -> Query:
    """All kept counts."""
    return _statement("every_count")


def most_counted() -> Query:
    """The most frequent values of a `facet` among all records."""
    return _statement("most_counted")


@lru_cache(maxsize=1)
def _kept() -> Mapping[str, Any]:
    statements: Mapping[str, Any] = orjson.loads(KEPT_IN.read_bytes())
    return statements


@lru_cache(maxsize=16)
def _statement(name: str) -> Query:
    kept = _kept()[name]
    return Query(kept["sql"], tuple(kept["names"]), kept["fixed"])
