"""A record's id as the table's integer key, and back.

An id is 16 hex digits, that is, 64 bits: it fits SQLite's rowid. Using it as
the rowid makes finding by id one descent of one tree, lets every index end in
the id for 8 bytes, and gives listings an order that is the same on every copy
of the data. The offset keeps the integers in the order of the ids' text.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from errdex import lazy_re as re

_OFFSET = 1 << 63
FIRST_KEY = -_OFFSET
"""The least key there is."""
LAST_KEY = _OFFSET - 1
"""The greatest key there is."""
_ID = re.compile(r"[0-9a-f]{16}")


def is_record_id(value: str) -> bool:
    """Whether `value` is 16 lower-case hex digits."""
    return _ID.fullmatch(value) is not None


def key_of(record_id: str) -> int:
    """The table key of an id. Raises ValueError when it is not 16 lower-case hex digits."""
    if not _ID.fullmatch(record_id):
        raise ValueError(f"a record id is 16 lower-case hex digits, not {record_id!r:.60}")
    return int(record_id, 16) - _OFFSET


def id_of(key: int) -> str:
    """The id of a table key."""
    return f"{key + _OFFSET:016x}"


def json_keys(record_ids: Iterable[str]) -> str:
    """The keys of those that are ids, as a JSON list: one parameter for any number of them."""
    return orjson.dumps(
        [int(each, 16) - _OFFSET for each in record_ids if _ID.fullmatch(each)]
    ).decode()
