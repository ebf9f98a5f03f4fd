"""Checksums of what is stored. SQLite keeps none, so a byte that the disk changed would be
served.

A CRC-32 sees every change of a few neighbouring bits, and all but one in four thousand
millions of other changes. It is against disks and memory that fail, not against people: who
can write the file can write the checksum.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import orjson

from errdex.store.errors import StoreDamaged

_LOW_BITS = 0xFFFFFFFF


def text_sum(key: int, text: str) -> int:
    """The checksum of a string that belongs to the record with that key: 3 µs for 3 kB."""
    return zlib.crc32(text.encode(), (key ^ key >> 32) & _LOW_BITS)


def row_sum(*values: int | float | str | None) -> int:
    """The checksum of a row's values, in their order: about 1 µs."""
    return zlib.crc32(orjson.dumps(values))


def is_row_sound(row: Sequence[object]) -> bool:
    """Whether the last value of a row is the checksum of the others."""
    try:
        return zlib.crc32(orjson.dumps(row[:-1])) == row[-1]
    except TypeError:  # bytes where a text should be
        return False


def is_text_sound(key: int, text: object, checksum: object) -> bool:
    """Whether that is the text that was stored, with the checksum that was stored."""
    return isinstance(text, str) and text_sum(key, text) == checksum


def damaged(what: str) -> StoreDamaged:
    """The error for something stored that is not what was written."""
    return StoreDamaged(
        f"What the database holds of {what} is damaged: it is not what was written. `errdex "
        "verify` lists all damage. Restore a copy of the database, or move it away and ingest "
        "your record files again."
    )
