"""Segments in Whoosh's own format, written and read a posting list at a time.

The files are those of Whoosh's third codec, and `whoosh.index.open_dir` reads them.
What differs is the way there: Whoosh hands every single posting through several
Python calls, which makes 500 records a second of ours; here a term's whole list is
written, and read, by a handful of calls that run in C.

Whoosh's classes are used for the term dictionary, the columns and the table of
contents. Its version is pinned exactly, since a few members used here are protected.
"""

from __future__ import annotations

import os
import pickle
import struct
from array import array
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import accumulate, chain
from operator import sub
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from whoosh.analysis import IDAnalyzer
from whoosh.codec.whoosh3 import (
    WHOOSH3_HEADER_MAGIC,
    W3Codec,
    W3FieldWriter,
    W3Segment,
)
from whoosh.columns import VarBytesColumn
from whoosh.fields import FieldType, Schema
from whoosh.filedb.filestore import FileStorage, Storage, StorageError
from whoosh.filedb.filetables import (
    FileFormatError,
    HashWriter,
    OrderedHashReader,
    OrderedHashWriter,
)
from whoosh.filedb.structfile import StructFile
from whoosh.formats import Existence, Format
from whoosh.index import IndexError as WhooshIndexError
from whoosh.system import pack_int, pack_ushort

from app.search.protocol import IndexDamaged

WORDS = "words"
"""The field of all text; each posting carries the term's weight in the record."""
VALUES = (
    "background",
    "class",
    "code",
    "id",
    "language",
    "path",
    "repo",
    "severity",
    "tag",
    "type",
)
FIELDS = tuple(sorted((WORDS, *VALUES)))
ID_COLUMN = "id"
PHRASES_COLUMN = "phrases"
COLUMN = VarBytesColumn()

DAMAGE = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, ImportError, LookupError),
    *(MemoryError, NameError, TypeError, ValueError, struct.error, pickle.PickleError),
    *(FileFormatError, StorageError, WhooshIndexError),
)
"""What reading something else than was written can end in."""

_BLOCK = 4096
_LENGTH = struct.Struct("!i")
_ENTRY = struct.Struct("!ii")
_TERM_INFO = struct.Struct("!BfIBBfIIqi")
"""Inlined or not, weight, frequency, shortest and longest length, greatest weight, first
and last record, offset and length of the postings."""
_BY_CRC32 = 1
_EMPTY = (0, 0)


class WeightFormat(Format):
    """A posting's value is one byte, the term's weight in the record."""

    posting_size = 1

    def decode_weight(self, value: bytes) -> float:
        """The weight of one posting, as Whoosh's own scorers ask for it."""
        return float(value[0])

    decode_frequency = decode_weight


def make_schema() -> Schema:
    """The schema as Whoosh's table of contents stores it."""
    fields = {name: FieldType(Existence(), IDAnalyzer()) for name in VALUES}
    return Schema(**{WORDS: FieldType(WeightFormat(), IDAnalyzer()), **fields})


class _TermDictionary(OrderedHashWriter):
    """Whoosh's term dictionary (a constant database in D. J. Bernstein's manner), hashed by
    CRC-32 and written with fewer calls."""

    def __init__(self, dbfile: StructFile) -> None:
        HashWriter.__init__(self, dbfile, hashtype=_BY_CRC32)
        self.index = array("q")
        self.lastkey = b""
        self._position = dbfile.tell()

    def add(self, key: bytes, value: bytes) -> None:
        """The next term, greater than the last, with what is known of it."""
        entry = _ENTRY.pack(len(key), len(value)) + key + value
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

    def _write_extras(self) -> None:
        self.extras["indextype"] = self.index.typecode
        self.extras["indexlen"] = len(self.index)
        HashWriter._write_extras(self)
        self.dbfile.write_array(self.index)


class BulkFieldWriter(W3FieldWriter):
    """Whoosh's field writer, taking a term's postings all at once."""

    def __init__(self, codec: W3Codec, storage: Storage, segment: W3Segment) -> None:
        super().__init__(codec, storage, segment)
        # What the superclass has begun is begun anew.
        self._tindex.dbfile.seek(0)
        dictionary = _TermDictionary(self._tindex.dbfile)
        dictionary.extras = self._tindex.extras
        self._tindex: _TermDictionary = dictionary
        self._end = 0
        self._prefix = b""

    def start_field(self, fieldname: str, fieldobj: FieldType) -> None:
        """Go on with this field."""
        super().start_field(fieldname, fieldobj)
        self._prefix = pack_ushort(self._fieldid)

    def add_term(self, text: bytes, ids: Sequence[int], weights: bytes | None) -> None:
        """Write one term: its record numbers, ascending, and a weight byte for each.
        Terms come in ascending order within a field."""
        blocks = [WHOOSH3_HEADER_MAGIC]
        for begin in range(0, len(ids), _BLOCK):
            block = ids[begin : begin + _BLOCK]
            deltas = (block[0], *map(sub, block[1:], block))
            values = weights[begin : begin + _BLOCK] if weights is not None else None
            body = pickle.dumps((deltas, None, values), 3)
            head = pickle.dumps((len(block), block[-1], 1.0, 0, 0, 0), 3)
            length = len(head) + len(body)
            last = begin + _BLOCK >= len(ids)
            blocks += (pack_int(-length if last else length), head, body)
        data = b"".join(blocks)
        count = len(ids)
        info = _TERM_INFO.pack(0, count, count, 0, 0, 1.0, ids[0], ids[-1], self._end, len(data))
        self._postfile.file.write(data)
        self._end += len(data)
        self._tindex.add(self._prefix + text, info)


class BulkCodec(W3Codec):
    """Whoosh's third codec with the bulk writer in it."""

    def field_writer(self, storage: Storage, segment: W3Segment) -> BulkFieldWriter:
        """The writer of terms and postings."""
        return BulkFieldWriter(self, storage, segment)


def _read_postings(data: bytes) -> tuple[array[int], bytes]:
    file = BytesIO(data)
    if file.read(len(WHOOSH3_HEADER_MAGIC)) != WHOOSH3_HEADER_MAGIC:
        raise IndexDamaged("A posting list of the full-text index does not begin as it should.")
    ids = array("I")
    weights = []
    last = False
    while not last:
        (length,) = _LENGTH.unpack(file.read(_LENGTH.size))
        last = length < 0
        end = file.tell() + abs(length)
        pickle.load(file)  # noqa: S301 - our own file, checked against its checksum
        deltas, _, values = pickle.loads(file.read(end - file.tell()))  # noqa: S301
        ids.extend(accumulate(deltas))
        weights.append(values or b"")
    return ids, b"".join(weights)


class _Descriptor:
    """An open file, closed when nobody refers to it any more: a search that is under way
    keeps reading what it began with."""

    def __init__(self, path: Path) -> None:
        self.number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self.length = os.fstat(self.number).st_size

    def __del__(self) -> None:
        if hasattr(self, "number"):
            os.close(self.number)


class _PinnedFile(StructFile):
    """A file of an open index. `get` is safe to call from several threads, and reads
    (rather than maps) so that a file that was cut short meanwhile is an error, not a crash."""

    def __init__(self, descriptor: _Descriptor, name: str) -> None:
        self._descriptor = descriptor
        super().__init__(_Cursor(descriptor), name)

    def get(self, position: int, length: int) -> bytes:
        """So many bytes from there. Raises IndexDamaged when the file has ended."""
        data = os.pread(self._descriptor.number, length, position)
        if len(data) != length:
            raise IndexDamaged(f"{self._name} of the full-text index is shorter than it was.")
        return data

    def close(self) -> None:
        """Nothing: see _Descriptor."""


class _Cursor:
    """What Whoosh reads with while it opens a file."""

    def __init__(self, descriptor: _Descriptor) -> None:
        self._descriptor = descriptor
        self._position = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go there."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._descriptor.length}
        self._position = start[whence] + offset
        return self._position

    def tell(self) -> int:
        """Where the next read begins."""
        return self._position

    def read(self, length: int = -1) -> bytes:
        """The next bytes, fewer at the end."""
        length = self._descriptor.length - self._position if length < 0 else length
        data = os.pread(self._descriptor.number, length, self._position)
        self._position += len(data)
        return data

    def readline(self) -> bytes:
        """The rest of the line, which unpickling may ask for."""
        rest = self.read()
        line, newline, _ = rest.partition(b"\n")
        self._position -= len(rest) - len(line + newline)
        return line + newline


class PinnedStorage(Storage):
    """The files of a finished index, all opened at once, so that it can go on being searched
    when its folder is swept."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._files = {name: _Descriptor(folder / name) for name in names}

    def list(self) -> list[str]:
        """The names of the files."""
        return list(self._files)

    def checksum(self, name: str) -> int:
        """The CRC-32 of the file."""
        file = self.open_file(name)
        checksum = 0
        while chunk := file.read(1 << 20):
            checksum = crc32(chunk, checksum)
        return checksum

    def file_exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return name in self._files

    def file_length(self, name: str) -> int:
        """How many bytes the file has."""
        return self._files[name].length

    def open_file(self, name: str, **_options: object) -> _PinnedFile:
        """The file, from its beginning."""
        return _PinnedFile(self._files[name], name)


class Term(NamedTuple):
    """A term of one segment and where its postings are."""

    text: bytes
    frequency: int
    """In how many records it occurs, deleted ones included."""
    offset: int
    length: int


class SegmentReader:
    """One segment: its terms, postings and columns. Safe to use from several threads."""

    def __init__(self, storage: Storage, segment: W3Segment) -> None:
        codec = segment.codec()
        self.segment = segment
        self.count = int(segment.doc_count_all())
        self.deleted = frozenset(segment.deleted_docs())
        terms = codec.terms_reader(storage, segment)
        self._dictionary: OrderedHashReader = terms._tindex
        self._postings: StructFile = terms._postfile
        self._prefixes = {name: pack_ushort(n) for name, n in terms._fieldmap.items()}
        self._documents = codec.per_document_reader(storage, segment)
        self._phrases = self._documents.column_reader(PHRASES_COLUMN, COLUMN)
        self._ids = self._documents.column_reader(ID_COLUMN, COLUMN)

    def find_term(self, field: str, text: bytes) -> Term | None:
        """The field's term, or None when it does not occur."""
        try:
            info = self._dictionary[self._prefixes[field] + text]
        except KeyError:
            return None
        _, _, count, _, _, _, _, _, offset, length = _TERM_INFO.unpack(info)
        return Term(text, count, offset, length)

    def list_terms(self, field: str, start: bytes = b"") -> Iterator[Term]:
        """The field's terms that begin with `start`, in order."""
        prefix = self._prefixes[field]
        first = self._dictionary.closest_key_pos(prefix + start)
        if first is None:
            return
        # The next key that does not begin so: no term has this byte in it.
        last = self._dictionary.closest_key_pos(prefix + start + b"\xff")
        last = self._dictionary.endofdata if last is None else last
        data = self._dictionary.dbfile.get(first, last - first)
        position = 0
        while position < len(data):
            key_length, value_length = _ENTRY.unpack_from(data, position)
            position += _ENTRY.size
            text = data[position + len(prefix) : position + key_length]
            position += key_length
            info = _TERM_INFO.unpack_from(data, position)
            position += value_length
            yield Term(text, info[2], info[8], info[9])

    def read_postings(self, term: Term) -> tuple[array[int], bytes]:
        """The numbers of the records in which the term occurs, deleted ones included, with
        a weight byte for each; no bytes for a field without weights."""
        return _read_postings(self._postings.get(term.offset, term.length))

    def list_ids(self) -> list[bytes]:
        """The record ids by record number."""
        return list(self._ids)

    def get_id(self, number: int) -> bytes:
        """The record id of that number."""
        return bytes(self._ids[number])

    def get_phrases(self, number: int) -> bytes:
        """The running text of the record."""
        return bytes(self._phrases[number])

    def close(self) -> None:
        """Let go of its files."""
        self._dictionary.close()
        self._postings.close()
        self._documents.close()


def open_folder(folder: Path) -> FileStorage:
    """The folder of an index that is being built, as Whoosh's storage."""
    return FileStorage(str(folder), supports_mmap=False)


def encode(term: str) -> bytes:
    """The term as it is stored. Any string can be stored, lone surrogates too."""
    return term.encode("utf-8", "surrogatepass")


def decode(term: bytes) -> str:
    """The term as it was before `encode`."""
    return term.decode("utf-8", "surrogatepass")
