"""Cursors: the end of a page, as an opaque string for the next request.

A cursor names the last entry of the page instead of a count, so that the next page neither
repeats nor skips entries when records are added or removed in between. It also contains a digest
of the words and filters: with others it would silently continue in the middle of another list,
so it is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from math import isfinite
from typing import TypeAlias

from errdex.knowledge.answers import KnowledgeError
from errdex.search.protocol import Position
from errdex.store import FacetValue

Asked: TypeAlias = Sequence[str | None]
"""The words, filters and facet of the list that a cursor belongs to."""


class BadCursor(KnowledgeError):
    """The cursor is not from this list."""

    def __init__(self) -> None:
        super().__init__("The cursor is not from this list. Try again without it.")


def of_record(record_id: str, asked: Asked) -> str:
    """A cursor after that record, in a list by id."""
    return _pack(["r", _digest(asked), record_id])


def to_record(cursor: str, asked: Asked) -> str:
    """The record id in a cursor. Raises BadCursor."""
    match _unpack(cursor, asked):
        case ["r", _, str(record_id)] if len(record_id) == 16 and set(record_id) <= _HEX:
            return record_id
    raise BadCursor


def of_position(position: Position, asked: Asked) -> str:
    """A cursor after that hit, in search results."""
    return _pack(["p", _digest(asked), position.score, position.record_id])


def to_position(cursor: str, asked: Asked) -> Position:
    """The hit in a cursor. Raises BadCursor."""
    match _unpack(cursor, asked):
        case ["p", _, float(score) | int(score), str(record_id)] if isfinite(score):
            return Position(score=float(score), record_id=record_id)
    raise BadCursor


def of_value(value: FacetValue, asked: Asked) -> str:
    """A cursor after that value, in a list of values."""
    return _pack(["v", _digest(asked), value.records, value.value])


def to_value(cursor: str, asked: Asked) -> FacetValue:
    """The value in a cursor. Raises BadCursor."""
    match _unpack(cursor, asked):
        case ["v", _, int(records), str(value)] if 0 <= records < 2**63:
            return FacetValue(value, records)
    raise BadCursor


_HEX = set("0123456789abcdef")


def _pack(parts: list[object]) -> str:
    text = json.dumps(parts, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unpack(cursor: str, asked: Asked) -> list[object]:
    try:
        raw = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        value = json.loads(raw)
    except (ValueError, binascii.Error, RecursionError):
        raise BadCursor from None
    if not isinstance(value, list) or value[1:2] != [_digest(asked)]:
        raise BadCursor
    return value


def _digest(asked: Asked) -> str:
    return hashlib.blake2b(json.dumps(list(asked)).encode(), digest_size=4).hexdigest()
