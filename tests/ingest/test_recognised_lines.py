"""A line that was ingested before is known by its text alone, and nothing gets past the
checks for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from errdex.records import identity
from errdex.records.files.json_values import JsonReader
from errdex.records.problems import Problem

NOT_GOOD_ANY_MORE = Problem("messagePattern", "is not good enough any more", "write a better one")


@pytest.fixture
def parsed(monkeypatch):
    """The texts that were parsed as JSON, while the test runs."""
    texts: list[str] = []
    read = JsonReader.read

    def noting(self, text, position=0):
        texts.append(text)
        return read(self, text, position)

    monkeypatch.setattr(JsonReader, "read", noting)
    return texts


@pytest.fixture(params=[500, 1])
def each_batch_size(request, monkeypatch):
    monkeypatch.setattr("errdex.ingest.changes.BATCH", request.param)


def test_only_a_line_that_is_new_is_parsed(run, write_lines, make_body, parsed):
    bodies = [make_body(n) for n in range(4)]
    run(write_lines(bodies))
    parsed.clear()
    bodies[2]["documentation"] = "another text"
    report = run(write_lines(list(reversed(bodies))), prune=True)
    assert (report.unchanged, report.changed, report.removed) == (3, 1, 0)
    assert parsed == [json.dumps(bodies[2])]


def test_a_record_written_in_another_way_is_parsed_once(
    run, write_lines, make_body, parsed, tmp_path, store
):
    first = run(write_lines([make_body(1), make_body(2)]))
    spaced = tmp_path / "spaced.jsonl"
    spaced.write_text(
        "".join(f" {json.dumps(make_body(n), indent=None)[:-1]} }}\n" for n in (1, 2))
    )
    counts = []
    for _ in range(2):
        parsed.clear()
        again = run(spaced)
        assert (again.unchanged, again.version) == (2, first.version)
        counts.append(len(parsed))
    assert counts == [2, 0]
    assert store.current_version() == first.version


def test_an_envelope_with_another_version_holds_the_same_record(
    run, write_lines, make_body, parsed
):
    run(write_lines([{"record": make_body(1), "datasetVersion": "one"}]))
    assert run(write_lines([{"record": make_body(1), "datasetVersion": "two"}])).unchanged == 1
    parsed.clear()
    assert run(write_lines([{"record": make_body(1), "datasetVersion": "two"}])).unchanged == 1
    assert parsed == []
    report = run(write_lines([{"record": make_body(1), "datasetVersion": 2}]))
    assert (report.unchanged, report.refused) == (0, 1)


@pytest.mark.parametrize("known_first", [True, False])
@pytest.mark.usefixtures("each_batch_size")
def test_a_known_line_and_another_content_under_its_id_name_each_other(
    run, served, write_lines, make_body, known_first
):
    run(write_lines([make_body(1), make_body(2)]))
    lines = [make_body(1), make_body(1, documentation="other")]
    path = write_lines(lines if known_first else lines[::-1])
    report = run(path)
    assert (report.refused, report.duplicates) == (1, 0)
    assert (report.unchanged, report.changed) == ((1, 0) if known_first else (0, 1))
    assert f"{path}:2: " in str(report.problems[0])
    assert f"{path}:1" in str(report.problems[0])
    assert served()[f"{1:016x}"]["documentation"] == (
        make_body(1)["documentation"] if known_first else "other"
    )


@pytest.mark.usefixtures("each_batch_size")
def test_a_known_line_twice_is_a_duplicate(run, write_lines, make_body):
    path = write_lines([make_body(1), make_body(2), make_body(1)])
    run(path)
    report = run(path, prune=True)
    assert (report.unchanged, report.duplicates, report.removed) == (2, 1, 0)


def test_a_line_that_was_changed_and_changed_back_is_no_longer_known(
    run, served, write_lines, make_body
):
    run(write_lines([make_body(1)]))
    run(write_lines([make_body(1, documentation="other")]))
    assert run(write_lines([make_body(1)])).changed == 1
    assert served()[f"{1:016x}"]["documentation"] == make_body(1)["documentation"]


def test_a_removed_record_comes_back(run, served, write_lines, make_body):
    run(write_lines([make_body(1), make_body(2)]))
    run(write_lines([make_body(1)]), prune=True)
    assert run(write_lines([make_body(2)])).added == 1
    assert len(served()) == 2


def test_a_line_is_known_in_its_own_dataset_only(run, write_lines, make_body):
    path = write_lines([make_body(1)])
    run(path)
    report = run(path, dataset="other")
    assert (report.refused, report.unchanged) == (1, 0)
    assert "main" in report.problems[0].problem.reason


def test_stricter_checks_look_at_every_line_again(run, write_lines, make_body, parsed, monkeypatch):
    path = write_lines([make_body(1), make_body(2)])
    run(path)
    parsed.clear()
    monkeypatch.setattr(identity, "_HASH_FORMAT", b"stricter\n")
    monkeypatch.setattr(
        "errdex.ingest.changes.find_problems",
        lambda record: [NOT_GOOD_ANY_MORE] if record.id == f"{1:016x}" else [],
    )
    report = run(path)
    assert len(parsed) == 2
    assert (report.refused, report.changed, report.unchanged) == (1, 1, 0)


def test_a_strict_run_that_refuses_something_remembers_nothing(
    run, write_lines, make_body, parsed, tmp_path
):
    run(write_lines([make_body(1)]))
    other = tmp_path / "other.jsonl"
    other.write_text(f"{json.dumps(make_body(1), indent=None)[:-1]} }}\n{{}}\n")
    for _ in range(2):
        parsed.clear()
        report = run(other, strict=True)
        assert (report.refused, report.applied) == (1, False)
        assert len(parsed) == 2


@pytest.mark.parametrize("write", [yaml.safe_dump, json.dumps], ids=["yaml", "json"])
def test_records_of_other_formats_are_known_without_looking_at_them(
    run, make_body, tmp_path, monkeypatch, write
):
    path: Path = tmp_path / ("records.yaml" if write is yaml.safe_dump else "records.json")
    bodies = [make_body(n) for n in range(3)]
    for body in bodies:
        del body["id"]
    path.write_text(write(bodies))
    assert run(path).added == 3
    monkeypatch.setattr("errdex.ingest.changes.identify", None)
    assert run(path, prune=True).unchanged == 3
