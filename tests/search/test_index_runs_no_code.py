"""Whatever an index folder holds, opening, searching and building on it runs no code of it."""

from __future__ import annotations

import gc
import json
import os
import pickle
import re
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
from tests.search.documents import ALL
from tests.search.index_folders import SMALL, build, files_of, find

import errdex
from errdex.records.filters import Filters
from errdex.search.protocol import IndexDamaged, IndexMissing, SearchError
from errdex.search.whoosh.build import BuildLimits
from errdex.search.whoosh.index import FORMAT, WhooshIndexStore, _seal

pytestmark = pytest.mark.slow

LOADER = re.compile(
    r"^\s*(?:import|from)\b.*\b_?(?:pickle|marshal|shelve|dill|cloudpickle)\b|"
    r"\ballow_pickle|\bread_pickle\(\)",
    re.MULTILINE,
)
PRIVATE_PIPES = {"workers/companion.py"}
"""Modules that unpickle, and only what another process of ours sends through a pipe."""


ONE = BuildLimits(workers_from=1_000_000)
"""One segment, built by this process."""


class Canary:
    def __init__(self, left: Path) -> None:
        self.left = left

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.left),)


def seal(index: Path) -> None:
    """Name all files in the manifest with their sizes and checksums, as a builder does."""
    path = index / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"] = {each.name: _seal(each) for each in sorted(index.iterdir()) if each != path}
    path.write_text(json.dumps(manifest))


def use(folder: Path) -> None:
    """Everything that reads an index, each for itself."""
    store = WhooshIndexStore(folder, ONE)
    with suppress(SearchError, IndexMissing, IndexDamaged):
        store.verify("v1")
    with suppress(SearchError, IndexMissing, IndexDamaged):
        index = store.open("v1")
        for query in ("timeout", '"database is locked"', "data*", "databsee", "class:ValueError"):
            with suppress(SearchError, IndexDamaged):
                index.search(query, Filters())
        with suppress(SearchError, IndexDamaged):
            index.similar(ALL[0])
        index.close()
    with suppress(SearchError, IndexMissing, IndexDamaged, OSError):
        build(folder, "v2", ALL, base="v1", limits=ONE)


def forgeries(left: Path) -> list[bytes]:
    forged = [pickle.dumps(Canary(left), protocol) for protocol in (0, 2, 5)]
    return [*forged, pickle.dumps([Canary(left)] * 40, 4)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_pickle_in_any_file_with_a_right_checksum_is_not_loaded(
    folder: Path, tmp_path: Path
) -> None:
    build(folder, "v1", limits=ONE)
    left = tmp_path / "it-was-run"
    for path in files_of(folder):
        whole = path.read_bytes()
        for forged in forgeries(left):
            half = len(whole) // 2
            for content in (
                forged,
                forged + whole[len(forged) :],
                whole[: max(0, len(whole) - len(forged))] + forged,
                whole[:half] + forged + whole[half:],
            ):
                path.write_bytes(content)
                if path.name != "manifest.json":
                    seal(path.parent)
                use(folder)
                assert not left.exists(), f"{path.name} runs code"
                WhooshIndexStore(folder).sweep({"v1"})
        path.write_bytes(whole)
    seal(folder / "index-v1")
    assert find(WhooshIndexStore(folder).open("v1"), "timeout")
    with warnings.catch_warnings():  # builds that failed on a forgery leave files to the collector
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def test_nothing_of_an_index_is_unpickled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Whoosh would unpickle is not written, so that nothing asks for it."""
    build(folder, "v1", limits=SMALL)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something is unpickled")

    for name in ("whoosh.filedb.structfile.load", "whoosh.index.pickle.loads"):
        monkeypatch.setattr(name, refuse)
    for name in ("loads", "dumps"):
        monkeypatch.setattr(f"whoosh.codec.whoosh3.{name}", refuse)
    index = WhooshIndexStore(folder).open("v1")
    assert find(index, "timeout")
    assert find(index, '"database is locked"')
    one_process = build(folder, "v2", ALL[:1], base="v1")
    assert one_process.open("v2").count() == len(ALL)


def test_no_module_unpickles_files() -> None:
    root = Path(errdex.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if LOADER.search(path.read_text(encoding="utf-8"))
    }
    assert found == PRIVATE_PIPES


def test_an_index_of_an_older_format_is_built_again(folder: Path) -> None:
    store = build(folder, "v1")
    path = folder / "index-v1" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": FORMAT - 1}))
    with pytest.raises(IndexMissing, match="another format: build it"):
        store.open("v1")


@pytest.mark.parametrize(
    "listed",
    [
        "[",
        "{}",
        "[1]",
        '[{"name": "../x", "count": 1, "deleted": []}]',
        '[{"name": 1, "count": 1, "deleted": []}]',
        '[{"name": "abc", "count": "1", "deleted": []}]',
        '[{"name": "abc", "count": 1, "deleted": [1]}]',
        '[{"name": "abc", "count": 1, "deleted": [-1]}]',
        '[{"name": "abc", "count": 1, "deleted": 7}]',
        '[{"name": "abc", "count": 1}]',
        "[" * 100_000,
    ],
)
def test_a_list_of_segments_that_was_not_written_is_damage(folder: Path, listed: str) -> None:
    store = build(folder, "v1")
    (folder / "index-v1" / "segments.json").write_text(listed)
    seal(folder / "index-v1")
    with pytest.raises(IndexDamaged):
        store.open("v1")
