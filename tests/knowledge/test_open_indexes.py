"""Which indexes are open, and for how long."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Lock

import pytest

from errdex.knowledge.open_indexes import OpenIndexes
from errdex.search.fake import FakeSearchIndex
from errdex.search.protocol import IndexDamaged, IndexMissing


class Watched(FakeSearchIndex):
    """An index that fails when it is used after it was closed, or closed twice."""

    def __init__(self, version: str) -> None:
        super().__init__(version, {})
        self.is_open = True

    def count(self) -> int:
        assert self.is_open, "used after it was closed"
        return super().count()

    def close(self) -> None:
        assert self.is_open, "closed twice"
        self.is_open = False


class Opener:
    """Opens an index of any version but the missing ones, and remembers all it opened."""

    def __init__(self) -> None:
        self.opened: list[Watched] = []
        self.missing: set[str] = set()
        self._lock = Lock()

    def open(self, version: str) -> Watched:
        if version in self.missing:
            raise IndexMissing(version)
        index = Watched(version)
        with self._lock:
            self.opened.append(index)
        return index

    def versions_open(self) -> list[str]:
        return [index.version for index in self.opened if index.is_open]


@pytest.fixture
def opener() -> Opener:
    return Opener()


@pytest.fixture
def indexes(opener: Opener) -> OpenIndexes:
    return OpenIndexes(opener)


def test_an_index_that_is_missing_is_asked_for_each_time(indexes, opener) -> None:
    opener.missing = {"1"}
    for _ in range(2):
        with pytest.raises(IndexMissing), indexes.use("1"):
            pytest.fail("there is no index")
    opener.missing = set()
    with indexes.use("1") as index:
        assert index.version == "1"


def test_one_that_turns_out_damaged_is_closed_and_opened_anew(indexes, opener) -> None:
    with pytest.raises(IndexDamaged), indexes.use("1"), indexes.use("1"):
        raise IndexDamaged
    assert opener.versions_open() == []
    with indexes.use("1") as index:
        assert index is opener.opened[1]


def test_the_latest_stays_open_for_the_next_request(indexes, opener) -> None:
    for _ in range(3):
        with indexes.use("1"):
            pass
    assert len(opener.opened) == 1
    assert opener.versions_open() == ["1"]


def test_an_older_one_is_closed_when_its_last_request_ends(indexes, opener) -> None:
    with indexes.use("1") as old:
        with indexes.use("1"), indexes.use("2"):
            pass
        assert opener.versions_open() == ["1", "2"]
        assert old.count() == 0
    assert opener.versions_open() == ["2"]


def test_an_earlier_version_that_came_back_stays_open_too(indexes, opener) -> None:
    for version in ("2", "1", "1", "1"):
        with indexes.use(version):
            pass
    assert [index.version for index in opener.opened] == ["2", "1"]
    assert opener.versions_open() == ["1"]


def test_closing_waits_for_the_last_request(indexes, opener) -> None:
    with indexes.use("1") as index:
        indexes.close()
        assert index.count() == 0
    assert opener.versions_open() == []


def test_many_threads_never_use_a_closed_index(indexes, opener) -> None:
    def ask(seed: int) -> None:
        versions = Random(seed)
        for step in range(300):
            with indexes.use(str(step // 20 + versions.randrange(2))) as index:
                index.count()

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(ask, seed) for seed in range(8)]:
            done.result()
    assert len(opener.versions_open()) == 1
    indexes.close()
    assert opener.versions_open() == []
