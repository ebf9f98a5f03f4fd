"""One byte of the file changed: every answer is right or a clear error, never wrong data."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from errdex.records.filters import Filters
from errdex.store import Snapshot, Store, StoreDamaged, StoreError, StoreTooOld, open_database
from errdex.store.keys import key_of
from errdex.store.sqlite.migrations import MIGRATIONS, migrate

CHANGES = 120
RECORDS = 40
QUESTIONS: dict[str, Callable[[Snapshot], object]] = {
    "version": lambda snapshot: snapshot.version,
    "record": lambda snapshot: [snapshot.find(f"{n:016x}") for n in range(RECORDS + 1)],
    "records": lambda snapshot: snapshot.find_many(f"{n:016x}" for n in range(RECORDS + 1)),
    "summaries": lambda snapshot: snapshot.find_summaries(f"{n:016x}" for n in range(RECORDS + 1)),
    "all": lambda snapshot: list(snapshot.documents()),
    "list": lambda snapshot: snapshot.list_records(limit=100),
    "of a repository": lambda snapshot: snapshot.list_records(Filters(repo="owner/one")),
    "of a class": lambda snapshot: snapshot.list_records(Filters(error_class="KeyError")),
    "of a tag": lambda snapshot: snapshot.list_records(Filters(tag="even"), limit=100),
    "of a dataset": lambda snapshot: snapshot.list_records(Filters(dataset="main"), limit=100),
    "patterns": lambda snapshot: list(snapshot.patterns()),
    "repositories": lambda snapshot: snapshot.counts("repo"),
    "tags": lambda snapshot: snapshot.counts("tag"),
    "number": lambda snapshot: snapshot.count_records(),
    "stats": lambda snapshot: snapshot.stats(),
}


@pytest.fixture
def whole(store: Store, make_record: Callable[..., object], fill: Callable[..., str]) -> Path:
    """A database with some of everything, in one file."""
    fill(
        *(
            make_record(
                number,
                repo="owner/one" if number % 3 else "owner/two",
                error_class="KeyError" if number % 5 else "ValueError",
                tags=("even",) if number % 2 == 0 else ("odd", f"tag-{number}"),
                background_tag="background",
                body_json=f'{{"id": "{number:016x}", "documentation": "{"because " * 60}"}}',
            )
            for number in range(RECORDS)
        )
    )
    store.close()
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return store.path


def answers(path: Path) -> Iterator[tuple[str, object]]:
    """Each question with its answer, or the StoreError that answers it."""
    store = open_database(f"sqlite:///{path}")
    try:
        for name, ask in QUESTIONS.items():
            try:
                with store.snapshot() as snapshot:
                    yield name, ask(snapshot)
            except StoreError as error:
                yield name, error
    finally:
        store.close()


def damage_of(path: Path) -> list[str]:
    store = open_database(f"sqlite:///{path}")
    try:
        return store.find_damage()
    except StoreError as error:
        return [str(error)]
    finally:
        store.close()


@pytest.mark.slow
def test_a_changed_byte_is_told_or_without_effect(whole: Path, tmp_path: Path) -> None:
    right = dict(answers(whole))
    data = whole.read_bytes()
    chance = random.Random(20261129)
    noticed = 0
    copy = tmp_path / "copy.db"
    for _ in range(CHANGES):
        at, bit = chance.randrange(100, len(data)), 1 << chance.randrange(8)
        changed = bytearray(data)
        changed[at] ^= bit
        copy.write_bytes(changed)
        told = dict(answers(copy))
        errors = [each for each in told.values() if isinstance(each, StoreError)]
        for name, answer in told.items():
            assert isinstance(answer, StoreError) or answer == right[name], f"{name}, byte {at}"
        assert not any("\n" in str(each) for each in errors)
        if errors:
            noticed += 1
            assert damage_of(copy), f"not found by looking for it: byte {at}"
        for beside in tmp_path.glob("copy.db-*"):
            beside.unlink()
    assert noticed > CHANGES // 10


CHANGED_IN_PLACE = (
    "UPDATE record SET slug = 'other' WHERE key = :key",
    "UPDATE record SET pattern = 'other' WHERE key = :key",
    "UPDATE record SET tags = '[]' WHERE key = :key",
    "UPDATE record SET body_sum = NULL WHERE key = :key",
    "UPDATE record_body SET body_json = '{}' WHERE record_key = :key",
    "UPDATE record_body SET body_json = x'ff' WHERE record_key = :key",
    "UPDATE record_body SET record_key = -9 WHERE record_key = :key",
    "DELETE FROM record WHERE key = :key",
)


@pytest.mark.parametrize("change", CHANGED_IN_PLACE)
def test_a_damaged_record_is_named_and_the_others_are_served(whole: Path, change: str) -> None:
    with closing(sqlite3.connect(whole)) as connection, connection:
        connection.execute(change, {"key": key_of(f"{7:016x}")})
    store = open_database(f"sqlite:///{whole}")
    with store.snapshot() as snapshot:
        with pytest.raises(StoreDamaged, match=r"0000000000000007.*errdex verify"):
            snapshot.find(f"{7:016x}")
        assert snapshot.find(f"{8:016x}") is not None
        with pytest.raises(StoreDamaged):
            list(snapshot.documents())
    assert store.find_damage()
    store.close()


def test_a_sound_database_has_no_damage(whole: Path) -> None:
    assert damage_of(whole) == []


def test_a_database_without_checksums_is_given_them(whole: Path, tmp_path: Path) -> None:
    """As one that the version before made."""
    right = dict(answers(whole))
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        migrate(connection, old, MIGRATIONS[:1])
        connection.execute("ATTACH ? AS new", (str(whole),))
        for table in ("dataset", "ingestion", "record", "record_body", "record_tag", "facet_count"):
            names = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
            columns = ", ".join(f'"{name}"' for name in names)
            connection.execute(
                f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}"  # noqa: S608
            )
    store = open_database(f"sqlite:///{old}")
    with pytest.raises(StoreTooOld, match="errdex ingest"):
        store.current_version()
    store.migrate()
    store.close()
    told = dict(answers(old))
    del told["stats"], right["stats"]  # which tell the size of the file
    assert told == right
    assert damage_of(old) == []
