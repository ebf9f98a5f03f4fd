"""Records into segments: kept in memory by term, written out when they are many.

Memory: a segment is written when it has many postings (see BuildLimits), so a builder
takes about 150 MB however many records there are. Records are never changed in a
segment; a replaced or deleted one is marked in the list of segments, and a
segment with many such marks, or one of many small ones, is merged into a new one.

Several builders may work on one folder when each id goes to only one of them.
"""

from __future__ import annotations

import json
import os
import shutil
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

import numpy as np
from whoosh.codec.whoosh3 import W3Segment
from whoosh.filedb.filestore import Storage

from errdex import lazy_re as re
from errdex.search.analysis import fold
from errdex.search.document import BREAK, take_apart_record
from errdex.search.protocol import IndexDamaged, IndexDocument
from errdex.search.whoosh.segment import (
    FIELDS,
    WORDS,
    Numbers,
    SegmentReader,
    Weights,
    encode,
    open_folder,
)
from errdex.search.whoosh.writing import INDEX_NAME, BulkCodec, SegmentWriter, TermPostings


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """How a build divides its work."""

    segment_postings: int = 2_000_000
    """A segment is written when it has so many."""
    small_segment: int = 5_000
    """Segments of fewer records are merged when there are more than `most_small_segments`."""
    most_small_segments: int = 8
    workers: int = min(2, os.cpu_count() or 1)
    """So many processes build one index, once there are `workers_from` operations."""
    workers_from: int = 1000


SEGMENTS = "segments.json"
"""The list of an index's segments: the name of each, how many records it has, and which of
them are deleted."""
_NAME = re.compile("[a-z0-9]{1,32}")

Operation = IndexDocument | str
"""A record to put, or the id of one to delete."""


def read_segments(storage: Storage) -> list[W3Segment]:
    """The segments that the storage's list names; none when it has none. Raises IndexDamaged."""
    if not storage.file_exists(SEGMENTS):
        return []
    with storage.open_file(SEGMENTS) as file:
        listed = json.loads(file.read())
    return [_parse_segment(entry) for entry in listed]


def _parse_segment(entry: dict[str, Any]) -> W3Segment:
    name, count, deleted = entry["name"], entry["count"], entry["deleted"]
    if not isinstance(count, int) or not _NAME.fullmatch(name):
        raise IndexDamaged(f"{SEGMENTS} is not what was written.")
    if not all(isinstance(number, int) and 0 <= number < count for number in deleted):
        raise IndexDamaged(f"{SEGMENTS} is not what was written.")
    return W3Segment(BulkCodec(), INDEX_NAME, count, name, set(deleted) or None)


def _write_segments(folder: Path, segments: Iterable[W3Segment]) -> None:
    listed = [
        {
            "name": segment.segid,
            "count": segment.doc_count_all(),
            "deleted": sorted(segment.deleted_docs()),
        }
        for segment in segments
    ]
    # That of the base is linked here: it is replaced, not written over.
    (folder / SEGMENTS).unlink(missing_ok=True)
    (folder / SEGMENTS).write_text(json.dumps(listed), encoding="ascii")


class _Numbering(dict[str, int]):
    """Gives each new term the next number."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


class _Postings:
    """The postings of one field, in the order in which they came."""

    def __init__(self) -> None:
        self._terms = _Numbering()
        self._listed = array("I")
        self._weights = bytearray()
        self._documents = array("i")
        self._counts = array("i")

    def __len__(self) -> int:
        return len(self._listed)

    def add(self, document: int, terms: Collection[str], weights: Iterable[int] = ()) -> None:
        """The terms that the document has, each once, with their weights if they have any."""
        self._listed.extend(map(self._terms.__getitem__, terms))
        self._weights.extend(weights)
        self._documents.append(document)
        self._counts.append(len(terms))

    def invert(self) -> Iterator[TermPostings]:
        """For each term, in order, the documents that have it."""
        if not self._listed:
            return
        listed = np.frombuffer(self._listed, np.uint32)
        # Term, document and weight in one number of 24 + 32 + 8 bits: sorting these is ten times
        # as fast as finding out an order to bring each of them into.
        postings = listed.astype(np.uint64)
        postings <<= 40
        documents = np.frombuffer(self._documents, np.uint32).astype(np.uint64) << np.uint64(8)
        postings |= np.repeat(documents, np.frombuffer(self._counts, np.int32))
        if self._weights:
            postings |= np.frombuffer(self._weights, np.uint8)
        postings.sort()
        weights = postings.astype(np.uint8) if self._weights else None
        postings >>= 8
        numbers = postings.astype(np.uint32).view(np.int32)
        ends = np.cumsum(np.bincount(listed))
        del postings, listed
        # Where most terms occur: in one document, and with one weight.
        last_numbers = numbers[ends - 1].tolist()
        last_weights = [None] * len(ends) if weights is None else weights[ends - 1].tolist()
        starts = [0, *ends.tolist()]
        for term in sorted(self._terms):
            number = self._terms[term]
            start, end = starts[number], starts[number + 1]
            if end - start == 1:
                yield encode(term), last_numbers[number], last_weights[number]
            else:
                found = None if weights is None else weights[start:end]
                yield encode(term), numbers[start:end], found


@dataclass(frozen=True, slots=True)
class Built:
    """What a builder has done: the segments it wrote, and which records of each segment that
    was there before it has deleted."""

    segments: list[W3Segment]
    deleted: list[set[int]]


class Builder:
    """Puts and deletes, in order, on top of the segments that are already in the folder."""

    def __init__(self, folder: Path, limits: BuildLimits) -> None:
        self._folder = folder
        self._limits = limits
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
        self._writer: SegmentWriter | None = None
        self._numbers: dict[str, int] = {}
        self._gone: set[int] = set()
        self._fields = {name: _Postings() for name in FIELDS}

    def _put(self, document: IndexDocument) -> None:
        self._remove(document.record_id)
        if self._writer is None:
            self._writer = SegmentWriter(self._folder)
        number = self._writer.count
        weights, values, phrases = take_apart_record(document)
        self._writer.add_document(encode(document.record_id), phrases + BREAK)
        self._numbers[document.record_id] = number
        words = self._fields[WORDS]
        words.add(number, weights, weights.values())
        for field, terms in values.items():
            self._fields[field].add(number, terms)
        if len(words) >= self._limits.segment_postings:
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
                numbers = reader.read_postings(entry)[0].tolist() if entry else ()
                self._deleted[position].update(n for n in numbers if reader.get_id(n) == wanted)

    def _finish_segment(self) -> None:
        if self._writer is None:
            return
        self._written.update(map(hash, self._numbers))
        for name in FIELDS:
            self._writer.add_field(name, self._fields[name].invert())
        self._finished.append(SegmentReader(self._storage, self._writer.finish()))
        self._deleted.append(self._gone)
        self._start_segment()


def complete(folder: Path, built: Sequence[Built], limits: BuildLimits) -> int:
    """Put together what the builders of a folder have done, and write the list of segments;
    how many records the index has."""
    storage = open_folder(folder)
    segments = read_segments(storage)
    for position, segment in enumerate(segments):
        deleted = set(segment.deleted_docs()).union(*(each.deleted[position] for each in built))
        segment._deleted = deleted or None
    segments += [segment for each in built for segment in each.segments]
    merged = _choose_for_merging(segments, limits)
    if merged:
        rest = [segment for segment in segments if segment not in merged]
        segments = rest + _merge_segments(folder, merged)
    _write_segments(folder, segments)
    shutil.rmtree(folder / f"{INDEX_NAME}.tmp", ignore_errors=True)
    return sum(segment.doc_count() for segment in segments)


def _choose_for_merging(segments: list[W3Segment], limits: BuildLimits) -> list[W3Segment]:
    """Those with many deletions, and all small ones when they are too many."""
    small = [segment for segment in segments if segment.doc_count() < limits.small_segment]
    few = len(small) <= limits.most_small_segments
    return [
        segment
        for segment in segments
        if segment.deleted_count() * 4 > segment.doc_count_all() or (not few and segment in small)
    ]


def _merge_segments(folder: Path, segments: list[W3Segment]) -> list[W3Segment]:
    """One new segment of the live records of the others, or none when there are none. The
    files of the others are removed."""
    storage = open_folder(folder)
    readers = [SegmentReader(storage, segment) for segment in segments]
    writer = SegmentWriter(folder)
    places = []
    """For each segment, the new number of each of its records, -1 for a deleted one."""
    for reader in readers:
        own = []
        for number, record_id in enumerate(reader.list_ids()):
            gone = number in reader.deleted
            own.append(-1 if gone else writer.count)
            if not gone:
                writer.add_document(record_id, reader.get_phrases(number))
        places.append(np.array(own, np.int32))
    for name in FIELDS:
        writer.add_field(name, _merge_terms(name, readers, places))
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
    field: str, readers: list[SegmentReader], places: list[Numbers]
) -> Iterator[tuple[bytes, Numbers, Weights | None]]:
    listed = [
        zip(reader.list_terms(field), repeat(position)) for position, reader in enumerate(readers)
    ]
    by_text = merge(*listed, key=lambda entry: (entry[0].text, entry[1]))
    for text, entries in groupby(by_text, lambda entry: entry[0].text):
        lists = []
        for term, position in entries:
            numbers, weights = readers[position].read_postings(term)
            numbers = places[position][numbers]
            lists.append((numbers[numbers >= 0], weights[numbers >= 0]))
        numbers = np.concatenate([numbers for numbers, _ in lists])
        weights = np.concatenate([weights for _, weights in lists])
        if len(numbers):
            yield text, numbers, weights if field == WORDS else None
