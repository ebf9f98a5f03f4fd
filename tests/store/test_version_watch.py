"""A version that is remembered is never one that has passed."""

from __future__ import annotations

import os
import time

import pytest

from errdex.store import open_database
from errdex.store.sqlite import version_watch
from errdex.store.sqlite.version_watch import VersionWatch


@pytest.fixture
def watch(tmp_path):
    (tmp_path / "a.db").write_bytes(b"data")
    set_age(tmp_path / "a.db", 10)
    return VersionWatch(tmp_path / "a.db")


def set_age(file, seconds):
    then = time.time_ns() - round(seconds * 1e9)
    os.utime(file, ns=(then, then))


def test_a_version_is_remembered_as_long_as_the_files_look_the_same(watch):
    look = watch.look()
    assert look is not None
    assert watch.version_at(look) is None
    watch.remember(look, "one")
    assert watch.version_at(watch.look()) == "one"


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "a.db").write_bytes(b"other"),
        lambda folder: set_age(folder / "a.db", 9),
        lambda folder: (folder / "a.db-wal").write_bytes(b"log"),
        lambda folder: (folder / "a.db").unlink(),
        lambda folder: twin(folder / "b.db").replace(folder / "a.db"),
    ],
    ids=["written", "touched", "logged", "removed", "replaced"],
)
def test_after_any_change_it_is_read_again(watch, tmp_path, change):
    watch.remember(watch.look(), "one")
    change(tmp_path)
    assert watch.version_at(watch.look()) is None


def twin(file):
    file.write_bytes(b"data")
    set_age(file, 10)
    return file


def test_what_was_just_written_is_not_relied_on(watch, tmp_path, monkeypatch):
    monkeypatch.setattr(version_watch, "SETTLED_NS", 600 * 10**9)  # longer than a test may take
    set_age(tmp_path / "a.db", 6_000)
    (tmp_path / "a.db-wal").write_bytes(b"log")
    watch.remember(watch.look(), "one")
    assert watch.version_at(watch.look()) is None
    set_age(tmp_path / "a.db-wal", 1_200)
    watch.remember(watch.look(), "one")
    assert watch.version_at(watch.look()) == "one"


def test_every_commit_is_seen_at_once_by_another_store(store, fill, make_record):
    reader = open_database(f"sqlite:///{store.path}")
    for number, pause in enumerate((0, 0.01, 0.15, 0, 0.15)):
        reader.current_version()
        time.sleep(pause)
        reader.current_version()
        assert reader.current_version() != fill(make_record(number)) == reader.current_version()
    reader.close()
