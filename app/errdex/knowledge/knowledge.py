"""The queries of the knowledge base.

Each answer is read in one snapshot of the store, and from the full-text index of exactly that
snapshot's version, so that it never mixes two versions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from errdex.knowledge import causes, cursors
from errdex.knowledge.answers import (
    CauseAnswer,
    CauseItem,
    CauseList,
    RecordAnswer,
    RecordList,
    RecordNotFound,
    Related,
    RelatedAnswer,
    RepoAnswer,
    SearchItem,
    SearchResults,
    SearchUnavailable,
    ValueList,
    ValueNotFound,
)
from errdex.knowledge.class_causes import LatestClassCauses
from errdex.knowledge.matching import (
    SIMILAR_HITS,
    MatchAnswer,
    Matchers,
    PatternCounts,
    RecordCache,
    SimilarRecords,
    list_best,
    named_records,
)
from errdex.knowledge.open_indexes import OpenIndexes, Rebuilder, no_rebuilder
from errdex.knowledge.packs import PackFolder
from errdex.knowledge.raise_sites import find_versions
from errdex.knowledge.related import list_reasons, rank_related
from errdex.matching.ranking import MatchLimits
from errdex.records.causes import Cause
from errdex.records.filters import ANY, Filters
from errdex.search.protocol import (
    FACET_NAMES,
    Hit,
    IndexDamaged,
    IndexDocument,
    IndexMissing,
    IndexStore,
    SearchIndex,
    SearchResult,
)
from errdex.store import (
    Address,
    FacetValue,
    Snapshot,
    Store,
    StoredRecord,
    StoreStats,
    VerificationStats,
)

MAX_LIMIT = 200
"""The most entries of a page."""
LONGEST_LINE = 4096
"""Characters of a line in the search field that are matched."""
FACET_VALUES = 20
"""Values of a facet in search results."""
_TRIES = 3
T = TypeVar("T")


class Knowledge:
    """The read side of one store and its indexes. Safe to share between threads.

    `rebuild` is called when the index of the served version is missing or damaged. All
    methods can raise StoreError.
    """

    def __init__(
        self, store: Store, indexes: IndexStore, *, rebuild: Rebuilder = no_rebuilder
    ) -> None:
        self._store = store
        self._open_indexes = OpenIndexes(indexes)
        self._rebuild = rebuild
        self._matchers = Matchers(PackFolder(store.path), immutable=store.immutable)
        self._class_causes = LatestClassCauses()

    def get_version(self) -> str:
        """The dataset version that is served; "" before any ingestion."""
        return self._store.current_version()

    def find_record(self, record_id: str) -> RecordAnswer | None:
        """The record that has that id, or had it once; None if there is none."""
        with self._store.snapshot() as snapshot:
            stored = snapshot.find(record_id) or snapshot.find_successor(record_id)
            return RecordAnswer(stored, snapshot.version) if stored else None

    def get_record(self, record_id: str) -> RecordAnswer:
        """The record with that id, else the one that had it once. Raises RecordNotFound."""
        answer = self.find_record(record_id)
        if answer is None:
            raise RecordNotFound(record_id)
        return answer

    def list_records(
        self, filters: Filters = ANY, *, limit: int = 20, cursor: str | None = None
    ) -> RecordList:
        """A page of records by id. Raises BadCursor."""
        with self._store.snapshot() as snapshot:
            return _list(snapshot, filters, _bounded(limit), cursor)

    def list_latest(self, *, limit: int = 20) -> list[StoredRecord]:
        """The last added or changed records, newest first."""
        with self._store.snapshot() as snapshot:
            return snapshot.list_changes(limit=_bounded(limit))

    def list_addresses(self, first: str, *, limit: int) -> list[Address]:
        """The addresses of up to `limit` records by id, from the id `first` on."""
        with self._store.snapshot() as snapshot:
            return snapshot.list_addresses(first, limit=limit)

    def list_every_nth(self, step: int) -> list[str]:
        """The first id of each group, when the records by id are divided into groups of `step`."""
        with self._store.snapshot() as snapshot:
            return snapshot.every_nth(step)

    def search_records(
        self,
        text: str,
        filters: Filters = ANY,
        *,
        limit: int = 20,
        cursor: str | None = None,
    ) -> SearchResults:
        """A page of full-text results with facets; without words, of the records that match the
        filters. If the text is a line that a program printed, the records that match it come
        first. Raises BadCursor and SearchUnavailable."""
        if not text.strip():
            return self._browse(filters, limit, cursor)
        asked = (text, *filters.values())
        after = cursors.to_position(cursor, asked) if cursor else None

        def answer(snapshot: Snapshot, index: SearchIndex) -> SearchResults:
            matched = self._match_line(snapshot, text)
            result = index.search(text, filters, limit=_bounded(limit), after=after, first=matched)
            return _results(snapshot, result, asked, matched)

        with self._store.snapshot() as snapshot:
            if not snapshot.version:
                return SearchResults((), 0, 0, {}, None, (), None, "")
        return self._with_index(answer)

    def related_records(self, record_id: str, *, limit: int = 6) -> RelatedAnswer:
        """The records most closely related to a record, with reasons. Without a full-text index,
        records with only a similar message are missing. Raises RecordNotFound."""

        def answer(snapshot: Snapshot, index: SearchIndex | None) -> RelatedAnswer:
            record = snapshot.find(record_id) or snapshot.find_successor(record_id)
            if record is None:
                raise RecordNotFound(record_id)
            similarity = _similar_messages(index, record) if index else {}
            others = snapshot.related_candidates(record, similarity)
            closest = rank_related(record, others, similarity, _bounded(limit))
            found = snapshot.find_summaries(each for each, _ in closest)
            related = [
                Related(
                    found[each],
                    tuple(list_reasons(record, found[each], similarity.get(each, 0.0))),
                    score,
                )
                for each, score in closest
            ]
            cause = causes.find(snapshot, record.background_tag)
            complete = index is not None
            return RelatedAnswer(record, related, snapshot.version, complete, cause)

        try:
            return self._with_index(answer)
        except SearchUnavailable:
            with self._store.snapshot() as snapshot:
                return answer(snapshot, None)

    def list_values(
        self,
        facet: str,
        filters: Filters = ANY,
        *,
        limit: int = 50,
        cursor: str | None = None,
    ) -> ValueList:
        """A page of a facet's values ("repo", "tag", "class", "background", "type",
        "severity", "language", "dataset"), the most frequent first. See `find_values` for
        others. Raises BadCursor."""
        asked = (facet, *filters.values())
        after = cursors.to_value(cursor, asked) if cursor else None
        bound = _bounded(limit)
        with self._store.snapshot() as snapshot:
            rows = snapshot.counts(facet, filters, limit=bound + 1, after=after)
            items = rows[:bound]
            return ValueList(
                items,
                total=snapshot.stats().distinct[facet] if filters == ANY else None,
                next_cursor=cursors.of_value(items[-1], asked) if len(rows) > bound else None,
                version=snapshot.version,
            )

    def find_values(
        self,
        facet: str,
        *,
        contains: str = "",
        by_name: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> ValueList:
        """A page of a facet's values that contain a text, whatever its case: by name, or the most
        frequent first. Raises BadCursor."""
        asked = (facet, contains, "by name" if by_name else "by count")
        after = cursors.to_value(cursor, asked) if cursor else None
        bound = _bounded(limit)
        with self._store.snapshot() as snapshot:
            rows = snapshot.values(
                facet, contains=contains, by_name=by_name, limit=bound + 1, after=after
            )
            items = rows[:bound]
            return ValueList(
                items,
                total=None if contains else snapshot.stats().distinct[facet],
                next_cursor=cursors.of_value(items[-1], asked) if len(rows) > bound else None,
                version=snapshot.version,
            )

    def list_causes(self, *, limit: int = 50, cursor: str | None = None) -> CauseList:
        """A page of the causes, those with the most records first. Raises BadCursor."""
        page = self.list_values("background", limit=limit, cursor=cursor)
        with self._store.snapshot() as snapshot:
            known = snapshot.causes()
        items = [causes.item_of(*each, known) for each in page.items]
        return CauseList(items, page.total or 0, page.next_cursor, page.version)

    def get_cause(self, tag: str) -> CauseAnswer:
        """One cause. Raises ValueNotFound if it has neither a text nor records."""
        with self._store.snapshot() as snapshot:
            found = causes.find(snapshot, tag)
            if found is None:
                raise ValueNotFound("cause", tag)
            return CauseAnswer(found, snapshot.version)

    def find_cause(self, tag: str | None) -> Cause | None:
        """The text of a cause; None if it has none."""
        with self._store.snapshot() as snapshot:
            known = snapshot.causes().get(tag or "")
            return known.cause if known else None

    def search_causes(self, text: str, *, limit: int = 3) -> list[CauseItem]:
        """The causes that words name, the closest first; only those that have a text."""
        with self._store.snapshot() as snapshot:
            tags = causes.search(text, snapshot.causes(), limit)
            return [found for tag in tags if (found := causes.find(snapshot, tag))]

    def get_repo(self, name: str) -> RepoAnswer:
        """One repository. Raises ValueNotFound."""
        filters = Filters(repo=name)
        with self._store.snapshot() as snapshot:
            records = snapshot.count_records(filters)
            if not records:
                raise ValueNotFound("repository", name)
            classes, files, tags = (
                snapshot.counts(facet, filters, limit=FACET_VALUES)
                for facet in ("class", "file", "tag")
            )
            return RepoAnswer(name, records, classes, files, tags, snapshot.version)

    def get_stats(self) -> StoreStats:
        """The knowledge base in numbers."""
        with self._store.snapshot() as snapshot:
            return snapshot.stats()

    def get_verification(self) -> VerificationStats:
        """How well the records are verified. Reads every record."""
        with self._store.snapshot() as snapshot:
            return snapshot.verification()

    def match(self, data: bytes | str, limits: MatchLimits | None = None) -> MatchAnswer:
        """Match a paste. Without a full-text index, near misses are missing. No content of a
        paste makes it raise."""
        with self._store.snapshot() as snapshot:
            records = RecordCache(snapshot)
            similar = self._similar(snapshot.version, records) if snapshot.version else None
            answer = self._matchers.match(snapshot, records, data, limits or MatchLimits(), similar)
            if similar and similar.missing:
                self._rebuild()
            named = named_records(answer, records)
            versions = find_versions(data, named)
            by_class = self._class_causes.for_answer(answer, snapshot)
            return MatchAnswer(answer, named, snapshot.version, versions, by_class)

    def join_pack(self) -> tuple[bytes, int]:
        """The patterns and records of the served version as one file, for `PackedKnowledge`, and
        the number of records."""
        from errdex.knowledge.packed import join_pack

        with self._store.snapshot() as snapshot:
            patterns = self._matchers.of(snapshot).patterns
            return join_pack(patterns, snapshot), len(patterns)

    def count_patterns(self) -> PatternCounts:
        """The number of patterns that pastes are matched against."""
        with self._store.snapshot() as snapshot:
            return self._matchers.counts(snapshot)

    def prepare(self) -> str:
        """Compile the patterns of the served version and open its index, before the first request
        needs them. Returns the version. Raises SearchUnavailable."""
        with self._store.snapshot() as snapshot:
            if not snapshot.version:
                return ""
            self._matchers.of(snapshot)
        return self._with_index(lambda snapshot, _: snapshot.version)

    def close(self) -> None:
        """Close the indexes and database connections."""
        self._open_indexes.close()
        self._store.close()

    def _similar(self, version: str, records: RecordCache) -> SimilarRecords:
        def find(document: IndexDocument) -> Sequence[Hit]:
            with self._open_indexes.use(version) as index:
                return index.similar(document, limit=SIMILAR_HITS)

        return SimilarRecords(records, find)

    def _match_line(self, snapshot: Snapshot, text: str) -> list[str]:
        """The ids of the records that match a line in the search field, the best first."""
        from errdex.search.query import is_printed

        if not is_printed(text):
            return []
        line = text[:LONGEST_LINE]
        return list_best(self._matchers.match(snapshot, RecordCache(snapshot), line, MatchLimits()))

    def _browse(self, filters: Filters, limit: int, cursor: str | None) -> SearchResults:
        with self._store.snapshot() as snapshot:
            page = _list(snapshot, filters, _bounded(limit), cursor)
            facets = {
                name: snapshot.counts(name, filters, limit=FACET_VALUES) for name in FACET_NAMES
            }
        items = [SearchItem(record, 0.0, True, (), (), None) for record in page.items]
        return SearchResults(
            items, page.total or 0, 0, facets, None, (), page.next_cursor, page.version
        )

    def _with_index(self, answer: Callable[[Snapshot, SearchIndex], T]) -> T:
        """Call `answer` with a snapshot and its index. Two quick ingestions may remove an index
        between reading the version and opening it; then the newer version is used."""
        asked = None
        for _ in range(_TRIES):
            with self._store.snapshot() as snapshot:
                try:
                    with self._open_indexes.use(snapshot.version) as index:
                        return answer(snapshot, index)
                except (IndexMissing, IndexDamaged):
                    missing = snapshot.version
            if missing == asked or (missing == self.get_version() and not self._rebuild()):
                break
            asked = missing
        raise SearchUnavailable


def _bounded(limit: int) -> int:
    return max(1, min(limit, MAX_LIMIT))


def _list(snapshot: Snapshot, filters: Filters, limit: int, cursor: str | None) -> RecordList:
    asked = filters.values()
    after = cursors.to_record(cursor, asked) if cursor else None
    rows = snapshot.list_records(filters, limit=limit + 1, after=after)
    items, more = rows[:limit], len(rows) > limit
    return RecordList(
        items,
        total=snapshot.count_records(filters),
        next_cursor=cursors.of_record(items[-1].id, asked) if more else None,
        version=snapshot.version,
    )


def _results(
    snapshot: Snapshot, result: SearchResult, asked: cursors.Asked, matched: Collection[str]
) -> SearchResults:
    from errdex.knowledge.excerpts import find_extract
    from errdex.search.highlight import highlight

    found = snapshot.find_many(hit.record_id for hit in result.hits)
    items = [
        SearchItem(
            record=(record := found[hit.record_id]),
            score=hit.score,
            all_words=hit.all_words,
            heading_spans=highlight(record.heading, result.terms),
            message_spans=highlight(record.error_message, result.terms),
            extract=find_extract(record, result.terms),
            matched=hit.record_id in matched,
        )
        for hit in result.hits
        if hit.record_id in found
    ]
    facets = {
        name: [FacetValue(value, count) for value, count in result.facets.get(name, ())]
        for name in FACET_NAMES
    }
    position = result.next_position
    return SearchResults(
        items,
        total=result.total,
        partial=result.partial,
        facets=facets,
        suggestion=result.suggestion,
        notes=result.notes,
        next_cursor=cursors.of_position(position, asked) if position else None,
        version=snapshot.version,
    )


def _similar_messages(index: SearchIndex, record: StoredRecord) -> dict[str, float]:
    """The similarity of the nearest messages by record id, relative to the nearest one (1)."""
    document = IndexDocument(record.id, record.error_message, record.repo)
    hits = index.similar(document, limit=10)
    best = max((hit.score for hit in hits), default=0.0)
    return {hit.record_id: hit.score / best for hit in hits if best > 0}
