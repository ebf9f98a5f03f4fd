"""Both engines behind the seam, so that each test holds for either."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from errdex.search.fake import FakeIndexStore
from errdex.search.protocol import IndexDocument, IndexStore, SearchIndex
from errdex.search.whoosh.index import WhooshIndexStore


@pytest.fixture(params=["fake", "whoosh"])
def indexes(request: pytest.FixtureRequest, tmp_path: Path) -> IndexStore:
    """An empty store of indexes."""
    return FakeIndexStore() if request.param == "fake" else WhooshIndexStore(tmp_path / "index")


Build = Callable[[Iterable[IndexDocument]], SearchIndex]


@pytest.fixture
def build(indexes: IndexStore) -> Iterator[Build]:
    """Makes a finished index of some documents."""
    opened: list[SearchIndex] = []

    def build_one(documents: Iterable[IndexDocument]) -> SearchIndex:
        version = f"v{len(opened)}"
        writer = indexes.begin(version)
        for document in documents:
            writer.put(document)
        writer.finish()
        opened.append(indexes.open(version))
        return opened[-1]

    yield build_one
    for index in opened:
        index.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where indexes may be built; not there yet."""
    return tmp_path / "index"
