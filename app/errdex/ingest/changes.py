"""Sorts the records of an input: new, changed, unchanged, repeated, refused.

A record whose text in the file is the same as before is recognised by the hash of that
text, and not even parsed. Failing that, its id and the hash of its content tell whether it
is unchanged; everything else is read as a record and checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from errdex.ingest.index_documents import document_of
from errdex.ingest.pattern_checks import find_problems
from errdex.ingest.report import IngestTally
from errdex.records.causes import Cause, parse_cause
from errdex.records.fields import COLUMNS
from errdex.records.files.reader import (
    RawCause,
    RawRecord,
    ReadProblem,
    RecordReader,
    Source,
    UnreadRecord,
)
from errdex.records.identity import source_hash
from errdex.records.model import Record
from errdex.records.problems import Problem, RecordRefused, shown
from errdex.records.validation import identify, parse_record
from errdex.records.wire import dump_wire
from errdex.search.protocol import IndexDocument
from errdex.store import Known, KnownRecords, KnownSource, NewRecord, Seen, SeenRecords
from errdex.store.keys import is_record_id

BATCH = 500
"""Records that are looked up, written and held in memory at once."""
BATCH_BYTES = 16 << 20
"""Bytes of JSON; a batch of long records ends when it has so many."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A record to be written, for the store and for the index, and where it came from."""

    row: NewRecord
    document: IndexDocument
    record: Record
    source: Source


@dataclass(slots=True)
class Sorted:
    """What is to be written of a batch."""

    added: list[Accepted] = field(default_factory=list)
    changed: list[Accepted] = field(default_factory=list)
    rewritten: list[tuple[str, str]] = field(default_factory=list)
    """Unchanged records that are written in another way: id and hash of the text."""
    causes: list[Cause] = field(default_factory=list)
    """New and changed causes."""


class Item(NamedTuple):
    """A piece of the input, and the hash of the text that it has or would have as JSON; None
    when it has none."""

    found: UnreadRecord | RawRecord | RawCause | ReadProblem
    source_hash: str | None


class _Identified(NamedTuple):
    source: Source
    id: str
    content_hash: bytes
    source_hash: str | None = None
    raw: RawRecord | None = None
    """None when the text is that of a stored record."""
    refusal: RecordRefused | None = None
    """Why it is no record, though it gives the id of one."""


class Sorter:
    """Sorts batch after batch of one run; counts and problems go into `tally`."""

    def __init__(
        self, dataset: str, tally: IngestTally, seen: SeenRecords, stored: KnownRecords
    ) -> None:
        self._dataset = dataset
        self._tally = tally
        self._seen = seen
        self._stored = stored
        self.causes: dict[str, tuple[Cause, Source]] = {}
        """The causes of the input that passed, by tag, and where they are."""

    def sort(self, items: Sequence[Item]) -> Sorted:
        """What is to be written of these items. Each id is noted as seen, also a refused
        one's: what is wrong now must not be taken for gone. Problems are listed in the order
        of the items."""
        listed = len(self._tally.problems)
        result = self._sort(items)
        self._tally.arrange(listed, [item.found.source for item in items])
        return result

    def _sort(self, items: Sequence[Item]) -> Sorted:
        sources = self._stored.known_sources(item.source_hash for item in items if item.source_hash)
        result = Sorted()
        identified = [found for item in items if (found := self._identify(item, sources, result))]
        known = self._stored.known(each.id for each in identified if each.raw)
        seen = self._seen.find(each.id for each in identified)
        first_seen: list[Seen] = []
        for each in identified:
            earlier = seen.get(each.id)
            if earlier is not None and each.refusal is None:
                self._refuse_or_count_second(each, earlier)
                continue
            if earlier is None:
                appearance = Seen(each.id, each.content_hash, each.source)
                seen[each.id] = appearance
                first_seen.append(appearance)
            if each.raw is None:
                self._tally.unchanged += 1
            else:
                self._sort_one(each, each.raw, known.get(each.id), result)
        self._seen.add(first_seen)
        self._stored.remember_sources(result.rewritten)
        return result

    def _identify(
        self, item: Item, sources: Mapping[str, KnownSource], result: Sorted
    ) -> _Identified | None:
        found, found_hash = item
        if found_hash is not None and (known := sources.get(found_hash)):
            return _Identified(found.source, known.id, known.content_hash)
        if isinstance(found, UnreadRecord):
            found = found.read()
        if isinstance(found, ReadProblem):
            self._tally.refuse(found.source, [found.problem])
            return None
        if isinstance(found, RawCause):
            self._sort_cause(found, result)
            return None
        try:
            record_id, content_hash = identify(found.value)
        except RecordRefused as refusal:
            given_id = found.value.get("id")
            if isinstance(given_id, str) and is_record_id(given_id):
                return _Identified(found.source, given_id, b"", None, found, refusal)
            self._tally.refuse(found.source, refusal.problems)
            return None
        return _Identified(found.source, record_id, content_hash, found_hash, found)

    def _sort_cause(self, raw: RawCause, result: Sorted) -> None:
        """Causes are few: each is looked up by itself."""
        try:
            cause = parse_cause(raw.value)
        except RecordRefused as refusal:
            self._tally.refuse(raw.source, refusal.problems)
            return
        earlier = self.causes.get(cause.tag)
        if earlier is not None:
            if earlier[0] != cause:
                reason = f"the cause {shown(cause.tag)} has another text in {earlier[1]}"
                problem = Problem("tag", reason, "keep one of the two")
                self._tally.refuse(raw.source, [problem])
            return
        known = self._stored.known_cause(cause.tag)
        if known is not None and known.dataset != self._dataset:
            reason = f"the cause {shown(cause.tag)} belongs to the dataset {shown(known.dataset)}"
            remedy = "ingest it into that dataset, or leave it out here"
            self._tally.refuse(raw.source, [Problem("tag", reason, remedy)])
            return
        self.causes[cause.tag] = cause, raw.source
        self._tally.causes += 1
        if known is None or known.cause != cause:
            result.causes.append(cause)

    def _sort_one(
        self, each: _Identified, raw: RawRecord, known: Known | None, result: Sorted
    ) -> None:
        if known is not None and known.dataset != self._dataset:
            self._refuse(each, [_other_dataset(each.id, known.dataset)])
        elif each.refusal is not None:
            self._refuse(each, each.refusal.problems, known)
        elif known is not None and known.content_hash == each.content_hash:
            self._tally.unchanged += 1
            if each.source_hash is not None:
                result.rewritten.append((each.id, each.source_hash))
        elif accepted := self._accept(each, raw, known):
            if known is None:
                self._tally.added += 1
                result.added.append(accepted)
            else:
                self._tally.changed += 1
                result.changed.append(accepted)

    def _refuse_or_count_second(self, each: _Identified, earlier: Seen) -> None:
        if earlier.content_hash == each.content_hash:
            self._tally.duplicates += 1
            return
        reason = f"the record {each.id} has other content in {earlier.source}"
        remedy = "keep one of the two, or give them different ids"
        self._refuse(each, [Problem("id", reason, remedy)])

    def _accept(self, each: _Identified, raw: RawRecord, known: Known | None) -> Accepted | None:
        try:
            record = parse_record(raw.value)
        except RecordRefused as refusal:
            self._refuse(each, refusal.problems, known)
            return None
        problems = find_problems(record)
        if problems:
            self._refuse(each, problems, known)
            return None
        body = record.body()
        columns = {name: getattr(record, name) for name in COLUMNS}
        columns["tags"] = tuple(dict.fromkeys(record.tags or ()))
        row = NewRecord(
            id=record.id,
            **columns,
            body_json=dump_wire(body).decode(),
            content_hash=each.content_hash,
            source_hash=each.source_hash,
            former_ids=tuple(dict.fromkeys(record.former_ids or ())),
        )
        return Accepted(row, document_of(record.id, record.slug, body), record, each.source)

    def _refuse(
        self, each: _Identified, problems: Sequence[Problem], known: Known | None = None
    ) -> None:
        self._tally.refuse(each.source, problems, each.id, earlier_kept=known is not None)


def _other_dataset(record_id: str, dataset: str) -> Problem:
    return Problem(
        "id",
        f"the record {record_id} belongs to the dataset {shown(dataset)}",
        "ingest it into that dataset, take it out there, or leave the id out here",
    )


def in_batches(reader: RecordReader) -> Iterator[list[Item]]:
    """What the input holds, in lists that are short enough to be held in memory."""
    batch: list[Item] = []
    size = 0
    for found in reader.list_unread():
        text = _text_of(found)
        batch.append(Item(found, source_hash(text) if text else None))
        size += len(text)
        if len(batch) == BATCH or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _text_of(found: UnreadRecord | RawRecord | RawCause | ReadProblem) -> bytes:
    """The JSON text that would be read as this; empty when there is none."""
    if isinstance(found, UnreadRecord):
        return found.line.text
    if isinstance(found, RawRecord):
        with suppress(ValueError):  # refused later, with the reason
            return dump_wire(found.value)
    return b""
