"""The paste in a JSON body.

{"text": "…"}, {"lines": ["…", …]}          the paste, and nothing else
{"log" | "message" | "MESSAGE": "…", …}     one record of a log shipper
["…", {"log": "…", …}, …]                   lines and records, brought together by their writers

and the same lines and records as NDJSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import orjson

from errdex.matching.reading.record_streams import (
    MESSAGE_KEYS,
    MOST_RECORDS,
    JoinedLog,
    Writers,
)

REMEDY = (
    'send {"text": "…"}, {"lines": ["…", "…"]}, a record such as {"log": "…"} or {"message": "…"}, '
    "or an array of lines and records"
)


class NoPaste(ValueError):
    """The value holds no paste; says why, without a word of it."""


def paste_of_json(data: bytes, writers: Writers) -> str:
    """The paste in a body. Raises NoPaste."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise NoPaste("it is not sound JSON") from None
    match value:
        case {"text": str(text), **more} if not more:
            return text
        case {"lines": list(lines), **more} if not more:
            if not all(isinstance(line, str) for line in lines):
                raise NoPaste("it has a line that is not a string")
            return "\n".join(lines)
        case list(items):
            return _joined(items, writers)
        case dict(record) if any(isinstance(record.get(key), str) for key in MESSAGE_KEYS):
            (first,) = list(record)[:1]
            return str(record[first]) if len(record) == 1 else _line_of(record)
    raise NoPaste("it is JSON of another form")


def paste_of_lines(data: bytes, writers: Writers) -> str:
    """The paste in a body of NDJSON, whose other lines are lines of the log. Raises NoPaste."""
    lines = (line for line in data.splitlines() if line.strip())
    return _joined((parse_line(line) or line.decode("utf-8", "replace") for line in lines), writers)


def parse_line(line: bytes) -> str | dict[str, object] | None:
    """The record or the text that a line of NDJSON holds; None for a line of a log."""
    if line.lstrip()[:1] not in (b"{", b'"'):
        return None
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match value:
        case {"text": str(text), **more} if not more:
            return text
        case str() | dict():
            return value
    return None


def _joined(items: Iterable[object], writers: Writers) -> str:
    log = JoinedLog()
    for number, item in enumerate(items):
        if number == MOST_RECORDS:
            raise NoPaste(f"it has more than {MOST_RECORDS:,} items")
        match item:
            case str(line):
                log.add("", line)
            case dict(record):
                log.add(writers.of(record), _line_of(record))
            case _:
                raise NoPaste("it has an item that is neither a line nor a record")
    return log.paste()


def _line_of(record: dict[str, object]) -> str:
    """The record on one line, as the reader of pastes knows records."""
    try:
        return orjson.dumps(record).decode()
    except (orjson.JSONEncodeError, RecursionError):  # half a character, or nested too deeply
        pass
    try:
        return json.dumps(record)
    except RecursionError:
        raise NoPaste("it is nested too deeply") from None
