"""A dataset, or what one repository has in it, is removed all at once or not at all."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from errdex.ingest import (
    DatasetNameRefused,
    IndexNotBuilt,
    IngestReport,
    NothingToRemove,
    RemovalReport,
    remove,
)
from errdex.search.fake import FakeIndexStore, FakeIndexWriter
from errdex.store import Store, StoreMissing, open_database

Remove = Callable[..., RemovalReport]


@pytest.fixture
def take(store: Store, indexes: FakeIndexStore) -> Remove:
    """`take(dataset="main")`: remove what is named."""

    def remove_from_store(**what: Any) -> RemovalReport:
        return remove(**({"store": store, "indexes": indexes} | what))

    return remove_from_store


@pytest.fixture
def filled(
    run: Callable[..., IngestReport],
    write_lines: Callable[..., Path],
    make_body: Callable[..., dict[str, Any]],
) -> None:
    """Two datasets, which both have records of the repository `a/b`."""
    cause = {"tag": "locked", "title": "Locked", "text": "It is in use."}
    run(write_lines([cause, make_body(1, repo="a/b"), make_body(2, repo="c/d")]), dataset="own")
    run(write_lines([make_body(3, repo="a/b"), make_body(4, repo="e/f")]), dataset="starter")


def ids(served: Callable[[], Collection[str]]) -> list[int]:
    return sorted(int(each, 16) for each in served())


NOTHING = (
    ({"dataset": "owm"}, ["“owm”", "nothing was removed", "“own”", "“starter”"]),
    ({"repo": "x/B"}, ["“x/B”", "nothing was removed", "“a/b”"]),
    ({"repo": "a/b", "dataset": "none"}, ["“a/b”", "in the dataset “none”"]),
    ({"repo": "e/f"}, ["“e/f”", "outside of the dataset “starter”"]),
    ({"repo": "\x1b[2J"}, ["“\\x1b[2J”"]),
)


def test_what_is_not_there_is_named_and_nothing_changes(filled, take, store, served) -> None:
    version, wrong = store.current_version(), []
    for what, words in NOTHING:
        with pytest.raises(NothingToRemove) as refused:
            take(**what, spared={"starter"})
        said = str(refused.value)
        wrong += [(what, word, said) for word in words if word not in said]
    assert not wrong
    assert store.current_version() == version
    assert ids(served) == [1, 2, 3, 4]


def test_a_name_or_a_repository_is_needed(filled, take, served) -> None:
    with pytest.raises(ValueError, match="name a dataset"):
        take()
    with pytest.raises(DatasetNameRefused):
        take(dataset="../own")
    assert ids(served) == [1, 2, 3, 4]


def test_a_database_that_is_not_there_is_not_made(tmp_path, indexes) -> None:
    store = open_database(f"sqlite:///{tmp_path / 'none' / 'errdex.db'}")
    with pytest.raises(StoreMissing):
        remove(store=store, indexes=indexes, dataset="own")
    assert not (tmp_path / "none").exists()


def test_a_dataset_is_removed_with_its_causes(filled, take, store, served) -> None:
    before = store.current_version()
    report = take(dataset="own")
    assert (report.records, report.datasets) == (2, ["own"])
    assert (report.previous_version, report.version) == (before, store.current_version())
    assert report.version > before
    assert ids(served) == [3, 4]
    with store.snapshot() as snapshot:
        assert not snapshot.causes()
        assert snapshot.counts("dataset") == [("starter", 2)]
    with pytest.raises(NothingToRemove):
        take(dataset="own")


def test_causes_alone_are_a_dataset(take, run, write_lines, make_body, store) -> None:
    run(write_lines([{"tag": "locked", "title": "Locked", "text": "In use."}]), dataset="own")
    assert take(dataset="own").records == 0
    with store.snapshot() as snapshot:
        assert not snapshot.causes()


def test_a_repository_is_removed_from_every_dataset_but_those_spared(filled, take, served) -> None:
    report = take(repo="a/b", spared={"starter"})
    assert (report.records, report.datasets) == (1, ["own"])
    assert ids(served) == [2, 3, 4]
    assert take(repo="a/b", dataset="starter").records == 1
    assert ids(served) == [2, 4]


def test_a_repository_of_two_datasets_goes_in_one_version(filled, take, store, served) -> None:
    report = take(repo="a/b")
    assert (report.records, sorted(report.datasets)) == (2, ["own", "starter"])
    assert store.list_versions(2) == [report.version, report.previous_version]
    assert ids(served) == [2, 4]
    with store.snapshot() as snapshot:
        assert set(snapshot.causes()) == {"locked"}


def test_more_records_than_are_removed_at_once(take, run, write_lines, make_body, served) -> None:
    run(write_lines([make_body(n, repo=f"a/{n % 2}") for n in range(1_300)]))
    assert take(dataset="main", repo="a/1").records == 650
    assert ids(served) == list(range(0, 1_300, 2))


def test_an_index_that_cannot_be_written_changes_nothing(
    filled, take, store, served, monkeypatch
) -> None:
    def full(self: FakeIndexWriter) -> None:
        raise OSError(28, "No space left on device")

    version = store.current_version()
    with monkeypatch.context() as patched:
        patched.setattr(FakeIndexWriter, "finish", full)
        with pytest.raises(IndexNotBuilt):
            take(dataset="own")
    assert store.current_version() == version
    assert ids(served) == [1, 2, 3, 4]
    assert take(dataset="own").records == 2


def test_the_index_is_built_from_the_rows_where_it_is_missing(
    filled, take, indexes, served
) -> None:
    indexes.versions.clear()
    take(dataset="own")
    assert ids(served) == [3, 4]
