"""Bad files, one by one: what is said, where, and that the rest is read all the same."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
import zstandard

from errdex.records.files.reader import RawRecord, ReadProblem, read_records

GOOD = b'{"repo":"a/b","errorMessage":"x"}'
VALUE = {"repo": "a/b", "errorMessage": "x"}
NOISE = random.Random(1).randbytes(4000)
DEEP = 100_000


class Bad(NamedTuple):
    """A file, and what reading it yields (as tests/cases/records/bad_files.yaml has it)."""

    name: str
    content: bytes
    items: list[str]


WRITTEN = [
    Bad(case["name"], case["content"].encode("latin-1").replace(b"@", GOOD), case["items"])
    for case in yaml.safe_load(
        (Path(__file__).parent.parent / "cases" / "records" / "bad_files.yaml").read_text()
    )
]
COMPUTED = [
    Bad("a.json.gz", b"", ["a.json.gz:1 |is empty"]),
    Bad("a.json.zst", b"", ["a.json.zst:1 |is empty"]),
    Bad("a.json", gzip.compress(GOOD), ["a.json |is compressed"]),
    Bad("a.jsonl", zstandard.compress(GOOD), ["a.jsonl |is compressed"]),
    Bad(
        "a.jsonl",
        b'{"a":%s}\n%s' % (b"9" * 5000, GOOD),
        ["a.jsonl:1 |is not JSON: holds a number of too many digits", "a.jsonl:2 ok"],
    ),
    Bad(
        "a.yaml",
        b"- a: %s\n- %s" % (b"9" * 5000, GOOD),
        ["a.yaml:1 |holds a number of too many digits (line 1)", "a.yaml:2 ok"],
    ),
    Bad(
        "a.jsonl",
        b"[" * DEEP + b"\n" + GOOD,
        ["a.jsonl:1 |is not JSON: is nested too deeply", "a.jsonl:2 ok"],
    ),
    Bad(
        "a.json",
        b"[" * DEEP + b"]" * (DEEP - 1) + b"," + GOOD + b"]",
        ["a.json[0] |is not JSON: is nested too deeply", "a.json[1] ok"],
    ),
    Bad(
        "a.yaml",
        b"[" * DEEP + b"\n--- " + GOOD,
        ["a.yaml:1 |is not YAML: “exceeded maximum nesting depth”", "a.yaml:2 ok"],
    ),
    Bad("a.json.gz", GOOD, ["a.json.gz |is not sound gzip data"]),
    Bad("a.json.zst", GOOD, ["a.json.zst |is not sound zstd data"]),
    Bad(
        "a.jsonl.gz",
        gzip.compress(GOOD)[:-8] + b"\0" * 8,
        ["a.jsonl.gz |is not sound gzip data"],
    ),
    Bad(
        "a.jsonl.gz",
        gzip.compress(GOOD + b"\n") + b"trailing",
        ["a.jsonl.gz:1 ok", "a.jsonl.gz |is not sound gzip data"],
    ),
    Bad(
        "a.jsonl.zst",
        zstandard.compress(GOOD + b"\n") + b"trailing",
        ["a.jsonl.zst |is not sound zstd data"],
    ),
]


def said(item: RawRecord | ReadProblem) -> str:
    place = str(item.source).rpartition("/")[2]
    if isinstance(item, RawRecord):
        return f"{place} {'ok' if item.value == VALUE else 'other'}"
    assert item.problem.reason
    assert item.problem.remedy
    assert str(item).isprintable()
    return f"{place} {item.problem.field}|{item.problem.reason}"


@pytest.mark.parametrize("bad", WRITTEN + COMPUTED, ids=lambda bad: f"{bad.name}-{bad.items[0]}")
def test_a_bad_file_is_named_and_the_rest_is_read(bad: Bad, tmp_path: Path) -> None:
    path = tmp_path / bad.name
    path.write_bytes(bad.content)
    (tmp_path / "next.json").write_bytes(GOOD)
    *items, following = read_records([path, tmp_path / "next.json"])
    assert isinstance(following, RawRecord)
    found = [said(item) for item in items]
    assert len(found) == len(bad.items), found
    for one, expected in zip(found, bad.items, strict=True):
        assert one.startswith(expected)


def test_a_message_with_a_colon_is_told_to_stand_in_quotes(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("repo: a/b\nerrorMessage: ValueError: no such thing\n")
    (item,) = read_records([path])
    assert isinstance(item, ReadProblem)
    assert item.source.line == 2
    assert "in quotes" in item.problem.remedy


@pytest.mark.parametrize("ending", [".gz", ".zst"])
@pytest.mark.parametrize("noise", [NOISE, NOISE.hex().encode()], ids=["stored", "packed"])
def test_a_cut_is_noticed_wherever_it_is(ending: str, noise: bytes, tmp_path: Path) -> None:
    """Zstandard's own reader ends in silence; the last words must be ours."""
    compress = gzip.compress if ending == ".gz" else zstandard.compress
    whole = compress(b"\n".join([GOOD, b'"' + noise.replace(b"\n", b" ") + b'"', GOOD]))
    path = tmp_path / f"a.jsonl{ending}"
    for length in [
        *range(1, 60),
        *range(60, len(whole) - 40, 97),
        *range(len(whole) - 40, len(whole)),
    ]:
        path.write_bytes(whole[:length])
        last = list(read_records([path]))[-1]
        assert isinstance(last, ReadProblem)
        assert "cut off" in last.problem.reason or "not sound" in last.problem.reason
    path.write_bytes(whole)
    assert isinstance(list(read_records([path]))[-1], RawRecord)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.yaml"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, zstandard.compress])
def test_no_bytes_whatever_raise(name: str, compress: type[bytes], tmp_path: Path) -> None:
    """Good files with bytes changed, lost and doubled at random."""
    rng = random.Random(f"{name}{compress}")
    ending = {"gzip": ".gz", "backend_c": ".zst"}.get(compress.__module__.rpartition(".")[2], "")
    record = b'{"repo":"a/b","errorMessage":"\\u00e9\xc3\xa9 {x}","tags":["a",1.5e3,-7,null]}'
    joint = {"a.json": b",", "a.jsonl": b"\n", "a.yaml": b"\n---\n"}[name]
    whole = joint.join([record] * 3)
    whole = compress(b"[" + whole + b"]" if name == "a.json" else whole)
    path = tmp_path / (name + ending)
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(damaged))
            damaged[place : place + rng.randint(0, 3)] = rng.choice(
                [
                    b"",
                    b'"',
                    b"{",
                    b"]",
                    b"\\",
                    b"\n",
                    b"\x00",
                    b"\xff",
                    b"- ",
                    b"&a *a",
                    b": ",
                    b"%",
                ]
            )
        path.write_bytes(damaged)
        for item in read_records([path]):
            assert isinstance(item, RawRecord) or str(item).isprintable()
