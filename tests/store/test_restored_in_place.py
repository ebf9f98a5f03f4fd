"""A database that is damaged and restored in place, under a store that has it open, is read as it
was: no connection goes on with the damaged pages that it has in memory."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store
from errdex.store import Store, StoreDamaged

WORD, OTHER = b"Basket", b"Bosket"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}")
    first, indexes = open_store(settings)
    load(tmp_path, first, indexes, SHOP)
    first.close()
    with closing(sqlite3.connect(first.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return open_store(settings)[0]


def write(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.write(data)


def read_all(store: Store) -> int:
    with store.snapshot() as snapshot:
        return len(list(snapshot.patterns()))


@pytest.mark.parametrize("at_once", [1, 5])
def test_what_was_read_while_it_was_damaged_is_read_again(store: Store, at_once: int) -> None:
    good = store.path.read_bytes()
    assert WORD in good
    records = len(SHOP)
    write(store.path, good.replace(WORD, OTHER))
    with ExitStack() as opened:  # each on a connection of its own
        for _ in range(at_once):
            snapshot = opened.enter_context(store.snapshot())
            with pytest.raises(StoreDamaged):
                list(snapshot.patterns())
        write(store.path, good)
    for _ in range(2 * at_once):
        assert read_all(store) == records
    assert store.find_damage() == []
    store.close()


def test_a_connection_that_met_no_damage_while_it_read_damaged_pages_forgets_them_too(
    store: Store,
) -> None:
    good = store.path.read_bytes()
    with store.snapshot() as snapshot:
        sound = [row.id for row in snapshot.patterns() if WORD.decode() not in row.pattern]
    assert sound
    write(store.path, good.replace(WORD, OTHER))
    with store.snapshot() as snapshot:
        for record_id in sound:
            assert snapshot.find(record_id)
    write(store.path, good)
    assert read_all(store) == len(SHOP)
    store.close()
