"""An index whose files are not what was written is not opened, nor searched to a wrong end."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from tests.search.documents import ALL
from tests.search.index_folders import build, files_of

from errdex.records.filters import Filters
from errdex.search.protocol import IndexDamaged, IndexMissing
from errdex.search.whoosh.files import PinnedStorage
from errdex.search.whoosh.index import WhooshIndexStore

KINDS = ["segments.json", ".trm", ".pst", "id.col", "phrases.col", "_stored.col", ".frequent"]


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


def test_a_file_is_read_through_once_for_all_versions_that_have_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(folder, "v1")
    build(folder, "v2", ALL[:1], base="v1")
    store, read = WhooshIndexStore(folder), set[str]()
    checksum = PinnedStorage.checksum
    monkeypatch.setattr(
        PinnedStorage, "checksum", lambda of, name: (read.add(name), checksum(of, name))[1]
    )
    store.open("v1")
    assert any(name.endswith(".pst") for name in read)
    inherited = {name for name in read if (folder / "index-v2" / name).exists()}
    assert any(name.endswith(".pst") for name in inherited)

    read.clear()
    store.open("v2")

    assert read.isdisjoint(inherited - {"segments.json"})


def test_damage_that_comes_to_a_file_after_it_was_read_through(folder: Path) -> None:
    build(folder, "v1")
    build(folder, "v2", ALL[:1], base="v1")
    store = WhooshIndexStore(folder)
    store.open("v1")
    (postings,) = (path for path in (folder / "index-v1").iterdir() if path.suffix == ".pst")
    data = bytearray(postings.read_bytes())
    data[len(data) // 2] ^= 0x10
    with postings.open("r+b") as file:  # in place, so that v2 has it too
        file.write(data)
    assert (folder / "index-v2" / postings.name).read_bytes() == data

    with pytest.raises(IndexDamaged):
        store.open("v2")
