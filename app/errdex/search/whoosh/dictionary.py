"""Whoosh's term dictionary: a constant database in D. J. Bernstein's manner, in order.

The file is Whoosh's but for the names of its fields, which are JSON and not a pickle. It is
written with fewer calls, and read with one or two reads a term where Whoosh's own
reader takes a dozen small ones.
"""

from __future__ import annotations

import json
import struct
from array import array
from bisect import bisect_left
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from whoosh.filedb.filestore import Storage
from whoosh.filedb.filetables import HashWriter, OrderedHashReader, OrderedHashWriter
from whoosh.filedb.structfile import StructFile

from errdex.search.protocol import IndexDamaged

ENTRY = struct.Struct("!ii")
"""The lengths of the key and the value that follow."""

_SLOT = struct.Struct("!Iq")
_BY_CRC32 = 1
_TABLE = np.dtype([("code", ">u4"), ("position", ">i8")])
_BUCKETS = 256
_SLOTS_READ = 6
_KEY_READ = 48


class DictionaryWriter(OrderedHashWriter):
    """Takes terms in order. Hashed by CRC-32, which is one of Whoosh's ways."""

    def __init__(self, dbfile: StructFile) -> None:
        HashWriter.__init__(self, dbfile, hashtype=_BY_CRC32)
        self.index = array("q")
        self._codes = array("I")
        self.lastkey = b""
        self._position = dbfile.tell()

    def add(self, key: bytes, value: bytes) -> None:
        """The next term, greater than the last, with what is known of it."""
        entry = ENTRY.pack(len(key), len(value)) + key + value
        self.dbfile.file.write(entry)
        self._codes.append(crc32(key))
        self.index.append(self._position)
        self._position += len(entry)

    def _write_hashes(self) -> None:
        codes = np.frombuffer(self._codes, np.uint32)
        positions = np.frombuffer(self.index, np.int64)
        buckets = codes.astype(np.uint8)
        order = np.argsort(buckets, kind="stable")
        ends = np.cumsum(np.bincount(buckets, minlength=_BUCKETS)).tolist()
        for start, end in pairwise([0, *ends]):
            own = order[start:end]
            table = _lay_out(codes[own], positions[own])
            self.directory.append((self._position, len(table)))
            self.dbfile.file.write(table.tobytes())
            self._position += table.nbytes

    def _write_extras(self) -> None:
        self.extras["indextype"] = self.index.typecode
        self.extras["indexlen"] = len(self.index)
        self.dbfile.write_string(json.dumps(self.extras).encode())
        self.dbfile.write_array(self.index)


def _lay_out(codes: NDArray[np.uint32], positions: NDArray[np.int64]) -> NDArray[np.void]:
    """A table with two slots for each entry: an entry is in the slot that its code names, or in
    the next one that was free, beginning anew at the end."""
    count = 2 * len(codes)
    table = np.zeros(count, _TABLE)
    if not count:
        return table
    wanted = (codes >> 8).astype(np.int64) % count
    order = np.argsort(wanted, kind="stable")
    steps = np.arange(len(order))
    places = np.maximum.accumulate(wanted[order] - steps) + steps
    over = np.count_nonzero(places >= count)
    if over:
        free = np.ones(count, bool)
        free[places[:-over]] = False
        places[-over:] = np.flatnonzero(free)[:over]
    table["code"][places] = codes[order]
    table["position"][places] = positions[order]
    return table


class _DictionaryFile(OrderedHashReader):
    """The file, its beginning and end read."""

    def _read_extras(self) -> None:
        self.extras = json.loads(self.dbfile.read_string())
        self.indexbase = self.dbfile.tell()
        self.indexlen = int(self.extras["indexlen"])


def open_dictionary(storage: Storage, name: str) -> OrderedHashReader:
    """The dictionary in a file of the storage."""
    return _DictionaryFile(storage.open_file(name), storage.file_length(name))


class DictionaryReader:
    """Looks terms up. Safe to use from several threads when the file's `get` is."""

    def __init__(self, reader: OrderedHashReader) -> None:
        """For a dictionary that `DictionaryWriter` has written."""
        self._reader = reader
        self._get = reader.dbfile.get
        self._tables: list[tuple[int, int]] = reader.tables
        self._end = int(reader.endofdata)
        positions = self._get(reader.indexbase, reader.indexlen * 8)
        small = self._end < 1 << 32
        self._positions = np.frombuffer(positions, ">i8").astype(np.uint32 if small else np.int64)

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
