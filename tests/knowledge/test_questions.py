from __future__ import annotations

from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load, record

from errdex.ingest import rebuild_index
from errdex.knowledge import Knowledge, RecordNotFound, SearchUnavailable, ValueNotFound
from errdex.records.filters import Filters
from errdex.search.fake import FakeIndexStore
from errdex.store import Store, open_database


def messages(items) -> list[str]:
    return [item.record.error_message for item in items]


@pytest.mark.parametrize("bad", ["", "zz", "0" * 16, "0" * 15 + "/", "../../etc", "\x00", "é" * 16])
def test_an_id_that_is_not_there_says_what_an_id_is(knowledge: Knowledge, bad: str) -> None:
    with pytest.raises(RecordNotFound, match="16 of the characters"):
        knowledge.get_record(bad)
    assert knowledge.find_record(bad) is None


def test_an_empty_knowledge_base_answers_everything(tmp_path: Path) -> None:
    store = open_database(f"sqlite:///{tmp_path / 'errdex.db'}")
    store.migrate()
    knowledge = Knowledge(store, FakeIndexStore())
    assert knowledge.get_version() == ""
    assert knowledge.prepare() == ""
    assert knowledge.search_records("anything").items == ()
    assert knowledge.search_records("").total == 0
    assert knowledge.list_values("repo").items == []
    assert knowledge.get_stats().records == 0
    knowledge.close()


def test_a_search_finds_by_words_and_filters(knowledge: Knowledge) -> None:
    page = knowledge.search_records("basket")
    assert set(messages(page.items)) == {
        "Basket {basket_id} is empty",
        "Basket {basket_id} is locked by another session",
    }
    assert page.total == 2
    filtered = knowledge.search_records("basket", Filters(error_class="LockError"))
    assert messages(filtered.items) == ["Basket {basket_id} is locked by another session"]


def test_what_was_searched_for_is_marked(knowledge: Knowledge) -> None:
    item = knowledge.search_records("checkout holds").items[0]
    assert item.extract is not None
    marked = [item.extract.text[a:b] for a, b in item.extract.spans]
    assert (item.extract.field, marked) == ("documentation", ["Checkout", "holds"])
    (item,) = knowledge.search_records("locked").items
    marked = [item.record.error_message[a:b] for a, b in item.message_spans]
    assert marked == ["locked"]


def test_without_words_the_filters_list_with_facets(knowledge: Knowledge) -> None:
    page = knowledge.search_records("  ", Filters(tag="checkout"))
    assert page.total == 2
    assert [tuple(each) for each in page.facets["class"]] == [("ShopError", 2)]
    assert ("checkout", 2) in [tuple(each) for each in page.facets["tag"]]


def test_pages_of_a_list_stay_right_while_records_come(
    tmp_path: Path, store: Store, indexes: FakeIndexStore, knowledge: Knowledge
) -> None:
    first = knowledge.list_records(limit=2)
    more = [record(f"New error number {n}: {{what}}") for n in range(20)]
    load(tmp_path, store, indexes, more, dataset="more")
    seen = [item.id for item in first.items]
    cursor = first.next_cursor
    while cursor:
        page = knowledge.list_records(limit=3, cursor=cursor)
        seen += [item.id for item in page.items]
        cursor = page.next_cursor
    assert len(seen) == len(set(seen))
    old = {answer.id for answer in first.items}
    assert old <= set(seen)
    assert seen == sorted(seen)
    assert len(seen) >= len(SHOP)


def test_related_records_come_with_reasons(knowledge: Knowledge) -> None:
    (basket,) = knowledge.search_records("empty basket", Filters(tag="basket"), limit=1).items
    related = knowledge.related_records(basket.record.id).items
    reasons = {each.record.error_message: list(map(str, each.reasons)) for each in related}
    assert "same cause: empty-input" in reasons["Order {order_id} has no lines"]
    assert "same tag: checkout" in reasons["Order {order_id} has no lines"]
    locked = reasons["Basket {basket_id} is locked by another session"]
    assert "raised in the same file: shop/basket.py" in locked
    assert basket.record.id not in {each.record.id for each in related}
    assert [each.score for each in related] == sorted((e.score for e in related), reverse=True)


def test_records_of_other_worlds_are_not_related(
    tmp_path: Path, store: Store, indexes: FakeIndexStore
) -> None:
    alike = {"errorClass": None, "tags": ["cli"]}
    load(
        tmp_path,
        store,
        indexes,
        [
            record("no such option {name}", repo="acme/click", **alike),
            record("no such option {name} here", repo="acme/deb", errorClass=None, tags=["keys"]),
            record("the key is too old", repo="acme/click", **alike),
            record("no such option {name} there", repo="acme/click", errorClass=None),
        ],
    )
    knowledge = Knowledge(store, indexes)
    first = knowledge.search_records("no such option").items
    own = next(e for e in first if e.record.error_message == "no such option {name}")
    related = knowledge.related_records(own.record.id).items
    assert [each.record.error_message for each in related] == ["no such option {name} there"]


def test_a_repository_tells_its_classes_and_files(knowledge: Knowledge) -> None:
    repo = knowledge.get_repo("acme/shop")
    assert repo.records == 3
    assert [tuple(each) for each in repo.classes] == [("ShopError", 2), ("LockError", 1)]
    assert tuple(repo.files[0]) == ("shop/basket.py", 2)
    with pytest.raises(ValueNotFound, match="acme/nothing"):
        knowledge.get_repo("acme/nothing")


def test_values_are_paged_by_frequency(knowledge: Knowledge) -> None:
    first = knowledge.list_values("tag", limit=2)
    second = knowledge.list_values("tag", limit=2, cursor=first.next_cursor)
    values = [each.value for each in (*first.items, *second.items)]
    assert values == ["basket", "checkout", "orders", "stock"]
    assert (first.total, second.next_cursor) == (4, None)


def test_while_the_index_is_missing_only_searches_wait(
    store: Store, indexes: FakeIndexStore, knowledge: Knowledge
) -> None:
    indexes.sweep(set())
    asked = []
    without = Knowledge(store, indexes, rebuild=lambda: bool(asked.append(1)))
    with pytest.raises(SearchUnavailable, match="Try again"):
        without.search_records("basket")
    assert asked
    some = without.list_records().items[0]
    assert without.get_record(some.id).record.repo.startswith("acme/")
    assert without.related_records(some.id).items
    assert without.search_records("").total == len(SHOP)


def test_an_index_that_can_be_rebuilt_at_once_is(store: Store, indexes: FakeIndexStore) -> None:
    store.migrate()
    indexes.sweep(set())
    rebuilding = Knowledge(store, indexes, rebuild=lambda: bool(rebuild_index(store, indexes)))
    assert rebuilding.search_records("basket").total == 0


def test_a_rebuilt_index_answers_the_same_request(
    store: Store, indexes: FakeIndexStore, knowledge: Knowledge
) -> None:
    indexes.sweep(set())
    rebuilding = Knowledge(store, indexes, rebuild=lambda: bool(rebuild_index(store, indexes)))
    assert rebuilding.search_records("basket").total == 2


def test_a_new_version_is_answered_from_its_own_index(
    tmp_path: Path, store: Store, indexes: FakeIndexStore, knowledge: Knowledge
) -> None:
    assert knowledge.search_records("basket").total == 2
    load(tmp_path, store, indexes, [record("Basket {id} went missing")], prune=True)
    page = knowledge.search_records("basket")
    assert messages(page.items) == ["Basket {id} went missing"]
    assert page.version == knowledge.get_version()
