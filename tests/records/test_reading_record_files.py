"""Good files of every format: the same records come out of each."""

from __future__ import annotations

import gzip
import io
import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errdex.records.files.reader import RawRecord, ReadProblem, RecordReader, Source, read_records

GOOD = {"repo": "a/b", "errorMessage": "x"}
STDIN = Path("-")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LOOKS_LIKE_MORE = (
    "yes|no|null|~|0123|0x1f|1:30|1e5|1.5|12|-0|true|.inf|2026-08-28T05:10:05.995Z|=|<<|- a|a: b"
    "|# c|&a|*a|!t|25809e6098026161| x |x\n\ny\n|\tx|'|\"|%TAG|---|...|@|`"
)
YAML_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20) | st.sampled_from(
    LOOKS_LIKE_MORE.split("|")
)


def values(text: st.SearchStrategy[str]) -> st.SearchStrategy[list[dict[str, Any]]]:
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    inner = st.recursive(
        st.none() | st.booleans() | numbers | text,
        lambda some: st.lists(some, max_size=3) | st.dictionaries(text, some, max_size=3),
        max_leaves=10,
    )
    keys = text.filter(lambda key: key not in {"record", "repo"})
    record = st.dictionaries(keys, inner, max_size=4).map(
        lambda unknown: {"repo": "a/b", **unknown}
    )
    return st.lists(record, min_size=1, max_size=4)


def dump_json(records: list[dict[str, Any]]) -> bytes:
    return json.dumps(records, ensure_ascii=False).encode()


def dump_indented(records: list[dict[str, Any]]) -> bytes:
    return b"\xef\xbb\xbf" + json.dumps(records, indent=3).replace("\n", "\r\n").encode()


def dump_lines(records: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()


def dump_envelopes(records: list[dict[str, Any]]) -> bytes:
    envelopes = ({"record": record, "datasetVersion": "v"} for record in records)
    return "".join(json.dumps(envelope) + "\r\n" for envelope in envelopes).encode()


def dump_yaml(records: list[dict[str, Any]]) -> bytes:
    return yaml.safe_dump(records, allow_unicode=True, sort_keys=False).encode()


def dump_documents(records: list[dict[str, Any]]) -> bytes:
    return yaml.safe_dump_all(records, explicit_start=True, default_flow_style=True).encode()


WRITERS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "list.json": dump_json,
    "indented.json": dump_indented,
    "lines.jsonl": dump_lines,
    "envelopes.NDJSON": dump_envelopes,
}
YAML_WRITERS = {"list.yaml": dump_yaml, "documents.yml": dump_documents}
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def read_values(*paths: Path, **options: Any) -> list[dict[str, Any]]:
    items = list(read_records(paths, **options))
    assert [str(item) for item in items if isinstance(item, ReadProblem)] == []
    return [item.value for item in items if isinstance(item, RawRecord)]


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
@MANY
@given(records=values(TEXT))
def test_json_comes_back_as_it_was(
    name: str, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(WRITERS[name](records))
    assert repr(read_values(path)) == repr(records)


@pytest.mark.slow
@pytest.mark.parametrize("name", YAML_WRITERS)
@MANY
@given(records=values(YAML_TEXT))
def test_yaml_comes_back_as_it_was(
    name: str, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(YAML_WRITERS[name](records))
    assert read_values(path) == records


@pytest.mark.parametrize("name", [*WRITERS, *YAML_WRITERS])
@pytest.mark.parametrize("ending", COMPRESS)
def test_every_format_may_be_compressed(name: str, ending: str, tmp_path: Path) -> None:
    records = [{**GOOD, "lineNumber": number, "é": ["ü", None]} for number in range(1, 50)]
    content = (WRITERS | YAML_WRITERS)[name](records)
    path = tmp_path / (name + ending)
    path.write_bytes(COMPRESS[ending](content))
    assert read_values(path) == records
    assert read_values(STDIN, stdin=io.BytesIO(COMPRESS[ending](content))) == records


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_files_of_several_parts_are_read_whole(ending: str, tmp_path: Path) -> None:
    part = COMPRESS[ending](json.dumps(GOOD).encode() + b"\n")
    path = tmp_path / f"a.jsonl{ending}"
    path.write_bytes(part * 3)
    assert read_values(path) == [GOOD] * 3


def test_the_seeds_come_out_of_their_envelopes(shared: Path, tmp_path: Path) -> None:
    names = ("002_b50cfdfc33be0e10.txt", "004_212f8ca52812d7d5.txt")
    documents = [(shared / "seeds" / name).read_bytes() for name in names]
    whole = [json.loads(document) for document in documents]
    for name, content in {
        "one.json": documents[0],
        "list.json": b"[" + b",".join(documents) + b"]",
        "lines.jsonl": b"\n".join(documents),
        "all.yaml": yaml.safe_dump(whole).encode(),
    }.items():
        path = tmp_path / name
        path.write_bytes(content)
        items = [item for item in read_records([path]) if isinstance(item, RawRecord)]
        assert [item.value for item in items] == [w["record"] for w in whole][: len(items)]
        assert {item.dataset_version for item in items} == {"2026-08-28T06:17:29.519Z"}
        assert len(items) == (1 if name == "one.json" else 2)


def test_numbers_come_back_as_they_are(tmp_path: Path) -> None:
    text = '{"repo":"a/b","n":[123456789012345678901234567890,-0,-0.0,1.10,1E5,1e-7,0.1,5e-324]}'
    expected = repr(json.loads(text))
    for name in ("a.json", "a.jsonl"):
        (tmp_path / name).write_text(text)
        assert repr(read_values(tmp_path / name)) == f"[{expected}]"


def test_yaml_scalars_are_those_of_json(tmp_path: Path) -> None:
    plain = {
        "texts": "yes no on 0123 0x1f 0o7 1_000 +1 1:30 1e5 .5 5. 2026-08-28 1.2.3 nan Infinity",
        "numbers": "0 -1 12 1.5 -0.25 1.5e3 1.5E-3 1e+21 1e-07",
        "others": "null ~ true True false FALSE",
    }
    lines = [f"{key}: [{', '.join(words.split())}]" for key, words in plain.items()]
    (tmp_path / "a.yaml").write_text("repo: a/b\n" + "\n".join(lines) + "\nempty:\nquoted: '12'\n")
    [value] = read_values(tmp_path / "a.yaml")
    assert value["texts"] == plain["texts"].split()
    numbers = [0, -1, 12, 1.5, -0.25, 1500.0, 0.0015, 1e21, 1e-7]
    assert [repr(number) for number in value["numbers"]] == [repr(number) for number in numbers]
    assert value["others"] == [None, None, True, True, False, False]
    assert value["empty"] is None
    assert value["quoted"] == "12"


def test_yaml_aliases_stand_for_what_they_mark(tmp_path: Path) -> None:
    tags = ["a", "b"]
    records = [{**GOOD, "tags": tags}, {**GOOD, "tags": tags, "more": {"tags": tags}}]
    text = yaml.safe_dump(records)
    assert "*id001" in text
    (tmp_path / "a.yaml").write_text(text)
    assert read_values(tmp_path / "a.yaml") == records


def test_a_nest_of_aliases_stays_small(tmp_path: Path) -> None:
    levels = "".join(
        f"- &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefghij", "bcdefghijk", strict=True)
    )
    (tmp_path / "a.yaml").write_text(f"- &a [x]\n{levels}- {json.dumps(GOOD)}\n")
    *problems, last = read_records([tmp_path / "a.yaml"])
    assert isinstance(last, RawRecord)
    assert any("longer than" in str(problem) for problem in problems)
    assert all(isinstance(problem, ReadProblem) for problem in problems)


def test_places_are_named(tmp_path: Path) -> None:
    good = json.dumps(GOOD)
    files = {
        "a.json": (f"\n{good}\n", ["a.json:2"]),
        "b.json": (f"[\n{good},\n\n{good}]", ["b.json[0]", "b.json[1]"]),
        "c.jsonl": (f"{good}\n\n{good}\r\n{good}", ["c.jsonl:1", "c.jsonl:3", "c.jsonl:4"]),
        "d.yaml": (f"# c\n- {good}\n\n- repo: x\n  a: b\n", ["d.yaml:2", "d.yaml:4"]),
        "e.yaml": (f"%YAML 1.2\n---\n{good}\n...\n# c\n--- {good}\n", ["e.yaml:3", "e.yaml:6"]),
    }
    for name, (text, _) in files.items():
        (tmp_path / name).write_text(text, newline="")
    items = list(read_records([tmp_path]))
    assert [str(item.source) for item in items] == [
        f"{tmp_path}/{place}" for _, places in files.values() for place in places
    ]
    assert [item.source.line for item in items[1:3]] == [2, 4]


def test_a_source_is_safe_to_print() -> None:
    assert str(Source("a\x1b[2J\n.json", 3)) == "a\\x1b[2J\\x0a.json:3"


@pytest.mark.parametrize(
    ("name", "head", "tail"),
    [
        ("a.jsonl", b'{"a":"', b'"}\n'),
        ("a.jsonl", b"", b"\n"),
    ],
)
@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_an_endless_record_costs_no_memory(
    name: str, head: bytes, tail: bytes, ending: str, tmp_path: Path
) -> None:
    """30 MB of one record, a few kB when compressed; what follows is read."""
    good = json.dumps(GOOD).encode()
    path = tmp_path / (name + ending)
    limit = 100_000
    path.write_bytes(COMPRESS[ending](head + b"x" * 30_000_000 + tail + good))
    tracemalloc.start()
    try:
        items = list(read_records([path], record_bytes=limit))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(items[0], ReadProblem)
    assert isinstance(items[-1], RawRecord)
    assert peak < 8_000_000


def test_a_record_up_to_the_bound_is_read(tmp_path: Path) -> None:
    limit = 20_000
    for over in (False, True):
        long = {"repo": "a/b", "a": "x" * (limit + 100 if over else limit - 100)}
        for name, write in (WRITERS | YAML_WRITERS).items():
            (tmp_path / name).write_bytes(write([GOOD, long, GOOD]))
            first, second, third = read_records([tmp_path / name], record_bytes=limit)
            assert isinstance(first, RawRecord)
            assert isinstance(second, ReadProblem) == over
            assert isinstance(third, RawRecord)


@pytest.mark.parametrize(
    ("name", "head", "tail", "closing"),
    [
        ("a.json", b'[{"a":"', b'"},', b"]"),
        ("a.json", b"[[", b"],", b"]"),
        ("a.yaml", b"- a: ", b"\n---\n", b""),
        ("a.yaml", b"- a: '\n", b"'\n---\n", b""),
    ],
)
def test_a_record_that_is_far_too_long_costs_only_itself(
    name: str, head: bytes, tail: bytes, closing: bytes, tmp_path: Path
) -> None:
    good = json.dumps(GOOD).encode()
    path = tmp_path / name
    path.write_bytes(head + b"x" * 3_000_000 + tail + good + closing)
    problem, record = read_records([path], record_bytes=100_000)
    assert isinstance(problem, ReadProblem)
    assert isinstance(record, RawRecord)


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.json.gz", "a.yaml.zst"])
def test_a_file_that_is_read_whole_is_bounded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errdex.records.files.raw.WHOLE_BYTES", 1_000_000)
    path = tmp_path / name
    compress = COMPRESS[path.suffix if path.suffix in COMPRESS else ""]
    path.write_bytes(compress(b"[" + json.dumps(GOOD).encode() + b" " * 30_000_000 + b"]"))
    tracemalloc.start()
    try:
        (problem,) = read_records([path])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "has more than 1,000,000 bytes" in str(problem)
    assert ".jsonl" in str(problem)
    assert peak < 8_000_000


@pytest.mark.slow
def test_a_json_value_that_is_far_too_long_is_not_built(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    good = json.dumps(GOOD).encode()
    path.write_bytes(b"[" + good + b",[" + b"[]," * 250_000 + b"0]," + good + b"]")
    tracemalloc.start()
    try:
        first, problem, last = read_records([path], record_bytes=100_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "longer than 100,000 bytes" in str(problem)
    assert isinstance(first, RawRecord)
    assert isinstance(last, RawRecord)
    assert peak < 8_000_000  # the file, its text, and a record; the value would take 16 MB


@pytest.mark.parametrize("offset", range(0, 60, 3))
def test_nothing_breaks_where_a_value_reaches_over_the_window(offset: int, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    entries = '1e+300, -12.5E-3, {"repo": "é\\u00e9\\n\\"", "x": [true, null]}, "\\\\"'
    path.write_text("[" + " " * (2 * 1000 - 2 - offset) + entries + "]", encoding="utf-8")
    first, second, record, text = read_records([path], record_bytes=1000)
    assert isinstance(record, RawRecord)
    assert record.value == {"repo": 'éé\n"', "x": [True, None]}
    for item, kind in ((first, "a number"), (second, "a number"), (text, "a string")):
        assert isinstance(item, ReadProblem)
        assert item.problem.reason == f"expected a record, got {kind}"


@pytest.mark.parametrize("piece", [b"a,", b"[],", b"- a\n", b"{a,b: c},"])
def test_a_yaml_document_of_very_many_values_is_refused_and_the_next_is_read(
    piece: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree of values would take a hundred times the file's size."""
    monkeypatch.setattr("errdex.records.files.yaml_document.MAX_INDICATORS", 50_000)
    path = tmp_path / "a.yaml"
    opening, closing = (b"", b"") if piece.startswith(b"-") else (b"- [", b"]\n")
    good = b"---\n" + json.dumps(GOOD).encode()
    path.write_bytes(opening + piece * 60_000 + closing + good)
    tracemalloc.start()
    try:
        problem, record = read_records([path])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "has more than 50,000 values" in str(problem)
    assert isinstance(record, RawRecord)
    assert peak < 8_000_000


@pytest.mark.parametrize("ending", COMPRESS)
def test_the_entries_before_a_broken_one_are_read(ending: str, tmp_path: Path) -> None:
    good = f"- {json.dumps(GOOD)}\n"
    for broken in ('- {repo: "a\n', "- a: b: c\n", "- [1, 2\n", "- 'x\n", "-\tq: [\n"):
        path = tmp_path / f"a.yaml{ending}"
        path.write_bytes(COMPRESS[ending]((good * 2 + broken + good * 2).encode()))
        items = list(read_records([path]))
        assert [item.value for item in items if isinstance(item, RawRecord)] == [GOOD] * 2, broken
        assert isinstance(items[-1], ReadProblem)


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (b'{"repo":"a"}', 1),
        (b'{"repo":"a"}\n{"repo":"b"}\n', 2),
        (b'{\n  "repo": "a"\n}\n{\n  "repo": "b"\n}', 2),
        (b'{"repo": "a",\n "x": 1}', 1),
        (b'[{"repo":"a"},{"repo":"b"}]', 2),
        (b'\xef\xbb\xbf\n [{"repo":"a"}]', 1),
        (b"repo: a\n", 1),
        (b"# c\n- repo: a\n- repo: b\n", 2),
        (b"---\nrepo: a\n---\nrepo: b\n", 2),
        (b"[]", 0),
    ],
)
def test_a_pipes_format_is_told_from_its_content(content: bytes, count: int) -> None:
    assert len(read_values(STDIN, stdin=io.BytesIO(content))) == count


def test_a_broken_line_in_a_pipe_costs_only_itself() -> None:
    stdin = io.BytesIO(b'{"repo":"a\n{"repo":"b"}\n')
    problem, record = read_records([STDIN], stdin=stdin)
    assert isinstance(problem, ReadProblem)
    assert str(problem.source) == "standard input:1"
    assert isinstance(record, RawRecord)


def test_standard_input_that_is_not_there_or_empty() -> None:
    [absent] = read_records([STDIN])
    [empty] = read_records([STDIN], stdin=io.BytesIO())
    assert "is not there" in str(absent)
    assert "is empty" in str(empty)


def test_a_pipe_that_the_shell_opened_is_read_like_standard_input() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"repo: a/b\nerrorMessage: x\n")
    os.close(writing)
    try:
        assert read_values(Path(f"/dev/fd/{reading}")) == [GOOD]
    finally:
        os.close(reading)


@pytest.mark.parametrize("ending", COMPRESS)
def test_progress_is_in_bytes_on_disk(ending: str, tmp_path: Path) -> None:
    record = {**GOOD, "documentation": os.urandom(2000).hex()}
    for name in ("a.jsonl", "b.json", "c.yaml"):
        write = {"a.jsonl": dump_lines, "b.json": dump_json, "c.yaml": dump_yaml}[name]
        (tmp_path / (name + ending)).write_bytes(COMPRESS[ending](write([record] * 300)))
    reader = read_records([tmp_path])
    progress = reader.progress
    total = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert (progress.total_bytes, progress.read_bytes) == (total, 0)
    seen = [progress.read_bytes for _ in reader]
    assert seen == sorted(seen)
    assert 0 < seen[0] < total
    assert progress.read_bytes == total
    assert progress.file == str(tmp_path / f"c.yaml{ending}")


def test_the_total_is_unknown_with_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(dump_lines([GOOD]))
    reader = read_records([tmp_path, STDIN], stdin=io.BytesIO(dump_lines([GOOD])))
    assert reader.progress.total_bytes is None
    assert len(list(reader)) == 2
    assert reader.progress.read_bytes == 2 * len(dump_lines([GOOD]))


def test_reading_may_stop_anywhere(tmp_path: Path) -> None:
    for name, write in (WRITERS | YAML_WRITERS).items():
        (tmp_path / name).write_bytes(write([GOOD] * 1000))
    reader: RecordReader = read_records([tmp_path])
    items = iter(reader)
    next(items)
    del items  # an open file left behind would be a warning, and that an error
