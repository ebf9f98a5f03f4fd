"""Which records a run came across, kept on disk when they are many.

Two records with one id and different content are a mistake of the input, and what
was not seen may be pruned; neither may cost memory for each record.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    LargeBinary,
    MetaData,
    String,
    Table,
    bindparam,
    func,
    insert,
    select,
)
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.schema import CreateTable

from errdex.records.files.reader import Source
from errdex.store.keys import id_of, json_keys, key_of
from errdex.store.sqlite.statements.compiled import Runner, compiled
from errdex.store.values import Seen

SEEN: Final = Table(
    "seen",
    MetaData(),
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("content_hash", LargeBinary, nullable=False),
    Column("file", String, nullable=False),
    Column("line", BigInteger),
    Column("place", BigInteger),
    prefixes=["TEMPORARY"],
)

_CREATE = str(CreateTable(SEEN).compile(dialect=SQLiteDialect_pysqlite()))
_ADD = compiled(insert(SEEN).prefix_with("OR IGNORE"))
_KEYS = func.json_each(bindparam("keys")).table_valued("value")
_FIND = compiled(select(SEEN).where(SEEN.c.key.in_(select(_KEYS.c.value))))


class SeenTable:
    """The first appearance of each id in a run."""

    def __init__(self, run: Runner) -> None:
        self._run = run
        run.run_text(_CREATE)

    def find(self, record_ids: Iterable[str]) -> dict[str, Seen]:
        """Those of the ids that appeared before, by id."""
        rows = self._run.rows(_FIND, keys=json_keys(record_ids))
        return {
            id_of(key): Seen(id_of(key), content_hash, Source(file, line, place))
            for key, content_hash, file, line, place in rows
        }

    def add(self, seen: Iterable[Seen]) -> None:
        """Note appearances; those of an id that appeared before are ignored."""
        self._run.run_many(
            _ADD,
            [
                (key_of(each.id), each.content_hash, source.file, source.line, source.index)
                for each in seen
                for source in (each.source,)
            ],
        )


@contextmanager
def seen_without_store() -> Iterator[SeenTable]:
    """For a run that has no store: a database that SQLite itself keeps in a temporary file."""
    with closing(sqlite3.connect("", isolation_level=None)) as connection:
        run = Runner(connection, Path("(temporary)"))
        run.run_text("BEGIN")
        yield SeenTable(run)
