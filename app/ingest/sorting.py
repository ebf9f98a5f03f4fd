"""Tells the records of an input apart: new, changed, unchanged, twice, refused.

An unchanged record costs its id and its content hash, and is not looked at any
further; everything else is read as a record and checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import orjson

from app.ingest.checks import find_problems
from app.ingest.documents import document_of
from app.ingest.report import Tally
from app.records.identity import content_hash
from app.records.problems import Problem, RecordRefused, shown
from app.records.reading import RawRecord, ReadProblem
from app.records.validation import MAX_RECORD_BYTES, identify, parse_record
from app.records.wire import dump_wire
from app.search.protocol import IndexDocument
from app.store import Known, KnownSource, NewRecord
from app.store.keys import is_record_id
from app.store.rows import Seen
from app.store.seen import SeenRecords

Item = RawRecord | ReadProblem
_DERIVED = {"id", "slug", "messagePattern"}
BATCH = 500
"""Records that are looked up, written and held in memory at once."""
BATCH_BYTES = 16 << 20
"""Of JSON; a batch of long records ends when it has so many."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A record to be written, for the store and for the index."""

    row: NewRecord
    document: IndexDocument


@dataclass(slots=True)
class Sorted:
    """What is to be written of a batch."""

    added: list[Accepted] = field(default_factory=list)
    changed: list[Accepted] = field(default_factory=list)


class _Identified(NamedTuple):
    raw: RawRecord
    id: str
    content_hash: bytes
    source_hash: str | None
    refusal: RecordRefused | None = None
    """Why it is no record, though it gives the id of one."""


class Stored(Protocol):
    """What the store has; see WriteTransaction."""

    def known(self, record_ids: Iterable[str]) -> Mapping[str, Known]:
        """Of records, by id."""

    def known_sources(self, source_hashes: Iterable[str]) -> Mapping[str, KnownSource]:
        """Of objects in files, by their hash."""


class Sorter:
    """Sorts batch after batch of one run; counts and problems go into `tally`."""

    def __init__(self, dataset: str, tally: Tally, seen: SeenRecords, stored: Stored) -> None:
        self._dataset = dataset
        self._tally = tally
        self._seen = seen
        self._stored = stored

    def sort(self, items: Sequence[Item]) -> Sorted:
        """What is to be written of these items. Each id is noted as seen, also a refused
        one's: what is wrong now must not be taken for gone."""
        hashes = [_source_hash(item) for item in items]
        sources = self._stored.known_sources(each for each in hashes if each)
        identified = [
            found
            for item, source_hash in zip(items, hashes, strict=True)
            if (found := self._identify(item, source_hash, sources))
        ]
        ids = [each.id for each in identified]
        known = self._stored.known(ids)
        seen = self._seen.find(ids)
        first_seen: list[Seen] = []
        result = Sorted()
        for each in identified:
            earlier = seen.get(each.id)
            if earlier is not None and each.refusal is None:
                self._refuse_or_count_second(each, earlier)
                continue
            if earlier is None:
                appearance = Seen(each.id, each.content_hash, each.raw.source)
                seen[each.id] = appearance
                first_seen.append(appearance)
            self._sort_one(each, known.get(each.id), result)
        self._seen.add(first_seen)
        return result

    def _identify(
        self, item: Item, source_hash: str | None, sources: Mapping[str, KnownSource]
    ) -> _Identified | None:
        if isinstance(item, ReadProblem):
            self._tally.refuse(item.source, [item.problem])
            return None
        if source_hash is not None and (source := sources.get(source_hash)):
            return _Identified(item, source.id, source.content_hash, source_hash)
        try:
            record_id, found_hash = identify(item.value)
        except RecordRefused as refusal:
            given_id = item.value.get("id")
            if isinstance(given_id, str) and is_record_id(given_id):
                return _Identified(item, given_id, b"", None, refusal)
            self._tally.refuse(item.source, refusal.problems)
            return None
        return _Identified(item, record_id, found_hash, source_hash)

    def _sort_one(self, each: _Identified, known: Known | None, result: Sorted) -> None:
        if known is not None and known.dataset != self._dataset:
            self._refuse(each, [_other_dataset(each.id, known.dataset)])
        elif each.refusal is not None:
            self._refuse(each, each.refusal.problems, known)
        elif known is not None and known.content_hash == each.content_hash:
            self._tally.unchanged += 1
        elif accepted := self._accept(each, known):
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
        reason = f"the record {each.id} stands with other content in {earlier.source}"
        remedy = "keep one of the two, or give them different ids"
        self._refuse(each, [Problem("id", reason, remedy)])

    def _accept(self, each: _Identified, known: Known | None) -> Accepted | None:
        try:
            record = parse_record(each.raw.value)
        except RecordRefused as refusal:
            self._refuse(each, refusal.problems, known)
            return None
        problems = find_problems(record)
        if problems:
            self._refuse(each, problems, known)
            return None
        body = record.body()
        row = NewRecord(
            id=record.id,
            repo=record.repo,
            slug=record.slug,
            error_message=record.error_message,
            pattern=record.pattern,
            error_class=record.error_class,
            error_type=record.error_type,
            error_code=record.error_code,
            http_status=record.http_status,
            severity=record.severity,
            language=record.language,
            background_tag=record.background_tag,
            file_path=record.file_path,
            line_number=record.line_number,
            function=record.function,
            tags=tuple(dict.fromkeys(record.tags or ())),
            body_json=dump_wire(body).decode(),
            content_hash=each.content_hash,
            source_hash=each.source_hash,
        )
        return Accepted(row, document_of(record.id, record.slug, body))

    def _refuse(
        self, each: _Identified, problems: Sequence[Problem], known: Known | None = None
    ) -> None:
        self._tally.refuse(each.raw.source, problems, each.id, earlier_kept=known is not None)


def _source_hash(item: Item) -> str | None:
    """The hash of an object from which something is derived; None when nothing is."""
    if isinstance(item, ReadProblem) or item.value.keys() >= _DERIVED:
        return None
    try:
        return content_hash(item.value).hex()
    except ValueError:  # no JSON form: refused later, with the reason
        return None


def _other_dataset(record_id: str, dataset: str) -> Problem:
    return Problem(
        "id",
        f"the record {record_id} belongs to the dataset {shown(dataset)}",
        "ingest it into that dataset, take it out there, or leave the id out here",
    )


def in_batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items in lists that are short enough to be held in memory."""
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += _bytes(item.value) if isinstance(item, RawRecord) else 0
        if len(batch) == BATCH or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _bytes(value: dict[str, Any]) -> int:
    """How long the value is as JSON, roughly."""
    try:
        return len(orjson.dumps(value))
    except orjson.JSONEncodeError:  # rare, and whatever it is, it is not longer
        return MAX_RECORD_BYTES
