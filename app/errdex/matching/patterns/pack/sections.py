"""The container: named sections of bytes behind a header.

    header    magic, format, number of sections, size of the whole, CRC-32 of all but itself
    table     for each section its name, offset and length
    sections  each at a multiple of eight bytes

All numbers are in the byte order of the machine: a pack of another one has another format
number. A pack is read as hostile: the size is compared before the checksum, offsets and lengths
before they are used. The checksum is against disks, not against people, so what a section holds
is checked where it is read.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from zlib import crc32

from errdex.records.problems import Trouble

FORMAT = 2
"""Raised when what is written changes, also when literals are taken from patterns or chosen in
another way: a pack of another format counts as missing, so it is built again."""

_MAGIC = b"ErrdexP\n"
_HEADER = struct.Struct("=8sIIQ")
_CHECKSUM = struct.Struct("=I4x")
_ENTRY = struct.Struct("=16sQQ")
_START = _HEADER.size + _CHECKSUM.size
_MOST_SECTIONS = 64
_ALIGNED = 8


class PackError(Trouble):
    """A pack that cannot be used; the message says what to do."""


class PackMissing(PackError):
    """There is no pack, or one of another format."""


class PackDamaged(PackError):
    """The pack is not what was written."""


def join_sections(sections: Mapping[str, bytes | bytearray | memoryview]) -> bytes:
    """The pack with these sections."""
    offset = _START + _ENTRY.size * len(sections)
    table, pieces = bytearray(), list[bytes | bytearray | memoryview]()
    for name, data in sections.items():
        size = memoryview(data).nbytes
        table += _ENTRY.pack(name.encode("ascii"), offset, size)
        padding = -size % _ALIGNED
        pieces += [data, bytes(padding)]
        offset += size + padding
    header = _HEADER.pack(_MAGIC, FORMAT, len(sections), offset)
    checksum = crc32(table, crc32(header))
    for piece in pieces:
        checksum = crc32(piece, checksum)
    return b"".join([header, _CHECKSUM.pack(checksum), table, *pieces])


def split_sections(data: memoryview) -> dict[str, memoryview]:
    """The sections of a pack. Raises PackMissing for another format, and PackDamaged."""
    if len(data) < _START:
        raise PackDamaged("The pack is too short to be one.")
    magic, form, count, size = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise PackDamaged("This is no pack of Errdex: `errdex pack` writes one.")
    if form != FORMAT:
        raise PackMissing(
            "The pack has another format than this version of Errdex reads "
            f"({FORMAT}): build it again with this version."
        )
    if size != len(data):
        raise PackDamaged(f"The pack has {len(data):,} bytes instead of {size:,}.")
    (checksum,) = _CHECKSUM.unpack_from(data, _HEADER.size)
    if crc32(data[_START:], crc32(data[: _HEADER.size])) != checksum:
        raise PackDamaged("The pack is not what was written: its checksum is wrong.")
    if count > _MOST_SECTIONS or _START + count * _ENTRY.size > size:
        raise PackDamaged("The pack's table of sections is wrong.")
    sections = {}
    for place in range(count):
        name, offset, length = _ENTRY.unpack_from(data, _START + place * _ENTRY.size)
        if offset % _ALIGNED or offset > size or length > size - offset:
            raise PackDamaged("A section of the pack lies outside of it.")
        sections[name.rstrip(b"\0").decode("ascii", "replace")] = data[offset : offset + length]
    return sections
