from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from app.config import Settings, open_store
from app.main import create_app
from tests.knowledge_base import SHOP, load


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("served")
    return Settings(database_url=f"sqlite:///{folder / 'errdex.db'}", watch_seconds=0.1)


@pytest.fixture(scope="module")
def client(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of an application that serves the small knowledge base."""
    store, indexes = open_store(settings)
    load(tmp_path_factory.mktemp("records"), store, indexes, SHOP)
    with TestClient(create_app(settings), raise_server_exceptions=False) as opened:
        yield opened
