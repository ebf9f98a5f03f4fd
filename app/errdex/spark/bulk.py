"""Matches an archive of logs: files and folders, and Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from errdex.matching.cutting import PART
from errdex.records.files.raw import InputDamaged
from errdex.records.problems import Trouble
from errdex.spark.files import (
    LogFile,
    LogRefused,
    count_lines,
    is_divisible,
    is_log,
    number_lines,
    plan_segments,
    read_log,
)
from errdex.spark.matching import match
from errdex.spark.pack_file import open_shipped, ship_pack
from errdex.spark.parts import answer_stream
from errdex.spark.rows import SPARK, MatchRow, rows_of, to_arrow
from errdex.spark.session import literal_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SEGMENT = 64 << 20
"""Bytes of a log that a task works on: some ten seconds of work. Smaller files share a task."""
_LEAST_SEGMENT = PART
_TASKS_OF_CORE = 4
"""Tasks for each core of a small archive, so that all cores end at about the same time."""
_MOST_TASKS = 20_000
"""As many as a driver holds with ease; beyond that, segments are larger."""
_FILES_OF_TASK = 1_000
_TASK = (
    "files array<struct<"
    "name: string, path: binary, size: bigint, begin: bigint, end: bigint, lines_before: bigint>>"
)


class InputRefused(Trouble):
    """What is named is not there, or holds no logs."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was named."""

    logs: Sequence[LogFile]
    """Files of this machine, and of each executor."""
    addresses: Sequence[str] = ()
    """Logs in a file system that Spark reads, such as s3a://logs/2026-01-02."""
    parquet: Sequence[str] = ()
    """As Spark takes it."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of Parquet files, as `errdex.spark.match` takes them."""

    text: str = "value"
    group: str | None = "stream"
    order: Sequence[str] = ("ts",)


def find_inputs(paths: Sequence[str]) -> Inputs:
    """The logs at these paths, in folders and below too, without what is hidden; and Parquet: files
    and folders whose name ends in .parquet. What is named twice is read once. Raises OSError and
    InputRefused."""
    logs: list[LogFile] = []
    addresses: list[str] = []
    parquet: list[str] = []
    for path in paths:
        is_parquet = path.rstrip("/").endswith(".parquet")
        if "://" in path:
            (parquet if is_parquet else addresses).append(path)
        elif is_parquet:
            Path(path).stat()
            parquet.append(literal_path(str(Path(path).absolute())))
        elif Path(path).is_dir():
            logs += _walk(path)
        else:
            logs.append(_log_file(Path(path)))
    if not logs and not addresses and not parquet:
        raise InputRefused("There are no logs: the folders hold no text files.")
    once = {file.path: file for file in logs}
    return Inputs(list(once.values()), addresses, parquet)


def match_archive(
    spark: SparkSession,
    inputs: Inputs,
    pack: str | PathLike[str],
    columns: Columns | None = None,
    *,
    unknown: bool = False,
    segment: int | None = None,
) -> DataFrame:
    """The matches in logs, as `errdex.spark.match` returns them. The stream of a log is its path as
    it was named or found. The paths must be the same on every executor. A log that cannot be read
    has a row with a `problem`. `segment`: bytes of a task, instead of what suits the inputs.
    Raises OSError, and Trouble."""
    results = []
    if inputs.logs:
        name = ship_pack(spark.sparkContext, pack)
        segment = segment or _suitable_segment(spark, sum(file.size for file in inputs.logs))
        files = _numbered(spark, list(_segments(inputs.logs, segment)))
        tasks = _as_tasks(spark, _share_out(files, segment))
        results.append(tasks.mapInArrow(_MatchFiles(name, unknown), SPARK))
    for address in inputs.addresses:
        lines = _read_lines(spark, address)
        results.append(match(lines, pack, order=("block", "place"), unknown=unknown))
    columns = columns or Columns()
    for path in inputs.parquet:
        lines = spark.read.parquet(path)
        results.append(
            match(lines, pack, columns.text, columns.group, columns.order or None, unknown=unknown)
        )
    return reduce(lambda one, other: one.unionByName(other), results)


def _read_lines(spark: SparkSession, address: str) -> DataFrame:
    """The lines of text and gzip in a file system that only Spark reads, as `match` takes them. The
    rows of a block are numbered in its order."""
    from pyspark.sql import functions as f

    lines = spark.read.option("lineSep", "\n").option("recursiveFileLookup", "true").text(address)
    return lines.select(
        "value",
        f.col("_metadata.file_path").alias("stream"),
        f.col("_metadata.file_block_start").alias("block"),
        f.monotonically_increasing_id().alias("place"),
    )


def _log_file(path: Path) -> LogFile:
    name = str(path).encode("utf-8", "backslashreplace").decode()
    return LogFile(name, str(path.absolute()), path.stat().st_size)


def _walk(folder: str) -> Iterator[LogFile]:
    """The logs of a folder, by name. Links are not followed."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if not name.startswith(".") and not path.is_symlink() and path.is_file():
                if os.access(path, os.R_OK) and not is_log(path):
                    continue
                yield _log_file(path)


def _suitable_segment(spark: SparkSession, total: int) -> int:
    """Bytes of a task of an archive of so many bytes."""
    cores: int = spark.sparkContext.defaultParallelism
    share = total // (_TASKS_OF_CORE * cores)
    return max(_LEAST_SEGMENT, min(share, SEGMENT), total // _MOST_TASKS)


def _segments(logs: Iterable[LogFile], segment: int) -> Iterator[LogFile]:
    for file in logs:
        path = Path(file.path)
        if file.size >= 2 * segment and os.access(path, os.R_OK) and is_divisible(path):
            yield from plan_segments(file, segment)
        else:
            yield file


def _numbered(spark: SparkSession, files: Sequence[LogFile]) -> list[LogFile]:
    """The same, with the lines before each segment of a file."""
    segments = [file for file in files if file.is_segment]
    if not segments:
        return list(files)
    lines = spark.sparkContext.parallelize(segments, len(segments)).map(count_lines).collect()
    whole = [file for file in files if not file.is_segment]
    return [*whole, *number_lines(zip(segments, lines, strict=True))]


def _share_out(files: Sequence[LogFile], most: int) -> list[list[LogFile]]:
    """The files of each task: of at most so many bytes, or one file. The largest go first, so that
    none is left for the end."""
    tasks: list[list[LogFile]] = []
    left = 0
    for file in sorted(files, key=lambda file: -file.size):
        if file.size > left or len(tasks[-1]) >= _FILES_OF_TASK:
            tasks.append([])
            left = most
        tasks[-1].append(file)
        left -= file.size
    return tasks


def _as_tasks(spark: SparkSession, tasks: Sequence[Sequence[LogFile]]) -> DataFrame:
    """A row for each task, each in a partition of its own."""
    rows = [([(file.name, os.fsencode(file.path), *file[2:]) for file in task],) for task in tasks]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, len(rows)), _TASK)


@dataclass(frozen=True, slots=True)
class _MatchFiles:
    """What a task does: batches of files in, those of matches out."""

    pack: str
    unknown: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return to_arrow(
            row
            for batch in batches
            for task in batch.column(0).to_pylist()
            for file in task
            for row in self._rows(LogFile(**file | {"path": os.fsdecode(file["path"])}))
        )

    def _rows(self, file: LogFile) -> Iterator[MatchRow]:
        knowledge = open_shipped(self.pack)
        try:
            first_line, pieces = read_log(file)
            for line, answer in answer_stream(knowledge, pieces, first_line):
                yield from rows_of(answer, file.name, line, unknown=self.unknown)
        except (OSError, LogRefused, InputDamaged) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            yield MatchRow(file.name, problem=reason or type(error).__name__)
