"""Which files an ingestion reads: those named, those in folders named, in a fixed order.

A folder is walked by name, without what is hidden and without links that lead out of
it (a link inside is read once, so a mounted Kubernetes volume works). Each file is
read once, however often it is named.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath

import orjson

from errdex.records.problems import Problem, shown

STANDARD_INPUT = Path("-")
_OPEN_FILES = {Path("/dev/fd"), Path("/proc/self/fd")}
_KINDS = {
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
}


class RecordFormat(StrEnum):
    """How records are written."""

    JSON = "json"
    """One value: a record, or a list of any length."""
    JSON_VALUES = "json values"
    """One value or more, each over as many lines as it likes."""
    JSON_LINES = "json lines"
    YAML = "yaml"


class Compression(StrEnum):
    """How a file is compressed."""

    GZIP = ".gz"
    ZSTD = ".zst"


FORMATS = {
    ".json": RecordFormat.JSON,
    ".jsonl": RecordFormat.JSON_LINES,
    ".ndjson": RecordFormat.JSON_LINES,
    ".yaml": RecordFormat.YAML,
    ".yml": RecordFormat.YAML,
}


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read. `path` is None for standard input, `size` for anything that is no
    regular file; `format` and `compression` are then found in the content."""

    name: str
    path: Path | None
    format: RecordFormat | None = None
    compression: Compression | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in a folder that looks like an input and is not read."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something named that cannot be read."""

    name: str
    problem: Problem


def find_input_files(paths: Sequence[Path]) -> Iterator[InputFile | Skipped | Unreadable]:
    """List what `paths` name, in their order. `-` is standard input."""
    seen: set[str] = set()
    for path in paths:
        for found in _find(path):
            if isinstance(found, InputFile):
                place = os.path.realpath(found.path) if found.path else str(STANDARD_INPUT)
                if place in seen:
                    continue
                seen.add(place)
            yield found


def format_of_name(name: str) -> tuple[RecordFormat, Compression | None] | None:
    """What a file's ending says of it; None when no record file has that ending."""
    path = PurePath(name.lower())
    compression = None
    if path.suffix in set(Compression):
        compression = Compression(path.suffix)
        path = path.with_suffix("")
    form = FORMATS.get(path.suffix)
    return None if form is None else (form, compression)


def format_of_content(head: bytes) -> RecordFormat:
    """What the first bytes of a pipe look like."""
    text = head.lstrip()
    if text.startswith(b"["):
        return RecordFormat.JSON_VALUES
    if not text.startswith(b"{"):
        return RecordFormat.YAML if text else RecordFormat.JSON_LINES
    first_line = text.partition(b"\n")[0].rstrip()
    try:
        orjson.loads(first_line)
    except orjson.JSONDecodeError:
        goes_on = first_line.endswith((b"{", b"[", b","))
        return RecordFormat.JSON_VALUES if goes_on else RecordFormat.JSON_LINES
    return RecordFormat.JSON_LINES


def _find(path: Path) -> Iterator[InputFile | Skipped | Unreadable]:
    if path == STANDARD_INPUT:
        yield InputFile("standard input", None)
        return
    try:
        if path.is_dir():
            yield from _walk(path)
        elif path.is_file():
            yield _named_file(path)
        elif path.exists():
            yield _named_other(path)
        else:
            problem = Problem("", "does not exist", "name a file or a folder that does")
            yield Unreadable(str(path), problem)
    except (OSError, ValueError) as error:
        yield Unreadable(str(path), _no_access(error))


def _named_file(path: Path) -> InputFile | Unreadable:
    kind = format_of_name(path.name)
    if kind is not None:
        return InputFile(str(path), path, *kind, path.stat().st_size)
    ending = path.suffix or path.name
    remedy = f"name it {', '.join(FORMATS)} (and .gz or .zst), or hand it in as -"
    return Unreadable(
        str(path), Problem("", f"{shown(ending)} is not a record file's ending", remedy)
    )


def _named_other(path: Path) -> InputFile | Unreadable:
    """Something without an end of its own: a device goes on for ever, a pipe may have no
    writer. One that the shell has opened, as for <(command), has."""
    mode = path.stat().st_mode
    if stat.S_ISFIFO(mode) and path.parent in _OPEN_FILES:
        return InputFile(str(path), path)
    kind = next((kind for is_such, kind in _KINDS.items() if is_such(mode)), "no regular file")
    remedy = "name a file or a folder, or hand in what comes out of it as -"
    return Unreadable(str(path), Problem("", f"is {kind}", remedy))


def _walk(root: Path) -> Iterator[InputFile | Skipped | Unreadable]:
    inside = os.path.realpath(root)
    anything = False
    waiting = [root]
    while waiting:
        path = waiting.pop()
        if path is root or (path.is_dir() and not path.is_symlink()):
            if path is not root and path.name.startswith("."):
                yield Skipped(str(path), "it is hidden")
                continue
            try:
                waiting.extend(sorted(path.iterdir(), reverse=True))
            except OSError as error:
                anything = True
                yield Unreadable(str(path), _no_access(error))
            continue
        found = _file_in_folder(path, inside)
        if found is not None:
            anything = anything or not isinstance(found, Skipped)
            yield found
    if not anything:
        remedy = f"put files there that end in {', '.join(FORMATS)}"
        yield Unreadable(str(root), Problem("", "holds no record files", remedy))


def _file_in_folder(path: Path, inside: str) -> InputFile | Skipped | Unreadable | None:
    """What to do with a file of a folder; None when it does not look like an input."""
    kind = format_of_name(path.name)
    if path.is_symlink():
        target = os.path.realpath(path)
        if not target.startswith(inside + os.sep):
            return Skipped(str(path), "it is a link out of the folder")
        if path.is_dir():
            return Skipped(str(path), "it is a link to a folder")
    if kind is None:
        return None
    if path.name.startswith("."):
        return Skipped(str(path), "it is hidden")
    if not path.is_file():
        return Skipped(str(path), "it is no regular file")
    try:
        return InputFile(str(path), path, *kind, path.stat().st_size)
    except OSError as error:
        return Unreadable(str(path), _no_access(error))


def _no_access(error: Exception) -> Problem:
    said = getattr(error, "strerror", None) or str(error)
    return Problem("", f"cannot be read: {said}", "check the name and your permissions")
