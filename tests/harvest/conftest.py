"""The records of the standard library and of installed packages, harvested and ingested once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from errdex.harvest.run import harvest
from errdex.harvest.sources.installed import open_installed
from errdex.harvest.sources.selection import Selection
from errdex.ingest import ingest
from errdex.knowledge import Knowledge
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import open_database

PACKAGES = (
    "python", "click", "jinja2", "pyyaml", "sqlalchemy", "pydantic", "starlette", "fastapi",
    "numpy", "packaging", "filelock", "httpx2", "httpcore2", "rich", "pygments", "psutil",
    "tomlkit", "pluggy",
)  # fmt: skip


@dataclass(frozen=True)
class Harvested:
    """The records, and the knowledge base that has them."""

    records: list[dict[str, Any]]
    knowledge: Knowledge


@pytest.fixture(scope="session")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harvested]:
    folder = tmp_path_factory.mktemp("harvested")
    lines = list(harvest(open_installed(PACKAGES, Selection()), Selection()))
    file = folder / "records.jsonl"
    file.write_bytes(b"".join(lines))
    store = open_database(f"sqlite:///{folder}/errdex.db")
    indexes = WhooshIndexStore(folder / "index")
    report = ingest([file], store=store, indexes=indexes, dataset="harvested")
    assert report.ok, [str(problem) for problem in report.problems]
    knowledge = Knowledge(store, indexes)
    yield Harvested([orjson.loads(line) for line in lines], knowledge)
    knowledge.close()
    store.close()
