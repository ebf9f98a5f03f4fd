from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store
from errdex.main import create_app


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


@pytest.fixture(scope="module")
def serve_records(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[..., TestClient]]:
    """`serve_records(records, **settings)`: a client of an application that serves just these."""
    with ExitStack() as opened:

        def serve(records: list[dict[str, Any]], **given: Any) -> TestClient:
            folder = tmp_path_factory.mktemp("served")
            settings = Settings(database_url=f"sqlite:///{folder / 'errdex.db'}", **given)
            store, indexes = open_store(settings)
            if records:
                load(folder, store, indexes, records)
            else:
                store.migrate()
            app = create_app(settings)
            return opened.enter_context(TestClient(app, raise_server_exceptions=False))

        yield serve
