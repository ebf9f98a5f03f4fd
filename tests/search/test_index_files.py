"""What lies in the folder: nothing half-built, damaged or foreign is ever opened."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import whoosh.index
from whoosh.query import Term

from app.search.protocol import (
    Filters,
    IndexDamaged,
    IndexDocument,
    IndexMissing,
    SearchError,
)
from app.search.whoosh_build import Limits
from app.search.whoosh_index import WhooshIndexStore
from app.search.whoosh_search import WhooshSearchIndex
from app.search.whoosh_segment import COLUMN, ID_COLUMN
from tests.search.documents import ALL, LOCKED, MODULE, TOPK

SMALL = Limits(segment_postings=120, small_segment=3, most_small_segments=2, workers_from=5)
"""Many segments of a few records, built by two processes and merged."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def build(
    folder: Path,
    version: str,
    documents: tuple[IndexDocument, ...] = ALL,
    base: str | None = None,
    limits: Limits | None = None,
) -> WhooshIndexStore:
    store = WhooshIndexStore(folder, limits)
    writer = store.begin(version, base=base)
    for document in documents:
        writer.put(document)
    writer.finish()
    return store


def find(index: WhooshSearchIndex, query: str) -> set[str]:
    return {hit.record_id for hit in index.search(query, Filters(), limit=1000).hits}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


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
def test_giving_up_leaves_nothing(folder: Path, limits: Limits | None) -> None:
    writer = WhooshIndexStore(folder, limits).begin("v1")
    for document in ALL:
        writer.put(document)
    writer.abort()
    writer.abort()
    assert names(folder) == set()


def files_of(folder: Path) -> list[Path]:
    (index,) = folder.iterdir()
    return sorted(index.iterdir())


KINDS = ["_MAIN_1.toc", ".trm", ".pst", "id.col", "phrases.col", "_stored.col", ".frequent"]


@pytest.fixture(params=[*KINDS, "manifest.json"])
def damaged_file(request: pytest.FixtureRequest, folder: Path) -> Path:
    build(folder, "v1")
    (path,) = (path for path in files_of(folder) if path.name.endswith(request.param))
    return path


def test_every_file_is_of_a_kind_that_is_tested(folder: Path) -> None:
    build(folder, "v1")
    ends = (*KINDS, "manifest.json")
    assert [path.name for path in files_of(folder) if not path.name.endswith(ends)] == []


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def empty(path: Path) -> None:
    os.truncate(path, 0)


@pytest.mark.parametrize("harm", [flip, truncate, lengthen, empty, Path.unlink])
def test_a_damaged_index_is_not_opened(folder: Path, damaged_file: Path, harm: object) -> None:
    assert callable(harm)
    harm(damaged_file)
    store = WhooshIndexStore(folder)
    if damaged_file.name == "manifest.json" and harm is flip:
        # Whether the flipped bit matters depends on where it is; nothing else may come of it.
        with suppress(IndexDamaged, IndexMissing):
            store.open("v1")
        return
    for attempt in (lambda: store.open("v1"), lambda: store.begin("v2", base="v1")):
        with pytest.raises(IndexDamaged):
            attempt()
    assert build(folder, "v1").open("v1").count() == len(ALL)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": 0}, IndexMissing),
        ({"format": None}, IndexMissing),
        ({"version": "v2"}, IndexDamaged),
        ({"count": 1}, IndexDamaged),
        ({"count": "x"}, IndexDamaged),
        ({"files": {}}, IndexDamaged),
        ({"files": []}, IndexDamaged),
        ({"files": {"x": 1}}, IndexDamaged),
    ],
)
def test_a_foreign_manifest(folder: Path, change: dict[str, object], error: type) -> None:
    store = build(folder, "v1")
    path = folder / "index-v1" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(error):
        store.open("v1")


@pytest.mark.parametrize("kind", [".trm", ".pst", "phrases.col"])
@pytest.mark.parametrize("harm", [truncate, empty])
def test_damage_found_while_searching(folder: Path, kind: str, harm: object) -> None:
    index = build(folder, "v1").open("v1")
    (path,) = (path for path in files_of(folder) if path.name.endswith(kind))
    assert callable(harm)
    harm(path)
    damaged = []
    for query in ("timeout", "connection writing", '"database is locked"', "data*", "databsee"):
        try:
            index.search(query, Filters())
        except IndexDamaged:
            damaged.append(query)
    assert damaged


def test_overwritten_while_searching(folder: Path) -> None:
    index = build(folder, "v1").open("v1")
    for path in files_of(folder):
        if path.name.endswith((".trm", ".pst")):
            with path.open("r+b") as file:
                file.write(b"\xff" * path.stat().st_size)
    with pytest.raises(IndexDamaged):
        index.search("timeout locked", Filters())


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
        "from app.search.whoosh_index import WhooshIndexStore\n"
        "from app.search.protocol import Filters\n"
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
    answer, _ = process.communicate("go on\n", timeout=60)
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


def test_a_worker_that_ends_too_soon_is_an_error(folder: Path) -> None:
    writer = WhooshIndexStore(folder, SMALL).begin("v1")
    for document in ALL:
        writer.put(document)
    for child in psutil.Process().children():
        child.kill()
        child.wait()
    with pytest.raises(SearchError, match="has ended"):
        writer.finish()
    assert names(folder) == set()


def test_a_worker_that_cannot_write_is_an_error(folder: Path) -> None:
    writer = WhooshIndexStore(folder, SMALL).begin("v1")
    (building,) = (path for path in folder.iterdir() if path.is_dir())
    for n, document in enumerate(ALL):
        if n == SMALL.workers_from - 1:
            shutil.rmtree(building)
            building.touch()
        writer.put(document)
    with pytest.raises(SearchError, match=r"could not be built: .*Not a directory"):
        writer.finish()
    assert names(folder) == {building.name}


@pytest.fixture
def killed_parent(folder: Path) -> Iterator[list[psutil.Process]]:
    """The workers of a build whose process has been killed in the middle."""
    code = (
        "import sys; from pathlib import Path\n"
        "from app.search.whoosh_index import WhooshIndexStore\n"
        "from tests.search.documents import ALL\n"
        "from tests.search.test_index_files import SMALL\n"
        "writer = WhooshIndexStore(Path(sys.argv[1]), SMALL).begin('v2')\n"
        "for document in ALL: writer.put(document)\n"
        "print('under way', flush=True); input()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "under way\n"
    workers = psutil.Process(process.pid).children()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    yield workers
    for worker in workers:
        if worker.is_running():
            worker.kill()


def test_a_killed_build_ends_its_workers_and_is_swept(
    folder: Path, killed_parent: list[psutil.Process]
) -> None:
    assert len(killed_parent) == SMALL.workers
    _, alive = psutil.wait_procs(killed_parent, timeout=60)
    assert not alive
    store = build(folder, "v1")
    assert any(name.startswith("building-") for name in names(folder))
    store.sweep({"v1"})
    assert names(folder) == {"index-v1"}
    with pytest.raises(IndexMissing):
        store.open("v2")


def test_whoosh_itself_reads_the_index(folder: Path) -> None:
    build(folder, "v1", limits=SMALL)
    index = whoosh.index.open_dir(str(folder / "index-v1"))
    with index.searcher() as searcher:
        for term, documents in {
            ("words", "locked"): {LOCKED},
            ("words", "eagle"): {TOPK},
            ("class", "=ModuleNotFoundError"): {MODULE},
        }.items():
            found = set()
            for leaf, _ in searcher.leaf_searchers():
                ids = leaf.reader().column_reader(ID_COLUMN, COLUMN)
                found |= {ids[number] for number in leaf.docs_for_query(Term(*term))}
            assert found == {document.record_id for document in documents}
        assert searcher.doc_count() == len(ALL)
    index.close()


def test_building_with_a_clock_that_stands_still(folder: Path) -> None:
    """Files are told apart by random names, not by time."""
    started = time.time()
    store = build(folder, "v1", limits=SMALL)
    build(folder, "v2", base="v1", limits=SMALL)
    for path in folder.rglob("*"):
        os.utime(path, (started, started))
    assert store.open("v2").count() == len(ALL)
