"""Indexes in folders, built and looked into."""

from __future__ import annotations

from pathlib import Path

from tests.search.documents import ALL

from errdex.records.filters import Filters
from errdex.search.protocol import IndexDocument
from errdex.search.whoosh.build import BuildLimits
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.search.whoosh.search import WhooshSearchIndex

SMALL = BuildLimits(segment_postings=120, small_segment=3, most_small_segments=2, workers_from=5)
"""Many segments of a few records, built by two processes and merged."""


def build(
    folder: Path,
    version: str,
    documents: tuple[IndexDocument, ...] = ALL,
    base: str | None = None,
    limits: BuildLimits | None = None,
) -> WhooshIndexStore:
    store = WhooshIndexStore(folder, limits)
    writer = store.begin(version, base=base)
    for document in documents:
        writer.put(document)
    writer.finish()
    return store


def find(index: WhooshSearchIndex, query: str) -> set[str]:
    hits = index.search(query, Filters(), limit=1000).hits
    return {hit.record_id for hit in hits if hit.all_words}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def files_of(folder: Path) -> list[Path]:
    (index,) = folder.iterdir()
    return sorted(index.iterdir())
