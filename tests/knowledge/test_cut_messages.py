"""Messages whose end was cut off, by a terminal's width, a log's limit or a quotation."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.knowledge_base import load, record

from errdex.knowledge import Knowledge
from errdex.search.fake import FakeIndexStore
from errdex.store import Store

RECORDS = [
    record(
        "Basket '{basket}' cannot be delivered to island {island} before noon", solutions=["Wait."]
    ),
    record("Tariff '{tariff}' is unknown. Did you mean the summer tariff?", solutions=["Look."]),
    record("Tariff '{tariff}' is unknown. Did you mean the winter tariff?", solutions=["Look."]),
    record("ShopError: {reason}", solutions=["Read on."], errorClass=None),
    record("Carrier {name} refused the parcel of pallet {pallet}", solutions=["Call."]),
    record(
        "Carrier {name} refused the parcel of crate {crate}", errorClass="CrateError",
        solutions=["Call."],
    ),
    record(
        "The warehouse clerk could not find the parcel '{parcel}' in hall nine",
        messagePattern="The warehouse clerk could not find the parcel [`']([^'\\n]+)' in hall nine",
        solutions=["Search."],
    ),
    record(
        "The harbour master cannot assign a berth to vessel {vessel} without papers",
        messagePattern=r"The harbour master cannot assign a berth to vessel [^\n]+ without papers",
        solutions=["Show them."],
    ),
]  # fmt: skip
WHOLE = "Basket 'b-17' cannot be delivered to island Sylt before noon"


@pytest.fixture
def shop(tmp_path: Path, store: Store, indexes: FakeIndexStore) -> Knowledge:
    load(tmp_path, store, indexes, RECORDS)
    return Knowledge(store, indexes)


def found(knowledge: Knowledge, paste: str) -> list[str]:
    return [
        e.matches[0].record.error_message for e in knowledge.match(paste).answer.events if e.matches
    ]


def near(knowledge: Knowledge, paste: str) -> set[str]:
    events = knowledge.match(paste).answer.events
    return {miss.record.error_message for e in events for miss in e.near_misses}


@pytest.mark.parametrize("end", ["", "\u2026", "...", " [truncated]", "...(truncated)", "\u2026'"])
@pytest.mark.parametrize("length", [36, 40, 44, 51])
def test_the_beginning_of_one_record_is_a_match(shop: Knowledge, length: int, end: str) -> None:
    assert found(shop, f"error: {WHOLE[:length]}{end}\n") == [RECORDS[0]["errorMessage"]]


def test_the_evidence_says_that_the_end_is_missing(shop: Knowledge) -> None:
    paste = f"error: {WHOLE[:40]}\u2026"
    (event,) = shop.match(paste).answer.events
    (match,) = event.matches
    assert match.evidence[0].words == "the message as far as the paste shows it"
    (capture,) = match.captures
    assert capture.text == paste[capture.place.start : capture.place.end] == "b-17"


def test_a_quotation_in_mail_is_cut_at_its_own_end(shop: Knowledge) -> None:
    assert found(shop, f"> error: {WHOLE[:40]}\u2026\n>\n> thanks\n") == [
        RECORDS[0]["errorMessage"]
    ]


@pytest.mark.parametrize(
    "paste",
    [
        "error: Basket 'b-17' cannot be ordered\u2026",  # another word
        "error: Basket 'b-17' cannot be delivered to islet\u2026",
        "error: Basket\u2026",  # says too little
        "error: The basket was thrown away, and cannot be delivered\u2026",
    ],
)
def test_another_beginning_is_no_match(shop: Knowledge, paste: str) -> None:
    assert found(shop, paste) == []


CLERK = "error: The warehouse clerk could not find the parcel "
HARBOUR = "error: The harbour master cannot assign a berth to vessel "


@pytest.mark.parametrize(
    "paste",
    [
        CLERK + "'p-3' on the ship",
        CLERK + "`p-3' on the ship",
        CLERK + "'p-3' on the ship\u2026",  # cut, and behind a value that has ended
        CLERK + "`p-3' for #<Ship:0x7f34...",
        HARBOUR + "Anna: no such quay in the port",
    ],
)
def test_the_end_of_another_message_is_no_value(shop: Knowledge, paste: str) -> None:
    assert found(shop, paste) == []


@pytest.mark.parametrize(
    ("paste", "known"),
    [
        (CLERK + "'p-3 of Mon", RECORDS[6]),
        (CLERK + "`p-3 of Mon", RECORDS[6]),
        (CLERK + "'p-3' in ha", RECORDS[6]),
        (CLERK + "`p-3\u2026", RECORDS[6]),
        (HARBOUR + "Anna", RECORDS[7]),
        (HARBOUR + "Anna of the Nor\u2026", RECORDS[7]),
    ],
)
def test_a_value_that_is_cut_off_is_a_match(
    shop: Knowledge, paste: str, known: dict[str, object]
) -> None:
    assert found(shop, paste) == [known["errorMessage"]]


def test_what_two_records_begin_with_is_near_to_both(shop: Knowledge) -> None:
    paste = "error: Tariff 'day' is unknown. Did you mean the\u2026"
    assert found(shop, paste) == []
    assert near(shop, paste) >= {RECORDS[1]["errorMessage"], RECORDS[2]["errorMessage"]}
    assert found(shop, "error: Tariff 'day' is unknown. Did you mean the win\u2026") == [
        RECORDS[2]["errorMessage"]
    ]


def test_a_class_distinguishes_what_begins_alike(shop: Knowledge) -> None:
    assert found(shop, "CrateError: Carrier DHL refused the parcel of\u2026") == [
        RECORDS[5]["errorMessage"]
    ]


def test_a_record_that_takes_anything_gives_way(shop: Knowledge) -> None:
    assert found(shop, f"ShopError: {WHOLE[:40]}\u2026") == [RECORDS[0]["errorMessage"]]
    assert found(shop, "ShopError: something else\u2026") == [RECORDS[3]["errorMessage"]]


def test_long_texts_and_many_marks_are_no_work(shop: Knowledge) -> None:
    assert found(shop, "error: " + "Basket " * 50_000 + "\u2026") == []
    assert found(shop, "error: Basket '" + "\u2026" * 100_000) == []
