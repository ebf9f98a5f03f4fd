"""A transaction changes everything or nothing, and versions only grow."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.conftest import writing

from errdex.records.files.reader import Source
from errdex.records.filters import Filters
from errdex.store import Known, KnownSource, Seen, open_seen_records
from errdex.store.schema.rows import CHANGED_COLUMNS
from errdex.store.sqlite.writing import (
    _ADD_BODY,
    _ADD_RECORD,
    _CHANGE_BODY,
    _CHANGE_RECORD,
)
from errdex.store.versions import next_version


def test_statements_take_their_values_in_the_order_in_which_they_are_given():
    assert _ADD_RECORD.names == ("key", "dataset_key", *CHANGED_COLUMNS)
    assert _CHANGE_RECORD.names == (*CHANGED_COLUMNS, "record_key")
    assert _ADD_BODY.names == ("record_key", "body_json")
    assert _CHANGE_BODY.names == ("body_json", "of_record")


LATEST = datetime(2200, 1, 1, tzinfo=UTC)


@given(
    st.datetimes(datetime(2001, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001 (hypothesis)
    st.lists(st.timedeltas(), max_size=8),
)
def test_versions_grow_even_if_the_clock_goes_back(start, steps):
    now = start.replace(tzinfo=UTC)
    version = ""
    for step in steps:
        following = next_version(version, now)
        assert following > version
        assert len(following) == len("2026-08-28T06:17:29.519Z")
        assert datetime.fromisoformat(following).tzinfo == UTC
        version = following
        if abs(step.days) < 30_000:
            now = min(max(now + step, datetime(2001, 1, 1, tzinfo=UTC)), LATEST)


def test_version_of_a_clock_that_stands_still():
    now = datetime(2026, 8, 28, 6, 17, 29, 999_900, tzinfo=UTC)
    assert next_version("", now) == "2026-08-28T06:17:29.999Z"
    assert next_version("2026-08-28T06:17:29.999Z", now) == "2026-08-28T06:17:30.000Z"


def test_nothing_is_changed_without_a_commit(store, make_record, fill):
    version = fill(make_record(1))
    with writing(store, "main") as transaction:
        transaction.add([make_record(2)])
    with pytest.raises(KeyboardInterrupt):
        _interrupted(store, make_record(3))
    with store.snapshot() as snapshot:
        assert snapshot.version == version
        assert [record.id for record in snapshot.documents()] == [f"{1:016x}"]


def _interrupted(store, record):
    with writing(store, "main") as transaction:
        transaction.add([record])
        raise KeyboardInterrupt


def test_a_lock_is_let_go_while_somebody_reads_on(store, make_record, fill):
    fill(*(make_record(n) for n in range(3_000)), dataset="a")
    with writing(store, "b") as transaction:
        documents = transaction.unchanged_documents()
        next(documents)
    with writing(store, "b") as transaction:
        transaction.add([make_record(3_001)])
    del documents  # which nobody read to the end


def test_a_commit_without_changes_makes_no_version(store, make_record, fill):
    version = fill(make_record(1))
    with writing(store, "main") as transaction:
        assert not transaction.has_changes
        assert transaction.commit() == version
    assert store.current_version() == version
    assert store.list_versions(9) == [version]


def test_changes_replace_every_column_tags_and_counts(store, make_record, fill):
    first = fill(make_record(1, tags=("old", "both")), make_record(2, tags=("old",)))
    with writing(store, "main") as transaction:
        changed = make_record(1, tags=("both", "new"), repo="x/y", content_hash=b"n" * 32)
        transaction.change([changed])
        second = transaction.commit()
    with store.snapshot() as snapshot:
        found = snapshot.find(changed.id)
        assert found is not None
        assert (found.repo, found.tags, found.changed_version) == ("x/y", ("both", "new"), second)
        untouched = snapshot.find(f"{2:016x}")
        assert untouched is not None
        assert untouched.changed_version == first
        assert snapshot.counts("tag") == [("both", 1), ("new", 1), ("old", 1)]
        assert snapshot.counts("repo") == [("owner/name", 1), ("x/y", 1)]
        assert snapshot.count_records(Filters(tag="old")) == 1


def test_what_is_known_names_its_dataset(store, make_record, fill):
    fill(make_record(1), dataset="a")
    with writing(store, "b") as transaction:
        known = transaction.known([f"{1:016x}", f"{2:016x}", "no id"])
    assert known == {f"{1:016x}": Known("a", make_record(1).content_hash)}


def test_only_the_unseen_of_the_own_dataset_are_removed(store, make_record, fill):
    fill(*(make_record(n, tags=("t",)) for n in range(1200)), dataset="mine")
    fill(make_record(5000), dataset="other")
    with writing(store, "mine") as transaction:
        transaction.seen.add(
            Seen(f"{n:016x}", b"", Source("f")) for n in range(1200) if n % 100 == 7
        )
        removed = list(transaction.remove_unseen())
        assert transaction.removed == len(removed) == 1188
        transaction.commit()
    with store.snapshot() as snapshot:
        kept = [record.id for record in snapshot.documents()]
        assert kept == [f"{n:016x}" for n in (*range(7, 1200, 100), 5000)]
        assert snapshot.count_records(Filters(tag="t")) == 12
        assert snapshot.counts("dataset") == [("mine", 12), ("other", 1)]


def test_the_unseen_under_conditions_that_name_a_file_are_removed(store, make_record, fill):
    mine = {"repo": "a/b", "tags": ("t",), "file_path": "x.py"}
    fill(
        *(make_record(n, **mine) for n in range(600)),
        make_record(601, **mine | {"file_path": None}),
        make_record(602, **mine | {"repo": "a/c"}),
        make_record(603, **mine | {"tags": ("u",)}),
        dataset="mine",
    )
    fill(make_record(604, **mine), dataset="other")
    with writing(store, "mine") as transaction:
        transaction.seen.add([Seen(f"{7:016x}", b"", Source("f"))])
        removed = list(transaction.remove_unseen(Filters(repo="a/b", tag="t"), with_file=True))
        transaction.commit()
    assert removed == [f"{n:016x}" for n in range(600) if n != 7]
    with store.snapshot() as snapshot:
        kept = [record.id for record in snapshot.documents()]
    assert kept == [f"{n:016x}" for n in (7, 601, 602, 603, 604)]


def test_documents_that_a_transaction_did_not_write(store, make_record, fill):
    fill(make_record(1), make_record(2), dataset="a")
    with writing(store, "b") as transaction:
        transaction.add([make_record(3)])
        assert [each.id for each in transaction.unchanged_documents()] == [
            f"{1:016x}",
            f"{2:016x}",
        ]


def test_the_first_appearance_of_an_id_is_kept():
    one = Seen(f"{1:016x}", b"h", Source("a.jsonl", line=3))
    two = Seen(f"{2:016x}", b"h", Source("b.json", index=0))
    with open_seen_records() as seen:
        seen.add([one, two])
        seen.add([Seen(one.id, b"other", Source("c"))])
        assert seen.find([one.id, two.id, f"{3:016x}"]) == {one.id: one, two.id: two}


def test_a_remembered_text_makes_no_version_and_is_kept_by_a_commit_only(store, fill, make_record):
    version = fill(make_record(1), make_record(2, source_hash="two"))
    one = KnownSource(f"{1:016x}", make_record(1).content_hash)
    with writing(store, "main") as transaction:
        transaction.remember_sources([(one.id, "one")])
    with writing(store, "main") as transaction:
        assert list(transaction.known_sources(["one", "two", "three"])) == ["two"]
        transaction.remember_sources([(one.id, "one")])
        assert transaction.commit() == version
    with writing(store, "main") as transaction:
        assert transaction.known_sources(["one", "three"]) == {"one": one}
    with writing(store, "other") as transaction:
        assert transaction.known_sources(["one", "two"]) == {}
    assert store.list_versions(9) == [version]
