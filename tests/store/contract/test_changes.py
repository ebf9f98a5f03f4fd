"""Who may write when, news of versions, and what changed since one: from any store to any other."""

from __future__ import annotations

import random
import threading
from datetime import UTC, datetime, timedelta

import pytest
from tests.store.conftest import bring_up_to_date, writing
from tests.store.contract.conftest import KINDS

from errdex.records.causes import Cause
from errdex.records.filters import Filters
from errdex.store import Replica, StoreBusy, put_changes

ONE, TWO, THREE = (f"{number:016x}" for number in (1, 2, 3))


def held(store):
    """What holds the data, without a copy of it."""
    return store.primary if isinstance(store, Replica) else store


def content(store):
    """Everything that a store has."""
    bring_up_to_date(store)
    with store.snapshot() as snapshot:
        return (
            snapshot.version,
            list(snapshot.documents()),
            dict(snapshot.causes()),
            snapshot.counts("tag"),
            snapshot.stats().datasets,
        )


def test_a_second_writer_waits_and_is_then_told(store, make_record, fill):
    with store.write("main") as transaction:
        transaction.add([make_record(1)])
        with pytest.raises(StoreBusy), store.write("main", wait_seconds=0.1):
            pass
        transaction.commit()
    fill(make_record(2))
    assert store.list_versions(9) == sorted(store.list_versions(9), reverse=True)
    assert len(store.list_versions(9)) == len(set(store.list_versions(9))) > 0


def test_versions_grow_though_the_clock_goes_back(store, make_record):
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    made = []
    for number in range(4):
        with writing(store, "main", moment - timedelta(days=number)) as transaction:
            transaction.add([make_record(number)])
            assert transaction.previous_version == (made[-1] if made else "")
            made.append(transaction.commit())
    assert made[0] == "2026-05-01T00:00:00.000Z"
    assert made == sorted(set(made))


def test_a_new_version_ends_the_wait_for_it(store, make_record):
    primary = held(store)

    def write() -> None:
        with primary.write("main") as transaction:
            transaction.add([make_record(1)])
            transaction.commit()

    assert primary.wait_for_version("", 0.01) == ""
    timer = threading.Timer(0.2, write)
    timer.start()
    version = primary.wait_for_version("", 600)
    timer.join()
    assert version == primary.current_version() != ""
    assert primary.wait_for_version("another", 600) == version
    assert primary.wait_for_version(version, 0.01) == version


def test_changes_are_those_since_a_version_or_all(store, make_record, fill):
    first = fill(make_record(1), make_record(2, source_hash="two"))
    with writing(store, "other") as transaction:
        transaction.add([make_record(3)])
        transaction.put_causes([Cause("tag", "Title", "Text.")])
        transaction.commit()
    with writing(store, "main") as transaction:
        assert list(transaction.remove(Filters(dataset="main"))) == [ONE, TWO]
        last = transaction.commit()
    with store.changes(first) as changes:
        assert (changes.version, changes.since, changes.total) == (last, first, 1)
        assert [each.record.id for each in changes.records()] == [THREE]
        assert list(changes.ids()) == [THREE]
        assert [(dataset, each.tag) for dataset, each in changes.causes()] == [("other", "tag")]
    for unknown in ("", "2020-01-01T00:00:00.000Z", "9", "x' OR '1'='1"):
        with store.changes(unknown) as changes:
            assert changes.since == ""
            (found,) = changes.records()
            assert (found.record.dataset, found.record.id) == ("other", THREE)
            assert found.content_hash == make_record(3).content_hash
    with store.changes(last) as changes:
        assert list(changes.records()) == []


def test_an_empty_store_has_no_changes(store):
    with held(store).changes() as changes:
        assert (changes.version, changes.since, changes.total) == ("", "", 0)
        assert list(changes.records()) == list(changes.ids()) == list(changes.causes()) == []


@pytest.mark.parametrize("target_kind", KINDS)
def test_a_copy_follows_through_any_changes(store, open_kind, make_record, target_kind):
    """Random changes of two datasets; the copy misses some versions, and then has them all."""
    pick = random.Random(7)
    target = open_kind(target_kind)
    for turn in range(8):
        with writing(store, pick.choice("ab")) as transaction:
            numbers = pick.sample(range(40), 8)
            known = transaction.known(f"{number:016x}" for number in numbers)
            for number in numbers:
                record = make_record(
                    number,
                    tags=(f"t{turn}",),
                    source_hash=f"{turn}-{number}",
                    content_hash=f"{turn}-{number}".encode(),
                )
                if record.id not in known:
                    transaction.add([record])
                elif known[record.id].dataset == transaction._dataset:
                    transaction.change([record])
            gone = Filters(tag=f"t{pick.randrange(turn + 1)}")
            if pick.random() < 0.4:
                list(transaction.remove(gone))
            transaction.put_causes([Cause(pick.choice("xyz"), f"Turn {turn}", "Text.")])
            if pick.random() < 0.3:
                transaction.remove_causes_except({"x"})
            transaction.commit()
        if pick.random() < 0.6 or turn == 7:
            primary = held(target)
            since = primary.current_version()
            with store.changes(since) as changes, primary.receive(changes) as copy:
                put_changes(changes, copy)
                assert copy.count() == changes.total
                assert list(copy.ids()) == list(changes.ids())
                unchanged = {each.id for each in copy.unchanged_documents()}
                changed = {each.record.id for each in changes.records()}
                assert unchanged | changed == set(changes.ids())
                assert not unchanged & changed
                assert copy.commit() == changes.version
            assert content(target) == content(store)
    assert held(target).find_damage() == []


def test_a_copy_that_is_given_up_changes_nothing(store, open_kind, make_record, fill):
    fill(make_record(1))
    source = open_kind("memory")
    with source.write("main") as transaction:
        transaction.add([make_record(2)])
        transaction.commit()
    before = content(store)
    with source.changes() as changes, held(store).receive(changes) as copy:
        put_changes(changes, copy)
    assert content(store) == before
