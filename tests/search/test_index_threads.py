"""One open index, many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from tests.search.documents import ALL, TOPK

from errdex.records.filters import Filters
from errdex.search.protocol import SearchError
from errdex.search.whoosh.build import BuildLimits
from errdex.search.whoosh.index import WhooshIndexStore

QUERIES = [
    *("error", "module not found", '"is locked"', "modul*", "-esm", "", "class:ValueError"),
    *("databse", "speculative_eagle_topk", "package imported module", "显存", "tag:import"),
] * 20


def open_index(folder: Path) -> WhooshIndexStore:
    store = WhooshIndexStore(folder, BuildLimits(segment_postings=200))
    writer = store.begin("v")
    for n in range(20):
        for document in ALL:
            writer.put(replace(document, record_id=f"{n:x}{document.record_id[1:]}"))
    writer.finish()
    return store


def test_threads_get_the_answers_that_one_gets(tmp_path: Path) -> None:
    store = open_index(tmp_path)
    alone, shared = store.open("v"), store.open("v")
    expected = [alone.search(query, Filters()) for query in QUERIES]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda query: shared.search(query, Filters()), QUERIES))
        similar = list(pool.map(shared.similar, [TOPK] * 20))
    assert results == expected
    assert similar == [alone.similar(TOPK)] * 20


def test_searches_that_are_under_way_outlive_closing(tmp_path: Path) -> None:
    store = open_index(tmp_path)
    index = store.open("v")

    def search(query: str) -> bool:
        try:
            return index.search(query, Filters()).total >= 0
        except SearchError as error:
            return "closed" in str(error)

    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(search, query) for query in QUERIES]
        index.close()
    assert all(answer.result() for answer in answers)
