"""Records one a line: `.jsonl` and `.ndjson`. A bad line costs only itself."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple

from errdex.records.files.json_values import JsonBroken, JsonReader
from errdex.records.files.raw import FileEntry, not_utf8, nothing_there, too_long
from errdex.records.problems import Problem

_BLANK = b" \t\r\n"


class JsonLine(NamedTuple):
    """A line that is not empty, without the spaces around it."""

    number: int
    text: bytes


def list_lines(stream: io.BufferedReader, limit: int) -> Iterator[JsonLine | FileEntry]:
    """Yield each line that is not empty, unread. `limit` is in bytes a line."""
    number = 0
    anything = False
    while line := stream.readline(limit + 1):
        number += 1
        text = line.strip(_BLANK)
        anything = anything or bool(text)
        if len(line) > limit and not line.endswith(b"\n"):
            _skip_line(stream)
            yield FileEntry(number, None, None, too_long(limit))
        elif text:
            yield JsonLine(number, text)
    if not anything:
        yield FileEntry(1, None, None, nothing_there())


def read_line(reader: JsonReader, line: JsonLine) -> FileEntry:
    """The value of a line."""
    number = line.number
    try:
        text = line.text.decode()
        value, end, problem = reader.read(text)
    except UnicodeDecodeError:
        return FileEntry(number, None, None, not_utf8())
    except JsonBroken as broken:
        return FileEntry(number, None, None, _broken(broken))
    if end != len(text):
        reason = f"goes on behind the end of its record, at column {end + 1}"
        return FileEntry(number, None, None, Problem("", reason, "write one record a line"))
    return FileEntry(number, None, value, problem)


def _broken(broken: JsonBroken) -> Problem:
    if broken.cut:
        remedy = "write a whole record on each line"
        return Problem("", "ends in the middle of a record", remedy)
    reason = f"is not JSON: {broken.reason} at column {broken.position + 1}"
    return Problem("", reason, "fix the line, or write it with a JSON library")


def _skip_line(stream: io.BufferedReader) -> None:
    while (rest := stream.readline(64 * 1024)) and not rest.endswith(b"\n"):
        pass
