"""A Spark of this machine for the tests of `errdex.spark`, which `make spark` runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import errdex


@pytest.fixture(scope="session")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter records."""
    from errdex.config import Settings, open_store
    from errdex.knowledge import Knowledge
    from errdex.starter import starter_path

    path = tmp_path_factory.mktemp("pack") / "starter.pack"
    store, indexes = open_store(Settings(database_url=f"sqlite:///{starter_path()}"))
    knowledge = Knowledge(store, indexes, rebuild=lambda: False)
    path.write_bytes(knowledge.join_pack()[0])
    knowledge.close()
    assert errdex.open_pack(path).version
    return path


@pytest.fixture(scope="session")
def needs_pyspark() -> None:
    if find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed")


@pytest.fixture(scope="session")
def spark(needs_pyspark: None) -> Iterator[Any]:
    """A session of two threads. Spark's own modules warn and leave sockets open."""
    from errdex.spark.session import opened_spark

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with opened_spark("local[2]", {"spark.sql.shuffle.partitions": "4"}) as session:
            yield session


@pytest.fixture(autouse=True)
def _its_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
