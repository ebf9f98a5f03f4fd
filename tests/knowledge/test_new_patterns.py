"""The patterns of a new version are those of the one before with what changed, and the same as
if all of them had been read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.knowledge_base import load

from errdex.config import Settings, open_store
from errdex.knowledge.matching import Matchers
from errdex.store import PatternState, Snapshot, Store
from errdex.store.sqlite.snapshot import DatabaseSnapshot

READ_ALL = DatabaseSnapshot.patterns


def records(numbers: range, said: str = "lost") -> list[dict[str, Any]]:
    return [
        {
            "id": f"{number * 0x1234567890ABCDE % 2**64:016x}",
            "repo": "acme/pumps",
            "errorClass": "PumpError",
            "errorMessage": f"pump {number:03} {said} {{pressure}} bar",
        }
        for number in numbers
    ]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}")


@pytest.fixture
def full_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The versions of which all patterns were read."""
    read: list[str] = []

    def noted(snapshot: Snapshot) -> Any:
        read.append(snapshot.version)
        return READ_ALL(snapshot)

    monkeypatch.setattr(DatabaseSnapshot, "patterns", noted)
    return read


def taken_up(matchers: Matchers, store: Store) -> dict[str, str]:
    """The patterns that the matcher of the served version has."""
    with store.snapshot() as snapshot:
        patterns = matchers.of(snapshot).patterns
        found = patterns.sources(row.id for row in READ_ALL(snapshot))
        assert len(found) == len(patterns)
        return found


def read_all(store: Store) -> dict[str, str]:
    with store.snapshot() as snapshot:
        return {row.id: row.pattern for row in snapshot.patterns()}


def test_only_what_changed_is_read(
    settings: Settings, tmp_path: Path, full_reads: list[str]
) -> None:
    store, indexes = open_store(settings)
    matchers = Matchers()
    lasting = records(range(5, 200))
    generations = [
        [*records(range(5)), *lasting],
        [*records(range(5), "leaks"), *lasting],  # changed
        [*records(range(3), "leaks"), *lasting],  # fewer
        [*records(range(4), "leaks"), *records(range(300, 303)), *lasting],  # more, one again
        [*records(range(300, 301)), *lasting[1:]],  # fewer, also of those that lasted
        [{**each, "documentation": "told"} for each in records(range(300, 301))] + lasting,
    ]
    reads = []
    for records_now in generations:
        load(tmp_path, store, indexes, records_now, prune=True)
        full_reads.clear()
        found = taken_up(matchers, store)
        reads.append(len(full_reads))
        assert found == read_all(store)
        assert len(found) == len(records_now)
    assert reads == [1, 0, 0, 0, 0, 0]


def test_another_database_in_the_place_of_the_one_before_is_read_whole(
    settings: Settings, tmp_path: Path, full_reads: list[str]
) -> None:
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, records(range(100)))
    (tmp_path / "other").mkdir()
    other, other_indexes = open_store(
        Settings(database_url=f"sqlite:///{tmp_path / 'other' / 'errdex.db'}")
    )
    load(tmp_path, other, other_indexes, records(range(100), "leaks"))
    matchers = Matchers()
    taken_up(matchers, store)
    full_reads.clear()

    found = taken_up(matchers, other)

    assert len(full_reads) == 1
    assert found == read_all(other)
    assert all("leaks" in pattern for pattern in found.values())


def test_sums_over_patterns_tell_sets_apart(settings: Settings, tmp_path: Path) -> None:
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, records(range(100)))
    (first, pattern), (second, another), *_ = every = list(read_all(store).items())
    with store.snapshot() as snapshot:
        state = snapshot.pattern_state()

    new = [("0000000000000abc", "pump (.+?) is new")]
    fewer = PatternState(state.keys[40:], state.checksums)
    assert state.comes_of(state, every[:40], every[:40])
    assert not state.comes_of(state, [], new)
    assert not state.comes_of(state, every[:2], [(first, another), (second, pattern)])
    assert not fewer.comes_of(state, [], [])
    assert sorted(fewer.gone_since(state)) == sorted(read_all(store))[:40]
