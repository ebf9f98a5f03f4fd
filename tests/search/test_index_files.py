"""What lies in the folder: nothing half-built, damaged or foreign is ever opened."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from tests.search.documents import ALL, LOCKED, MODULE, TOPK
from tests.search.index_folders import SMALL, build, files_of, find, names

from errdex.records.filters import Filters
from errdex.search.protocol import (
    IndexMissing,
    SearchError,
)
from errdex.search.whoosh.build import BuildLimits
from errdex.search.whoosh.index import WhooshIndexStore

pytestmark = pytest.mark.slow


def test_no_index_is_missing(folder: Path) -> None:
    store = WhooshIndexStore(folder)
    with pytest.raises(IndexMissing, match="build it"):
        store.open("v1")
    with pytest.raises(IndexMissing):
        store.begin("v2", base="v1")
    store.sweep(set())
    assert not folder.exists()


@pytest.mark.parametrize(
    "version", ["2026-11-29T10:00:00.000Z", "", "..", "a/b", "v" * 200, "ü \n"]
)
def test_any_version_is_a_folder_of_its_own(folder: Path, version: str) -> None:
    index = build(folder, version, (LOCKED,)).open(version)
    assert index.version == version
    assert find(index, "locked") == {LOCKED.record_id}
    assert len(names(folder)) == 1


def test_nothing_is_visible_before_it_is_finished(folder: Path) -> None:
    store = WhooshIndexStore(folder)
    writer = store.begin("v1")
    writer.put(LOCKED)
    with pytest.raises(IndexMissing):
        store.open("v1")
    writer.finish()
    assert store.open("v1").count() == 1
    with pytest.raises(SearchError, match="finished"):
        writer.put(LOCKED)


@pytest.mark.parametrize("limits", [None, SMALL])
def test_giving_up_leaves_nothing(folder: Path, limits: BuildLimits | None) -> None:
    writer = WhooshIndexStore(folder, limits).begin("v1")
    for document in ALL:
        writer.put(document)
    writer.abort()
    writer.abort()
    assert names(folder) == set()


def test_a_change_leaves_its_base_alone(folder: Path) -> None:
    store = build(folder, "v1")
    before = {path: path.read_bytes() for path in files_of(folder)}
    old = store.open("v1")
    writer = store.begin("v2", base="v1")
    writer.put(replace(LOCKED, message="all is well"))
    writer.delete(MODULE.record_id)
    writer.delete("no such id")
    writer.put(replace(TOPK, record_id="f" * 16))
    writer.finish()
    new = store.open("v2")
    assert old.count() == len(ALL)
    assert new.count() == len(ALL)
    for index in (old, store.open("v1")):
        assert find(index, '"is locked"') == {LOCKED.record_id}
        assert MODULE.record_id in find(index, "module")
    assert find(new, '"is locked"') == set()
    assert find(new, '"all is well"') == {LOCKED.record_id}
    assert MODULE.record_id not in find(new, "module")
    assert find(new, "topk") == {TOPK.record_id, "f" * 16}
    assert {path: path.read_bytes() for path in before} == before


def test_what_is_put_and_deleted_in_one_build_happens_in_order(folder: Path) -> None:
    for limits in (None, SMALL):
        shutil.rmtree(folder, ignore_errors=True)
        store = WhooshIndexStore(folder, limits)
        writer = store.begin("v1")
        for document in (*ALL, *ALL):
            writer.put(document)
        writer.delete(LOCKED.record_id)
        writer.delete(MODULE.record_id)
        writer.put(replace(MODULE, message="again"))
        writer.finish()
        index = store.open("v1")
        assert index.count() == len(ALL) - 1
        assert find(index, "locked") == set()
        assert find(index, '"again"') == {MODULE.record_id}


def test_many_changes_are_merged_and_the_last_record_can_go(folder: Path) -> None:
    store = build(folder, "0", limits=SMALL)
    for n in range(1, 12):
        document = ALL[n % len(ALL)]
        build(folder, str(n), (replace(document, message=f"change {n}"),), str(n - 1), SMALL)
        store.sweep({str(n)})
    assert store.open("11").count() == len(ALL)
    assert len(find(store.open("11"), "change")) == len(ALL)
    assert len(list((folder / "index-11").glob("*.trm"))) <= 6
    writer = store.begin("12", base="11")
    for document in ALL:
        writer.delete(document.record_id)
    writer.finish()
    assert store.open("12").count() == 0
    assert find(store.open("12"), "change") == set()
    build(folder, "13", (LOCKED,), "12", SMALL)
    assert find(store.open("13"), "locked") == {LOCKED.record_id}


def test_sweep_keeps_what_is_asked_for(folder: Path) -> None:
    store = build(folder, "v1")
    build(folder, "v2", base="v1")
    build(folder, "v3")
    (folder / "building-left").mkdir()
    (folder / "building-left" / "MAIN_x.trm").write_bytes(b"x")
    (folder / "building-left.lock").touch()
    (folder / "something else").touch()
    store.sweep({"v2", "v9"})
    assert names(folder) == {"index-v2", "something else"}
    assert find(store.open("v2"), "locked") == {LOCKED.record_id}


def test_sweep_leaves_a_build_that_is_under_way(folder: Path) -> None:
    store = build(folder, "v1")
    writer = store.begin("v2", base="v1")
    writer.put(replace(LOCKED, record_id="e" * 16))
    WhooshIndexStore(folder).sweep(set())
    writer.finish()
    assert store.open("v2").count() == len(ALL) + 1
    assert names(folder) == {"index-v2"}


def test_an_open_index_outlives_its_folder(folder: Path) -> None:
    store = build(folder, "v1")
    index = store.open("v1")
    store.sweep(set())
    assert names(folder) == set()
    assert find(index, '"database is locked"') == {LOCKED.record_id}
    assert find(index, "modul* -esm") == {MODULE.record_id}
    assert index.search("databse", Filters()).suggestion == "database"
    assert index.similar(TOPK) == []


def test_another_process_searches_on_when_its_index_is_swept(folder: Path) -> None:
    store = build(folder, "v1")
    code = (
        "import sys; from pathlib import Path\n"
        "from errdex.search.whoosh.index import WhooshIndexStore\n"
        "from errdex.records.filters import Filters\n"
        "index = WhooshIndexStore(Path(sys.argv[1])).open('v1')\n"
        "print('open', flush=True); input()\n"
        "print(index.search('\"database is locked\"', Filters()).total)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    store.sweep(set())
    answer, _ = process.communicate("go on\n", timeout=600)
    assert answer == "1\n"


def test_a_closed_index_says_so_and_lets_go_of_its_files(folder: Path) -> None:
    index = build(folder, "v1").open("v1")
    process = psutil.Process()
    assert [f for f in process.open_files() if str(folder) in f.path]
    index.close()
    index.close()
    assert not [f for f in process.open_files() if str(folder) in f.path]
    with pytest.raises(SearchError, match="closed"):
        index.search("locked", Filters())
    with pytest.raises(SearchError, match="closed"):
        index.similar(LOCKED)


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SearchError, match="cannot be written"):
        WhooshIndexStore(tmp_path / "file" / "index").begin("v1")


def test_building_with_a_clock_that_stands_still(folder: Path) -> None:
    """Files are told apart by random names, not by time."""
    started = time.time()
    store = build(folder, "v1", limits=SMALL)
    build(folder, "v2", base="v1", limits=SMALL)
    for path in folder.rglob("*"):
        os.utime(path, (started, started))
    assert store.open("v2").count() == len(ALL)


def test_an_open_index_holds_no_object_for_each_record(folder: Path) -> None:
    many = [replace(LOCKED, record_id=f"{number:016x}") for number in range(3000)]
    store = build(folder, "v1", many)
    store.open("v1").close()  # what is imported and made once
    gc.collect()
    before = sys.getallocatedblocks()

    index = store.open("v1")
    gc.collect()

    assert sys.getallocatedblocks() - before < 2500
    assert index.count() == 3000
