"""Messages that somebody asks about in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.knowledge_base import load, record

from errdex.knowledge import Knowledge
from errdex.search.fake import FakeIndexStore
from errdex.store import Store

RECORDS = [
    record("Cannot find basket '{basket}'", solutions=["Look again."]),
    record("Parcel of {name} refused by the carrier", solutions=["Call."]),
    record("No such shelf: {shelf} in the storehouse", solutions=["Count."]),
    record("{thing} failed", errorClass="StepError", solutions=["Wait."]),
]


@pytest.fixture
def shop(tmp_path: Path, store: Store, indexes: FakeIndexStore) -> Knowledge:
    load(tmp_path, store, indexes, RECORDS)
    return Knowledge(store, indexes)


@pytest.mark.parametrize(
    ("asked", "record_number", "message", "captures"),
    [
        (
            "why do I get cannot find basket b-17 in docker",
            0, "cannot find basket b-17", ["b-17"],
        ),
        (
            "getting parcel of anna refused by the carrier when running my app",
            1, "parcel of anna refused by the carrier", ["anna"],
        ),
        (
            "why do I get no such shelf: a4 in the storehouse after the upgrade?",
            2, "no such shelf: a4 in the storehouse", ["a4"],
        ),
        (
            "Hi all,\nhow do I fix Cannot find basket 'b-17'? I tried all.\nThanks",
            0, "Cannot find basket 'b-17", ["b-17"],
        ),
    ],
)  # fmt: skip
def test_the_message_within_is_known(
    shop: Knowledge, asked: str, record_number: int, message: str, captures: list[str]
) -> None:
    (event,) = shop.match(asked).answer.events
    assert event.matches[0].record.error_message == RECORDS[record_number]["errorMessage"]
    assert event.event.message.startswith(message)
    taken = event.matches[0].captures
    assert [each.text for each in taken] == captures
    for each in taken:
        assert asked[each.place.start : each.place.end] == each.text


@pytest.mark.parametrize(
    "asked",
    [
        "how do I find a basket in docker",
        "why is the parcel of my carrier late",
        "why do I get cannot find the basket in docker",
        "my build failed, any ideas?",
        "Server listening on port 8080",
        "2026-05-02 10:00:00 INFO cannot find basket b-17, using the default",
    ],
)
def test_other_questions_and_calm_lines_are_not(shop: Knowledge, asked: str) -> None:
    assert not shop.match(asked).answer.found


def test_a_long_paste_is_no_question(shop: Knowledge) -> None:
    asked = "why do I get cannot find basket b-17 in docker\n"
    assert not shop.match(asked + "line of a log\n" * 5).answer.found
    assert not shop.match("why do I get " + "cannot find basket " * 50_000).answer.found


def test_a_line_with_the_code_of_another_error_is_no_question(
    tmp_path: Path, store: Store, indexes: FakeIndexStore
) -> None:
    other = record("Crate '{crate}' is missing from cart '{cart}': {parts}", errorCode="TS2739")
    load(tmp_path, store, indexes, [other])
    said = "src/cart.ts(14,9): error TS2740: Crate '{}' is missing from cart 'Cart': id, lines."
    answer = Knowledge(store, indexes).match(said).answer
    assert [(each.event.code, len(each.matches)) for each in answer.events] == [("TS2740", 0)]
