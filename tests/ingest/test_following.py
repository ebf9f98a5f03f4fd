"""The copy on a host: brought up to date in one switch, and served while nothing else answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from errdex.ingest import IngestionRunning, catch_up, follow, ingest, rebuild_index, remove
from errdex.ingest.lock import ingestion_lock
from errdex.knowledge.packs import PackFolder
from errdex.search.fake import FakeIndexStore
from errdex.search.protocol import SearchError
from errdex.store import (
    Replica,
    Store,
    StoreDamaged,
    StoreUnreachable,
    open_database,
)

Body = dict[str, Any]


@pytest.fixture
def primary(tmp_path: Path) -> Iterator[Store]:
    """Any database may hold the data: with SQLite's the tests need no server."""
    store = open_database(f"sqlite:///{tmp_path / 'primary.db'}")
    with closing(store):
        yield store


@pytest.fixture
def open_host(primary: Store, tmp_path: Path) -> Callable[[str], Replica]:
    """`open_host("one")`: what the host of that name answers from."""

    def open_on(name: str) -> Replica:
        return Replica(primary, open_database(f"sqlite:///{tmp_path / name / 'errdex.db'}"))

    return open_on


def served(host: Replica, indexes: FakeIndexStore) -> dict[str, str]:
    """The message of each record that the host serves, with index and pack compared."""
    with host.snapshot() as snapshot:
        found = {each.id: each.error_message for each in snapshot.documents()}
        if snapshot.version:
            documents = indexes.versions[snapshot.version]
            assert {key: each.message for key, each in documents.items()} == found
            patterns = PackFolder(host.path).open(snapshot.version, len(found))
            assert len(patterns) == len(found)
    return found


def test_hosts_serve_what_one_of_them_ingested(
    open_host: Callable[[str], Replica], make_body: Callable[..., Body], write_lines: Callable
) -> None:
    one, two = open_host("one"), open_host("two")
    first, second = FakeIndexStore(), FakeIndexStore()
    bodies = [make_body(number) for number in range(5)]
    report = ingest([write_lines(bodies)], store=one, indexes=first, dataset="main")
    assert report.ok
    assert (report.added, report.version) == (5, one.current_version())
    assert len(served(one, first)) == 5
    assert served(two, second) == {}
    assert follow(two, second) == report.version
    assert served(two, second) == served(one, first)
    changed = [*bodies[:2], make_body(3, errorMessage="the frobnicator {x} is new")]
    ingest([write_lines(changed)], store=two, indexes=second, dataset="main", prune=True)
    follow(one, first)
    assert len(served(one, first)) == 3
    assert served(one, first) == served(two, second)
    assert one.list_versions() == two.list_versions() == one.primary.list_versions()
    remove(store=one, indexes=first, repo="owner/name")
    assert served(one, first) == {}
    follow(two, second)
    assert served(two, second) == {}


def test_a_host_that_was_away_takes_all_versions_at_once(
    open_host: Callable[[str], Replica], make_body: Callable[..., Body], write_lines: Callable
) -> None:
    one, two = open_host("one"), open_host("two")
    first, second = FakeIndexStore(), FakeIndexStore()
    for number in range(3):
        body = make_body(number, formerIds=[f"{100 + number:016x}"])
        ingest([write_lines([body])], store=one, indexes=first, dataset=f"set{number}")
        if number == 0:
            follow(two, second)
    follow(two, second)
    assert served(two, second) == served(one, first)
    with one.snapshot() as here, two.snapshot() as there:
        assert list(here.documents()) == list(there.documents())
        assert here.stats().datasets == there.stats().datasets
        assert there.find_successor(f"{102:016x}") == there.find(f"{2:016x}")
    assert two.find_damage() == []


def test_a_failed_index_leaves_what_was_served_and_is_tried_again(
    open_host: Callable[[str], Replica], make_body: Callable[..., Body], write_lines: Callable
) -> None:
    host, indexes = open_host("one"), FakeIndexStore()
    ingest([write_lines([make_body(1)])], store=host, indexes=indexes, dataset="main")
    before = host.current_version()

    class Broken(FakeIndexStore):
        def begin(self, version: str, *, base: str | None = None):
            raise SearchError("no room")

    bodies = [make_body(1), make_body(2)]
    report = ingest([write_lines(bodies)], store=host, indexes=Broken(), dataset="main")
    assert report.ok
    assert report.version > before == host.current_version()
    assert any("does not serve them yet" in note for note in report.notes)
    assert len(served(host, indexes)) == 1
    assert follow(host, indexes) == report.version
    assert len(served(host, indexes)) == 2


def test_one_process_of_a_host_follows_at_a_time(
    open_host: Callable[[str], Replica], make_body: Callable[..., Body], write_lines: Callable
) -> None:
    one, two = open_host("one"), open_host("two")
    ingest([write_lines([make_body(1)])], store=one, indexes=FakeIndexStore(), dataset="main")
    assert two.current_version() == ""
    with (
        ingestion_lock(two.path, on_wait=lambda _: None),
        pytest.raises(IngestionRunning),
    ):
        follow(two, FakeIndexStore(), wait_seconds=0)


def test_without_the_primary_the_copy_is_served_and_an_empty_one_is_an_error(
    open_host: Callable[[str], Replica], make_body: Callable[..., Body], write_lines: Callable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    one, two = open_host("one"), open_host("two")
    indexes = FakeIndexStore()
    ingest([write_lines([make_body(1)])], store=one, indexes=indexes, dataset="main")

    def gone(*_: object, **__: object) -> None:
        raise StoreUnreachable("It is gone.")

    for name in ("current_version", "migrate", "changes"):
        monkeypatch.setattr(one.primary, name, gone)
    one.migrate(create=False)
    said = catch_up(one, indexes)
    assert said.startswith(f"It is gone. This is dataset version {one.current_version()}")
    assert len(served(one, indexes)) == 1
    assert rebuild_index(one, indexes) == one.current_version()
    with pytest.raises(StoreUnreachable):
        two.migrate(create=False)
    with pytest.raises(StoreUnreachable):
        catch_up(two, FakeIndexStore())


def test_a_copy_of_another_version_of_errdex_is_replaced(
    open_host: Callable[[str], Replica], make_body: Callable[..., Body], write_lines: Callable
) -> None:
    host, indexes = open_host("one"), FakeIndexStore()
    ingest([write_lines([make_body(1)])], store=host, indexes=indexes, dataset="main")
    host.close()
    for content in (b"not a database at all", None):
        if content is None:
            import sqlite3

            with closing(sqlite3.connect(host.path)) as connection:
                connection.execute("INSERT INTO applied_migration VALUES (99, 'later', '')")
                connection.commit()
        else:
            host.path.write_bytes(content)
        again = open_host("one")
        assert again.current_version() == ""
        follow(again, indexes)
        assert len(served(again, indexes)) == 1
        again.close()


@pytest.mark.parametrize(
    "body", ["{", "[]", "1e999", "[" * 100_000, "{}", '{"errorMessage": 5, "solutions": [1]}']
)
def test_a_forged_record_is_reported_and_what_was_served_is_served_on(
    open_host: Callable[[str], Replica],
    primary: Store,
    make_body: Callable[..., Body],
    write_lines: Callable,
    body: str,
) -> None:
    host, indexes = open_host("one"), FakeIndexStore()
    before = ingest([write_lines([make_body(1)])], store=host, indexes=indexes, dataset="main")
    with primary.changes() as changes:
        (copied,) = changes.records()
    forged = replace(copied.as_new(), id="f" * 16, body_json=body)
    with primary.write("forged") as transaction:
        transaction.add([forged])
        transaction.commit()
    with pytest.raises(StoreDamaged, match="no record under the id ffffffffffffffff"):
        follow(host, indexes)
    assert "ffffffffffffffff" in catch_up(host, indexes)
    assert host.current_version() == before.version
    assert len(served(host, indexes)) == 1
