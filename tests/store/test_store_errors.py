"""A database that is full, locked, damaged, read-only or replaced: a sentence that helps."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from errdex.store import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    open_database,
)


@pytest.mark.parametrize(
    "url", ["", "nonsense", "sqlite://", "sqlite:///:memory:", "mysql://u:secret@host/db"]
)
def test_a_url_that_names_no_file_is_refused_without_showing_its_password(url):
    with pytest.raises(StoreError, match="sqlite:////var/lib") as refusal:
        open_database(url)
    assert "secret" not in str(refusal.value)


def test_a_path_in_the_urls_place_is_told_as_a_url():
    with pytest.raises(StoreError, match=r"write it like sqlite:////srv/errdex\.db\.$"):
        open_database("/srv/errdex.db")


def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path / "errdex.db"
    path.write_text("this is a text file, longer than the header of a database " * 20)
    store = open_database(f"sqlite:///{path}")
    for act in (store.migrate, store.current_version):
        with pytest.raises(StoreDamaged, match=r"not a database or is damaged.*move it away"):
            act()


def test_a_folder_in_the_databases_place(tmp_path):
    store = open_database(f"sqlite:///{tmp_path}")
    for act in (store.migrate, store.current_version):
        with pytest.raises(StoreError, match="is a folder: name a file in it"):
            act()


def test_a_file_in_the_folders_place(tmp_path):
    (tmp_path / "data").touch()
    with pytest.raises(StoreReadOnly, match=r"cannot be made.*ERRDEX_DATABASE_URL"):
        open_database(f"sqlite:///{tmp_path / 'data' / 'errdex.db'}").migrate()


def test_a_damaged_page_is_named_when_it_is_read(store, make_record, fill):
    fill(*(make_record(number, body_json="x" * 3000) for number in range(300)))
    store.close()
    size = store.path.stat().st_size
    with store.path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096 * 20)
    with store.snapshot() as snapshot, pytest.raises(StoreDamaged, match="restore a copy"):
        list(snapshot.documents())


def test_a_lock_is_waited_for_and_then_named(store, make_record):
    hasty = open_database(f"sqlite:///{store.path}", busy_timeout_ms=50)
    with store.write("main") as transaction:
        transaction.add([make_record(1)])
        with pytest.raises(StoreBusy, match="locked by another process"):
            hasty.write("main").__enter__()
        assert hasty.current_version() == "", "a writer must not lock readers out"
        transaction.commit()
    assert hasty.current_version() != ""
    hasty.close()


def test_a_full_disk_leaves_what_was_there(store, make_record, fill, monkeypatch):
    version = fill(make_record(1))

    def open_small(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 3}")
        return connection

    monkeypatch.setattr("errdex.store.sqlite.database.open_writer", open_small)
    records = [make_record(n, body_json="x" * 9000) for n in range(2, 50)]
    with pytest.raises(StoreFull, match=r"no room left.*unchanged"):
        fill(*records)
    with store.snapshot() as snapshot:
        assert snapshot.version == version
        assert snapshot.count_records() == len(list(snapshot.documents())) == 1


def test_a_replaced_file_is_noticed(store, make_record, fill, tmp_path):
    fill(make_record(1))
    other = open_database(f"sqlite:///{tmp_path / 'other.db'}")
    other.migrate()
    with other.write("main") as transaction:
        transaction.add([make_record(2), make_record(3)])
        version = transaction.commit()
    other.close()
    with store.snapshot() as snapshot:
        assert snapshot.count_records() == 1
    other.path.replace(store.path)
    for suffix in ("-wal", "-shm"):
        store.path.with_name(store.path.name + suffix).unlink(missing_ok=True)
    with store.snapshot() as snapshot:
        assert snapshot.version == version
        assert snapshot.count_records() == 2


_READ = """
import os, sys
from errdex.store import StoreError, open_database
from errdex.store.sqlite import writing
from errdex.store.sqlite.statements import queries  # which that user may not read
store = open_database("sqlite:///" + sys.argv[1])
if os.geteuid() == 0:  # root may write everywhere
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
try:
    store.migrate()
    with store.snapshot() as snapshot:
        print("read", len(list(snapshot.documents())))
    with store.write("main") as transaction:
        print("wrote")
except StoreError as error:
    print(type(error).__name__, error)
"""


def _read_as_another_user(path: Path) -> str:
    run = subprocess.run(
        [sys.executable, "-c", _READ, str(path)], capture_output=True, text=True, timeout=600
    )
    assert run.stderr == ""
    return run.stdout


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach; pytest's own are private."""
    with tempfile.TemporaryDirectory(prefix="errdex-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_folder_that_may_not_be_entered_is_named(open_folder):
    (open_folder / "private").mkdir(mode=0o700)
    (open_folder / "private").chmod(0)
    said = _read_as_another_user(open_folder / "private" / "errdex.db")
    assert said.startswith("StoreReadOnly")
    assert "right to enter its folder" in said


def test_a_read_only_folder_can_be_read(store, make_record, fill, open_folder):
    fill(make_record(1), make_record(2))
    store.close()
    path = open_folder / "errdex.db"
    shutil.copy(store.path, path)
    path.chmod(0o444)
    open_folder.chmod(0o555)
    try:
        read, refused = _read_as_another_user(path).splitlines()
    finally:
        open_folder.chmod(0o755)
    assert read == "read 2"
    assert refused.startswith("StoreReadOnly")
    assert "ERRDEX_DATABASE_URL" in refused


def test_a_read_only_folder_with_an_unfinished_log_says_what_to_do(
    store, make_record, fill, open_folder
):
    fill(make_record(1))
    path = open_folder / "errdex.db"
    with closing(sqlite3.connect(store.path)) as connection:  # keeps the log in being
        connection.execute("SELECT count(*) FROM record").fetchone()
        fill(make_record(2))
        for suffix in ("", "-wal"):
            shutil.copy(f"{store.path}{suffix}", f"{path}{suffix}")
            Path(f"{path}{suffix}").chmod(0o444)
    open_folder.chmod(0o555)
    try:
        said = _read_as_another_user(path)
    finally:
        open_folder.chmod(0o755)
    assert said.startswith(("StoreReadOnly", "read 2"))


def test_an_immutable_database_is_read_anew_when_it_changed(
    store, make_record, fill, tmp_path, monkeypatch
):
    """Without a log in its folder the file is opened as immutable; see connections.py."""
    fill(make_record(1))
    store.close()
    reader = open_database(f"sqlite:///{store.path}")
    connect = reader._readers._connect

    def refuse_log(how: str) -> sqlite3.Connection:
        if how == "mode=rw":
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return connect(how)

    monkeypatch.setattr(reader._readers, "_connect", refuse_log)
    with reader.snapshot() as snapshot:
        assert snapshot.count_records() == 1
    fill(make_record(2))
    store.close()
    with reader.snapshot() as snapshot:
        assert snapshot.count_records() == 2
    reader.close()
