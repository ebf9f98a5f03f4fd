"""Reads log files in the tasks that match them, so that their bytes pass through no other process.

A large file that is not compressed is worked on in segments, each by a task: where a segment ends
and the next one begins follows from the bytes there (`errdex.matching.cutting`), so that their
tasks need not know of each other.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from errdex.matching.cutting import AROUND, find_cut
from errdex.matching.reading.decoding import wide_encoding
from errdex.records.files.compression import GZIP_MAGIC, ZSTD_MAGIC, open_gzip, open_zstd

_PIECE = 1 << 20
"""Bytes that are read at once."""
_HEAD = 8 << 10
"""Bytes that show what kind of file it is."""
_ZIP_MAGIC = b"PK\x03\x04"


class LogFile(NamedTuple):
    """A log file, or a segment of one: the bytes from `begin` to `end`, both moved to where no
    error is cut. `end` is None for the end of the file."""

    name: str
    """As it was given or found."""
    path: str
    """The absolute path."""
    size: int
    """Bytes that are read."""
    begin: int = 0
    end: int | None = None
    lines_before: int = 0
    """Line ends in the file before `begin`."""

    @property
    def is_segment(self) -> bool:
        """Whether it is less than the file."""
        return self.begin > 0 or self.end is not None


class LogRefused(Exception):
    """A file is not read; the message says why."""


def read_log(file: LogFile) -> tuple[int, Iterator[bytes]]:
    """The number of the first line, and the bytes. Raises OSError; reading the bytes raises that,
    LogRefused and InputDamaged."""
    if file.is_segment:
        return _read_segment(file)
    return 1, _read_whole(Path(file.path))


def is_divisible(path: Path) -> bool:
    """Whether a file can be worked on in segments. Raises OSError."""
    with path.open("rb") as source:
        head = source.read(_HEAD)
    return not head.startswith((GZIP_MAGIC, ZSTD_MAGIC, _ZIP_MAGIC)) and not wide_encoding(head)


def is_log(path: Path) -> bool:
    """Whether a file of a folder is taken for a log: there is something in it, and it is text or
    packed. Raises OSError."""
    with path.open("rb") as source:
        head = source.read(_HEAD)
    if head.startswith((GZIP_MAGIC, ZSTD_MAGIC, _ZIP_MAGIC)):
        return True
    return bool(head.strip()) and (b"\0" not in head or wide_encoding(head) is not None)


def count_lines(file: LogFile) -> int:
    """Line ends between `begin` and `end` as they are given. Raises OSError."""
    with Path(file.path).open("rb") as source:
        source.seek(file.begin)
        return sum(piece.count(b"\n") for piece in _limited(source, file.size))


def _read_whole(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        head = source.read(_HEAD)
        source.seek(0)
        if head.startswith(_ZIP_MAGIC):
            raise LogRefused("zip archives are not read here: unpack it")
        opened: BinaryIO = source
        if head.startswith(GZIP_MAGIC):
            opened = open_gzip(source)
        elif head.startswith(ZSTD_MAGIC):
            opened = open_zstd(source)
        yield from _in_utf8(iter(lambda: opened.read(_PIECE), b""))


def _in_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same in UTF-8: a part of a log in UTF-16 could not be known by itself."""
    first = next(pieces, b"")
    encoding = wide_encoding(first)
    if encoding is None:
        yield first
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(first).lstrip("\ufeff").encode("utf-8", "replace")
    for piece in pieces:
        yield decoder.decode(piece).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _read_segment(file: LogFile) -> tuple[int, Iterator[bytes]]:
    with Path(file.path).open("rb") as source:
        begin = _moved(source, file.begin)
        end = None if file.end is None else _moved(source, file.end)
        source.seek(file.begin)
        skipped = source.read(begin - file.begin).count(b"\n")
    return 1 + file.lines_before + skipped, _read_between(Path(file.path), begin, end)


def _moved(source: BinaryIO, place: int) -> int:
    """The offset of the first line at or behind a place that no error reaches over from above."""
    if place == 0:
        return 0
    begin = max(0, place - AROUND)
    source.seek(begin)
    return begin + find_cut(source.read(place - begin + AROUND), place - begin)


def _read_between(path: Path, begin: int, end: int | None) -> Iterator[bytes]:
    with path.open("rb") as source:
        source.seek(begin)
        yield from _limited(source, None if end is None else end - begin)


def _limited(source: io.BufferedReader | BinaryIO, size: int | None) -> Iterator[bytes]:
    """The next bytes of a file, so many at most."""
    while size is None or size > 0:
        piece = source.read(_PIECE if size is None else min(_PIECE, size))
        if not piece:
            return
        if size is not None:
            size -= len(piece)
        yield piece


def plan_segments(file: LogFile, segment: int) -> Iterator[LogFile]:
    """A file as segments of about so many bytes. Lines are not counted yet."""
    starts = range(0, max(1, file.size - segment // 2), segment)
    for begin in starts:
        end = begin + segment if begin + segment in starts else None
        yield file._replace(size=(end or file.size) - begin, begin=begin, end=end)


def number_lines(files: Iterable[tuple[LogFile, int]]) -> Iterator[LogFile]:
    """The segments of files, those of each in order, with the lines before each; given the lines in
    each."""
    before: dict[str, int] = {}
    for file, lines in files:
        yield file._replace(lines_before=before.get(file.path, 0))
        before[file.path] = before.get(file.path, 0) + lines
