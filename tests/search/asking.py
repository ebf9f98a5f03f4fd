"""Searches in short, and records by their names."""

from __future__ import annotations

from tests.search.documents import BARE, BORROW, CHINESE, LOCKED, MODULE, NODE, RAGGED, TOPK

from errdex.records.filters import Filters
from errdex.search.fake import FakeSearchIndex
from errdex.search.protocol import SearchIndex, SearchResult

NAMES = {
    RAGGED.record_id: "ragged",
    TOPK.record_id: "topk",
    MODULE.record_id: "module",
    NODE.record_id: "node",
    LOCKED.record_id: "locked",
    BORROW.record_id: "borrow",
    CHINESE.record_id: "chinese",
    BARE.record_id: "bare",
}


def search(index: SearchIndex, query: str, **filters: str) -> SearchResult:
    return index.search(query, Filters(**filters))


def upper(result: SearchResult) -> list[str]:
    """The names of the records that have every word."""
    return [NAMES[hit.record_id] for hit in result.hits if hit.all_words]


def terms_of(query: str) -> tuple[str, ...]:
    """What is highlighted for a query."""
    return FakeSearchIndex("v", {}).search(query, Filters()).terms
