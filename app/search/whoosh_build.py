"""Records into segments: kept in memory by term, written out when they are many.

Memory: a segment is written when it has SEGMENT_POSTINGS postings, so a builder
takes about 150 MB however many records there are. Records are never changed in a
segment; a replaced or deleted one is marked in the table of contents, and a
segment with many such marks, or one of many small ones, is merged into a new one.

Several builders may work on one folder when each id goes to only one of them.
"""

from __future__ import annotations

import shutil
from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
SEGMENT_POSTINGS = 2_500_000
SMALL_SEGMENT = 5_000
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


@dataclass(frozen=True, slots=True)
class Built:
    """What a builder has done: the segments it wrote, and which records of each segment that
    was there before it has deleted."""

    segments: list[W3Segment]
    deleted: list[set[int]]


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

    def finish(self) -> Built:
        """Write what is left."""
        self._finish_segment()
        for reader in self._finished:
            reader.close()
        segments = []
        for position in range(self._inherited, len(self._finished)):
            segment = self._finished[position].segment
            segment._deleted = self._deleted[position] or None
            segments.append(segment)
        return Built(segments, self._deleted[: self._inherited])

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
        self._finished.append(SegmentReader(self._storage, self._writer.finish()))
        self._deleted.append(self._gone)
        self._start_segment()


def complete(folder: Path, built: Sequence[Built]) -> int:
    """Put together what the builders of a folder have done, and write the table of contents;
    how many records the index has."""
    storage = open_folder(folder)
    segments = read_segments(storage)
    for position, segment in enumerate(segments):
        deleted = set(segment.deleted_docs()).union(*(each.deleted[position] for each in built))
        segment._deleted = deleted or None
    segments += [segment for each in built for segment in each.segments]
    merged = _choose_for_merging(segments)
    if merged:
        rest = [segment for segment in segments if segment not in merged]
        segments = rest + _merge_segments(folder, merged)
    TOC(make_schema(), segments, 1).write(storage, INDEX_NAME)
    shutil.rmtree(folder / f"{INDEX_NAME}.tmp", ignore_errors=True)
    return sum(segment.doc_count() for segment in segments)


def _choose_for_merging(segments: list[W3Segment]) -> list[W3Segment]:
    """Those with many deletions, and all small ones when they are too many."""
    small = [segment for segment in segments if segment.doc_count() < SMALL_SEGMENT]
    few = len(small) <= MOST_SMALL_SEGMENTS
    return [
        segment
        for segment in segments
        if segment.deleted_count() * 4 > segment.doc_count_all() or (not few and segment in small)
    ]


def _make_array() -> array[int]:
    return array("I")


def _unpack(
    postings: dict[str, array[int]], *, weighted: bool
) -> Iterator[tuple[bytes, Sequence[int], bytes | None]]:
    for term in sorted(postings):
        packed = postings[term]
        weights = bytes([entry & 0xFF for entry in packed]) if weighted else None
        yield encode(term), [entry >> 8 for entry in packed], weights


def _merge_segments(folder: Path, segments: list[W3Segment]) -> list[W3Segment]:
    """One new segment of the live records of the others, or none when there are none. The
    files of the others are removed."""
    storage = open_folder(folder)
    readers = [SegmentReader(storage, segment) for segment in segments]
    writer = _SegmentWriter(folder)
    numbers: list[list[int]] = []
    for reader in readers:
        own = []
        for number, record_id in enumerate(reader.list_ids()):
            gone = number in reader.deleted
            own.append(-1 if gone else writer.count)
            if not gone:
                writer.add_document(record_id, reader.get_phrases(number))
        numbers.append(own)
    for name in FIELDS:
        writer.add_field(name, _merge_terms(name, readers, numbers))
    merged = writer.finish()
    for reader in readers:
        reader.close()
        for path in folder.glob(f"{reader.segment.segment_id()}.*"):
            path.unlink()
    if writer.count:
        return [merged]
    for path in folder.glob(f"{merged.segment_id()}.*"):
        path.unlink()
    return []


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
