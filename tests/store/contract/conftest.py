"""The stores that the contract is checked with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from errdex.store import Store, open_database

KINDS = ("sqlite", pytest.param("postgres", marks=pytest.mark.tools("postgres")))


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'errdex.db'}"
    return request.getfixturevalue("postgres").make_database()


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    store = open_database(url, cache=tmp_path / "cache")
    store.migrate()
    yield store
    store.close()
