"""Records into segments: kept in memory by term, written out when they are many.

Memory: a segment is written when it has SEGMENT_POSTINGS postings, so a build
takes about 150 MB however many records there are. Records are never changed in a
segment; a replaced or deleted one is marked in the table of contents, and a
segment with many such marks, or one of many small ones, is merged into a new one.
"""

from __future__ import annotations

import shutil
from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby, repeat
from pathlib import Path

from whoosh.codec.whoosh3 import W3Segment
from whoosh.filedb.filestore import Storage
from whoosh.index import TOC, EmptyIndexError

from app.search.analysis import fold
from app.search.document import TEXT_WEIGHT, take_apart_record
from app.search.protocol import IndexDocument
from app.search.whoosh_segment import (
    COLUMN,
    FIELDS,
    ID_COLUMN,
    PHRASES_COLUMN,
    WORDS,
    BulkCodec,
    SegmentReader,
    encode,
    make_schema,
    open_folder,
)

INDEX_NAME = "MAIN"
SEGMENT_POSTINGS = 4_000_000
SMALL_SEGMENT = 20_000
"""Segments of fewer records are merged when there are more than MOST_SMALL_SEGMENTS."""
MOST_SMALL_SEGMENTS = 8

_consume = deque[None](maxlen=0).extend

Operation = IndexDocument | str
"""A record to put, or the id of one to delete."""


def read_segments(storage: Storage) -> list[W3Segment]:
    """The segments that the storage's table of contents names; none when it has none."""
    try:
        return list(TOC.read(storage, INDEX_NAME).segments)
    except EmptyIndexError:
        return []


class _SegmentWriter:
    """One new segment of Whoosh's."""

    def __init__(self, folder: Path) -> None:
        storage = open_folder(folder)
        codec = BulkCodec()
        self.segment = codec.new_segment(storage, INDEX_NAME)
        self._documents = codec.per_document_writer(storage, self.segment)
        self._fields = codec.field_writer(storage, self.segment)
        self._schema = make_schema()
        self.count = 0

    def add_document(self, record_id: bytes, phrases: bytes) -> None:
        """The next record."""
        self._documents.start_doc(self.count)
        self._documents.add_column_value(ID_COLUMN, COLUMN, record_id)
        self._documents.add_column_value(PHRASES_COLUMN, COLUMN, phrases)
        self._documents.finish_doc()
        self.count += 1

    def add_field(
        self, name: str, terms: Iterable[tuple[bytes, Sequence[int], bytes | None]]
    ) -> None:
        """A field's terms in order; fields come in the order of FIELDS."""
        self._fields.start_field(name, self._schema[name])
        for text, ids, weights in terms:
            self._fields.add_term(text, ids, weights)
        self._fields.finish_field()

    def finish(self) -> W3Segment:
        """The segment, its files written."""
        self._documents.close()
        self._fields.close()
        self.segment.set_doc_count(self.count)
        return self.segment


class Builder:
    """Puts and deletes, in order, on top of the segments that are already in the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._storage = open_folder(folder)
        inherited = read_segments(self._storage)
        self._finished = [SegmentReader(self._storage, segment) for segment in inherited]
        self._inherited = len(self._finished)
        self._deleted: list[set[int]] = [set(reader.deleted) for reader in self._finished]
        self._written: set[int] = set()
        """The hashes of the ids in the segments that this builder has written: an id that is
        not among them need not be looked up there."""
        self._start_segment()

    def apply(self, operations: Iterable[Operation]) -> None:
        """Put or delete each, in order."""
        for operation in operations:
            if isinstance(operation, IndexDocument):
                self._put(operation)
            else:
                self._remove(operation)

    def finish(self) -> int:
        """Write what is left and the table of contents; how many records the index has."""
        self._finish_segment()
        self._merge()
        segments = []
        count = 0
        for reader, deleted in zip(self._finished, self._deleted, strict=True):
            segment = reader.segment
            segment._deleted = deleted or None
            segments.append(segment)
            count += reader.count - len(deleted)
            reader.close()
        # That of the base, linked here; Whoosh does not write over a table of contents.
        (self._folder / TOC._filename(INDEX_NAME, 1)).unlink(missing_ok=True)
        TOC(make_schema(), segments, 1).write(self._storage, INDEX_NAME)
        shutil.rmtree(self._folder / f"{INDEX_NAME}.tmp", ignore_errors=True)
        return count

    def _start_segment(self) -> None:
        self._writer: _SegmentWriter | None = None
        self._numbers: dict[str, int] = {}
        self._gone: set[int] = set()
        self._postings = 0
        # Eight bits of weight below the record's number. A segment's numbers fit into 24 bits.
        self._fields: dict[str, defaultdict[str, array[int]]] = {
            name: defaultdict(_make_array) for name in FIELDS
        }

    def _put(self, document: IndexDocument) -> None:
        self._remove(document.record_id)
        if self._writer is None:
            self._writer = _SegmentWriter(self._folder)
        number = self._writer.count
        weights, values, phrases = take_apart_record(document)
        self._writer.add_document(encode(document.record_id), encode(phrases))
        self._numbers[document.record_id] = number
        packed = number << 8
        words = self._fields[WORDS]
        # Most terms have the lightest weight: theirs is the loop that counts.
        light = [term for term, weight in weights.items() if weight == TEXT_WEIGHT]
        _consume(map(array.append, map(words.__getitem__, light), repeat(packed | TEXT_WEIGHT)))
        for term, weight in weights.items():
            if weight != TEXT_WEIGHT:
                words[term].append(packed | weight)
        for field, terms in values.items():
            postings = self._fields[field]
            for term in terms:
                postings[term].append(packed)
        self._postings += len(weights)
        if self._postings >= SEGMENT_POSTINGS:
            self._finish_segment()

    def _remove(self, record_id: str) -> None:
        number = self._numbers.pop(record_id, None)
        if number is not None:
            self._gone.add(number)
            return
        known = hash(record_id) in self._written
        term = encode(fold(record_id))
        wanted = encode(record_id)
        for position, reader in enumerate(self._finished):
            if position < self._inherited or known:
                entry = reader.find_term("id", term)
                for found in reader.read_postings(entry)[0] if entry else ():
                    if reader.get_id(found) == wanted:
                        self._deleted[position].add(found)

    def _finish_segment(self) -> None:
        if self._writer is None:
            return
        self._written.update(map(hash, self._numbers))
        for name in FIELDS:
            self._writer.add_field(name, _unpack(self._fields[name], weighted=name == WORDS))
        gone = self._gone
        self._add_reader(self._writer.finish(), gone)
        self._start_segment()

    def _add_reader(self, segment: W3Segment, deleted: set[int]) -> None:
        self._finished.append(SegmentReader(self._storage, segment))
        self._deleted.append(deleted)

    def _merge(self) -> None:
        """Rewrite the segments with many deletions, and all small ones when they are too many."""
        chosen = set()
        small = []
        for position, reader in enumerate(self._finished):
            live = reader.count - len(self._deleted[position])
            if reader.count > live * 4 // 3:
                chosen.add(position)
            if live < SMALL_SEGMENT:
                small.append(position)
        if len(small) > MOST_SMALL_SEGMENTS:
            chosen.update(small)
        if not chosen:
            return
        sources = [(self._finished[position], self._deleted[position]) for position in chosen]
        segment = _merge_segments(self._folder, sources)
        for reader, _ in sources:
            reader.close()
            for path in self._folder.glob(f"{reader.segment.segment_id()}.*"):
                path.unlink()
        kept = [position for position in range(len(self._finished)) if position not in chosen]
        self._finished = [self._finished[position] for position in kept]
        self._deleted = [self._deleted[position] for position in kept]
        if segment is not None:
            self._add_reader(segment, set())


def _make_array() -> array[int]:
    return array("I")


def _unpack(
    postings: dict[str, array[int]], *, weighted: bool
) -> Iterator[tuple[bytes, Sequence[int], bytes | None]]:
    for term in sorted(postings):
        packed = postings[term]
        weights = bytes([entry & 0xFF for entry in packed]) if weighted else None
        yield encode(term), [entry >> 8 for entry in packed], weights


def _merge_segments(
    folder: Path, sources: list[tuple[SegmentReader, set[int]]]
) -> W3Segment | None:
    """One new segment of the live records of the others, or None when there are none."""
    writer = _SegmentWriter(folder)
    numbers: list[list[int]] = []
    for reader, deleted in sources:
        own = []
        for number, record_id in enumerate(reader.list_ids()):
            own.append(-1 if number in deleted else writer.count)
            if number not in deleted:
                writer.add_document(record_id, reader.get_phrases(number))
        numbers.append(own)
    for name in FIELDS:
        writer.add_field(name, _merge_terms(name, [reader for reader, _ in sources], numbers))
    segment = writer.finish()
    return segment if writer.count else None


def _merge_terms(
    field: str, readers: list[SegmentReader], numbers: list[list[int]]
) -> Iterator[tuple[bytes, Sequence[int], bytes | None]]:
    listed = [
        zip(reader.list_terms(field), repeat(position)) for position, reader in enumerate(readers)
    ]
    by_text = merge(*listed, key=lambda entry: (entry[0].text, entry[1]))
    for text, entries in groupby(by_text, lambda entry: entry[0].text):
        ids: list[int] = []
        weights = bytearray()
        for term, position in entries:
            old, values = readers[position].read_postings(term)
            new = [numbers[position][number] for number in old]
            weights += bytes([w for w, number in zip(values, new, strict=False) if number >= 0])
            ids += [number for number in new if number >= 0]
        if ids:
            yield text, ids, bytes(weights) if field == WORDS else None
