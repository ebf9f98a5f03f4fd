"""Segments of Whoosh's third codec, read a posting list at a time.

Terms and columns are in Whoosh's own files. Where Whoosh pickles, in posting lists, the
term dictionary's fields and the list of segments, plain numbers and JSON are written
instead: whatever an index folder holds, reading it runs no code. What Whoosh does with a
Python call or several for each posting is done here for a whole list at once, in numpy's
arrays. Its version is pinned exactly, since a few members used here are protected.
"""

from __future__ import annotations

import json
import struct
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from whoosh.analysis import IDAnalyzer
from whoosh.codec.whoosh3 import W3Codec, W3Segment
from whoosh.columns import VarBytesColumn
from whoosh.fields import FieldType, Schema
from whoosh.filedb.filestore import FileStorage, Storage
from whoosh.filedb.structfile import StructFile
from whoosh.formats import Existence, Format
from whoosh.system import pack_ushort

from errdex.search.protocol import IndexDamaged, SearchError
from errdex.search.whoosh.dictionary import ENTRY, DictionaryReader, open_dictionary
from errdex.search.whoosh.files import MappedText, PinnedStorage

Numbers = NDArray[np.int32]
"""Records by their number, ascending."""
Weights = NDArray[np.uint8]
"""The weight of each record in a list beside it."""

WORDS = "words"
"""The field of all text; each posting carries the term's weight in the record."""
VALUES = (
    *("background", "class", "code", "id", "language", "path", "repo", "severity", "tag"),
    "type",
)
FIELDS = tuple(sorted((WORDS, *VALUES)))
ID_COLUMN = "id"
PHRASES_COLUMN = "phrases"
COLUMN = VarBytesColumn()
FREQUENT = ".frequent"
"""The ending of the file that lists a segment's frequent words: a prefix of two or three
letters stands for these alone when too many words begin so."""

TERM_INFO = struct.Struct("!BfIBBfIIqi")
"""Inlined or not, weight, frequency, shortest and longest length, greatest weight, first
and last record, offset and length of the postings."""
POSTINGS = struct.Struct("<IBB")
"""How a posting list begins: the number of records, the bytes of each step, and whether
weights follow. Behind it are the steps, the first number and then the distance of each from
the one before, and a byte for each weight."""
STEPS: dict[int, np.dtype[np.uint8] | np.dtype[np.uint16] | np.dtype[np.uint32]] = {
    1: np.dtype(np.uint8),
    2: np.dtype("<u2"),
    4: np.dtype("<u4"),
}
_LONG_SPAN = 60_000
"""More bytes of the dictionary than this (about 800 words) are not gone through."""
_SCAN_FROM = 10
"""A phrase is looked for in the whole text when one record in so many may have it."""


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
        terms = open_dictionary(storage, segment.make_filename(W3Codec.TERMS_EXT))
        self._dictionary = DictionaryReader(terms)
        self._postings: StructFile = segment.open_file(storage, W3Codec.POSTS_EXT)
        self._prefixes = {name: pack_ushort(n) for name, n in terms.extras["fieldmap"].items()}
        self._documents = codec.per_document_reader(storage, segment)
        self._phrases = self._documents.column_reader(PHRASES_COLUMN, COLUMN)
        self._ids = self._documents.column_reader(ID_COLUMN, COLUMN)
        # Only an index that is searched needs these.
        self._text: MappedText | None = None
        self.frequent: list[str] = []
        """The words that many records have, in order."""
        self._frequent_terms: dict[tuple[str, str], Term | None] = {}
        if isinstance(storage, PinnedStorage):
            self._text = storage.map(codec.column_filename(segment, PHRASES_COLUMN))
            self._starts = np.cumsum([0, *self._phrases._lengths])
            self.frequent = json.loads(storage.open_file(segment.make_filename(FREQUENT)).read())

    def find_term(self, field: str, text: bytes) -> Term | None:
        """The field's term, or None when it does not occur."""
        info = self._dictionary.find(self._prefixes[field] + text, TERM_INFO.size)
        if info is None:
            return None
        _, _, count, _, _, _, _, _, offset, length = TERM_INFO.unpack(info)
        return Term(text, count, offset, length)

    def list_terms(self, field: str, start: bytes = b"") -> Iterator[Term]:
        """The field's terms that begin with `start`, in order."""
        prefix = self._prefixes[field]
        return _parse_terms(self._dictionary.read_span(prefix + start) or b"", len(prefix))

    def expand(self, field: str, start: bytes) -> tuple[Iterator[Term], bool]:
        """The same, but where they are too many only the frequent ones, and whether they are."""
        prefix = self._prefixes[field]
        most = _LONG_SPAN if field == WORDS else None
        data = self._dictionary.read_span(prefix + start, most)
        if data is not None:
            return _parse_terms(data, len(prefix)), False
        text = decode(start)
        place = bisect_left(self.frequent, text)
        listed = takewhile(lambda word: word.startswith(text), self.frequent[place:])
        found = (self._find_frequent(field, word) for word in listed)
        return (term for term in found if term), True

    def _find_frequent(self, field: str, word: str) -> Term | None:
        """One of the frequent words, which each misspelled word is compared with."""
        key = (field, word)
        if key not in self._frequent_terms:
            self._frequent_terms[key] = self.find_term(field, encode(word))
        return self._frequent_terms[key]

    def read_postings(self, term: Term) -> tuple[Numbers, Weights]:
        """The records in which the term occurs, deleted ones included, with the weight of
        each: 1 in a field without weights."""
        return _read_postings(self._postings.get(term.offset, term.length))

    def read_many(self, terms: Sequence[Term]) -> Iterator[tuple[Numbers, Weights]]:
        """The postings of each of these terms, which are neighbours: read at once."""
        if terms:
            first = min(term.offset for term in terms)
            end = max(term.offset + term.length for term in terms)
            data = self._postings.get(first, end - first)
            for term in terms:
                start = term.offset - first
                yield _read_postings(data[start : start + term.length])

    def list_ids(self) -> list[bytes]:
        """The record ids by record number."""
        ends = list(accumulate(self._ids._lengths, initial=0))
        data = self._ids._dbfile.get(0, ends[-1])
        return [data[start:end] for start, end in pairwise(ends)]

    def get_id(self, number: int) -> bytes:
        """The record id of that number."""
        return bytes(self._ids[number])

    def get_phrases(self, number: int) -> bytes:
        """The running text of the record."""
        return bytes(self._phrases[number])

    def find_phrase(self, phrase: bytes, numbers: Numbers) -> Numbers:
        """Those of the records in whose running text the signed words stand in a row."""
        if self._text is None:
            raise SearchError("Only an index that was opened can be searched.")
        if len(numbers) * _SCAN_FROM < self.count:
            starts, ends = self._starts[numbers], self._starts[numbers + 1]
            found = self._text.find_each(phrase, starts, ends)
        else:
            places = self._text.find_all(phrase)
            having = np.zeros(self.count, bool)
            having[np.searchsorted(self._starts, places, side="right") - 1] = True
            found = having[numbers]
        kept: Numbers = numbers[found]
        return kept

    def close(self) -> None:
        """Let go of its files."""
        self._dictionary.close()
        self._postings.close()
        self._documents.close()


def _parse_terms(data: bytes, prefix: int) -> Iterator[Term]:
    """The terms of dictionary entries whose keys begin with so many bytes for the field."""
    position = 0
    while position < len(data):
        key_length, value_length = ENTRY.unpack_from(data, position)
        position += ENTRY.size
        text = data[position + prefix : position + key_length]
        position += key_length
        info = TERM_INFO.unpack_from(data, position)
        position += value_length
        yield Term(text, info[2], info[8], info[9])


def _read_postings(data: bytes) -> tuple[Numbers, Weights]:
    count, width, weighted = POSTINGS.unpack_from(data)
    end = POSTINGS.size + count * width
    if width not in STEPS or weighted > 1 or len(data) != end + count * weighted:
        raise IndexDamaged("A posting list of the full-text index is not what was written.")
    steps = np.frombuffer(data, STEPS[width], count, POSTINGS.size)
    weights = np.frombuffer(data, np.uint8, count, end) if weighted else np.ones(count, np.uint8)
    return steps.cumsum(dtype=np.int32), weights


def open_folder(folder: Path) -> FileStorage:
    """The folder of an index that is being built, as Whoosh's storage."""
    return FileStorage(str(folder), supports_mmap=False)


def encode(term: str) -> bytes:
    """The term as it is stored. Any string can be stored, lone surrogates too."""
    return term.encode("utf-8", "surrogatepass")


def decode(term: bytes) -> str:
    """The term as it was before `encode`."""
    return term.decode("utf-8", "surrogatepass")
