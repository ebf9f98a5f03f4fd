"""The page that says where the records come from counts what the records say."""

from __future__ import annotations

import re

from tests.knowledge_base import record

GOOD = {
    "samples": ["Disk 7 is full", "error: Disk 8 is full"],
    "references": ["https://example.com/disk"],
    "reproducedWith": "df 9.1",
}


def rows_of(page: str) -> list[list[str]]:
    """The cells of the page's table."""
    return [re.findall(r">([^<>]+)<", row) for row in re.findall(r"<tr>.*?</tr>", page, re.S)]


def test_it_counts_by_first_tag_largest_first(serve_records):
    client = serve_records(
        [
            record("Disk {x} is full", tags=["disk", "linux"], **GOOD),
            record("Disk {x} is gone now", tags=["disk"], samples=["Disk 7 is gone now"]),
            record("The frobnicator {x} is lost", tags=["<b>'&\""], references=[]),
            record("The frobnicator {x} is found", references=None),
        ]
    )
    answer = client.get("/about/data")
    assert answer.status_code == 200
    assert rows_of(answer.text)[1:] == [
        ["disk", "2", "1"],
        ["without tags", "1", "0"],
        ["&lt;b&gt;&#39;&amp;&#34;", "1", "0"],
    ]
    said = dict(re.findall("<dt>([^<]+)</dt><dd>([^<:.]+)", answer.text))
    assert said["Reproduced"] == "1"
    assert said["With two samples or more"] == "1, with 3 samples in all"
    assert said["With references"] == "1"


def test_an_empty_knowledge_base_has_the_page_too(serve_records):
    answer = serve_records([]).get("/about/data")
    assert answer.status_code == 200
    assert "0 records" in answer.text
    assert "<table>" not in answer.text
