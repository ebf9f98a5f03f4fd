"""The scorer of pastes and cases: what it calls right, fair, wrong and none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench.quality.cases import Case, CaseInvalid, answer_case, find_faults, load_cases
from bench.quality.knowledge_base import starter_records
from bench.quality.pastes import Half, Verdict, half_of, load_pastes, row, score_paste

RECORDS = (
    {"repo": "acme/shop", "errorMessage": "basket {number} has no articles"},
    {"repo": "acme/shop", "errorMessage": "the shop {name} is closed on Sundays"},
)
TRACEBACK = (
    'Traceback (most recent call last):\n  File "run.py", line 3, in <module>\n    buy()\n'
    "ValueError: basket 7 has no articles\n"
)


def paste(text: str, **expect: Any) -> Case:
    return Case("a-1", "python", text, expect, data="none", records=RECORDS)


@pytest.mark.parametrize(
    ("expect", "first", "verdict"),
    [
        ({"first_record": "basket {number} has no articles"}, True, Verdict.RIGHT),
        ({"first_record": None}, True, Verdict.WRONG),
        ({"first_record": "another one"}, True, Verdict.WRONG),
        (
            {"first_record": None, "fair_records": ["basket {number} has no articles"]},
            True,
            Verdict.FAIR,
        ),
        ({"root_class": "KeyError", "first_record": None}, False, Verdict.WRONG),
    ],
)
def test_a_record_is_judged(expect: dict[str, Any], first: bool, verdict: Verdict) -> None:
    wanted = {"root_message": "basket 7 has no articles", **expect}
    score = score_paste(paste(TRACEBACK, **wanted))
    assert (score.first, score.event, score.verdict) == (first, first, verdict)
    assert score.good == (first and verdict in (Verdict.RIGHT, Verdict.FAIR))


def test_a_record_that_does_not_come_is_none() -> None:
    text = TRACEBACK.replace("articles", "rows")
    wanted = {"root_class": "ValueError", "first_record": RECORDS[0]["errorMessage"]}
    assert score_paste(paste(text, **wanted)).verdict is Verdict.NONE


def test_an_error_that_is_not_first_is_found_all_the_same() -> None:
    text = TRACEBACK + "\n" + TRACEBACK.replace("basket 7 has no articles", "of another kind")
    score = score_paste(paste(text, root_message="of another kind"))
    assert score.event
    assert not score.first


def test_a_calm_paste_is_right_without_errors() -> None:
    score = score_paste(paste("12:00:01 INFO 17 baskets were packed\n", events=0))
    assert score.good
    assert not score_paste(paste(TRACEBACK, events=0)).good


def test_other_expectations_are_looked_at() -> None:
    expect = {
        "root_message": "basket 7 has no articles",
        "events": 2,
        "captures": {"number": "7"},
        "no_event": {"class": "ValueError"},
        "not_records": [RECORDS[1]["errorMessage"]],
    }
    faults = find_faults(expect, answer_case(paste(TRACEBACK, **expect)))
    assert [fault.what for fault in faults] == ["events", "no_event"]


def test_a_file_is_refused_for_a_key_it_does_not_know(tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text("- {id: a, kind: b, input: c, expect: {root_mesage: d}}\n")
    with pytest.raises(CaseInvalid, match="root_mesage"):
        load_cases(file)
    file.write_text("- {id: a, input: c, expect: {events: 0}}\n" * 2)
    with pytest.raises(CaseInvalid, match="several"):
        load_cases(file)


def test_each_paste_is_in_one_half() -> None:
    everything = load_pastes()
    ids = [case.id for case in everything]
    assert len(set(ids)) == len(ids)
    work, aside = load_pastes(Half.WORK), load_pastes(Half.ASIDE)
    assert {case.id for case in (*work, *aside)} == set(ids)
    assert not {case.id for case in work} & {case.id for case in aside}
    assert half_of("python-1") is half_of("python-1")


def test_the_records_that_pastes_want_exist() -> None:
    there = {record.error_message for record in starter_records()}
    wanted = {
        name
        for case in load_pastes()
        for name in (case.expect.get("first_record"), *case.expect.get("fair_records", ()))
    }
    assert wanted - {None} - there == set()


def test_the_row_has_the_figures() -> None:
    good = score_paste(paste(TRACEBACK, root_class="ValueError", first_record=None))
    assert row("x", [good]).split() == ["x", "1", "100.0%", "100.0%", "0", "0", "1", "0", "0"]
