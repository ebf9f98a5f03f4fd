"""What an ingestion adds, changes, keeps, removes and refuses, and what it says of it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from errdex.ingest import IngestError, IngestProgress, check
from errdex.ingest import report as report_module
from errdex.records.filters import Filters


def test_a_first_ingestion_serves_what_the_file_says(run, served, write_lines, make_body):
    bodies = [make_body(n, unknown={"kept": [None, 1.5]}, errorCode=None) for n in range(5)]
    report = run(write_lines(bodies))
    assert (report.added, report.refused, report.previous_version) == (5, 0, "")
    assert report.applied
    assert report.version > "2026"
    assert report.ok
    got = served()
    for body in bodies:
        assert {key: got[body["id"]][key] for key in body} == body
        assert list(got[body["id"]])[: len(body)] == list(body)


def test_the_reference_documents_come_back_equal(shared, run, served):
    paths = sorted((shared / "seeds").glob("*.txt"))
    documents = [json.loads(p.read_text()) for p in paths if p.read_text().startswith("{")]
    assert documents
    stream = io.BytesIO("".join(json.dumps(document) + "\n" for document in documents).encode())
    assert run(Path("-"), stdin=stream).added == len(documents)
    assert served() == {each["record"]["id"]: each["record"] for each in documents}


def test_the_same_again_makes_no_version_and_no_index(
    run, served, write_lines, make_body, indexes, store
):
    path = write_lines([make_body(n) for n in range(5)])
    first = run(path)
    built = dict(indexes.versions)
    again = run(path)
    assert (again.unchanged, again.added, again.changed, again.removed) == (5, 0, 0, 0)
    assert again.version == again.previous_version == first.version
    assert again.applied
    assert indexes.versions == built
    assert len(served()) == 5


def test_key_order_and_format_do_not_matter(run, write_lines, make_body, tmp_path):
    run(write_lines([make_body(1)]))
    shuffled = dict(sorted(make_body(1).items(), reverse=True))
    path = tmp_path / "indented.json"
    path.write_text(json.dumps([{"record": shuffled, "datasetVersion": "x"}], indent=3))
    assert run(path).unchanged == 1


def test_records_without_id_are_recognised_without_deriving_it_again(
    run, served, write_lines, make_body, monkeypatch
):
    bodies = [make_body(n) for n in range(3)]
    for body in bodies:
        del body["id"]
    path = write_lines(bodies)
    assert run(path).added == 3
    before = served()
    with monkeypatch.context() as patch:
        patch.setattr("errdex.ingest.changes.identify", None)
        again = run(path, prune=True)
    assert (again.unchanged, again.removed, again.refused) == (3, 0, 0)
    changed = run(write_lines([bodies[0], bodies[1] | {"documentation": "new"}]))
    assert (changed.unchanged, changed.changed, changed.added) == (1, 1, 0)
    other = run(write_lines([bodies[0]]), dataset="other")
    assert (other.refused, other.added) == (1, 0)
    export = write_lines(list(before.values()), "export.jsonl")
    back = run(export)
    assert (back.unchanged, back.changed) == (2, 1)
    assert served() == before


def test_the_same_object_without_id_twice_is_a_duplicate(run, write_lines, make_body):
    body = make_body(1)
    del body["id"]
    for _ in range(2):
        report = run(write_lines([body, body]))
        assert (report.passed, report.duplicates, report.refused) == (1, 1, 0)


def test_changed_records_alone_are_changed(run, served, write_lines, make_body, store):
    first = run(write_lines([make_body(n) for n in range(5)]))
    second = run(write_lines([make_body(n, documentation=f"v{n % 2}") for n in range(4)]))
    assert (second.changed, second.unchanged, second.added, second.removed) == (4, 0, 0, 0)
    third = run(write_lines([make_body(1, documentation="v1"), make_body(2), make_body(9)]))
    assert (third.changed, third.unchanged, third.added) == (1, 1, 1)
    assert first.version < second.version < third.version
    assert served()[f"{2:016x}"] == make_body(2) | {
        key: served()[f"{2:016x}"][key] for key in ("slug", "messagePattern")
    }
    with store.snapshot() as snapshot:
        versions = {each.id[-1]: each.changed_version for each in snapshot.documents()}
    assert versions == {
        "0": second.version,
        "1": second.version,
        "2": third.version,
        "3": second.version,
        "4": first.version,
        "9": third.version,
    }


def test_pruning_removes_what_the_input_no_longer_has(run, served, write_lines, make_body):
    run(write_lines([make_body(n) for n in range(5)]))
    run(write_lines([make_body(100)], "other.jsonl"), dataset="other")
    report = run(write_lines([make_body(n) for n in range(2)]), prune=True)
    assert (report.removed, report.unchanged) == (3, 2)
    assert sorted(served()) == [f"{n:016x}" for n in (0, 1, 100)]


def test_pruning_sources_removes_what_a_project_no_longer_has(run, served, write_lines, make_body):
    bodies = [make_body(n, repo="a/b", filePath="x.py") for n in range(3)]
    others = [make_body(3, repo="a/c", filePath="x.py"), make_body(4, repo="a/b", filePath=None)]
    run(write_lines([*bodies, *others]))
    report = run(write_lines([bodies[1]]), prune_sources=[Filters(repo="a/b")])
    assert (report.unchanged, report.removed) == (1, 2)
    assert sorted(served()) == sorted(body["id"] for body in (bodies[1], *others))


def test_pruning_everything_takes_an_explicit_empty_list(run, served, write_lines, make_body):
    run(write_lines([make_body(1)]))
    report = run(Path("-"), stdin=io.BytesIO(b""), prune=True)
    assert (report.removed, report.refused) == (0, 1)
    assert len(served()) == 1
    report = run(Path("-"), stdin=io.BytesIO(b"[]"), prune=True)
    assert (report.removed, report.refused) == (1, 0)
    assert served() == {}


@pytest.mark.parametrize("damage", ['{"id": "00', "[1, 2]", "{}", '{"repo": "a/b"}', "\x00"])
def test_nothing_is_pruned_when_something_could_not_be_identified(
    run, served, write_lines, make_body, damage
):
    run(write_lines([make_body(n) for n in range(3)]))
    path = write_lines([make_body(0)])
    path.write_text(path.read_text() + damage + "\n")
    report = run(path, prune=True)
    assert (report.removed, report.refused, report.unchanged) == (0, 1, 1)
    assert any("Nothing was removed" in note for note in report.notes)
    assert len(served()) == 3


def test_a_file_that_is_missing_prevents_pruning(run, served, write_lines, make_body, tmp_path):
    run(write_lines([make_body(n) for n in range(3)]))
    report = run(write_lines([make_body(0)]), tmp_path / "none.jsonl", prune=True)
    assert (report.removed, report.refused) == (0, 1)
    assert "does not exist" in str(report.problems[0])
    assert len(served()) == 3


def test_a_refused_record_with_an_id_is_not_taken_for_gone(run, served, write_lines, make_body):
    run(write_lines([make_body(n) for n in range(3)]))
    bad = make_body(1, lineNumber="ten", documentation="new")
    report = run(write_lines([make_body(0), bad]), prune=True)
    assert (report.removed, report.refused, report.unchanged) == (1, 1, 1)
    assert sorted(served()) == [f"{n:016x}" for n in (0, 1)]
    assert served()[f"{1:016x}"]["lineNumber"] == 10
    problem = report.problems[0]
    assert problem.earlier_kept
    assert "the earlier record is kept" in str(problem)
    assert (problem.record_id, problem.problem.field) == (f"{1:016x}", "lineNumber")


def test_strict_changes_nothing_but_names_every_problem(run, served, write_lines, make_body):
    run(write_lines([make_body(1)]))
    before = served()
    bad = [make_body(n, severity="loud") for n in (3, 4)]
    path = write_lines([make_body(2), bad[0], make_body(5), bad[1]])
    report = run(path, strict=True, prune=True)
    assert not report.applied
    assert (report.added, report.changed, report.removed, report.refused) == (0, 0, 0, 2)
    assert report.version == report.previous_version
    assert [problem.record_id for problem in report.problems] == [f"{n:016x}" for n in (3, 4)]
    assert any("strict" in note for note in report.notes)
    assert served() == before
    assert run(write_lines([make_body(2)]), strict=True).added == 1


def test_a_bad_record_does_not_stop_the_others(run, served, write_lines, make_body, tmp_path):
    path = write_lines([make_body(1), make_body(2, solutions="not a list"), make_body(3)])
    report = run(path)
    assert (report.added, report.refused) == (2, 1)
    assert not report.ok
    assert str(report.problems[0]).startswith(f"{path}:2: solutions: ")
    assert sorted(served()) == [f"{n:016x}" for n in (1, 3)]


def test_one_id_with_two_contents_names_both_places(run, served, write_lines, make_body):
    one = write_lines([make_body(1), make_body(2)], "one.jsonl")
    two = write_lines([make_body(3), make_body(2, documentation="other")], "two.jsonl")
    report = run(one, two)
    assert (report.added, report.refused, report.duplicates) == (3, 1, 0)
    problem = str(report.problems[0])
    assert f"{two}:2: " in problem
    assert f"{one}:2" in problem
    assert served()[f"{2:016x}"]["documentation"] == make_body(2)["documentation"]


def test_one_id_with_two_contents_far_apart(run, write_lines, make_body, monkeypatch):
    monkeypatch.setattr("errdex.ingest.changes.BATCH", 2)
    bodies = [make_body(n) for n in range(9)]
    report = run(write_lines([*bodies, make_body(0, documentation="other"), bodies[1]]))
    assert (report.added, report.refused, report.duplicates) == (9, 1, 1)


def test_the_same_record_twice_is_counted_and_harmless(run, served, write_lines, make_body):
    report = run(write_lines([make_body(1), make_body(1)]), strict=True)
    assert (report.added, report.duplicates, report.refused) == (1, 1, 0)
    assert report.applied
    assert len(served()) == 1


@pytest.mark.parametrize("changes", [{}, {"documentation": "other"}])
def test_a_record_of_another_dataset_is_refused_by_name(
    run, served, write_lines, make_body, changes
):
    run(write_lines([make_body(1)]), dataset="curated")
    before = served()
    report = run(write_lines([make_body(1, **changes), make_body(2)]), dataset="mine")
    assert (report.added, report.refused) == (1, 1)
    assert "curated" in report.problems[0].problem.reason
    assert served()[f"{1:016x}"] == before[f"{1:016x}"]


@pytest.mark.parametrize("name", ["", " ", "a/b", "../x", "x" * 101, "-x", "ü", "a\n"])
def test_a_dataset_name_that_could_be_anything_else_is_refused(run, write_lines, make_body, name):
    with pytest.raises(IngestError, match="dataset name"):
        run(write_lines([make_body(1)]), dataset=name)


def test_problems_are_bounded_and_the_rest_is_counted(run, write_lines, make_body, monkeypatch):
    monkeypatch.setattr(report_module, "MAX_PROBLEMS", 3)
    report = run(write_lines([make_body(n, httpStatus=9) for n in range(5)]))
    assert (report.refused, len(report.problems), report.problems_left_out) == (5, 3, 2)


def test_the_report_is_json(run, write_lines, make_body):
    path = write_lines([make_body(1), make_body(2, errorClass=5)])
    made = json.loads(json.dumps(run(path).to_dict()))
    assert made.pop("seconds") >= 0
    assert made.pop("version") > "2026"
    assert made.pop("problems") == [
        {
            "source": f"{path}:2",
            "id": f"{2:016x}",
            "field": "errorClass",
            "reason": "expected a string, got a number",
            "remedy": "put it in quotes: “5”",
            "earlierKept": False,
        }
    ]
    assert made == {
        "dataset": "main",
        "applied": True,
        "previousVersion": "",
        "added": 1,
        "changed": 0,
        "unchanged": 0,
        "removed": 0,
        "refused": 1,
        "duplicates": 0,
        "causes": 0,
        "passed": 1,
        "problemsLeftOut": 0,
        "notes": [],
    }


def test_progress_is_told_to_the_end_of_the_input(run, write_lines, make_body, monkeypatch):
    monkeypatch.setattr("errdex.ingest.changes.BATCH", 10)
    path = write_lines([make_body(n) for n in range(35)])
    told: list[IngestProgress] = []
    run(path, progress=told.append, prune=True)
    reading = [each for each in told if each.phase == "reading"]
    assert [each.records for each in reading] == [10, 20, 30, 35]
    assert reading[-1].read_bytes == reading[-1].total_bytes == path.stat().st_size
    assert [each.phase for each in told[4:]] == ["removing", "indexing", "committing"]


def test_what_a_folder_holds_and_is_not_read_is_said(run, write_lines, make_body, tmp_path):
    write_lines([make_body(1)], "data/a.jsonl")
    write_lines([make_body(2)], "data/.hidden.jsonl")
    report = run(tmp_path / "data")
    assert report.added == 1
    assert len(report.notes) == 1
    assert ".hidden.jsonl" in report.notes[0]


def test_long_records_end_a_batch_early(run, write_lines, make_body, monkeypatch):
    monkeypatch.setattr("errdex.ingest.changes.BATCH_BYTES", 6000)
    told: list[IngestProgress] = []
    bodies = [make_body(n, sourceCode="x\n" * 1500, preventionTips=["x" * 800]) for n in range(4)]
    run(write_lines(bodies), progress=told.append)
    assert [each.records for each in told if each.phase == "reading"] == [2, 4]


def test_check_finds_the_same_without_a_store(write_lines, make_body, store):
    path = write_lines(
        [make_body(1), make_body(2, severity="loud"), make_body(1), make_body(1, tags=[])]
    )
    report = check([path])
    assert (report.passed, report.refused, report.duplicates) == (1, 2, 1)
    assert (report.applied, report.version, report.dataset) == (False, "", "")
    assert not store.path.exists()
    assert {problem.problem.field for problem in report.problems} == {"severity", "id"}
