"""Causes are ingested with the records, in the same step."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from errdex.ingest import IngestReport, check, export_records, ingest
from errdex.search.fake import FakeIndexStore
from errdex.store import Store, StoreDamaged

EMPTY = {"tag": "empty-input", "title": "Empty input", "text": "Nothing is in it."}
LOCKED = {"tag": "locked", "title": "Locked", "text": "Somebody else has it.", "checks": ["Who?"]}


@pytest.fixture
def run(
    store: Store, indexes: FakeIndexStore, write_lines: Callable[..., Path]
) -> Callable[..., IngestReport]:
    moments = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=n) for n in range(20))

    def run(*lines: dict[str, Any], dataset: str = "own", **options: Any) -> IngestReport:
        file = write_lines(list(lines), f"{dataset}.jsonl")
        return ingest(
            [file], store=store, indexes=indexes, dataset=dataset, now=next(moments), **options
        )

    return run


def texts(store: Store) -> dict[str, str]:
    with store.snapshot() as snapshot:
        return {tag: each.cause.text for tag, each in snapshot.causes().items()}


def test_causes_alone_make_a_version_and_the_same_ones_do_not(run, store, indexes):
    first = run(EMPTY, LOCKED)
    assert (first.causes, first.added, first.refused) == (2, 0, 0)
    assert texts(store) == {"empty-input": "Nothing is in it.", "locked": "Somebody else has it."}
    assert indexes.verify(first.version) == 0
    assert run(EMPTY, LOCKED).version == first.version
    changed = run({**EMPTY, "text": "Nothing at all."})
    assert changed.version > first.version
    assert texts(store)["empty-input"] == "Nothing at all."
    assert texts(store)["locked"] == "Somebody else has it."


def test_pruning_removes_the_causes_that_are_gone(run, store, make_body):
    run(EMPTY, LOCKED, make_body(1))
    run({**LOCKED, "tag": "of-another-dataset"}, make_body(2), dataset="other")
    run(EMPTY, make_body(1), prune=True)
    assert set(texts(store)) == {"empty-input", "of-another-dataset"}


def test_a_refused_cause_keeps_the_earlier_one_and_stops_the_pruning(run, store):
    run(EMPTY, LOCKED)
    report = run(EMPTY, {**LOCKED, "text": ""}, prune=True)
    assert report.refused == 1
    assert texts(store)["locked"] == "Somebody else has it."
    assert "Nothing was removed" in report.notes[0]


@pytest.mark.parametrize("strict", [False, True])
def test_a_strict_run_changes_no_cause_when_something_is_wrong(run, store, strict):
    run(EMPTY)
    run({**EMPTY, "text": "Changed."}, {"tag": "no-text"}, strict=strict)
    assert texts(store) == {"empty-input": "Nothing is in it." if strict else "Changed."}


def test_a_cause_belongs_to_one_dataset_and_is_written_once(run, store):
    run(EMPTY)
    other = run({**EMPTY, "text": "Ours."}, dataset="other")
    assert "belongs to the dataset “own”" in str(other.problems[0])
    twice = run(EMPTY, EMPTY, {**EMPTY, "text": "Another."})
    assert [each.source.line for each in twice.problems] == [3]
    assert "has another text in" in str(twice.problems[0])
    assert texts(store) == {"empty-input": "Nothing is in it."}


def test_an_export_is_ingested_to_the_same(run, store, make_body, tmp_path):
    run(EMPTY, LOCKED, make_body(1, backgroundTag="locked"))
    written = io.BytesIO()
    assert export_records(store, written) == 1
    with store.snapshot() as snapshot:
        before = snapshot.causes()
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(written.getvalue())
    assert (report := check([copy])).causes == 2
    assert report.ok
    with store.snapshot() as snapshot:
        assert snapshot.causes() == before
    only = io.BytesIO()
    export_records(store, only, dataset="other")
    assert only.getvalue() == b""


def test_a_damaged_cause_is_reported_and_not_served(run, store):
    import sqlite3

    run(EMPTY)
    store.close()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE cause SET body_json = replace(body_json, 'Nothing', 'Wrong')")
    with store.snapshot() as snapshot, pytest.raises(StoreDamaged, match="empty-input"):
        snapshot.causes()
    assert store.find_damage() == ["The cause 'empty-input' is not what was written."]


def test_a_check_lists_causes_without_a_text_and_without_a_record(write_lines, make_body):
    file = write_lines(
        [
            make_body(1, backgroundTag="locked"),
            make_body(2, backgroundTag="full"),
            make_body(3, backgroundTag="full"),
            make_body(4, backgroundTag="rare"),
            EMPTY,
            LOCKED,
        ]
    )
    assert check([file]).to_dict()["coverage"]["causes"] == {
        "named": 3,
        "explained": 1,
        "unexplained": [{"tag": "full", "records": 2}],
        "unused": ["empty-input"],
    }
