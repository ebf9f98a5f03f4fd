"""Segments of Whoosh's third codec, written a posting list at a time (see `segment`).

Whoosh hands every single posting through several Python calls, which makes 500 of our
records a second. Here a term's whole list is written by a handful of calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from whoosh.codec.whoosh3 import W3Codec, W3FieldWriter, W3Segment
from whoosh.fields import FieldType
from whoosh.filedb.filestore import Storage
from whoosh.system import pack_ushort

from errdex.search.whoosh.dictionary import DictionaryWriter
from errdex.search.whoosh.segment import (
    COLUMN,
    FREQUENT,
    ID_COLUMN,
    PHRASES_COLUMN,
    POSTINGS,
    STEPS,
    TERM_INFO,
    WORDS,
    Numbers,
    Weights,
    decode,
    make_schema,
    open_folder,
)

INDEX_NAME = "MAIN"

_FREQUENT_IN = 1000
"""A word is frequent when one record in so many has it, and two at least."""


TermPostings = tuple[bytes, Numbers | int, Weights | int | None]
"""A term with the records that have it, ascending, and the weight of each; with two plain
numbers when only one has it."""


class _BulkFieldWriter(W3FieldWriter):
    """Whoosh's field writer, taking a term's postings all at once."""

    def __init__(self, codec: W3Codec, storage: Storage, segment: W3Segment) -> None:
        super().__init__(codec, storage, segment)
        # What the superclass has begun is begun anew.
        self._tindex.dbfile.seek(0)
        dictionary = DictionaryWriter(self._tindex.dbfile)
        dictionary.extras = self._tindex.extras
        self._tindex: DictionaryWriter = dictionary
        self._end = 0
        self._prefix = b""

    def start_field(self, fieldname: str, fieldobj: FieldType) -> None:
        """Go on with this field."""
        super().start_field(fieldname, fieldobj)
        self._prefix = pack_ushort(self._fieldid)

    def add_term(self, text: bytes, numbers: Numbers | int, weights: Weights | int | None) -> int:
        """Write one term, see TermPostings; gives the number of its records. Terms come in
        ascending order within a field."""
        if isinstance(numbers, int):
            count, first, last = 1, numbers, numbers
            data = _pack_one(numbers, weights if isinstance(weights, int) else None)
        else:
            count, first, last = len(numbers), numbers.item(0), numbers.item(-1)
            data = _pack(numbers, None if isinstance(weights, int) else weights)
        info = TERM_INFO.pack(0, count, count, 0, 0, 1.0, first, last, self._end, len(data))
        self._postfile.file.write(data)
        self._end += len(data)
        self._tindex.add(self._prefix + text, info)
        return count


def _pack_one(number: int, weight: int | None) -> bytes:
    """The same as `_pack`, for the one record that most words occur in."""
    width = _width(number)
    head = POSTINGS.pack(1, width, weight is not None)
    return head + number.to_bytes(width, "little") + (b"" if weight is None else bytes((weight,)))


def _pack(numbers: Numbers, weights: Weights | None) -> bytes:
    """A posting list, see POSTINGS."""
    steps = np.diff(numbers, prepend=0)
    width = _width(int(steps.max()))
    head = POSTINGS.pack(len(numbers), width, weights is not None)
    return (
        head
        + steps.astype(STEPS[width]).tobytes()
        + (b"" if weights is None else weights.tobytes())
    )


def _width(greatest: int) -> int:
    return 1 if greatest < 1 << 8 else 2 if greatest < 1 << 16 else 4


class BulkCodec(W3Codec):
    """Whoosh's third codec with the bulk writer in it."""

    def field_writer(self, storage: Storage, segment: W3Segment) -> _BulkFieldWriter:
        """The writer of terms and postings."""
        return _BulkFieldWriter(self, storage, segment)


class SegmentWriter:
    """One new segment of Whoosh's."""

    def __init__(self, folder: Path) -> None:
        storage = open_folder(folder)
        codec = BulkCodec()
        self.segment = codec.new_segment(storage, INDEX_NAME)
        self._documents = codec.per_document_writer(storage, self.segment)
        self._fields = codec.field_writer(storage, self.segment)
        self._schema = make_schema()
        self._frequent: list[str] = []
        self._frequent_file = folder / self.segment.make_filename(FREQUENT)
        self.count = 0

    def add_document(self, record_id: bytes, phrases: bytes) -> None:
        """The next record."""
        self._documents.start_doc(self.count)
        self._documents.add_column_value(ID_COLUMN, COLUMN, record_id)
        self._documents.add_column_value(PHRASES_COLUMN, COLUMN, phrases)
        self._documents.finish_doc()
        self.count += 1

    def add_field(self, name: str, terms: Iterable[TermPostings]) -> None:
        """A field's terms in order, when all records are added; fields come in order."""
        least = max(2, self.count // _FREQUENT_IN) if name == WORDS else self.count + 1
        add_term = self._fields.add_term
        self._fields.start_field(name, self._schema[name])
        for text, numbers, weights in terms:
            if add_term(text, numbers, weights) >= least:
                self._frequent.append(decode(text))
        self._fields.finish_field()

    def finish(self) -> W3Segment:
        """The segment, its files written."""
        self._documents.close()
        self._fields.close()
        self._frequent_file.write_text(json.dumps(self._frequent))
        self.segment.set_doc_count(self.count)
        return self.segment
