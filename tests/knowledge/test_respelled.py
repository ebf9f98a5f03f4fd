"""Messages that somebody typed again, in other letters or without their quotation marks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.knowledge_base import load, record

from errdex.knowledge import Knowledge
from errdex.search.fake import FakeIndexStore
from errdex.store import Store

RECORDS = [
    record(
        "Cannot open basket '{basket}' of the Shop", language="python", solutions=["Unlock it."]
    ),
    record("Shop isn't open on {day}", errorClass="ClosedError", solutions=["Wait."]),
    record("'{thing}' failed", errorClass="StepError"),
    record(
        "The tariff of an item is unknown",
        messagePattern="[Tt]he tariff of ['`]([A-Z]+)[`'] is unknown",
        solutions=["Name the tariff."],
    ),
]


@pytest.fixture
def shop(tmp_path: Path, store: Store, indexes: FakeIndexStore) -> Knowledge:
    load(tmp_path, store, indexes, RECORDS)
    return Knowledge(store, indexes)


def found(knowledge: Knowledge, paste: str) -> list[str]:
    return [m.record.error_message for e in knowledge.match(paste).answer.events for m in e.matches]


@pytest.mark.parametrize(
    ("typed", "message", "captures"),
    [
        ("cannot open basket 'b-17' of the shop", 0, ["b-17"]),
        ("CANNOT OPEN BASKET B-17 OF THE SHOP", 0, ["B-17"]),
        ("Cannot open basket b-17 of the Shop", 0, ["b-17"]),
        ("Cannot open basket \u201cb-17\u201d of the Shop", 0, ["b-17"]),
        ("ShopError: cannot open basket b-17 of the shop", 0, ["b-17"]),
        ("error: shop isnt open on sunday", 1, ["sunday"]),
        ("Shop isn't open on Sunday", 1, ["Sunday"]),
        ("the tariff of abc is unknown", 3, ["abc"]),
    ],
)
def test_it_is_a_match_and_captures_are_those_of_the_paste(
    shop: Knowledge, typed: str, message: int, captures: list[str]
) -> None:
    paste = f"$ shop\n{typed}\n"
    (event,) = shop.match(paste).answer.events
    assert [m.record.error_message for m in event.matches] == [RECORDS[message]["errorMessage"]]
    taken = event.matches[0].captures
    assert [each.text for each in taken] == captures
    for each in taken:
        assert paste[each.place.start : each.place.end] == each.text


@pytest.mark.parametrize(
    "typed",
    [
        "cannot open the basket b-17 of the shop",  # another word
        "cannot close basket b-17 of the shop",
        "error: build failed",  # says too little
        "error: the shop isnt open",
    ],
)
def test_other_words_are_at_most_a_near_miss(shop: Knowledge, typed: str) -> None:
    assert found(shop, typed) == []


def test_a_message_as_it_was_printed_comes_the_usual_way(shop: Knowledge) -> None:
    assert found(shop, "ShopError: Cannot open basket 'b-17' of the Shop") == [
        RECORDS[0]["errorMessage"]
    ]


def test_a_long_message_of_marks_is_no_work(shop: Knowledge) -> None:
    assert found(shop, "error: " + "'\"`" * 100_000) == []
    assert found(shop, "error: " + "cannot open basket " * 20_000) == []


def test_without_an_index_there_is_an_answer_without_them(
    shop: Knowledge, indexes: FakeIndexStore
) -> None:
    indexes.versions.clear()
    assert found(shop, "cannot open basket b-17 of the shop") == []
