"""A transaction that adds many records does without their indexes, and leaves them as they were."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from errdex.records.filters import Filters
from errdex.store.sqlite.statements.compiled import Runner


@pytest.fixture
def list_indexes(store):
    def read():
        with closing(sqlite3.connect(store.path)) as connection:
            found = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'")
            return sorted(found)

    return read


@pytest.fixture
def ran(monkeypatch):
    """The statements that are not queries, as they are run."""
    statements: list[str] = []
    run_text = Runner.run_text

    def noting(self, *texts):
        statements.extend(text.strip() for text in texts)
        run_text(self, *texts)

    monkeypatch.setattr(Runner, "run_text", noting)
    return statements


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch):
    monkeypatch.setattr("errdex.store.sqlite.writing.WORTH_IT", 5)


def test_indexes_are_left_out_and_made_again(store, make_record, list_indexes, ran):
    before = list_indexes()
    with store.write("main") as transaction:
        transaction.add([make_record(n) for n in range(4)])
        assert not any("INDEX" in text for text in ran)
        transaction.add([make_record(n) for n in range(4, 8)])
        assert any(text.startswith("DROP INDEX") for text in ran)
        transaction.add([make_record(n, repo="x/y") for n in range(8, 12)])
        assert list_indexes() == before  # as others see it
        transaction.commit()
    assert sum(text.startswith("DROP INDEX") for text in ran) == len(
        [text for text in ran if text.startswith("CREATE INDEX")]
    )
    assert list_indexes() == before
    with store.snapshot() as snapshot:
        assert snapshot.count_records() == 12
        assert snapshot.count_records(Filters(repo="x/y", severity="error")) == 4
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_what_adds_less_than_there_is_keeps_them(store, fill, make_record, ran):
    fill(*[make_record(n) for n in range(30)])
    ran.clear()
    with store.write("main") as transaction:
        for n in range(30, 60):
            transaction.add([make_record(n)])
        assert not any("INDEX" in text for text in ran)
        transaction.add([make_record(60)])
        assert any(text.startswith("DROP INDEX") for text in ran)
        transaction.commit()


def test_one_that_is_given_up_changes_nothing(store, fill, make_record, list_indexes):
    version = fill(make_record(1))
    before = list_indexes()
    with store.write("main") as transaction:
        transaction.add([make_record(n) for n in range(10, 30)])
    assert list_indexes() == before
    assert store.current_version() == version


def test_texts_are_known_and_the_unseen_removed_without_the_indexes(
    store, fill, make_record, list_indexes
):
    before = list_indexes()
    fill(*[make_record(n, source_hash=f"text {n}") for n in range(3)])
    fill(make_record(1000), dataset="other")
    with store.write("main") as transaction:
        transaction.add([make_record(n) for n in range(10, 20)])
        assert set(transaction.known_sources(["text 1", "text 9"])) == {"text 1"}
        transaction.change([make_record(1, repo="new/repo")])
        removed = set(transaction.remove_unseen())
        assert removed == {f"{n:016x}" for n in (0, 1, 2, *range(10, 20))}
        transaction.commit()
    assert list_indexes() == before
    with store.snapshot() as snapshot:
        assert [each.id for each in snapshot.list_records()] == [f"{1000:016x}"]


def test_a_reader_goes_on_meanwhile(store, fill, make_record):
    fill(*[make_record(n) for n in range(3)])
    conditions = Filters(repo="owner/name", file_path="src/module.py")
    with store.snapshot() as snapshot:
        assert len(snapshot.list_records(conditions)) == 3
        fill(*[make_record(n) for n in range(10, 30)])
        assert len(snapshot.list_records(conditions)) == 3
    with store.snapshot() as snapshot:
        assert len(snapshot.list_records(conditions)) == 23
