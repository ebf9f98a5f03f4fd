"""The stores that the contract is checked with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.store.contract.fake import FakeStore

from errdex.store import Store, open_database

KINDS = ("sqlite", pytest.param("postgres", marks=pytest.mark.tools("postgres")), "memory")
OpenStore = Callable[[str], Store]


@pytest.fixture
def open_kind(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """`open_kind("sqlite")`: an empty store of that kind."""
    opened: list[Store] = []

    def open_one(kind: str) -> Store:
        folder = tmp_path / str(len(opened))
        if kind == "memory":
            opened.append(FakeStore(folder / "errdex.db", busy_seconds=0.5))
        else:
            url = f"sqlite:///{folder / 'errdex.db'}"
            if kind == "postgres":
                url = request.getfixturevalue("postgres").make_database()
            opened.append(open_database(url, busy_timeout_ms=500, cache=folder / "cache"))
        opened[-1].migrate()
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, open_kind: OpenStore) -> Store:
    """An empty store of each kind."""
    return open_kind(request.param)
