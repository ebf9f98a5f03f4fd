"""Writing: one transaction that holds the write lock from its start to its end.

Readers go on seeing the version before it until `commit` returns. Leaving the
`with` without it, by an exception or a kill, changes nothing.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

import orjson
from sqlalchemy import bindparam, delete, func, insert, literal, select, update

from errdex.records.causes import Cause
from errdex.records.filters import ANY, Filters
from errdex.store.checksums import row_sum
from errdex.store.keys import FIRST_KEY, LAST_KEY, id_of, json_keys, key_of
from errdex.store.schema.rows import (
    CHANGED_COLUMNS,
    to_cause,
    to_cause_row,
    to_record,
    to_row,
)
from errdex.store.schema.tables import (
    RECORD,
    CauseText,
    Dataset,
    FacetCount,
    FormerId,
    Ingestion,
    RecordBody,
    RecordTag,
    table_of,
)
from errdex.store.sqlite.record_indexes import WORTH_IT, RecordIndexes
from errdex.store.sqlite.seen_records import SeenTable
from errdex.store.sqlite.statements import queries, reading
from errdex.store.sqlite.statements.compiled import Runner, Statement, compiled
from errdex.store.sqlite.statements.queries import FACET_COLUMNS
from errdex.store.values import Known, KnownCause, KnownSource, NewRecord, StoredRecord
from errdex.store.versions import next_version

_REMOVED_AT_ONCE = 500

_dataset = table_of(Dataset)
_ingestion = table_of(Ingestion)
_record = RECORD
_body = table_of(RecordBody)
_tag = table_of(RecordTag)
_former = table_of(FormerId)
_facet = table_of(FacetCount)
_cause = table_of(CauseText)

_ADD_DATASET = compiled(insert(_dataset).prefix_with("OR IGNORE").values(name=bindparam("dataset")))
_FIND_DATASET = compiled(select(_dataset.c.key).where(_dataset.c.name == bindparam("dataset")))
_ADD_RECORD = compiled(insert(_record), ["key", "dataset_key", *CHANGED_COLUMNS])
_CHANGE_RECORD = compiled(
    update(_record).where(_record.c.key == bindparam("record_key")), CHANGED_COLUMNS
)
_REMEMBER_SOURCE = compiled(
    update(_record).where(_record.c.key == bindparam("record_key")), ["source_hash"]
)
_ADD_BODY = compiled(insert(_body), ["record_key", "body_json"])
_CHANGE_BODY = compiled(
    update(_body).where(_body.c.record_key == bindparam("of_record")), ["body_json"]
)
_ADD_TAG = compiled(insert(_tag).prefix_with("OR IGNORE"))
_ADD_FORMER_ID = compiled(insert(_former).prefix_with("OR IGNORE"))
_REMOVE_FORMER_IDS = compiled(delete(_former).where(_former.c.record_key == bindparam("key")))
_REMOVE_TAGS = compiled(delete(_tag).where(_tag.c.record_key == bindparam("key")))
REMOVE_RECORD = compiled(delete(_record).where(_record.c.key == bindparam("key")))
PUT_CAUSE = compiled(insert(_cause).prefix_with("OR REPLACE"))
_REMOVE_CAUSE = compiled(delete(_cause).where(_cause.c.tag == bindparam("cause_tag")))
_ADD_INGESTION = compiled(insert(_ingestion))
_CLEAR_FACETS = compiled(delete(_facet))
_FACET_COLUMNS = [column.name for column in _facet.c]


@lru_cache(maxsize=1)
def _count_facets() -> Sequence[Statement]:
    """A statement for each facet that counts its values."""
    found = []
    for facet, value in FACET_COLUMNS.items():
        number = func.count()
        checksum = func.row_sum(literal(facet), value, number)
        counted = select(literal(facet), value, number, checksum).where(value.is_not(None))
        if facet == "dataset":
            counted = counted.join_from(_record, _dataset, _dataset.c.key == _record.c.dataset_key)
        found.append(compiled(insert(_facet).from_select(_FACET_COLUMNS, counted.group_by(value))))
    return found


class DatabaseTransaction:
    """Changes to one dataset. Made by `Database.write`."""

    def __init__(
        self, run: Runner, dataset: str, previous_version: str, now: datetime | None = None
    ) -> None:
        self._run = run
        self._dataset = dataset
        self._dataset_keys: dict[str, int] = {}
        self.previous_version = previous_version
        """The version that is served now; "" before any ingestion."""
        self.version = next_version(previous_version, now)
        """The version that `commit` makes, if anything changes."""
        self.seen = SeenTable(run)
        """The records that this run came across; see `remove_unseen`."""
        self.added = self.changed = self.removed = 0
        self._remembered = self._causes_changed = False
        self._prepared = False
        self._indexes = RecordIndexes(run)
        self._records_before: int | None = None
        self.committed = False

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self.added or self.changed or self.removed or self._causes_changed)

    def known(self, record_ids: Iterable[str]) -> dict[str, Known]:
        """What the store has of these records, in whatever dataset, by id."""
        rows = self._run.rows(queries.known(), keys=json_keys(record_ids))
        return {id_of(key): Known(dataset, content_hash) for key, dataset, content_hash in rows}

    def known_sources(self, source_hashes: Iterable[str]) -> dict[str, KnownSource]:
        """The records of this dataset that were made of texts with these hashes, by hash."""
        hashes = orjson.dumps(list(source_hashes)).decode()
        rows = self._run.rows(queries.known_sources(), dataset=self._dataset, hashes=hashes)
        return {each: KnownSource(id_of(key), content_hash) for each, key, content_hash in rows}

    def known_cause(self, tag: str) -> KnownCause | None:
        """The text of a cause, in whatever dataset."""
        rows = self._run.rows(reading.CAUSE, tag=tag)
        return to_cause(rows[0]) if rows else None

    def remember_sources(self, sources: Sequence[tuple[str, str]]) -> None:
        """Note ids and hashes of texts that stand for the very records that are stored. They
        are kept by `commit` also when nothing else was changed."""
        if sources:
            rows = [(source_hash, key_of(record_id)) for record_id, source_hash in sources]
            self._run.run_many(_REMEMBER_SOURCE, rows)
            self._remembered = True

    def add(self, records: Sequence[NewRecord]) -> None:
        """Store records whose ids the store does not have."""
        self._insert(records, self._dataset, self.version)

    def _insert(self, records: Sequence[NewRecord], dataset: str, version: str) -> None:
        dataset_key = self._key_of_dataset(dataset)
        in_order = sorted(records, key=lambda record: record.id)  # neighbours share pages
        self._drop_indexes_for(len(in_order))
        self._run.run_many(
            _ADD_RECORD,
            [
                _ADD_RECORD.arguments(
                    {"dataset_key": dataset_key, **to_row(each, dataset, version)}
                )
                for each in in_order
            ],
        )
        self._run.run_many(_ADD_BODY, [(key_of(each.id), each.body_json) for each in in_order])
        self._add_tags(in_order)
        self._add_former_ids(in_order)
        self.added += len(in_order)

    def change(self, records: Sequence[NewRecord]) -> None:
        """Put records in the place of those with their ids, which are in this dataset."""
        in_order = sorted(records, key=lambda record: record.id)
        self._run.run_many(
            _CHANGE_RECORD, [_CHANGE_RECORD.arguments(self._changed_row(each)) for each in in_order]
        )
        self._run.run_many(_CHANGE_BODY, [(each.body_json, key_of(each.id)) for each in in_order])
        self._run.run_many(_REMOVE_TAGS, [(key_of(each.id),) for each in in_order])
        self._add_tags(in_order)
        self._run.run_many(_REMOVE_FORMER_IDS, [(key_of(each.id),) for each in in_order])
        self._add_former_ids(in_order)
        self.changed += len(in_order)

    def put_causes(self, causes: Sequence[Cause]) -> None:
        """Store causes, or replace those of this dataset with the same tags."""
        rows = [to_cause_row(each, self._dataset) for each in causes]
        self._run.run_many(PUT_CAUSE, rows)
        self._causes_changed |= bool(rows)

    def remove_causes_except(self, tags: Container[str]) -> None:
        """Remove the dataset's causes whose tags are not among these."""
        stored = map(to_cause, self._run.rows(reading.CAUSES))
        own = [each.cause.tag for each in stored if each.dataset == self._dataset]
        gone = [(tag,) for tag in own if tag not in tags]
        self._run.run_many(_REMOVE_CAUSE, gone)
        self._causes_changed |= bool(gone)

    def remove_unseen(self, filters: Filters = ANY, *, with_file: bool = False) -> Iterator[str]:
        """Remove the dataset's records that are not in `seen`; yields their ids as it goes.
        Nothing is removed further than the iterator is followed."""
        given, first = replace(filters, dataset=self._dataset).given(), FIRST_KEY
        keys = queries.keys(tuple(given), with_file=with_file)
        while rows := self._run.rows(keys, **given, first=first, limit=_REMOVED_AT_ONCE):
            seen = self.seen.find(id_of(key) for (key,) in rows)
            yield from self._remove([row for row in rows if id_of(row[0]) not in seen])
            first = rows[-1][0] + 1
            if first > LAST_KEY:
                return

    def remove(self, filters: Filters) -> Iterator[str]:
        """Remove the records that meet the conditions, of any dataset; yields their ids as it
        goes. Nothing is removed further than the iterator is followed."""
        given, first = filters.given(), FIRST_KEY
        keys = queries.keys(tuple(given))
        while rows := self._run.rows(keys, **given, first=first, limit=_REMOVED_AT_ONCE):
            yield from self._remove(rows)
            first = rows[-1][0]

    def _remove(self, rows: Sequence[tuple[int]]) -> Iterator[str]:
        self._run.run_many(REMOVE_RECORD, rows)
        self.removed += len(rows)
        return (id_of(key) for (key,) in rows)

    def unchanged_documents(self) -> Iterator[StoredRecord]:
        """Every record of every dataset that this transaction did not write, by id."""
        rows = self._run.stream(queries.documents_unlike(), version=self.version)
        return map(to_record, rows)

    def prepare(self) -> None:
        """Do what `commit` would do first, which takes longer than the rest of it: there is
        nothing more to change."""
        if self._prepared or not self.has_changes:
            return
        self._prepared = True
        self._run.run(
            _ADD_INGESTION,
            version=self.version,
            dataset=self._dataset,
            added=self.added,
            changed=self.changed,
            removed=self.removed,
            checksum=row_sum(self.version),
        )
        self._indexes.restore()
        self._run.run(_CLEAR_FACETS)
        for query in _count_facets():
            self._run.run(query)

    def commit(self) -> str:
        """Make the changes visible, all at once. Returns the version that is then served;
        without changes that is the previous one."""
        if not self.has_changes:
            self._run.run_text("COMMIT" if self._remembered else "ROLLBACK")
            self.committed = self._remembered
            return self.previous_version
        self.prepare()
        self._run.run_text("COMMIT")
        self.committed = True
        return self.version

    def _drop_indexes_for(self, added_next: int) -> None:
        """Once more records were added than there were before."""
        added = self.added + added_next
        if added < WORTH_IT:
            return
        if self._records_before is None:
            self._records_before = self._run.rows(queries.count(()))[0][0] - self.added
        if added > self._records_before:
            self._indexes.drop()

    def _key_of_dataset(self, name: str) -> int:
        """The key of a dataset, which is made where there is none."""
        if name not in self._dataset_keys:
            self._run.run(_ADD_DATASET, dataset=name)
            self._dataset_keys[name] = int(self._run.rows(_FIND_DATASET, dataset=name)[0][0])
        return self._dataset_keys[name]

    def _changed_row(self, record: NewRecord) -> dict[str, object]:
        row = to_row(record, self._dataset, self.version)
        return row | {"record_key": row["key"]}

    def _add_former_ids(self, records: Iterable[NewRecord]) -> None:
        self._run.run_many(
            _ADD_FORMER_ID,
            [(key_of(former), key_of(each.id)) for each in records for former in each.former_ids],
        )

    def _add_tags(self, records: Iterable[NewRecord]) -> None:
        self._run.run_many(
            _ADD_TAG, [(tag, key_of(each.id)) for each in records for tag in each.tags]
        )
