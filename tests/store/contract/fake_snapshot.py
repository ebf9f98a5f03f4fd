"""The versions of the store in memory, and what is read from them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from errdex.records.filters import ANY, Filters
from errdex.store import (
    Address,
    Changed,
    Copied,
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
from errdex.store.facets import FACET_OF_CONDITION, FACETS

_COLUMNS = {facet: name for name, facet in FACET_OF_CONDITION.items()} | {"file": "file_path"}


@dataclass(frozen=True)
class State:
    """One version. Nothing of it is ever changed."""

    versions: tuple[str, ...] = ()
    """Newest first."""
    records: Mapping[str, Copied] = field(default_factory=dict)
    causes: Mapping[str, KnownCause] = field(default_factory=dict)

    @property
    def version(self) -> str:
        return self.versions[0] if self.versions else ""


class FakeSnapshot:
    """One version."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.version = state.version
        self.ended = False

    @property
    def _all(self) -> list[StoredRecord]:
        if self.ended:
            raise RuntimeError("this snapshot has ended")
        return [copied.record for _, copied in sorted(self._state.records.items())]

    def list_versions(self, limit: int = 2) -> list[str]:
        return list(self._state.versions[:limit])

    def find(self, record_id: str) -> StoredRecord | None:
        return self.find_many([record_id]).get(record_id)

    def find_successor(self, former_id: str) -> StoredRecord | None:
        for copied in sorted(self._state.records.values(), key=lambda each: each.record.id):
            if former_id in copied.former_ids:
                return copied.record
        return None

    def find_many(self, record_ids: Iterable[str]) -> dict[str, StoredRecord]:
        asked = set(record_ids)
        return {each.id: each for each in self._all if each.id in asked}

    def find_summaries(self, record_ids: Iterable[str]) -> dict[str, RecordSummary]:
        names = [each.name for each in fields(RecordSummary)]
        return {
            key: RecordSummary(**{name: getattr(each, name) for name in names})
            for key, each in self.find_many(record_ids).items()
        }

    def list_records(
        self, filters: Filters = ANY, *, limit: int = 50, after: str | None = None
    ) -> list[StoredRecord]:
        found = [each for each in self._meeting(filters) if after is None or each.id > after]
        return found[:limit]

    def list_changes(
        self,
        since: str = "",
        filters: Filters = ANY,
        *,
        limit: int = 50,
        after: Changed | None = None,
    ) -> list[StoredRecord]:
        found = [each for each in self._meeting(filters) if each.changed_version > since]
        if after is not None:
            found = [each for each in found if (each.changed_version, each.id) < tuple(after)]
        return sorted(found, key=lambda each: (each.changed_version, each.id))[::-1][:limit]

    def list_addresses(self, first: str = "0" * 16, *, limit: int = 50) -> list[Address]:
        if not re.fullmatch("[0-9a-f]{16}", first):
            return []
        found = [each for each in self._all if each.id >= first]
        return [Address(each.id, each.slug, each.changed_version) for each in found[:limit]]

    def every_nth(self, step: int) -> list[str]:
        return [each.id for each in self._all[::step]]

    def count_records(self, filters: Filters = ANY) -> int:
        return len(self._meeting(filters))

    def counts(
        self,
        facet: str,
        filters: Filters = ANY,
        *,
        limit: int = 50,
        after: FacetValue | None = None,
    ) -> list[FacetValue]:
        if facet not in _COLUMNS:
            raise ValueError(f"there is no facet {facet!r}")
        found = sorted(self._counted(facet, filters).items(), key=lambda each: (-each[1], each[0]))
        if after is not None:
            # Half a character pair is found nowhere; it has its place among texts nevertheless.
            last = (-after.records, after.value.encode("utf-8", "backslashreplace").decode())
            found = [each for each in found if (-each[1], each[0]) > last]
        return [FacetValue(*each) for each in found[:limit]]

    def values(
        self,
        facet: str,
        *,
        contains: str = "",
        by_name: bool = False,
        limit: int = 50,
        after: FacetValue | None = None,
    ) -> list[FacetValue]:
        def order(value: FacetValue) -> tuple[Any, ...]:
            name = (value.value.lower(), value.value)
            return name if by_name else (-value.records, value.value)

        found = [FacetValue(*each) for each in self._counted(facet, ANY).items()]
        found = [each for each in found if contains.lower() in each.value.lower()]
        found.sort(key=order)
        if after is not None:
            found = [each for each in found if order(each) > order(after)]
        return found[:limit]

    def related_candidates(
        self, record: RecordSummary, alike: Iterable[str] = (), *, limit_each: int = 20
    ) -> list[RelatedTraits]:
        frequent = self._counted("tag", ANY)
        tags = sorted(set(record.tags), key=lambda tag: frequent[tag])[:5]
        shared: list[Callable[[RecordSummary], bool]] = [
            *([_same(record, "background_tag")] if record.background_tag else ()),
            *(lambda other, tag=tag: tag in other.tags for tag in tags),
            *([_same(record, "repo", "file_path")] if record.file_path else ()),
            *([_same(record, "repo", "error_class")] if record.error_class else ()),
        ]
        found: Counter[str] = Counter()
        for holds in shared:
            keys = [each.id for each in self._all if holds(each)]
            behind = [key for key in keys if key > record.id] + keys
            found.update(set(behind[:limit_each]))
        del found[record.id]
        chosen = {*alike, *(key for key, _ in found.most_common(40))} - {record.id}
        return [
            RelatedTraits(
                each.id, each.repo, each.background_tag, each.file_path, each.error_class, each.tags
            )
            for each in self._all
            if each.id in chosen
        ]

    def patterns(self) -> Iterator[PatternRow]:
        return (PatternRow(each.id, each.pattern) for each in self._streamed())

    def documents(self, dataset: str | None = None) -> Iterator[StoredRecord]:
        return (each for each in self._streamed() if dataset in (None, each.dataset))

    def causes(self) -> Mapping[str, KnownCause]:
        return dict(sorted(self._state.causes.items()))

    def stats(self) -> StoreStats:
        datasets = sorted(self.counts("dataset", limit=1000))
        datasets.sort(key=lambda each: -each.records)
        return StoreStats(
            version=self.version,
            records=len(self._all),
            datasets=tuple(DatasetStats(*each) for each in datasets),
            distinct={facet: len(self._counted(facet, ANY)) for facet in FACETS},
            bytes=0,
        )

    def verification(self) -> VerificationStats:
        rows: dict[str | None, Counter[str]] = {}
        for each in self._all:
            topic = rows.setdefault(each.tags[0] if each.tags else None, Counter())
            samples = len(each.body.get("samples") or ())
            verified = each.body.get("verifiedWith") or each.body.get("reproducedWith")
            topic["records"] += 1
            topic["reproduced"] += bool(verified)
            topic["sampled"] += samples >= 2
            topic["samples"] += samples
            topic["referenced"] += bool(each.body.get("references"))
        topics = [TopicCount(tag, one["records"], one["reproduced"]) for tag, one in rows.items()]
        topics.sort(key=lambda each: (-each.records, each.topic or ""))
        total = sum(rows.values(), Counter[str]())
        names = ("records", "reproduced", "sampled", "samples", "referenced")
        return VerificationStats(*(total[name] for name in names), tuple(topics))

    def _streamed(self) -> Iterator[StoredRecord]:
        for each in self._all:
            if self.ended:
                raise RuntimeError("this snapshot has ended")
            yield each

    def _meeting(self, filters: Filters) -> list[StoredRecord]:
        return [
            each
            for each in self._all
            if all(
                value in each.tags if name == "tag" else getattr(each, name) == value
                for name, value in filters.given().items()
            )
        ]

    def _counted(self, facet: str, filters: Filters) -> Counter[str]:
        found: Counter[str] = Counter()
        for each in self._meeting(filters):
            values = each.tags if facet == "tag" else [getattr(each, _COLUMNS[facet])]
            found.update(value for value in values if value is not None)
        return found


def _same(record: RecordSummary, *names: str) -> Callable[[RecordSummary], bool]:
    return lambda other: all(getattr(other, name) == getattr(record, name) for name in names)
