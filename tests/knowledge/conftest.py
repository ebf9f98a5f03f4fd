from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load

from errdex.knowledge import Knowledge
from errdex.search.fake import FakeIndexStore
from errdex.store import Store, open_database


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_database(f"sqlite:///{tmp_path / 'errdex.db'}")
    yield opened
    opened.close()


@pytest.fixture
def indexes() -> FakeIndexStore:
    return FakeIndexStore()


@pytest.fixture
def knowledge(tmp_path: Path, store: Store, indexes: FakeIndexStore) -> Iterator[Knowledge]:
    load(tmp_path, store, indexes, SHOP)
    opened = Knowledge(store, indexes)
    yield opened
    opened.close()
