"""Cursors: where a page ended, as an opaque text for the next request.

A cursor names the last entry of the page, never a count of entries, so that the
next page neither repeats nor skips one when records come or go in between.
"""

from __future__ import annotations

import base64
import binascii
import json

from app.knowledge.answers import KnowledgeError
from app.search.protocol import Position
from app.store import FacetValue


class BadCursor(KnowledgeError):
    """A cursor that this list has not given out."""

    def __init__(self) -> None:
        super().__init__("The cursor is not one of this list: ask again without it.")


def of_record(record_id: str) -> str:
    """Behind that record, in a list by id."""
    return _pack(["r", record_id])


def to_record(cursor: str) -> str:
    """The id in it. Raises BadCursor."""
    match _unpack(cursor):
        case ["r", str(record_id)] if len(record_id) == 16 and set(record_id) <= _HEX:
            return record_id
    raise BadCursor


def of_position(position: Position) -> str:
    """Behind that hit, in search results."""
    return _pack(["p", position.all_words, position.score, position.record_id])


def to_position(cursor: str) -> Position:
    """The hit in it. Raises BadCursor."""
    match _unpack(cursor):
        case ["p", bool(all_words), float(score) | int(score), str(record_id)]:
            return Position(all_words=all_words, score=float(score), record_id=record_id)
    raise BadCursor


def of_value(value: FacetValue) -> str:
    """Behind that value, in a list of values."""
    return _pack(["v", value.records, value.value])


def to_value(cursor: str) -> FacetValue:
    """The value in it. Raises BadCursor."""
    match _unpack(cursor):
        case ["v", int(records), str(value)] if 0 <= records < 2**63:
            return FacetValue(value, records)
    raise BadCursor


_HEX = set("0123456789abcdef")


def _pack(parts: list[object]) -> str:
    text = json.dumps(parts, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unpack(cursor: str) -> object:
    try:
        raw = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        value: object = json.loads(raw)
        return value
    except (ValueError, binascii.Error, RecursionError):
        raise BadCursor from None
