"""Record files to raw records, one at a time, whatever the format, and never an exception.

`.json` `.jsonl` `.ndjson` `.yaml` `.yml`, each also `.gz` or `.zst`, a folder of them, or a pipe,
whose format is found in its first bytes. Memory is bounded: by the longest record in `.jsonl`, and
by the size that a file of another format may have. What cannot be read is yielded as a
ReadProblem in its place, and reading goes on behind it wherever that is possible.

    for item in read_records([Path("data")]):
        match item:
            case RawRecord(source, value): …
            case RawCause(source, value): …
            case ReadProblem(source, problem): …
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from errdex.records.causes import is_cause
from errdex.records.files.compression import (
    BUFFER_BYTES,
    GZIP_MAGIC,
    ZSTD_MAGIC,
    CountedInput,
    open_gzip,
    open_zstd,
)
from errdex.records.files.json_document import read_json
from errdex.records.files.json_lines import JsonLine, list_lines, read_line
from errdex.records.files.json_values import JsonReader
from errdex.records.files.paths import (
    Compression,
    InputFile,
    RecordFormat,
    Skipped,
    Unreadable,
    find_input_files,
    format_of_content,
)
from errdex.records.files.raw import RECORD_BYTES, FileEntry, InputDamaged
from errdex.records.files.yaml_document import read_yaml
from errdex.records.problems import Problem, printable, type_name

__all__ = [
    "RawCause",
    "RawRecord",
    "ReadProblem",
    "ReadProgress",
    "RecordReader",
    "Skipped",
    "Source",
    "UnreadRecord",
    "read_records",
]

_UTF8_MARK = b"\xef\xbb\xbf"
_OF_A_RECORD = {"repo", "errorMessage"}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Source:
    """The place of something in the input: `data/x.jsonl:12`, `data/x.json[3]`.

    `line` counts from 1. `index` is the place in a file's list and counts from 0.
    """

    file: str
    line: int | None = None
    index: int | None = None

    def __str__(self) -> str:
        file = printable(self.file)
        if self.index is not None:
            return f"{file}[{self.index}]"
        return file if self.line is None else f"{file}:{self.line}"


class RawRecord(NamedTuple):
    """An object that should be a record; nothing in it has been checked.

    `dataset_version` is that of the envelope around it, if there was one.
    """

    source: Source
    value: dict[str, Any]
    dataset_version: str | None = None


class RawCause(NamedTuple):
    """An object that should be a cause; nothing in it has been checked."""

    source: Source
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A part of the input that could not be read."""

    source: Source
    problem: Problem

    def __str__(self) -> str:
        return f"{self.source}: {self.problem}"


class UnreadRecord(NamedTuple):
    """A line of JSON with a record in it, or with anything else."""

    source: Source
    line: JsonLine
    reader: JsonReader

    def read(self) -> RawRecord | RawCause | ReadProblem:
        """What the line holds."""
        return _unwrapped(self.source, read_line(self.reader, self.line))


@dataclass(slots=True)
class ReadProgress:
    """How far reading has come, in bytes as they lie on disk.

    `total_bytes` is None when there is a pipe among the input.
    """

    total_bytes: int | None = 0
    read_bytes: int = 0
    file: str = ""
    """The one that is being read."""


class RecordReader:
    """What `paths` hold; to be iterated over once. `progress` moves on meanwhile.
    `skipped` lists what folders hold and is not read, with the reason for each."""

    def __init__(self, paths: Sequence[Path], *, stdin: BinaryIO | None, record_bytes: int) -> None:
        self._stdin = stdin
        self._record_bytes = record_bytes
        self._inputs: list[InputFile | Unreadable] = []
        self.progress = ReadProgress()
        self.skipped: list[Skipped] = []
        for found in find_input_files(paths):
            if isinstance(found, Skipped):
                self.skipped.append(found)
                continue
            self._inputs.append(found)
            if isinstance(found, InputFile):
                self._expect(found.size)

    def __iter__(self) -> Iterator[RawRecord | RawCause | ReadProblem]:
        for item in self.list_unread():
            yield item.read() if isinstance(item, UnreadRecord) else item

    def list_unread(self) -> Iterator[UnreadRecord | RawRecord | RawCause | ReadProblem]:
        """The same, but lines of JSON are not parsed: most of an ingestion's input may be lines
        that it read before."""
        for entry in self._inputs:
            if isinstance(entry, InputFile):
                yield from self._read(entry)
            else:
                yield ReadProblem(Source(entry.name), entry.problem)

    def _expect(self, size: int | None) -> None:
        total = self.progress.total_bytes
        self.progress.total_bytes = None if size is None or total is None else total + size

    def _count(self, size: int) -> None:
        self.progress.read_bytes += size

    def _read(
        self, entry: InputFile
    ) -> Iterator[UnreadRecord | RawRecord | RawCause | ReadProblem]:
        self.progress.file = entry.name
        reader = JsonReader()
        try:
            with self._opened(entry) as stream:
                for found in self._find(entry, stream):
                    if isinstance(found, JsonLine):
                        yield UnreadRecord(Source(entry.name, found.number), found, reader)
                    else:
                        source = Source(entry.name, found.line, found.index)
                        yield _unwrapped(source, found)
        except InputDamaged as damage:
            yield ReadProblem(Source(entry.name), damage.problem)
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            problem = Problem("", reason, "check the file and your permissions")
            yield ReadProblem(Source(entry.name), problem)

    def _opened(self, entry: InputFile) -> AbstractContextManager[BinaryIO]:
        if entry.path is not None:
            return entry.path.open("rb", buffering=0)
        if self._stdin is None:
            raise InputDamaged("is not there", "name a file or a folder")
        return nullcontext(self._stdin)

    def _find(self, entry: InputFile, source: BinaryIO) -> Iterator[FileEntry | JsonLine]:
        stream: io.BufferedReader = io.BufferedReader(
            CountedInput(source, self._count), BUFFER_BYTES
        )
        compression = _compression(entry, stream)
        if compression is Compression.GZIP:
            stream = open_gzip(stream)
        elif compression is Compression.ZSTD:
            stream = open_zstd(stream)
        head = stream.peek(len(_UTF8_MARK))
        if head.startswith(_UTF16_MARKS):
            raise InputDamaged("is UTF-16", "save it as UTF-8")
        if head.startswith(_UTF8_MARK):
            stream.read(len(_UTF8_MARK))
        match entry.format or format_of_content(stream.peek()):
            case RecordFormat.JSON_LINES:
                return list_lines(stream, self._record_bytes)
            case RecordFormat.YAML:
                return read_yaml(stream, self._record_bytes)
            case form:
                several = form is RecordFormat.JSON_VALUES
                return read_json(stream, self._record_bytes, several=several)


def read_records(
    paths: Sequence[Path], *, stdin: BinaryIO | None = None, record_bytes: int = RECORD_BYTES
) -> RecordReader:
    """Read record files, folders of them, and standard input (`-`).

    `record_bytes` is the most that one record may take in its file. Iterating never
    raises for what the input is like; a problem is yielded where it stands.
    """
    return RecordReader(paths, stdin=stdin, record_bytes=record_bytes)


def _compression(entry: InputFile, stream: io.BufferedReader) -> Compression | None:
    """As the name says; for a pipe, as its first bytes say."""
    if entry.compression is not None:
        return entry.compression
    head = stream.peek(len(ZSTD_MAGIC))
    if head.startswith(GZIP_MAGIC):
        compression = Compression.GZIP
    elif head.startswith(ZSTD_MAGIC):
        compression = Compression.ZSTD
    else:
        return None
    if entry.format is not None:
        raise InputDamaged("is compressed", f"add {compression} to its name")
    return compression


def _unwrapped(source: Source, found: FileEntry) -> RawRecord | RawCause | ReadProblem:
    """Take a record out of its envelope, if it is in one."""
    value, version, field = found.value, None, ""
    if found.problem is not None:
        return ReadProblem(source, found.problem)
    if isinstance(value, dict) and "record" in value and not value.keys() & _OF_A_RECORD:
        version, value, field = value.get("datasetVersion"), value["record"], "record"
        if version is not None and not isinstance(version, str):
            reason = f"expected a string, got {type_name(version)}"
            return ReadProblem(source, Problem("datasetVersion", reason, "put it in quotes"))
    if not isinstance(value, dict):
        reason = f"expected a record, got {type_name(value)}"
        remedy = "write an object with repo and errorMessage"
        return ReadProblem(source, Problem(field, reason, remedy))
    if is_cause(value):
        return RawCause(source, value)
    return RawRecord(source, value, version)
