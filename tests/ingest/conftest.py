"""A store, an index and record files for each test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from errdex.ingest import IngestReport, ingest
from errdex.search.fake import FakeIndexStore
from errdex.store import Store, open_database

Body = dict[str, Any]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_database(f"sqlite:///{tmp_path / 'db' / 'errdex.db'}")
    yield store
    store.close()


@pytest.fixture
def indexes() -> FakeIndexStore:
    return FakeIndexStore()


@pytest.fixture
def make_body() -> Callable[..., Body]:
    """`make_body(7, severity=None)`: the wire object number 7, with what is to be different."""

    def make(number: int, **changes: object) -> Body:
        body: Body = {
            "id": f"{number:016x}",
            "repo": "owner/name",
            "errorMessage": f"the frobnicator {{x}} refused request number {number}",
            "errorClass": "FrobnicationError",
            "severity": "error",
            "filePath": "src/frob.py",
            "lineNumber": 10,
            "documentation": "The frobnicator was asked for something that it cannot do.",
            "solutions": ["Ask for something else."],
            "tags": ["frob", "network"],
        }
        return body | changes

    return make


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """`write_lines(bodies, name="x.jsonl")`: a file with a JSON object on each line."""

    def write(bodies: list[Body], name: str = "records.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(body) + "\n" for body in bodies), encoding="utf-8")
        return path

    return write


@pytest.fixture
def run(store: Store, indexes: FakeIndexStore) -> Callable[..., IngestReport]:
    """`run(path, …, prune=True)`: ingest into the dataset "main" unless another is named."""

    def ingest_into_main(*paths: Path, **options: Any) -> IngestReport:
        options = {"store": store, "indexes": indexes, "dataset": "main"} | options
        return ingest(paths, **options)

    return ingest_into_main


@pytest.fixture
def served(store: Store, indexes: FakeIndexStore) -> Callable[[], dict[str, Body]]:
    """All records by id as they are served, after checking that rows and index agree."""

    def read() -> dict[str, Body]:
        with store.snapshot() as snapshot:
            bodies = {each.id: json.loads(each.body_json) for each in snapshot.documents()}
            if snapshot.version:
                assert indexes.versions[snapshot.version].keys() == bodies.keys()
                for record_id, document in indexes.versions[snapshot.version].items():
                    assert document.message == bodies[record_id]["errorMessage"]
            assert snapshot.count_records() == len(bodies)
        return bodies

    return read
