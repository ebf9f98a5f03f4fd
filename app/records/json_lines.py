"""Records one a line: `.jsonl` and `.ndjson`. A bad line costs only itself."""

from __future__ import annotations

import io
from collections.abc import Iterator

from app.records.found import Found, not_utf8, nothing_there, too_long
from app.records.json_values import JsonBroken, JsonReader
from app.records.problems import Problem

_BLANK = " \t\r\n"


def read_json_lines(stream: io.BufferedReader, limit: int) -> Iterator[Found]:
    """Yield the value of each line that is not blank. `limit` is in bytes a line."""
    reader = JsonReader()
    number = 0
    anything = False
    while line := stream.readline(limit + 1):
        number += 1
        anything = anything or not line.isspace()
        if len(line) > limit and not line.endswith(b"\n"):
            _skip_line(stream)
            yield Found(number, None, None, too_long(limit))
            continue
        try:
            text = line.decode().strip(_BLANK)
        except UnicodeDecodeError:
            yield Found(number, None, None, not_utf8())
            continue
        if text:
            yield _read_line(reader, number, text)
    if not anything:
        yield Found(1, None, None, nothing_there())


def _read_line(reader: JsonReader, number: int, text: str) -> Found:
    try:
        value, end, problem = reader.read(text)
    except JsonBroken as broken:
        return Found(number, None, None, _broken(broken))
    if end != len(text):
        reason = f"goes on behind the end of its record, at column {end + 1}"
        return Found(number, None, None, Problem("", reason, "write one record a line"))
    return Found(number, None, value, problem)


def _broken(broken: JsonBroken) -> Problem:
    if broken.cut:
        remedy = "write a whole record on each line"
        return Problem("", "ends in the middle of a record", remedy)
    reason = f"is not JSON: {broken.reason} at column {broken.position + 1}"
    return Problem("", reason, "mend the line, or write it with a JSON library")


def _skip_line(stream: io.BufferedReader) -> None:
    while (rest := stream.readline(64 * 1024)) and not rest.endswith(b"\n"):
        pass
