"""Segments in Whoosh's own format, written a posting list at a time.

Whoosh hands every single posting through several Python calls, which makes 500 of our
records a second. Here a term's whole list is written by a handful of calls.
"""

from __future__ import annotations

import json
import pickle
from array import array
from collections.abc import Iterable
from operator import sub
from pathlib import Path

import numpy as np
from whoosh.codec.whoosh3 import WHOOSH3_HEADER_MAGIC, W3Codec, W3FieldWriter, W3Segment
from whoosh.fields import FieldType
from whoosh.filedb.filestore import Storage
from whoosh.system import pack_int, pack_ushort

from errdex.search.whoosh.dictionary import DictionaryWriter
from errdex.search.whoosh.segment import (
    BLOCK,
    COLUMN,
    FREQUENT,
    ID_COLUMN,
    PHRASES_COLUMN,
    TERM_INFO,
    WORDS,
    Numbers,
    Weights,
    decode,
    make_schema,
    open_folder,
)

INDEX_NAME = "MAIN"

_HEAD_END = b"G?\xf0\0\0\0\0\0\0K\0K\0K\0t."
"""In a pickle of six numbers the last four: 1.0, 0, 0, 0."""
_SHORT = 64
"""Lists of fewer postings are stored as plain numbers, longer ones as arrays."""
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
    """The same as `_pack`, for the one record that most words occur in: put together from the
    pickles' opcodes in a third of the time."""
    pickled = _pickle_int(number)
    values = b"N" if weight is None else b"C\1" + weight.to_bytes(1, "little")
    # All but the two numbers and the value takes 38 bytes behind the length.
    length = pack_int(-38 - 2 * len(pickled) - len(values))
    head = (b"\x80\3(K\1", pickled, _HEAD_END)
    return b"".join(
        (WHOOSH3_HEADER_MAGIC, length, *head, b"\x80\3", pickled, b"\x85N", values, b"\x87.")
    )


def _pickle_int(number: int) -> bytes:
    """Of pickle's opcodes for integers the shortest, as it takes them."""
    if number < 1 << 8:
        return b"K" + number.to_bytes(1, "little")
    if number < 1 << 16:
        return b"M" + number.to_bytes(2, "little")
    return b"J" + number.to_bytes(4, "little")


def _pack(numbers: Numbers, weights: Weights | None) -> bytes:
    """A posting list as Whoosh's third codec stores it, in blocks of two pickles each."""
    count = len(numbers)
    blocks = [WHOOSH3_HEADER_MAGIC]
    for begin in range(0, count, BLOCK):
        block = numbers[begin : begin + BLOCK]
        values = None if weights is None else weights[begin : begin + BLOCK].tobytes()
        body = pickle.dumps((_list_steps(block), None, values), 3)
        head = b"\x80\3(" + _pickle_int(len(block)) + _pickle_int(block.item(-1)) + _HEAD_END
        length = len(head) + len(body)
        last = begin + BLOCK >= count
        blocks += (pack_int(-length if last else length), head, body)
    return b"".join(blocks)


def _list_steps(numbers: Numbers) -> tuple[int, ...] | array[int]:
    """The first number and how far each of the others is from the one before."""
    if len(numbers) < _SHORT:
        plain = numbers.tolist()
        return (plain[0], *map(sub, plain[1:], plain))
    steps = np.diff(numbers, prepend=0)
    typecode = "H" if steps.max() < 1 << 16 else "I"
    return array(typecode, steps.astype(typecode).tobytes())


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
