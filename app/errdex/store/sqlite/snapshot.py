"""Reading: every question is answered from one state of the data.

SQLite's write-ahead log fixes a connection's view at the first read of a
transaction; the first read here is that of the version. Whatever is read later
in the same snapshot belongs to that version, however many ingestions commit
meanwhile. A snapshot costs some 50 µs: take one for each request.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import nsmallest
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from errdex.records.filters import ANY, Filters
from errdex.store.checksums import damaged, is_text_sound
from errdex.store.facets import COUNTED_TOGETHER, FACET_OF_CONDITION, FACETS
from errdex.store.keys import id_of, is_record_id, json_keys, key_of
from errdex.store.schema.rows import to_cause, to_facet_value, to_record, to_summary
from errdex.store.sqlite.answer_cache import AnswerCache
from errdex.store.sqlite.statements import reading
from errdex.store.sqlite.statements.compiled import Runner
from errdex.store.values import (
    Address,
    Changed,
    DatasetStats,
    FacetValue,
    KnownCause,
    PatternRow,
    RecordSummary,
    RelatedTraits,
    StoredRecord,
    StoreStats,
    TopicCount,
    VerificationStats,
)

if TYPE_CHECKING:
    from errdex.store.sqlite.copying import DatabaseChanges

_BATCH = 1000
_TOGETHER_KEPT = 100


def _to_patterns(rows: Iterable[Any]) -> Iterator[PatternRow]:
    for key, pattern, checksum in rows:
        if not is_text_sound(key, pattern, checksum):
            raise damaged(f"the record {id_of(key)}")
        yield PatternRow(id_of(key), pattern)


class DatabaseSnapshot:
    """One state of the data. Use it in one thread, inside the `with` that made it."""

    def __init__(
        self, connection: sqlite3.Connection, version: str, path: Path, cache: AnswerCache
    ) -> None:
        self._run = Runner(connection, path)
        self._path = path
        self._cache = cache
        self.version = version
        """The dataset version that everything read here belongs to; "" before any ingestion."""

    def changes(self, since: str) -> DatabaseChanges:
        """What changed since a version."""
        from errdex.store.sqlite.copying import DatabaseChanges

        return DatabaseChanges(self, self._run, since)

    def end(self) -> None:
        """Read no more. Called by the store that made the snapshot."""
        self._run.end()

    def list_versions(self, limit: int = 2) -> list[str]:
        """The newest versions up to this one, newest first."""
        from errdex.store.sqlite.statements import queries

        return [version for (version,) in self._run.rows(queries.versions(), limit=limit)]

    def find(self, record_id: str) -> StoredRecord | None:
        """The record with that id. Any text may be asked for."""
        if not is_record_id(record_id):
            return None
        key = key_of(record_id)
        if rows := self._run.rows(reading.RECORD, key=key):
            return to_record(rows[0])
        self._check_absent([record_id])
        return None

    def find_successor(self, former_id: str) -> StoredRecord | None:
        """The record that had that id once, the one with the least id where several say so. Any
        string may be asked for."""
        if not is_record_id(former_id):
            return None
        rows = self._run.rows(reading.SUCCESSOR, former=key_of(former_id))
        found = self.find(id_of(rows[0][0])) if rows else None
        if rows and (found is None or former_id not in (found.body.get("formerIds") or ())):
            raise damaged(f"the former id {former_id}")
        return found

    def find_many(self, record_ids: Iterable[str]) -> dict[str, StoredRecord]:
        """Those of the records that are there, by id."""
        ids = list(record_ids)
        rows = self._run.rows(reading.RECORDS_BY_KEY, keys=json_keys(ids))
        found = {each.id: each for each in map(to_record, rows)}
        self._check_absent(each for each in ids if each not in found)
        return found

    def find_summaries(self, record_ids: Iterable[str]) -> dict[str, RecordSummary]:
        """The same without the bodies."""
        ids = list(record_ids)
        rows = self._run.rows(reading.SUMMARIES_BY_KEY, keys=json_keys(ids))
        found = {each.id: each for each in map(to_summary, rows)}
        self._check_absent(each for each in ids if each not in found)
        return found

    def _check_absent(self, record_ids: Iterable[str]) -> None:
        """Records that were not found have no body either, else their rows were damaged."""
        if (keys := json_keys(record_ids)) != "[]":
            for (key,) in self._run.rows(reading.BODIES_OF, keys=keys):
                raise damaged(f"the record {id_of(key)}")

    def list_records(
        self, filters: Filters = ANY, *, limit: int = 50, after: str | None = None
    ) -> list[StoredRecord]:
        """Up to `limit` records by id, from behind the id `after`. The order does not depend
        on what is added or removed meanwhile, nor on which copy of the data is asked."""
        from errdex.store.sqlite.statements import queries

        values = self._plan(filters)
        query = queries.records(tuple(values), after=after is not None)
        rows = self._run.rows(query, **values, **_behind(after), limit=limit)
        if after is None and len(rows) < limit:  # these are all
            self._check_complete(len(rows), self.count_records(filters))
        return _that_meet(values, map(to_record, rows))

    def list_changes(
        self,
        since: str = "",
        filters: Filters = ANY,
        *,
        limit: int = 50,
        after: Changed | None = None,
    ) -> list[StoredRecord]:
        """Up to `limit` records that were added or changed later than the version `since`,
        newest first, from behind (version, id) `after`."""
        from errdex.store.sqlite.statements import queries

        conditions = self._plan(filters)
        values: dict[str, Any] = dict(conditions)
        query = queries.changes(tuple(values), after=after is not None)
        if after is not None:
            values |= {"version": after.version, "key": key_of(after.id)}
        rows = self._run.rows(query, **values, since=since, limit=limit)
        return _that_meet(conditions, map(to_record, rows))

    def list_addresses(self, first: str = "0" * 16, *, limit: int = 50) -> list[Address]:
        """The addresses of up to `limit` records by id, from the id `first` on; none when
        `first` is no id."""
        from errdex.store.sqlite.statements import queries

        if not is_record_id(first):
            return []
        rows = self._run.rows(queries.addresses(), first=key_of(first), limit=limit)
        return [Address(id_of(key), slug, version) for key, slug, version in rows]

    def every_nth(self, step: int) -> list[str]:
        """The ids that cut the records, by id, into pieces of `step`: the first of each."""
        from errdex.store.sqlite.statements import queries

        def compute() -> list[str]:
            return [id_of(key) for (key,) in self._run.rows(queries.every_nth(), step=step)]

        return self._cache.get((self.version, "every nth", step), compute)

    def count_records(self, filters: Filters = ANY) -> int:
        """How many records meet the conditions."""
        values = self._plan(filters)

        def compute() -> int:
            if not values:
                return self._totals()["dataset"][1]
            if len(values) == 1 and (facet := FACET_OF_CONDITION.get(*values)):
                return self._frequency(facet, *values.values())
            from errdex.store.sqlite.statements import queries

            return int(self._run.rows(queries.count(tuple(values)), **values)[0][0])

        return self._cache.get((self.version, "count", filters), compute)

    def counts(
        self,
        facet: str,
        filters: Filters = ANY,
        *,
        limit: int = 50,
        after: FacetValue | None = None,
    ) -> list[FacetValue]:
        """The most frequent values of a facet among the records that meet the conditions.

        `facet` is one of FACETS, or "file" (paths; ask it with a repo). Values are
        ordered by count, then by value; `after` is the last one of the page before.
        """
        if facet not in FACETS and facet != "file":
            raise ValueError(f"there is no facet {facet!r}")
        values: dict[str, Any] = dict(self._plan(filters))
        together = facet in COUNTED_TOGETHER and limit <= _TOGETHER_KEPT
        if values and after is None and together:
            return self._count_together(filters, values)[facet][:limit]
        if values or facet == "file":
            from errdex.store.sqlite.statements import queries

            query = queries.live_counts(facet, tuple(values), after=after is not None)
        else:
            query = reading.MOST_COUNTED if after is None else reading.MOST_COUNTED_BEHIND
            values["facet"] = facet
        if after is not None:
            values |= {"last_count": after.records, "last_value": after.value}

        def compute() -> list[FacetValue]:
            rows = self._run.rows(query, **values, limit=limit)
            if "facet" not in values:
                return [FacetValue(*row) for row in rows]
            if after is None and len(rows) < limit:  # these are all
                self._check_complete(len(rows), self._totals()[facet][0])
            return [to_facet_value(row) for row in rows]

        question = (self.version, facet, filters, limit, after)
        return list(self._cache.get(question, compute))

    def values(
        self,
        facet: str,
        *,
        contains: str = "",
        by_name: bool = False,
        limit: int = 50,
        after: FacetValue | None = None,
    ) -> list[FacetValue]:
        """The values of a facet among all records that contain a text, whatever its case: by
        name, or the most frequent first; from behind `after`."""
        escaped = re.sub(r"([\\%_])", r"\\\1", contains)
        values: dict[str, object] = {"facet": facet, "like": f"%{escaped}%"}
        if after is not None:
            values |= {"last_value": after.value}
            values |= {} if by_name else {"last_count": after.records}
        query = reading.VALUES[by_name, after is not None]
        return [to_facet_value(row) for row in self._run.rows(query, **values, limit=limit)]

    def _count_together(
        self, filters: Filters, values: dict[str, Any]
    ) -> Mapping[str, list[FacetValue]]:
        """The most frequent values of each of COUNTED_TOGETHER. A page asks for
        all of them, and reading the rows is what takes the time."""
        from errdex.store.sqlite.statements import queries

        def compute() -> Mapping[str, list[FacetValue]]:
            counters: list[Counter[str]] = [Counter() for _ in COUNTED_TOGETHER]
            rows = self._run.stream(queries.facet_rows(tuple(values)), **values)
            while batch := list(islice(rows, _BATCH)):
                *columns, tags = zip(*batch, strict=True)
                for counter, column in zip(counters, columns, strict=False):
                    counter.update(column)
                lists = orjson.loads(f"[{','.join(tags)}]")
                counters[-1].update(chain.from_iterable(lists))
            return dict(zip(COUNTED_TOGETHER, map(_most_frequent, counters), strict=True))

        return self._cache.get((self.version, "together", filters), compute)

    def related_candidates(
        self, record: RecordSummary, alike: Iterable[str] = (), *, limit_each: int = 20
    ) -> list[RelatedTraits]:
        """Records that may be related, and those with the ids `alike`; see related.py."""
        from errdex.store.sqlite.statements import related

        def frequency(tag: str) -> int:
            return self._frequency("tag", tag)

        return related.list_candidates(self._run, record, alike, frequency, limit_each)

    def patterns(self) -> Iterator[PatternRow]:
        """The pattern of every record, streamed by id. Raises StoreDamaged on the way, or at
        the end when some are missing."""
        found = 0
        for row in _to_patterns(self._run.stream(reading.PATTERNS)):
            found += 1
            yield row
        self._check_complete(found, self.count_records())

    def documents(self, dataset: str | None = None) -> Iterator[StoredRecord]:
        """Every record (of one dataset) whole, streamed by id. Raises StoreDamaged as `patterns`
        does."""
        from errdex.store.sqlite.statements import queries

        values = {} if dataset is None else {"dataset": dataset}
        query = queries.documents(dataset=dataset is not None)
        found = 0
        for row in self._run.stream(query, **values):
            found += 1
            yield to_record(row)
        self._check_complete(found, self.count_records(Filters(dataset=dataset)))

    @staticmethod
    def _check_complete(found: int, counted: int) -> None:
        if found != counted:
            raise damaged(f"a list of {counted:,}, of which {found:,} can be found,")

    def causes(self) -> Mapping[str, KnownCause]:
        """Every cause that has a text, by tag, in the order of the tags."""

        def compute() -> Mapping[str, KnownCause]:
            found = map(to_cause, self._run.rows(reading.CAUSES))
            return {each.cause.tag: each for each in found}

        return self._cache.get((self.version, "causes"), compute)

    def stats(self) -> StoreStats:
        """The store in numbers."""
        totals = self._totals()
        datasets = self.counts("dataset", limit=1000)
        return StoreStats(
            version=self.version,
            records=self.count_records(),
            datasets=tuple(DatasetStats(name, count) for name, count in datasets),
            distinct={facet: totals[facet][0] for facet in FACETS},
            bytes=self._path.stat().st_size,
        )

    def verification(self) -> VerificationStats:
        """How well the records are verified. Reads every record: keep what is made of it."""
        from errdex.store.sqlite.statements import queries

        rows = self._run.rows(queries.verification())
        topics = tuple(TopicCount(*row[:3]) for row in rows)
        records, reproduced, sampled, samples, referenced = (
            sum(row[column] for row in rows) for column in range(1, 6)
        )
        return VerificationStats(records, reproduced, sampled, samples, referenced, topics)

    def find_damage(self) -> Iterator[str]:
        """A sentence for each thing that is not what was written; see soundness.py."""
        from errdex.store.sqlite import soundness

        return soundness.find_damage(self._run)

    def _plan(self, filters: Filters) -> dict[str, str]:
        """The conditions that are set, the one first that the fewest records meet."""
        values = filters.given()
        if len(values) < 2:
            return values
        by_frequency = sorted(values, key=lambda name: self._met(name, values[name]))
        return {name: values[name] for name in by_frequency}

    def _met(self, name: str, value: str) -> int:
        """How many records meet a condition; many when it is not counted."""
        facet = FACET_OF_CONDITION.get(name)
        return sys.maxsize if facet is None else self._frequency(facet, value)

    def _frequency(self, facet: str, value: str) -> int:
        from errdex.store.sqlite.statements import queries

        rows = self._run.rows(queries.counted_value(), facet=facet, value=value)
        return to_facet_value(rows[0]).records if rows else 0

    def _totals(self) -> Mapping[str, tuple[int, int]]:
        """For each facet, how many values it has and how many records have one."""

        def compute() -> Mapping[str, tuple[int, int]]:
            totals = dict.fromkeys(FACETS, (0, 0))
            for row in self._run.stream(reading.EVERY_COUNT):
                values, records = totals[row[0]]
                totals[row[0]] = values + 1, records + to_facet_value(row).records
            return totals

        return self._cache.get((self.version, "totals"), compute)


def _most_frequent(counter: Counter[str]) -> list[FacetValue]:
    counter.pop(None, None)  # type: ignore[call-overload]  # a record without a value
    ordered = nsmallest(_TOGETHER_KEPT, counter.items(), key=lambda item: (-item[1], item[0]))
    return [FacetValue(*item) for item in ordered]


def _that_meet(conditions: Mapping[str, str], found: Iterable[StoredRecord]) -> list[StoredRecord]:
    """The records, which a damaged index may have named wrongly."""
    records = list(found)
    for name, value in conditions.items():
        for each in records:
            has = value in each.tags if name == "tag" else getattr(each, name) == value
            if not has:
                raise damaged(f"an index ({name})")
    return records


def _behind(after: str | None) -> dict[str, int]:
    return {} if after is None else {"after": key_of(after)}
