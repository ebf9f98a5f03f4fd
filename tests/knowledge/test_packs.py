"""The pack of a version: built with it, opened instead of reading the patterns, built again when
it is missing or damaged, and never used for another version."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.knowledge_base import load

from errdex.config import Settings, open_store
from errdex.ingest import PackNotBuilt, rebuild_index, remove
from errdex.knowledge import Knowledge
from errdex.knowledge.packs import PackFolder
from errdex.store import Snapshot, Store
from errdex.store.sqlite.snapshot import DatabaseSnapshot

READ_ALL = DatabaseSnapshot.patterns
LINE = "PumpError: pump 007 {} 3 bar\n"


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


@pytest.fixture
def built(settings: Settings, tmp_path: Path) -> tuple[Store, Knowledge, Path]:
    """A database of 200 pumps, what reads it, and its pack."""
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, records(range(200)))
    (pack,) = (tmp_path / "errdex.db.patterns").iterdir()
    return store, Knowledge(store, indexes), pack


def known(knowledge: Knowledge, said: str = "lost") -> bool:
    return knowledge.match(LINE.format(said)).answer.found


def read_all(store: Store) -> dict[str, str]:
    with store.snapshot() as snapshot:
        return {row.id: row.pattern for row in READ_ALL(snapshot)}


def held(store: Store) -> dict[str, str]:
    """What the pack of the served version holds."""
    with store.snapshot() as snapshot:
        facts = PackFolder(store.path).open(snapshot.version, snapshot.count_records()).facts
        return dict(zip(facts.ids, facts.sources, strict=True))


def test_each_version_has_its_pack_and_nothing_else_is_read(
    settings: Settings, tmp_path: Path, full_reads: list[str]
) -> None:
    store, indexes = open_store(settings)
    knowledge = Knowledge(store, indexes)
    lasting = records(range(5, 200))
    generations = [
        [*records(range(5)), *lasting],
        [*records(range(5), "leaks"), *lasting],  # changed
        [*records(range(3), "leaks"), *lasting],  # fewer
        [*records(range(4), "leaks"), *records(range(300, 303)), *lasting],  # more, one again
        [*records(range(300, 301)), *lasting[1:]],  # fewer, also of those that lasted
        [{**each, "documentation": "told"} for each in records(range(300, 301))] + lasting,
    ]
    for records_now in generations:
        load(tmp_path, store, indexes, records_now, prune=True)
        assert held(store) == read_all(store)
        assert len(held(store)) == len(records_now)
        assert known(knowledge)
    assert full_reads == []
    assert len(list((tmp_path / "errdex.db.patterns").iterdir())) == 2


def delete(pack: Path) -> None:
    pack.unlink()


def cut(pack: Path) -> None:
    pack.write_bytes(pack.read_bytes()[:-100])


def spoil(pack: Path) -> None:
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 4
    pack.write_bytes(data)


def of_an_older_format(pack: Path) -> None:
    data = bytearray(pack.read_bytes())
    data[8] ^= 0x7F
    pack.write_bytes(data)


HARM = pytest.mark.parametrize("harm", [delete, cut, spoil, of_an_older_format])


@HARM
def test_a_reader_builds_what_is_missing_or_damaged(
    built: tuple[Store, Knowledge, Path],
    harm: Callable[[Path], None],
    full_reads: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, knowledge, pack = built
    harm(pack)
    assert known(knowledge)
    assert len(full_reads) == 1
    assert held(store) == read_all(store)
    assert ("built again" in caplog.text) == (harm in (cut, spoil))
    assert known(Knowledge(*open_store(Settings(database_url=f"sqlite:///{store.path}"))))
    assert len(full_reads) == 1


@HARM
def test_a_pack_that_is_damaged_under_a_reader_is_built_again(
    built: tuple[Store, Knowledge, Path], harm: Callable[[Path], None]
) -> None:
    store, knowledge, pack = built
    for _ in range(1 if harm is delete else 2):
        assert known(knowledge)
        harm(pack)
        assert known(knowledge)
        assert not known(knowledge, "leaks")
    if harm is not delete:  # which hurts nobody who has it open
        assert held(store) == read_all(store)


@HARM
@pytest.mark.parametrize("again", [True, False])
def test_an_ingestion_builds_what_is_missing_or_damaged(
    built: tuple[Store, Knowledge, Path],
    settings: Settings,
    tmp_path: Path,
    harm: Callable[[Path], None],
    again: bool,
) -> None:
    store, _, pack = built
    harm(pack)
    _, indexes = open_store(settings)
    report = load(tmp_path, store, indexes, records(range(200 if again else 201)))
    assert held(store) == read_all(store)
    assert any("patterns were missing or damaged" in note for note in report.notes) == again


@HARM
def test_reindexing_builds_what_is_missing_or_damaged(
    built: tuple[Store, Knowledge, Path], settings: Settings, harm: Callable[[Path], None]
) -> None:
    store, _, pack = built
    harm(pack)
    rebuild_index(store, open_store(settings)[1])
    assert held(store) == read_all(store)


@HARM
def test_a_removal_builds_what_is_missing_or_damaged(
    built: tuple[Store, Knowledge, Path],
    settings: Settings,
    tmp_path: Path,
    harm: Callable[[Path], None],
) -> None:
    store, knowledge, _ = built
    indexes = open_store(settings)[1]
    load(tmp_path, store, indexes, records(range(300, 310)), dataset="other")
    with store.snapshot() as snapshot:
        version = snapshot.version
    harm(
        next(each for each in tmp_path.glob("errdex.db.patterns/*") if quote(version) in each.name)
    )
    remove(store=store, indexes=indexes, dataset="other")
    assert held(store) == read_all(store)
    assert len(held(store)) == 200
    assert known(knowledge)


def test_a_pack_of_other_records_is_not_used(
    built: tuple[Store, Knowledge, Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, knowledge, pack = built
    (tmp_path / "other").mkdir()
    other, indexes = open_store(
        Settings(database_url=f"sqlite:///{tmp_path / 'other' / 'errdex.db'}")
    )
    load(tmp_path, other, indexes, records(range(100)))
    (foreign,) = (tmp_path / "other" / "errdex.db.patterns").iterdir()
    pack.write_bytes(foreign.read_bytes())
    assert known(knowledge)
    assert "is not of 200 records" in caplog.text
    assert held(store) == read_all(store)


def test_a_reader_that_cannot_write_matches_nevertheless(
    built: tuple[Store, Knowledge, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, knowledge, pack = built
    pack.unlink()

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(PackFolder, "write", refuse)
    assert known(knowledge)
    assert not pack.exists()


def test_a_disk_that_is_full_changes_nothing(
    built: tuple[Store, Knowledge, Path],
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, knowledge, pack = built
    before = store.current_version(), read_all(store)

    def fill(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Path, "replace", fill)
        with pytest.raises(PackNotBuilt, match=r"unchanged.*Free some space"):
            load(tmp_path, store, open_store(settings)[1], records(range(201)))
    assert (store.current_version(), read_all(store)) == before
    assert list(pack.parent.iterdir()) == [pack]
    assert known(knowledge)
    load(tmp_path, store, open_store(settings)[1], records(range(201)))
    assert len(held(store)) == 201


def test_nothing_is_logged_while_all_is_well(
    built: tuple[Store, Knowledge, Path], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert known(built[1])
    assert caplog.text == ""
