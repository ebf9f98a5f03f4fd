"""What a snapshot answers, and that it answers from one state of the data."""

from __future__ import annotations

import random
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.conftest import writing

from errdex.records.filters import Filters
from errdex.store import Changed, FacetValue, Store
from errdex.store.facets import COUNTED_TOGETHER
from errdex.store.keys import id_of, key_of


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1))
def test_keys_keep_the_order_of_ids(numbers):
    ids = [f"{number:016x}" for number in numbers]
    assert [id_of(key_of(each)) for each in ids] == ids
    assert sorted(ids, key=key_of) == sorted(ids)
    assert all(-(2**63) <= key_of(each) < 2**63 for each in ids)


@pytest.mark.parametrize(
    "text", ["", "0", "g" * 16, "A" * 16, "0" * 17, "../../etc/passwd", "０" * 16]
)
def test_what_is_no_id_is_not_found(store, text):
    with store.snapshot() as snapshot:
        assert snapshot.find(text) is None
        assert snapshot.find_many([text, "0" * 16]) == {}
    with pytest.raises(ValueError, match="16 lower-case hex"):
        key_of(text)


def test_an_empty_store_answers_everything(store):
    with store.snapshot() as snapshot:
        assert snapshot.version == ""
        assert snapshot.list_records() == []
        assert snapshot.list_changes() == []
        assert snapshot.count_records() == 0
        assert snapshot.counts("repo") == []
        assert list(snapshot.patterns()) == []
        assert list(snapshot.documents()) == []
        assert snapshot.stats().records == 0
        assert snapshot.list_versions() == []


def test_a_record_comes_back_as_it_was_put(store, make_record, fill):
    body = '{"id":"0000000000000001",  "x":null,"y":[3,1,2],"ü":"\\u2028"}'
    put = make_record(
        1,
        tags=("b", "a"),
        body_json=body,
        http_status=404,
        error_code="E1",
        background_tag="bg",
        function="C.f",
    )
    version = fill(put, dataset="curated")
    with store.snapshot() as snapshot:
        found = snapshot.find(put.id)
    assert found is not None
    assert found.body_json == body
    assert found.tags == ("b", "a")
    assert (found.dataset, found.changed_version) == ("curated", version)
    for name in put.__dataclass_fields__.keys() - {"content_hash", "source_hash", "former_ids"}:
        assert getattr(found, name) == getattr(put, name), name


def test_the_least_and_the_greatest_id_are_records_like_others(store, make_record, fill):
    ends = [make_record(0), make_record(2**64 - 1)]
    fill(*ends)
    with store.snapshot() as snapshot:
        assert [record.id for record in snapshot.list_records()] == ["0" * 16, "f" * 16]
    with writing(store, "main") as transaction:
        assert list(transaction.remove_unseen()) == ["0" * 16, "f" * 16]
        transaction.commit()
    with store.snapshot() as snapshot:
        assert snapshot.count_records() == 0


def test_paging_shows_each_record_once_while_others_come_and_go(store, make_record, fill):
    fill(*(make_record(number) for number in range(0, 40, 2)))
    seen: list[str] = []
    after = None
    for turn in range(100):
        with store.snapshot() as snapshot:
            page = snapshot.list_records(limit=3, after=after)
        if not page:
            break
        seen += [record.id for record in page]
        after = page[-1].id
        fill(make_record(2 * turn + 1))
    unmoved = [f"{number:016x}" for number in range(0, 40, 2)]
    assert [record_id for record_id in seen if record_id in unmoved] == unmoved
    assert len(seen) == len(set(seen))


CONDITIONS = {
    "repo": "a/b",
    "error_class": "KeyError",
    "tag": "network",
    "error_type": "io",
    "severity": "warning",
    "language": "go",
    "background_tag": "bg",
    "dataset": "other",
    "file_path": "x.go",
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_condition_narrows_lists_counts_and_changes(store, make_record, fill, name):
    value = CONDITIONS[name]
    special = {"tags": (value, "common")} if name == "tag" else {name: value}
    special = {} if name == "dataset" else special
    fill(*(make_record(number, tags=("common",)) for number in range(5)))
    fill(
        make_record(9, **{"tags": ("common",)} | special),
        dataset="other" if name == "dataset" else "main",
    )
    conditions = Filters(**{name: value})
    with store.snapshot() as snapshot:
        assert [record.id for record in snapshot.list_records(conditions)] == [f"{9:016x}"]
        assert [record.id for record in snapshot.list_changes("", conditions)] == [f"{9:016x}"]
        assert snapshot.count_records(conditions) == 1
        assert snapshot.counts("tag", conditions, limit=9)[-1].records == 1
        assert snapshot.count_records(Filters(**{name: value + "x"})) == 0


def test_conditions_hold_together_and_search_filters_are_taken(store, make_record, fill):
    fill(
        make_record(1, repo="a/b", tags=("x", "y")),
        make_record(2, repo="a/b", tags=("y",)),
        make_record(3, repo="c/d", tags=("x", "y")),
    )
    with store.snapshot() as snapshot:
        both = Filters(repo="a/b", tag="x", severity="error")
        assert [record.id for record in snapshot.list_records(both)] == [f"{1:016x}"]
        assert snapshot.count_records(both) == 1
        assert snapshot.counts("tag", both) == [("x", 1), ("y", 1)]
        assert snapshot.list_records(both, after=f"{1:016x}") == []


def test_text_of_a_condition_is_never_sql(store, make_record, fill):
    hostile = "x' OR '1'='1"
    fill(make_record(1), make_record(2, repo=hostile))
    with store.snapshot() as snapshot:
        found = snapshot.list_records(Filters(repo=hostile))
        assert [record.id for record in found] == [f"{2:016x}"]
        assert snapshot.count_records(Filters(repo="' OR 1=1 --")) == 0


def test_values_are_counted_most_frequent_first_and_paged(store, make_record, fill):
    repos = ["b/b"] * 3 + ["a/a"] * 2 + ["c/c"] * 2 + ["d/d"]
    fill(*(make_record(number, repo=repo) for number, repo in enumerate(repos)))
    expected = [("b/b", 3), ("a/a", 2), ("c/c", 2), ("d/d", 1)]
    everything = Filters(severity="error")
    for filters in (Filters(), everything):
        with store.snapshot() as snapshot:
            assert snapshot.counts("repo", filters) == expected
            first = snapshot.counts("repo", filters, limit=2)
            rest = snapshot.counts("repo", filters, limit=5, after=first[-1])
        assert first + rest == expected


def test_both_ways_of_counting_agree(store, make_record, fill):
    pick = random.Random(4)
    values = [None, *(f"v{n}" for n in range(9))]
    fill(
        *(
            make_record(
                number,
                repo=f"a/{pick.randrange(9)}",
                tags=tuple(pick.sample(["x", "ü", '"', "\\", "z z"], pick.randrange(4))),
                severity=pick.choice(values),
                **{
                    name: pick.choice(values)
                    for name in ("error_class", "error_type", "language", "background_tag")
                },
            )
            for number in range(3000)
        )
    )
    with store.snapshot() as snapshot:
        for conditions in (Filters(severity="v3"), Filters(repo="a/1", tag="ü")):
            for facet in COUNTED_TOGETHER:
                together = snapshot.counts(facet, conditions, limit=50)
                alone = snapshot.counts(facet, conditions, limit=1000)
                assert together == alone[:50], facet
                assert alone


def test_half_a_character_pair_is_found_nowhere(store, make_record, fill):
    fill(make_record(1))
    broken = Filters(repo="\ud800", tag="\udfff")
    with store.snapshot() as snapshot:
        assert snapshot.list_records(broken) == []
        assert snapshot.count_records(broken) == 0
        assert snapshot.counts("tag", broken) == []
        assert snapshot.counts("repo", after=FacetValue("\ud800", 1)) == [("owner/name", 1)]


def test_files_of_a_repository_are_counted(store, make_record, fill):
    fill(
        make_record(1, file_path="a.py"),
        make_record(2, file_path="a.py"),
        make_record(3, file_path=None),
        make_record(4, file_path="b.py", repo="x/y"),
    )
    with store.snapshot() as snapshot:
        assert snapshot.counts("file", Filters(repo="owner/name")) == [("a.py", 2)]
        with pytest.raises(ValueError, match="no facet"):
            snapshot.counts("colour")


def test_kept_answers_belong_to_their_version(store, make_record, fill):
    fill(make_record(1))
    narrow = Filters(severity="error")
    with store.snapshot() as old:
        fill(make_record(2))
        with store.snapshot() as new:
            assert new.count_records(narrow) == 2
            assert old.count_records(narrow) == 1
            assert new.counts("repo") == [("owner/name", 2)]
            assert old.counts("repo") == [("owner/name", 1)]
            mine = new.counts("repo")
            mine.clear()
            assert new.counts("repo") == [("owner/name", 2)]


def test_changes_come_newest_first_and_page_behind_a_change(store, make_record, fill):
    first = fill(*(make_record(number) for number in range(3)))
    second = fill(make_record(8), make_record(7))
    with store.snapshot() as snapshot:
        newest = snapshot.list_changes(limit=3)
        assert [record.id for record in newest] == [f"{n:016x}" for n in (8, 7, 2)]
        assert [r.id for r in snapshot.list_changes(first)] == [f"{n:016x}" for n in (8, 7)]
        assert snapshot.list_changes(second) == []
        last = Changed(newest[-1].changed_version, newest[-1].id)
        rest = snapshot.list_changes(after=last)
        assert [record.id for record in rest] == [f"{n:016x}" for n in (1, 0)]


def test_related_candidates_share_something_and_stay_few(store, make_record, fill):
    fill(
        *(make_record(n, background_tag="bg", error_class=None) for n in range(50)),
        make_record(100, tags=("rare",), repo="x/y", error_class=None, file_path=None),
        make_record(101, repo="x/y", error_class=None, file_path="other.py"),
        make_record(102, background_tag="bg", tags=("rare",), error_class=None, file_path=None),
    )
    with store.snapshot() as snapshot:
        record = snapshot.find(f"{102:016x}")
        assert record is not None
        found = {each.id for each in snapshot.related_candidates(record, limit_each=5)}
    assert f"{102:016x}" not in found
    assert f"{101:016x}" not in found
    assert f"{100:016x}" in found
    assert len(found) == 6


def test_of_many_candidates_those_that_share_most_are_compared(store, make_record, fill):
    """With those that are alike for another reason, and never the record itself."""
    fill(
        *(make_record(n, background_tag="bg", error_class=None) for n in range(1, 60)),
        *(make_record(n, tags=(f"t{n}", "all"), file_path=f"{n}.py") for n in range(100, 160)),
        make_record(200, background_tag="bg", tags=("all", "t100"), file_path="100.py"),
        make_record(300, repo="x/y", error_class=None, file_path=None),
    )
    with store.snapshot() as snapshot:
        record = snapshot.find(f"{200:016x}")
        assert record is not None
        alike = [record.id, f"{300:016x}"]
        found = {each.id: each for each in snapshot.related_candidates(record, alike)}
    assert record.id not in found
    assert f"{300:016x}" in found
    assert found[f"{100:016x}"].tags == ("t100", "all")
    assert len(found) <= 41


def test_two_readers_in_one_thread_and_many_in_many(store, make_record, fill):
    fill(*(make_record(number) for number in range(20)))
    failures: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(20):
                with store.snapshot() as outer, store.snapshot() as inner:
                    assert len(outer.list_records()) == 20
                    assert len(list(inner.documents())) == 20
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_snapshot_does_not_move(store: Store, make_record, fill):
    first = fill(make_record(1))
    with store.snapshot() as snapshot:
        second = fill(make_record(2))
        assert store.current_version() == second
        assert snapshot.version == first
        assert [record.id for record in snapshot.documents()] == [f"{1:016x}"]
        assert [row.id for row in snapshot.patterns()] == [f"{1:016x}"]
        assert snapshot.list_versions() == [first]
    with store.snapshot() as snapshot:
        assert snapshot.list_versions() == [second, first]


def test_documents_of_one_dataset(store, make_record, fill):
    fill(make_record(1), dataset="a")
    fill(make_record(2), dataset="b")
    with store.snapshot() as snapshot:
        assert [record.id for record in snapshot.documents("b")] == [f"{2:016x}"]
        assert [(each.name, each.records) for each in snapshot.stats().datasets] == [
            ("a", 1),
            ("b", 1),
        ]


def test_a_stream_that_is_left_half_read_does_not_hold_the_next_snapshot_back(
    store, make_record, fill
):
    fill(*(make_record(number) for number in range(1000)))
    with store.snapshot() as snapshot:
        patterns, documents = snapshot.patterns(), snapshot.documents()
        next(patterns)
        next(documents)
    fill(make_record(5000))
    with store.snapshot() as snapshot:
        assert len(list(snapshot.documents())) == snapshot.count_records() == 1001


def test_nothing_is_read_from_a_snapshot_that_has_ended(store, make_record, fill):
    fill(*(make_record(number) for number in range(1000)))
    with store.snapshot() as snapshot:
        documents = snapshot.documents()
        next(documents)
    for read in (snapshot.list_records, snapshot.patterns().__next__, lambda: list(documents)):
        with pytest.raises(RuntimeError, match="has ended"):
            read()


def test_addresses_begin_with_the_first_id_and_pieces_cut_them_evenly(store, make_record, fill):
    ids = [f"{number:016x}" for number in (0, 5, 6, 7, 2**64 - 1)]
    fill(*(make_record(int(each, 16)) for each in ids))
    with store.snapshot() as snapshot:
        assert [each.id for each in snapshot.list_addresses()] == ids
        assert [each.id for each in snapshot.list_addresses(ids[1], limit=2)] == ids[1:3]
        assert [each.id for each in snapshot.list_addresses("f" * 16)] == ids[4:]
        assert snapshot.list_addresses("../x") == []
        assert snapshot.every_nth(2) == [ids[0], ids[2], ids[4]]
        assert snapshot.every_nth(100) == ids[:1]
        first = snapshot.list_addresses(limit=1)[0]
        found = snapshot.find(first.id)
        assert (found.slug, found.changed_version) == (first.slug, first.changed_version)
