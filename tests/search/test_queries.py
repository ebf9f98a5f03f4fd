"""Searches as people type them find the right record of the starter data.

Most must find it at once; a few may not, since records are added to the data all the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from errdex.ingest.index_documents import document_of
from errdex.records.filters import Filters
from errdex.resources import find_folder
from errdex.search.protocol import SearchIndex, SearchResult
from errdex.search.whoosh.index import WhooshIndexStore

pytestmark = pytest.mark.slow

QUERIES = yaml.safe_load(Path(__file__).with_name("queries.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def records() -> dict[str, dict[str, Any]]:
    listed: list[dict[str, Any]] = []
    for path in sorted(find_folder("data").glob("*.yaml")):
        content = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
        listed += [each for each in content if "errorMessage" in each]
    return {f"{number:016x}": record for number, record in enumerate(listed)}


@pytest.fixture(scope="module")
def index(
    records: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SearchIndex]:
    store = WhooshIndexStore(tmp_path_factory.mktemp("index"))
    writer = store.begin("1")
    for record_id, record in records.items():
        writer.put(document_of(record_id, "", record))
    writer.finish()
    opened = store.open("1")
    yield opened
    opened.close()


def rank(result: SearchResult, records: dict[str, dict[str, Any]], wanted: object) -> int | None:
    """The place of the first wanted record; None when it is not there."""
    starts = [wanted] if isinstance(wanted, str) else wanted
    messages = [records[hit.record_id]["errorMessage"] for hit in result.hits]
    exact = {record["errorMessage"] for record in records.values()}
    return next(
        (
            place
            for place, message in enumerate(messages, 1)
            for start in starts
            if message == start or (start not in exact and message.startswith(start))
        ),
        None,
    )


def test_the_right_record_comes_first(
    index: SearchIndex, records: dict[str, dict[str, Any]]
) -> None:
    asked = [each for each in QUERIES if not each.get("none")]
    ranks = {
        each["query"]: rank(index.search(each["query"], Filters(), limit=3), records, each["first"])
        for each in asked
    }
    late = [query for query, place in ranks.items() if place != 1]
    missing = [query for query, place in ranks.items() if place is None]
    assert len(late) <= 0.05 * len(asked), late
    assert len(missing) <= 0.03 * len(asked), missing


def test_what_no_record_has_is_not_claimed(
    index: SearchIndex, records: dict[str, dict[str, Any]]
) -> None:
    for each in QUERIES:
        if each.get("none"):
            assert index.search(each["query"], Filters()).total == 0, each["query"]
