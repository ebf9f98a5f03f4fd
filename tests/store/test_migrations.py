"""Migrations: whole or not at all, once each, and never backwards."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from sqlalchemy import create_engine

from errdex.store import StoreDamaged, StoreMissing, StoreTooNew, StoreTooOld, open_database
from errdex.store.schema.migration import Migration
from errdex.store.schema.tables import RECORD
from errdex.store.sqlite.connections import open_writer
from errdex.store.sqlite.migrations import MIGRATIONS, migrate

_SCHEMA = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"


def _structure(connection: sqlite3.Connection) -> dict[str, object]:
    """Each table's columns, keys and options, each index's columns, in comparable form."""
    found: dict[str, object] = {}
    for kind, name, sql in connection.execute(_SCHEMA).fetchall():
        if kind == "table":
            columns = connection.execute(f"PRAGMA table_info('{name}')").fetchall()
            keys = connection.execute(f"PRAGMA foreign_key_list('{name}')").fetchall()
            unique = connection.execute(f"PRAGMA index_list('{name}')").fetchall()
            found[name] = (
                sorted(column[1:] for column in columns),  # a later column is the last one
                [key[2:] for key in keys],
                sorted(row[2:4] for row in unique),
                "WITHOUT ROWID" in sql,
            )
        else:
            found[name] = re.sub(r'["\s]', "", sql).lower()
    return found


def test_the_migrations_lead_to_the_tables_of_the_models(store, tmp_path):
    made = tmp_path / "models.db"
    engine = create_engine(f"sqlite:///{made}")
    RECORD.metadata.create_all(engine)
    engine.dispose()
    with closing(sqlite3.connect(made)) as models, closing(sqlite3.connect(store.path)) as tables:
        assert _structure(tables) == _structure(models)


def test_migrating_again_writes_nothing(store):
    before = store.path.read_bytes()
    store.migrate()
    assert store.path.read_bytes() == before


def test_a_failing_migration_leaves_nothing_behind(tmp_path):
    path = tmp_path / "x.db"
    good = Migration("good", MIGRATIONS[0].statements)
    bad = Migration("bad", ("CREATE TABLE half (x INTEGER)", "CREATE TABLE record (x INTEGER)"))
    with closing(open_writer(path, 1000)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="already exists"):
            migrate(connection, path, [good, bad])
        names = [row[1] for row in connection.execute(_SCHEMA)]
        assert "record" in names
        assert "half" not in names
        rows = connection.execute("SELECT number, name FROM applied_migration").fetchall()
        assert rows == [(1, "good")]
        mended = Migration("mended", ("CREATE TABLE half (x INTEGER)",))
        migrate(connection, path, [good, mended])
        rows = connection.execute("SELECT number, name FROM applied_migration").fetchall()
        assert rows == [(1, "good"), (2, "mended")]


def test_a_database_of_a_later_version_is_refused_and_left_alone(store):
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("INSERT INTO applied_migration VALUES (99, 'later', '')")
        connection.commit()
    before = store.path.read_bytes()
    for act in (store.migrate, store.current_version, lambda: store.write("x").__enter__()):
        with pytest.raises(StoreTooNew, match=r"later version.*upgrade Errdex"):
            act()
    assert store.path.read_bytes() == before


def test_a_database_of_an_earlier_version_is_not_read_before_it_is_migrated(store):
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("DELETE FROM applied_migration WHERE number > 1")
        connection.commit()
    with pytest.raises(StoreTooOld, match="errdex ingest"):
        store.current_version()


def test_another_programs_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "places.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="another program"):
        open_database(f"sqlite:///{path}").migrate()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW endless AS WITH RECURSIVE n(i) AS "
        "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n",
        "CREATE TRIGGER endless AFTER INSERT ON dataset BEGIN DELETE FROM record; END",
    ],
)
def test_a_database_with_statements_of_its_own_is_refused(store, statement):
    store.close()
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute(statement)
        connection.commit()
    for act in (store.current_version, store.migrate, lambda: store.write("x").__enter__()):
        with pytest.raises(StoreDamaged, match="views or triggers"):
            act()


def test_an_empty_file_becomes_a_database(tmp_path):
    path = tmp_path / "empty.db"
    path.touch()
    store = open_database(f"sqlite:///{path}")
    with pytest.raises(StoreTooOld, match="errdex ingest"):
        store.current_version()
    store.migrate()
    assert store.current_version() == ""
    store.close()


def test_a_missing_database_is_said_to_be_missing_and_not_made_by_reading(tmp_path):
    store = open_database(f"sqlite:///{tmp_path / 'sub' / 'none.db'}")
    for act in (store.current_version, lambda: store.write("x").__enter__()):
        with pytest.raises(StoreMissing, match="errdex ingest"):
            act()
    assert not store.path.exists()
    store.migrate()
    assert store.current_version() == ""
    store.close()


def test_processes_that_start_at_once_migrate_once(tmp_path):
    path = tmp_path / "shared.db"
    code = (
        "import sys; from errdex.store import open_database\n"
        "store = open_database('sqlite:///' + sys.argv[1]); sys.stdin.readline(); store.migrate()\n"
        "print(repr(store.current_version()))"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for child in children:  # all have started by the time the first is let go
        assert child.stdin is not None
        child.stdin.write("\n")
    outcomes = [child.communicate(timeout=600) for child in children]
    assert outcomes == [("''\n", "")] * 4
    with closing(sqlite3.connect(path)) as connection:
        steps = connection.execute("SELECT count(*) FROM applied_migration").fetchone()
        assert steps == (len(MIGRATIONS),)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
