"""Whoosh's term dictionary: a constant database in D. J. Bernstein's manner, in order.

The file is Whoosh's; it is written with fewer calls, and read with one or two reads a
term where Whoosh's own reader takes a dozen small ones.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from itertools import chain
from zlib import crc32

import numpy as np
from whoosh.filedb.filetables import HashWriter, OrderedHashReader, OrderedHashWriter
from whoosh.filedb.structfile import StructFile

from app.search.protocol import IndexDamaged

ENTRY = struct.Struct("!ii")
"""The lengths of the key and the value that follow."""

_SLOT = struct.Struct("!Iq")
_BY_CRC32 = 1
_EMPTY = (0, 0)
_SLOTS_READ = 6
_KEY_READ = 48


class DictionaryWriter(OrderedHashWriter):
    """Takes terms in order. Hashed by CRC-32, which is one of Whoosh's ways."""

    def __init__(self, dbfile: StructFile) -> None:
        HashWriter.__init__(self, dbfile, hashtype=_BY_CRC32)
        self.index = array("q")
        self.lastkey = b""
        self._position = dbfile.tell()

    def add(self, key: bytes, value: bytes) -> None:
        """The next term, greater than the last, with what is known of it."""
        entry = ENTRY.pack(len(key), len(value)) + key + value
        self.dbfile.file.write(entry)
        code = crc32(key)
        self.buckets[code & 255].append((code, self._position))
        self.index.append(self._position)
        self._position += len(entry)

    def _write_hashes(self) -> None:
        for entries in self.buckets:
            count = 2 * len(entries)
            self.directory.append((self._position, count))
            table: list[tuple[int, int]] = [_EMPTY] * count
            for entry in entries:
                slot = (entry[0] >> 8) % count
                while table[slot] is not _EMPTY:
                    slot = (slot + 1) % count
                table[slot] = entry
            data = struct.pack("!" + "Iq" * count, *chain.from_iterable(table))
            self.dbfile.file.write(data)
            self._position += len(data)
        # They are many, and Whoosh's writers are cyclic garbage in the end.
        self.buckets.clear()

    def _write_extras(self) -> None:
        self.extras["indextype"] = self.index.typecode
        self.extras["indexlen"] = len(self.index)
        HashWriter._write_extras(self)
        self.dbfile.write_array(self.index)


class DictionaryReader:
    """Looks terms up. Safe to use from several threads when the file's `get` is."""

    def __init__(self, reader: OrderedHashReader) -> None:
        """For a dictionary that `DictionaryWriter` has written."""
        self._reader = reader
        self._get = reader.dbfile.get
        self._tables: list[tuple[int, int]] = reader.tables
        self._end = int(reader.endofdata)
        positions = self._get(reader.indexbase, reader.indexlen * 8)
        self._positions = np.frombuffer(positions, ">i8").astype(np.int64)

    def find(self, key: bytes, length: int) -> bytes | None:
        """What is known of the term, in so many bytes; None when it is not there."""
        code = crc32(key)
        start, count = self._tables[code & 255]
        slot = (code >> 8) % count if count else 0
        unread = count
        while unread > 0:
            listed = min(_SLOTS_READ, count - slot)
            slots = self._get(start + slot * _SLOT.size, listed * _SLOT.size)
            for found, position in _SLOT.iter_unpack(slots):
                if not position:
                    return None
                if not 0 < position < self._end:
                    raise IndexDamaged("A place in the dictionary is outside of it.")
                if found == code:
                    entry: bytes = self._get(position, ENTRY.size + len(key) + length)
                    if ENTRY.unpack_from(entry)[0] == len(key) and entry[ENTRY.size :].startswith(
                        key
                    ):
                        return entry[-length:]
            slot = (slot + listed) % count
            unread -= listed
        return None

    def read_span(self, start: bytes, most: int | None = None) -> bytes | None:
        """All entries, each as `ENTRY` says, whose keys begin with `start`; None when they have
        more bytes than `most`."""
        places = range(len(self._positions))
        first = bisect_left(places, start, key=self._read_key)
        # No key has this byte in it, so this is behind those that begin so.
        last = bisect_left(places, start + b"\xff", lo=first, key=self._read_key)
        begin, end = self._locate(first), self._locate(last)
        return None if most is not None and end - begin > most else self._get(begin, end - begin)

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()

    def _locate(self, place: int) -> int:
        return int(self._positions[place]) if place < len(self._positions) else self._end

    def _read_key(self, place: int) -> bytes:
        position = int(self._positions[place])
        entry: bytes = self._get(position, ENTRY.size + _KEY_READ)
        length = ENTRY.unpack_from(entry)[0]
        if length > _KEY_READ:
            entry = self._get(position, ENTRY.size + length)
        return entry[ENTRY.size : ENTRY.size + length]
