"""`errdex bulk`: what it reads, writes and says."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.spark.archive import ERRDEX

from errdex.matching.cutting import AROUND

pytestmark = pytest.mark.tools("java")
SHELL = "bash: gti: command not found\n"
HEALTHY = "2026-01-02 03:04:05 INFO request served in 12 ms, all is well\n"


def bulk(*words: object, **environment: str) -> Any:
    known = {name: os.environ[name] for name in ("PATH", "JAVA_HOME", "HOME") if name in os.environ}
    return subprocess.run(
        [*ERRDEX, "bulk", *map(str, words), "--master", "local[2]"],
        capture_output=True,
        text=True,
        timeout=600,
        env=known | environment,
    )


def lines_of(done: Any) -> list[str]:
    """Standard error without what the Java machine says by itself."""
    return [
        line for line in done.stderr.splitlines() if not line.startswith("WARNING: Using incub")
    ]


def test_logs_of_all_kinds_in_and_parquet_out(spark: Any, pack: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs [x]"
    (logs / ".hidden").mkdir(parents=True)
    (logs / "plain.log").write_text(HEALTHY + SHELL)
    (logs / "wide.log").write_bytes((HEALTHY + SHELL).encode("utf-16"))
    (logs / ".hidden/a.log").write_text(SHELL)
    (logs / "picture.png").write_bytes(b"\x89PNG\0\0" + SHELL.encode())
    (logs / "empty.log").touch()
    data = zstandard.ZstdCompressor().compress((HEALTHY * 1_000 + SHELL).encode())
    (logs / "cut.zst").write_bytes(data[:-5])
    (logs / os.fsdecode(b"odd\xff.log")).write_text(SHELL)
    rows = [("web", 2, SHELL), ("web", 1, HEALTHY), ("db", 1, HEALTHY)]
    spark.createDataFrame(rows, "host string, at int, line string").write.parquet(
        str(tmp_path / "lines.parquet")
    )
    out = tmp_path / "out [1].parquet"
    done = bulk(
        logs, tmp_path / "lines.parquet", "-o", out, "--pack", pack,
        "--text", "line", "--group", "host", "--order", "at",
    )  # fmt: skip
    said = lines_of(done)
    assert done.returncode == 3, done.stderr
    assert "/cut.zst: is not sound zstd data" in said[0]
    assert said[1].startswith("4 errors in 4 logs, 4 known: ")
    assert said[2].split(maxsplit=1) == ["4", "{command}: command not found"]
    assert (done.stdout, len(said)) == ("", 3)
    (folder,) = tmp_path.glob("out*")
    result = spark.read.parquet(str(tmp_path / "out ?1?.parquet"))
    found = {(row["stream"], row["line"]) for row in result.where("rank = 1").collect()}
    names = {("plain.log", 2), ("wide.log", 2), ("odd\\udcff.log", 1)}
    assert found == {(f"{logs}/{name}", line) for name, line in names} | {("web", 2)}
    assert folder.is_dir()

    again = bulk(logs / "plain.log", "-o", out, "--pack", pack)
    assert (again.returncode, len(again.stderr.splitlines())) == (2, 1)
    assert "--overwrite" in again.stderr


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("logs", "logs is an input"),
        ("other", "other is no output"),
        ("a.txt", "a.txt is no output"),
    ],
)
def test_nothing_but_an_earlier_output_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("logs/deep/a.log", "other/part-0", "other/notes.txt", "a.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(SHELL)
    done = bulk("logs/deep/a.log", "-o", output, "--overwrite")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert said in done.stderr
    assert (tmp_path / "other/notes.txt").read_text() == SHELL


def test_what_spark_alone_reads_is_answered_alike(spark: Any, pack: Path, tmp_path: Path) -> None:
    from errdex.spark.bulk import find_inputs, match_archive

    text = HEALTHY * 300 + "a\rb\n\n" + SHELL + "last"
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "in/a.log").write_text(text, newline="")
    (tmp_path / "in/deep/b.log.gz").write_bytes(gzip.compress(text.encode()))
    spark.conf.set("spark.sql.files.maxPartitionBytes", "4096")
    try:
        inputs = find_inputs([f"file://{tmp_path}/in"])
        rows = match_archive(spark, inputs, pack).where("rank = 1").collect()
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    found = {(row["stream"].rpartition("/")[2], row["line"]) for row in rows}
    assert found == {("a.log", 303), ("b.log.gz", 303)}


def test_a_large_log_is_worked_on_in_segments(spark: Any, pack: Path, tmp_path: Path) -> None:
    from errdex.spark.bulk import find_inputs, match_archive

    error = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n' \
        "ModuleNotFoundError: No module named 'basket{}'\n"  # fmt: skip
    text = "".join(HEALTHY * 37 + error.format("x" * (n % 50 + 1)) for n in range(600))
    log = tmp_path / "large.log"
    log.write_text(text)
    assert log.stat().st_size > 12 * AROUND
    lines = [n for n, line in enumerate(text.split("\n"), 1) if line.startswith("ModuleNot")]
    inputs = find_inputs([str(log), str(tmp_path)])
    assert len(inputs.logs) == 1
    found = match_archive(spark, inputs, pack, segment=100_001).where("rank = 1")
    assert found.rdd.getNumPartitions() > 10
    rows = found.collect()
    # The same error is answered once in each segment.
    assert sum(1 + row["repeats"] for row in rows) == len(lines)
    assert {row["line"] for row in rows} <= set(lines)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nowhere.log", "-o", "o"), 3, "nowhere.log"),
        ((".", "-o", "o"), 3, "There are no logs"),
        ((".", "-o", "o", "--conf", "x"), 2, "--conf x: write KEY=VALUE"),
        ((".", "-o", "o", "--pack", "p", "--database", "sqlite:///x"), 2, "--pack stands alone"),
    ],
)
def test_mistakes_are_said_in_one_line(
    needs_pyspark: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...], code: int, said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    done = bulk(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_java_or_with_an_old_one_one_line_says_so(
    needs_pyspark: None, pack: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.log").write_text(SHELL)
    words = (tmp_path / "a.log", "-o", tmp_path / "o", "--pack", pack)
    done = bulk(*words, PATH=str(tmp_path), JAVA_HOME="")
    assert done.returncode == 3
    assert "Spark needs Java 17 or newer, and there is none on the PATH" in done.stderr
    done = bulk(*words, JAVA_HOME=str(tmp_path))
    assert f"none in JAVA_HOME ({tmp_path})" in done.stderr
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/java").write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    (tmp_path / "bin/java").chmod(0o755)
    done = bulk(*words, JAVA_HOME=str(tmp_path))
    assert "is Java 8: set JAVA_HOME" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_fails_in_spark_is_one_line(pack: Path, needs_pyspark: None, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(SHELL)
    done = bulk(tmp_path / "a.log", "-o", tmp_path / "a.log/o", "--pack", pack)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert lines_of(done)[-1].startswith("errdex: Spark failed: ")
