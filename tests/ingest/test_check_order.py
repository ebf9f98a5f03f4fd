"""What `errdex check` lists: in the order of the lines, with the name that was misspelled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errdex.ingest.check_run import check
from errdex.records.fields import FIELDS, OTHER_NAMES
from errdex.records.misspelled import find_misspelled

GOOD = {"repo": "acme/widget", "errorMessage": "the widget is broken"}
NO_MESSAGE = {"repo": "acme/widget"}
WRONG_PATTERN = {"repo": "acme/widget", "errorMessage": "{x}"}
WRONG_SEVERITY = {**GOOD, "errorMessage": "the widget is bent", "severity": "bad"}
OTHER_CONTENT = {**GOOD, "tags": ["x"]}


@pytest.mark.parametrize("suffix", ["jsonl", "json", "yaml"])
def test_problems_are_listed_in_the_order_of_lines(tmp_path: Path, suffix: str) -> None:
    """Those of a record without an id are found earlier than those of a pattern."""
    records = [WRONG_PATTERN, NO_MESSAGE, GOOD, OTHER_CONTENT, NO_MESSAGE, WRONG_SEVERITY, "text"]
    records = [*records, WRONG_PATTERN, NO_MESSAGE] * 25
    for name in ("b", "a"):
        text = "\n".join(map(json.dumps, records))
        if suffix != "jsonl":
            text = "[" + text.replace("\n", ",\n") + "]"
        (tmp_path / f"{name}.{suffix}").write_text(text)

    report = check([tmp_path / f"b.{suffix}", tmp_path / f"a.{suffix}"])

    places = [each.source for each in report.problems]
    assert len(places) == 200
    assert places == sorted(
        places, key=lambda each: (each.file < f"{tmp_path}/b", each.line or 0, each.index or 0)
    )
    assert places[0].line == 1
    assert len({each.file for each in places}) == 2
    assert report.problems_left_out > 0


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("errorMesage", "errorMessage"),
        ("error_message", "errorMessage"),
        ("errormessage", "errorMessage"),
        ("solution", "solutions"),
        ("solutons", "solutions"),
        ("verifedWith", "verifiedWith"),
        ("reproducedwith", "verifiedWith"),
        ("myOwnKey", None),
        ("notes", None),
        ("message", None),
        ("x", None),
        ("errorMessage" * 10_000, None),
    ],
)
def test_a_misspelled_key_is_named(key: str, meant: str | None) -> None:
    assert find_misspelled({"repo": 1, key: 1}) == ({key: meant} if meant else {})


def test_a_field_is_not_meant_by_another_key_when_it_is_there() -> None:
    assert find_misspelled(["errorMessage", "errorMesage"]) == {}
    assert find_misspelled(["verifiedWith", "reproducedwith"]) == {}
    assert find_misspelled(field.wire for field in FIELDS) == {}
    assert find_misspelled(OTHER_NAMES) == {}


def test_check_names_misspelled_keys_and_refuses_none_for_them(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [
        {"repo": "acme/widget", "errorMesage": "the widget is broken"},
        {**GOOD, "solutons": ["mend it"], "ourTeam": "blue", "\x1b[31mtagz": 1},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))

    report = check([path])

    assert [str(each) for each in report.problems] == [
        f"{path}:1: errorMessage: is missing; "
        "did you mean errorMessage? write errorMessage instead of errorMesage"
    ]
    assert report.passed == 1
    assert report.notes == (f"{path}:2: “solutons” is no field: did you mean solutions?",)
