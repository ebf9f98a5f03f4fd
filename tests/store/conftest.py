"""A store of its own for each test, and records to put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import orjson
import pytest

from errdex.store import NewRecord, Replica, Store, WriteTransaction, open_database, put_changes

MakeRecord = Callable[..., NewRecord]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_database(f"sqlite:///{tmp_path / 'errdex.db'}")
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def make_record() -> MakeRecord:
    """`make_record(7, repo="a/b")`: the record number 7, with what is to be different."""

    def make(number: int, **changes: object) -> NewRecord:
        record_id = f"{number:016x}"
        record = NewRecord(
            id=record_id,
            repo="owner/name",
            slug=f"slug-{number}",
            error_message=f"message {number}",
            pattern=f"message {number}",
            error_class="ValueError",
            error_type="validation",
            error_code=None,
            http_status=None,
            severity="error",
            language="python",
            background_tag=None,
            file_path="src/module.py",
            line_number=number % 1000 + 1,
            function=None,
            tags=(),
            body_json="",
            content_hash=number.to_bytes(32, "big"),
        )
        record = replace(record, **changes)
        if not record.body_json:
            body = {"id": record.id, "errorMessage": record.error_message}
            record = replace(record, body_json=orjson.dumps(body).decode())
        return record

    return make


@pytest.fixture
def fill(store: Store) -> Callable[..., str]:
    """`fill(records, dataset="main")`: add them in one transaction; gives the version."""

    def add(*records: NewRecord, dataset: str = "main") -> str:
        with writing(store, dataset) as transaction:
            transaction.add(records)
            return transaction.commit()

    return add


@contextmanager
def writing(store: Store, dataset: str, now: datetime | None = None) -> Iterator[WriteTransaction]:
    """Change a dataset, and serve what was committed."""
    with store.write(dataset, now) as transaction:
        yield transaction
    bring_up_to_date(store)


def bring_up_to_date(store: Store) -> None:
    """What a host does to serve the newest version, without index and pack."""
    if isinstance(store, Replica):
        with store.changes(store.current_version()) as changes:
            if changes.version and changes.version != store.current_version():
                with store.receive_copy(changes) as transaction:
                    put_changes(changes, transaction)
                    transaction.commit()
