"""The index is finished before the rows are visible, and one run goes at a time."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from errdex.ingest import (
    IndexNotBuilt,
    IngestError,
    IngestionRunning,
    IngestProgress,
    export_records,
    rebuild_index,
)
from errdex.ingest.lock import ingestion_lock
from errdex.search.fake import FakeIndexStore, FakeIndexWriter
from errdex.search.protocol import SearchError


class _FailingWriter(FakeIndexWriter):
    """Fails where it is told to."""

    fail_at = ""

    def put(self, document):
        if self.fail_at == "put":
            raise OSError(28, "No space left on device")
        super().put(document)

    def finish(self):
        if self.fail_at == "finish":
            raise SearchError("cannot be written")
        super().finish()


class _WatchedIndexes(FakeIndexStore):
    """Notes what the store showed when the index was finished."""

    def __init__(self, store) -> None:
        super().__init__()
        self.store = store
        self.begun: list[tuple[str, str | None]] = []
        self.shown: list[str] = []
        self.aborted = 0
        self.fail_at = ""

    def begin(self, version, *, base=None):
        watched = self
        inner = super().begin(version, base=base)
        self.begun.append((version, base))

        class Writer(_FailingWriter):
            fail_at = self.fail_at

            def finish(self):
                super().finish()
                watched.shown.append(watched.store.current_version())

            def abort(self):
                watched.aborted += 1
                super().abort()

        return Writer(self, version, inner._documents)


@pytest.fixture
def indexes(store):
    return _WatchedIndexes(store)


def test_the_index_is_finished_before_the_version_is_served(run, indexes, write_lines, make_body):
    first = run(write_lines([make_body(1)]))
    second = run(write_lines([make_body(2)]))
    assert indexes.shown == ["", first.version]
    assert indexes.begun == [(first.version, None), (second.version, first.version)]


@pytest.mark.parametrize("fail_at", ["put", "finish"])
def test_an_index_that_cannot_be_written_changes_nothing(
    run, served, indexes, write_lines, make_body, fail_at
):
    first = run(write_lines([make_body(1)]))
    indexes.fail_at = fail_at
    with pytest.raises(IndexNotBuilt, match=r"unchanged.*Free some space"):
        run(write_lines([make_body(1, documentation="new"), make_body(2)]))
    assert indexes.aborted == 1
    assert indexes.versions.keys() == {first.version}
    assert served()[f"{1:016x}"]["documentation"] == make_body(1)["documentation"]
    indexes.fail_at = ""
    assert run(write_lines([make_body(2)])).added == 1
    assert len(served()) == 2


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_without_a_usable_index_the_next_one_is_built_whole(
    run, served, indexes, write_lines, make_body, damage
):
    first = run(write_lines([make_body(1), make_body(2)]))
    _spoil(indexes, first.version, damage)
    report = run(write_lines([make_body(2, documentation="new"), make_body(3)]))
    assert report.changed == report.added == 1
    assert len(served()) == 3


@pytest.mark.parametrize("damage", ["missing", "damaged", "incomplete"])
def test_an_unchanged_run_repairs_the_index(run, served, indexes, write_lines, make_body, damage):
    path = write_lines([make_body(1), make_body(2)])
    first = run(path)
    _spoil(indexes, first.version, damage)
    report = run(path)
    assert report.version == first.version
    assert any("rebuilt" in note for note in report.notes)
    assert len(served()) == 2
    assert not indexes.damaged


def test_the_version_before_keeps_its_index_for_readers_who_still_have_it(
    run, indexes, write_lines, make_body
):
    versions = [run(write_lines([make_body(n)])).version for n in range(4)]
    assert indexes.versions.keys() == set(versions[-2:])


def test_what_a_killed_run_left_is_swept_by_the_next(run, indexes, write_lines, make_body):
    path = write_lines([make_body(1)])
    first = run(path)
    indexes.versions["2999-01-01T00:00:00.000Z"] = {}
    run(path)
    assert indexes.versions.keys() == {first.version}


def test_an_interrupted_run_leaves_the_old_data(run, served, indexes, write_lines, make_body):
    run(write_lines([make_body(1)]))
    before = served()

    def interrupt(progress: IngestProgress) -> None:
        if progress.phase == "committing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(write_lines([make_body(2)]), progress=interrupt)
    assert served() == before
    assert indexes.aborted == 1
    assert run(write_lines([make_body(2)])).added == 1
    assert len(served()) == 2


def test_reindexing_builds_from_the_store_alone(
    run, served, store, indexes, write_lines, make_body
):
    assert rebuild_index(_migrated(store), indexes) == ""
    first = run(write_lines([make_body(1), make_body(2)]))
    indexes.versions = {"left-over": {}}
    assert rebuild_index(store, indexes) == first.version
    assert indexes.versions.keys() == {first.version}
    assert len(served()) == 2
    indexes.fail_at = "finish"
    with pytest.raises(IndexNotBuilt):
        rebuild_index(store, indexes)
    assert indexes.aborted == 1


def test_a_second_ingestion_waits_says_so_and_gives_up(run, store, write_lines, make_body):
    told: list[IngestProgress] = []
    path = write_lines([make_body(1)])
    with (
        ingestion_lock(store.path, on_wait=told.append),
        pytest.raises(IngestionRunning, match=rf"still running \(process {os.getpid()}\)"),
    ):
        run(path, wait_seconds=0.1, progress=told.append)
    assert [each.phase for each in told] == ["waiting"]
    assert f"(process {os.getpid()})" in told[0].message
    assert run(path).added == 1


def test_a_killed_holder_does_not_hold_the_lock(run, store, write_lines, make_body):
    code = (
        "import sys, pathlib; from errdex.ingest.lock import ingestion_lock\n"
        "with ingestion_lock(pathlib.Path(sys.argv[1]), on_wait=print):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        path = write_lines([make_body(1)])
        with pytest.raises(IngestionRunning, match=f"process {child.pid}"):
            run(path, wait_seconds=0)
        child.kill()
    assert run(path, wait_seconds=0).added == 1


def test_a_folder_that_cannot_hold_the_lock_is_named(run, store, write_lines, make_body):
    path = write_lines([make_body(1)])
    store.path.parent.touch()  # a file where the folder belongs
    with pytest.raises(IngestError, match=r"lock file .* cannot be made"):
        run(path)


def test_an_export_ingests_to_equal_records(
    run, served, store, write_lines, make_body, tmp_path, indexes
):
    odd = make_body(2, documentation="\u2028 ü \x7f".replace("\x7f", ""), extra={"n": 10**30})
    without_id = make_body(3)
    del without_id["id"]
    run(write_lines([make_body(1), odd, without_id]), dataset="a")
    run(write_lines([make_body(4)]), dataset="b")
    before = served()
    whole, part = io.BytesIO(), io.BytesIO()
    assert export_records(store, whole) == 4
    assert export_records(store, part, dataset="b") == 1
    path = tmp_path / "export.jsonl"
    path.write_bytes(part.getvalue())
    again = run(path, dataset="b", prune=True)
    assert (again.unchanged, again.changed, again.removed) == (1, 0, 0)
    for body in before:
        assert body.encode() in whole.getvalue()
    path.write_bytes(whole.getvalue())
    store.close()
    for file in filter(Path.is_file, store.path.parent.glob("errdex.db*")):
        file.unlink()
    indexes.versions.clear()
    assert run(path).added == 4
    assert served() == before


def _spoil(indexes, version: str, damage: str) -> None:
    if damage == "missing":
        del indexes.versions[version]
    elif damage == "incomplete":
        indexes.versions[version].popitem()
    else:
        indexes.damaged.add(version)


def _migrated(store):
    store.migrate()
    return store
