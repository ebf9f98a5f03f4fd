"""PostgreSQL: what can go wrong there, who writes at once, and news of it."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool
from tests.loops import for_each
from tests.postgres import PostgresServer
from tests.store.conftest import bring_up_to_date

from errdex.records.filters import Filters
from errdex.store import (
    NewRecord,
    Primary,
    Replica,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    StoreTooNew,
    StoreTooOld,
    StoreUnreachable,
    open_database,
    open_primary,
)
from errdex.store.postgres.address import PostgresAddress
from errdex.store.postgres.errors import explain
from errdex.store.postgres.migrations import SCHEMA
from errdex.store.postgres.primary import PostgresPrimary
from errdex.store.schema.tables import HELD, RECORD, table_of

pytestmark = pytest.mark.tools("postgres")
ONE, TWO = f"{1:016x}", f"{2:016x}"
WRONG, READER = "secret", "word"


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.make_database()


@pytest.fixture
def primary(url: str) -> Iterator[Primary]:
    opened = open_primary(url)
    opened.migrate()
    with closing(opened):
        yield opened


@pytest.fixture
def replica(url: str, primary: Primary, tmp_path: Path) -> Iterator[Replica]:
    opened = open_database(url, cache=tmp_path)
    assert isinstance(opened, Replica)
    with closing(opened):
        yield opened


@pytest.fixture
def put(primary: Primary, make_record: Callable) -> Callable[..., str]:
    """`put(1, 2, dataset="main")`: add records by their numbers; gives the version."""

    def add(*numbers: int, dataset: str = "main") -> str:
        with primary.write(dataset) as transaction:
            transaction.add([make_record(number) for number in numbers])
            return transaction.commit()

    return add


def database_of(url: str) -> str:
    return url.rpartition("/")[2]


def ids_in(replica: Replica) -> list[str]:
    bring_up_to_date(replica)
    with replica.snapshot() as snapshot:
        return [each.id for each in snapshot.documents()]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg2://u:secret@host/db",
        "postgres://u:secret@host/db",
        "postgresql://u:secret@host:port/db",
        "postgresql://u:secret@[half/db",
        "postgresql://u:sec#ret@host/db",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_showing_its_password(
    url: str, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match=r"write it like postgresql\+psycopg://USER") as refusal:
        open_database(url, cache=tmp_path)
    assert "secret" not in str(refusal.value)


def test_without_the_extra_the_message_names_it(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"pip install 'errdex\[postgres\]'"):
        open_database(url, cache=tmp_path)


def test_no_server_a_wrong_password_and_no_database_say_what_to_do(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    cases = {
        "postgresql://u:secret@127.0.0.1:1/db": "cannot be reached .*refused.*: start it",
        "postgresql://u:secret@no-such-host.invalid/db": "cannot be reached .*: start it",
        postgres.url("postgres", password=WRONG): "refused the user 'errdex' .*password",
        postgres.url("postgres", user="nobody", password=WRONG): "refused the user 'nobody'",
        postgres.url("no_such"): 'refused the user .*"no_such" does not exist',
    }
    for each, said in cases.items():
        store = open_database(each, cache=tmp_path)
        with pytest.raises(StoreUnreachable, match=said) as failure:
            store.migrate()
        assert "secret" not in str(failure.value), each
        with pytest.raises(StoreUnreachable, match=said):
            store.wait_for_version("", 0.1)


STATES = {
    "53100": (StoreFull, "disk is full"),
    "53200": (StoreFull, "no memory left"),
    "53300": (StoreUnreachable, "too many connections"),
    "53999": (StoreFull, "run out of something"),
    "58030": (StoreDamaged, "check its disk"),
    "XX001": (StoreDamaged, "restore a backup"),
    "57014": (StoreBusy, "statement_timeout"),
    "40001": (StoreBusy, "try again"),
    "08006": (StoreUnreachable, "lost while it was used"),
    "57P01": (StoreUnreachable, "lost while it was used"),
    "42703": (StoreTooOld, "errdex ingest"),
    "22012": (StoreError, "It refused: .*what it says"),
}


@for_each(STATES.items)
def test_what_postgresql_says_is_told_with_what_to_do(case: tuple[type[StoreError], str]) -> None:
    kind, said = case
    (state,) = (state for state, expected in STATES.items() if expected is case)

    class Original(Exception):
        sqlstate = state

    failed = DBAPIError("SELECT 'private'", {}, Original("what it says {0}"))
    explained = explain(PostgresAddress("host:5432", "user", "errdex"), failed)
    assert type(explained) is kind
    assert re.search(said, str(explained)), str(explained)
    assert "private" not in str(explained)


def test_a_users_name_is_shown_as_it_is() -> None:
    failed = DBAPIError("", {}, Exception("FATAL: no {0} entry"))
    explained = explain(PostgresAddress("host:5432", "{0}{said}", "errdex"), failed)
    assert "the user '{0}{said}' (no {0} entry)" in str(explained)


def test_the_migrations_lead_to_the_tables_of_the_models(url: str, primary: Primary) -> None:
    engine = create_engine(url, poolclass=NullPool)
    looked = inspect(engine)
    tables = {table.name: table for table in (RECORD, *map(table_of, HELD))}
    assert set(looked.get_table_names(SCHEMA)) == tables.keys()
    for name, table in tables.items():
        columns = {each["name"]: each for each in looked.get_columns(name, SCHEMA)}
        assert columns.keys() == set(table.c.keys()), name
        for column in table.c:
            there = columns[column.name]
            assert there["nullable"] == column.nullable, (name, column.name)
            types = [each.compile(dialect=engine.dialect) for each in (there["type"], column.type)]
            assert types[0].partition(" COLLATE")[0] == types[1], (name, column.name)
        primary_key = looked.get_pk_constraint(name, SCHEMA)["constrained_columns"]
        assert primary_key == [each.name for each in table.primary_key], name
        referred = {each["referred_table"] for each in looked.get_foreign_keys(name, SCHEMA)}
        assert referred == {each.column.table.name for each in table.foreign_keys}, name
        cascades = {
            each["options"].get("ondelete") for each in looked.get_foreign_keys(name, SCHEMA)
        }
        assert cascades == {each.ondelete for each in table.foreign_keys}, name
    engine.dispose()


def test_processes_that_start_at_once_migrate_once(postgres: PostgresServer, url: str) -> None:
    failures: list[BaseException] = []

    def migrate() -> None:
        try:
            open_primary(url).migrate()
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=migrate) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    rows = postgres.run("SELECT number FROM errdex.applied_migration", database_of(url))
    assert rows == [(1,)]


def test_a_database_that_is_empty_later_or_encoded_otherwise_is_refused(
    postgres: PostgresServer, url: str, primary: Primary
) -> None:
    empty = open_primary(postgres.make_database())
    for act in (lambda: empty.migrate(create=False), empty.current_version):
        with pytest.raises(StoreMissing, match="create it with `errdex ingest"):
            act()
    with pytest.raises(StoreMissing), empty.write("x"):
        pass
    postgres.run("INSERT INTO errdex.applied_migration VALUES (99, 'later', '')", database_of(url))
    for act in (primary.migrate, primary.current_version, lambda: primary.list_versions(2)):
        with pytest.raises(StoreTooNew, match=r"later version.*upgrade Errdex"):
            act()
    postgres.run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(StoreError, match="ENCODING 'UTF8'"):
        open_primary(postgres.url("latin")).migrate()


def test_two_datasets_are_written_at_once_and_versions_grow_as_they_become_visible(
    primary: Primary, replica: Replica, make_record: Callable, put: Callable
) -> None:
    first = put(7, dataset="a")
    bring_up_to_date(replica)
    with primary.write("a") as one, primary.write("b") as two:
        one.add([make_record(1)])
        one.change([make_record(7, repo="x/y")])
        two.add([make_record(2)])
        second = two.commit()
        assert ids_in(replica) == [TWO, f"{7:016x}"]
        third = one.commit()
    assert first < second < third
    assert primary.list_versions(9) == [third, second, first]
    assert ids_in(replica) == [ONE, TWO, f"{7:016x}"]
    assert primary.find_damage() == replica.find_damage() == []
    with replica.snapshot() as snapshot:
        versions = {each.id: each.changed_version for each in snapshot.documents()}
    assert versions == {ONE: third, TWO: second, f"{7:016x}": third}


def test_one_dataset_is_written_by_one_at_a_time(primary: Primary, make_record: Callable) -> None:
    waits: list[str] = []
    with primary.write("a") as one:
        one.add([make_record(1)])
        with (
            pytest.raises(StoreBusy, match=r"still running \(errdex on .* \(process \d+\)\)"),
            primary.write("a", wait_seconds=0),
        ):
            pass
        with (
            pytest.raises(StoreBusy, match="still running"),
            primary.write("a", wait_seconds=0.2, on_wait=waits.append),
        ):
            pass
        one.commit()
    assert len(waits) == 1
    assert "waiting up to" in waits[0]
    with primary.write("a", wait_seconds=0) as two:
        assert two.known([ONE])[ONE].dataset == "a"


def test_of_two_datasets_that_get_the_same_id_the_later_is_undone(
    primary: Primary, replica: Replica, make_record: Callable
) -> None:
    with primary.write("a") as one:
        one.add([make_record(1)])

        def commit() -> None:
            one.commit()

        timer = threading.Timer(0.3, commit)
        timer.start()
        with (
            pytest.raises(StoreBusy, match="records with the same ids"),
            primary.write("b") as two,
        ):
            two.add([make_record(2), make_record(1)])
        timer.join()
    assert ids_in(replica) == [ONE]


def test_what_another_process_removed_meanwhile_is_not_taken_for_changed(
    primary: Primary, replica: Replica, make_record: Callable, put: Callable
) -> None:
    put(1, 2, dataset="a")
    with primary.write("a") as one:
        assert one.known([ONE, TWO]).keys() == {ONE, TWO}
        with primary.write("b") as two:
            assert list(two.remove(Filters(repo="owner/name"))) == [ONE, TWO]
            version = two.commit()
        with pytest.raises(StoreBusy, match="Run it again"):
            one.change([make_record(1, repo="x/y"), make_record(2, repo="x/y")])
    assert primary.current_version() == version
    assert ids_in(replica) == []


def test_news_come_at_once_from_another_process(primary: Primary, put: Callable, url: str) -> None:
    first = put(1)
    with closing(open_primary(url)) as listener:
        assert listener.wait_for_version("", 600) == first
        timer = threading.Timer(0.3, put, [2])
        timer.start()
        second = listener.wait_for_version(first, 600)
        timer.join()
        assert second == primary.current_version() > first
        assert listener.wait_for_version(second, 0.05) == second


def _write_while(happening: Callable[[], object], primary: Primary, record: NewRecord) -> None:
    with primary.write("a") as transaction:
        transaction.add([record])
        happening()
        transaction.commit()


def test_a_restart_loses_nothing_and_is_survived(
    postgres: PostgresServer, primary: Primary, replica: Replica, make_record: Callable,
    put: Callable,
) -> None:  # fmt: skip
    version = put(1)
    assert ids_in(replica) == [ONE]
    assert primary.wait_for_version("", 1) == version  # it listens now
    with pytest.raises(StoreUnreachable, match=r"lost|reached"):
        _write_while(postgres.stop, primary, make_record(2))
    assert replica.current_version() == version
    with replica.snapshot() as snapshot:
        assert snapshot.find(ONE) is not None
    replica.migrate(create=False)
    with pytest.raises(StoreUnreachable, match=r"lost|reached"):
        primary.wait_for_version(version, 600)
    with pytest.raises(StoreUnreachable, match="cannot be reached"):
        primary.current_version()
    postgres.start()
    assert primary.wait_for_version("", 1) == version
    assert ids_in(replica) == [ONE]
    put(2)
    assert ids_in(replica) == [ONE, TWO]


def test_dropped_connections_are_replaced(
    postgres: PostgresServer, url: str, primary: Primary, put: Callable
) -> None:
    version = put(1)
    assert primary.wait_for_version("", 1) == version
    drop = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database_of(url)}'"  # noqa: S608, E501
    timer = threading.Timer(0.2, postgres.run, [drop])
    timer.start()
    with pytest.raises(StoreUnreachable, match="lost while it was used"):
        primary.wait_for_version(version, 600)
    timer.join()
    assert primary.wait_for_version("", 1) == version


def test_what_may_only_be_read_is_followed_and_not_written(
    postgres: PostgresServer, url: str, replica: Replica, make_record: Callable, put: Callable
) -> None:
    version = put(1)
    postgres.run(f"ALTER DATABASE {database_of(url)} SET default_transaction_read_only = on")
    with pytest.raises(StoreReadOnly, match="ingest into the primary server"):
        replica.write("main").__enter__()
    assert replica.wait_for_version("", 1) == version
    assert ids_in(replica) == [ONE]
    postgres.run(f"CREATE USER reader PASSWORD '{READER}'")
    database = database_of(url)
    postgres.run(f"ALTER DATABASE {database} RESET default_transaction_read_only")
    reader = open_primary(postgres.url(database, user="reader", password=READER))
    with pytest.raises(StoreReadOnly, match="GRANT USAGE ON SCHEMA errdex"):
        reader.current_version()
    postgres.run("GRANT USAGE ON SCHEMA errdex TO reader", database)
    postgres.run("GRANT SELECT ON ALL TABLES IN SCHEMA errdex TO reader", database)
    reader.migrate(create=False)
    assert reader.current_version() == version
    with pytest.raises(StoreReadOnly, match="lacks a right"), reader.write("main") as one:
        one.add([make_record(2)])


@pytest.mark.slow
def test_a_standby_is_followed(
    postgres: PostgresServer, primary: Primary, put: Callable, url: str, tmp_path: Path
) -> None:
    version = put(1)
    from tests.ports import reserved_port

    with reserved_port() as port:
        standby = postgres.make_standby(port)
        try:
            standby.start()
            store = open_database(standby.url(database_of(url)), cache=tmp_path / "standby")
            assert isinstance(store, Replica)
            store.migrate()
            assert ids_in(store) == [ONE]
            with pytest.raises(StoreReadOnly, match="read-only replica"):
                store.write("main").__enter__()
            put(2)
            for _ in range(600):  # it hears of nothing, so it looks
                if store.wait_for_version(version, 0.1) != version:
                    break
            assert ids_in(store) == [ONE, TWO]
            store.close()
        finally:
            standby.remove()


def test_damage_is_named_and_not_copied(
    postgres: PostgresServer, url: str, primary: Primary, replica: Replica, put: Callable
) -> None:
    put(1)
    assert ids_in(replica) == [ONE]
    put(2, 3)
    last = "record_key = (SELECT max(key) FROM errdex.record)"
    hit = f"UPDATE errdex.record_body SET body_json = body_json || ' ' WHERE {last}"  # noqa: S608
    postgres.run(hit, database_of(url))
    served = replica.current_version()
    with pytest.raises(StoreDamaged, match=f"the record {3:016x} is damaged"):
        bring_up_to_date(replica)
    assert replica.current_version() == served
    (said,) = replica.find_damage()
    assert f"{3:016x}" in said


def test_a_restored_backup_replaces_what_was_copied(
    postgres: PostgresServer, url: str, primary: Primary, replica: Replica, put: Callable
) -> None:
    """The versions that the backup has not are not known any more."""
    first = put(1)
    second = put(2)
    assert ids_in(replica) == [ONE, TWO]
    for table, column in (("record", "changed_version"), ("ingestion", "version")):
        undo = f"DELETE FROM errdex.{table} WHERE {column} = '{second}'"  # noqa: S608
        postgres.run(undo, database_of(url))
    assert ids_in(replica) == [ONE]
    assert replica.current_version() == first
    assert replica.list_versions() == [first]


def test_nothing_of_it_is_imported_for_sqlite() -> None:
    import subprocess

    program = (
        "import sys, errdex.main, errdex.cli.app; from errdex.store import open_database;"
        "open_database('sqlite:////tmp/x.db');"
        "print([n for n in sys.modules if 'psycopg' in n or n == 'errdex.store.postgres.primary'])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout == "[]\n", ran.stderr


def test_the_copy_is_private_and_named_for_the_database(url: str, tmp_path: Path) -> None:
    store = open_database(url, cache=tmp_path)
    assert store.current_version() == ""
    folder = store.path.parent
    assert folder.stat().st_mode & 0o077 == 0
    assert database_of(url).replace("_", "-") in folder.name
    assert PostgresPrimary(url, busy_timeout_ms=1).name == store.name
    assert "s3cret" not in store.name + folder.name
