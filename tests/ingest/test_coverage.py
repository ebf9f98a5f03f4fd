"""A check tells how well the records are verified."""

from __future__ import annotations

import pytest

from errdex.ingest import check
from errdex.ingest.coverage import MAX_PLACES, topic_of

MESSAGE = "the frobnicator 5 refused request number 1"
WHOLE = {
    "samples": [MESSAGE, f"fatal: {MESSAGE}"],
    "references": ["https://example.com/frob"],
    "reproducedWith": "frob 2.1",
}


def test_what_records_lack_is_counted_where_they_stand(write_lines, make_body):
    first = write_lines(
        [
            make_body(1, **WHOLE),
            make_body(1, **WHOLE | {"id": "b" * 16, "samples": [MESSAGE]}),
            make_body(2, severity="loud"),
        ],
        "frob.jsonl",
    )
    second = write_lines([make_body(3), make_body(3)], "other.jsonl")
    coverage = check([first, second]).to_dict()["coverage"]
    assert coverage == {
        "topics": [
            {"topic": "frob", "records": 2, "reproduced": 2},
            {"topic": "other", "records": 1, "reproduced": 0},
        ],
        "without": {
            "samples": {"records": 2, "places": [f"{first}:2", f"{second}:1"]},
            "references": {"records": 1, "places": [f"{second}:1"]},
            "reproduction": {"records": 1, "places": [f"{second}:1"]},
        },
        "causes": {"named": 0, "explained": 0, "unexplained": [], "unused": []},
    }


def test_places_are_listed_up_to_a_limit(write_lines, make_body):
    number = MAX_PLACES + 1
    path = write_lines([make_body(n) for n in range(number)])
    coverage = check([path]).coverage
    assert coverage is not None
    assert coverage.gaps["samples"].records == number
    assert len(coverage.gaps["samples"].places) == MAX_PLACES


def test_an_ingestion_tells_nothing_of_coverage(run, write_lines, make_body):
    assert "coverage" not in run(write_lines([make_body(1)])).to_dict()


@pytest.mark.parametrize(
    ("file", "topic"),
    [
        ("data/pip.yaml", "pip"),
        ("pip.JSONL.GZ", "pip"),
        ("a/next.js.json", "next.js"),
        ("-", "-"),
        ("standard input", "standard input"),
        ("pip", "pip"),
    ],
)
def test_a_topic_is_a_file_without_its_endings(file, topic):
    assert topic_of(file) == topic
