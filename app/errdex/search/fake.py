"""The seam in memory: every record is looked at for every query. For tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from errdex.records.filters import Filters
from errdex.search.document import EXACT, find_phrase, list_filter_terms, take_apart_record
from errdex.search.plan import Plan, make_plan
from errdex.search.protocol import (
    FACET_NAMES,
    Hit,
    IndexDamaged,
    IndexDocument,
    IndexMissing,
    Position,
    SearchResult,
)
from errdex.search.query import Clause, FieldIs, ParsedQuery, Phrase, WordPrefix, parse_query
from errdex.search.ranking import (
    MOST_ORDERED,
    PHRASE_WEIGHT,
    SIMILAR_SHARE,
    Unit,
    add_cover,
    choose_similar_terms,
    lessen,
    list_similar_terms,
    order_facet,
    rarity,
    score_first,
)
from errdex.search.spelling import correct


class _Entry:
    """One record, taken apart."""

    def __init__(self, document: IndexDocument) -> None:
        self.document = document
        self.id = document.record_id
        self.weights, self.values, self.text = take_apart_record(document)

    def has(self, clause: Clause) -> bool:
        """Whether the clause holds for the record."""
        if isinstance(clause, FieldIs):
            values = self.values.get(clause.field, [])
            *whole, last = clause.values
            return all(value in values for value in whole) and any(
                value.startswith(last) if clause.prefix else value == last for value in values
            )
        if isinstance(clause, WordPrefix):
            return any(term.startswith(clause.start) for term in self.weights)
        if isinstance(clause, Phrase):
            return find_phrase(clause.spoken, self.text) or find_phrase(clause.squashed, self.text)
        return any(whole in self.weights for whole in clause.wholes[:1]) or all(
            any(variant in self.weights for variant in part) for part in clause.parts
        )

    def weight(self, unit: Unit) -> int:
        """The record's weight for the unit, 0 when it does not have it."""
        if unit.phrase:
            return PHRASE_WEIGHT if self.has(unit.phrase) else 0
        if unit.prefix:
            found = [w for term, w in self.weights.items() if term.startswith(unit.prefix)]
            return max(found, default=0)
        if unit.field:
            return int(unit.ways[0][0] in self.values.get(unit.field, []))
        found = [min(self.weights.get(term, 0) for term in way) for way in unit.ways]
        return max([found[0], *map(lessen, found[1:])])

    def hit(self, plan: Plan, *, ordered: bool) -> Hit | None:
        """The record as a hit; None when it has too little of the query. `ordered`: whether the
        bonus for words in their order counts."""
        score = cover = 0
        whole = True
        for unit, _, by, share in plan.units:
            if unit.phrase and unit.bonus and not (ordered and self.is_complete(plan)):
                continue
            weight = self.weight(unit)
            score += weight * by
            cover += share if weight else 0
            whole = whole and (unit.bonus or weight > 0)
        if not plan.reaches(cover):
            return None
        return Hit(self.id, float(add_cover(score, cover, plan.cover)), whole and plan.as_asked)

    def is_complete(self, plan: Plan) -> bool:
        """Whether it has every unit."""
        return all(p.unit.bonus or self.weight(p.unit) for p in plan.units)


class FakeSearchIndex:
    """A finished index."""

    def __init__(self, version: str, documents: dict[str, IndexDocument]) -> None:
        self._version = version
        self._entries = [_Entry(documents[record_id]) for record_id in sorted(documents)]

    @property
    def version(self) -> str:
        """The dataset version that this index was built from."""
        return self._version

    def count(self) -> int:
        """How many records the index holds."""
        return len(self._entries)

    def close(self) -> None:
        """Nothing to let go of."""

    def search(
        self,
        query: str,
        filters: Filters,
        *,
        limit: int = 20,
        after: Position | None = None,
        first: Sequence[str] = (),
    ) -> SearchResult:
        """Find records; see the protocol."""
        parsed = parse_query(query)
        if parsed.empty:
            return SearchResult((), 0, 0, dict.fromkeys(FACET_NAMES, ()), notes=parsed.notes)
        plan = make_plan(query, parsed, self)
        allowed = [entry for entry in self._entries if _is_allowed(entry, parsed, filters)]
        complete = sum(entry.is_complete(plan) for entry in allowed)
        found: dict[str, Hit] = {}
        for entry in allowed:
            if hit := entry.hit(plan, ordered=complete <= MOST_ORDERED):
                found[entry.id] = hit
        for place, each in enumerate(first):
            if any(entry.id == each for entry in allowed):
                found[each] = Hit(each, float(score_first(place)), True)
        hits = sorted(found.values(), key=_order)
        rest = [h for h in hits if after is None or _order(h) > _order(after)]
        page = rest[:limit]
        total = sum(hit.all_words for hit in hits)
        return SearchResult(
            hits=page,
            total=total,
            partial=len(hits) - total,
            facets=_count_facets([entry for entry in allowed if entry.id in found]),
            suggestion=None if total else plan.suggestion,
            terms=plan.list_terms(),
            notes=parsed.notes,
            next_position=(
                Position(page[-1].score, page[-1].record_id) if page and len(rest) > limit else None
            ),
        )

    def similar(self, document: IndexDocument, *, limit: int = 10) -> Sequence[Hit]:
        """Records whose message is like this one's, itself left out."""
        terms = list_similar_terms(document)
        frequencies = {term: self.count_unit(Unit(((term,),))) for term in terms}
        factors = {
            term: rarity(frequencies[term], self.count())
            for term in choose_similar_terms(frequencies)
        }
        own = take_apart_record(IndexDocument(document.record_id, document.message, "")).weights
        least = sum(own[term] * by for term, by in factors.items())
        hits = []
        for entry in self._entries:
            score = sum(entry.weights.get(term, 0) * by for term, by in factors.items())
            if entry.id != document.record_id and score and score * SIMILAR_SHARE >= least:
                all_words = all(term in entry.weights for term in terms)
                hits.append(Hit(entry.id, float(score), all_words))
        return sorted(hits, key=lambda hit: (-hit.score, hit.record_id))[:limit]

    def count_unit(self, unit: Unit) -> int:
        """How many records have the unit; for a phrase, at most."""
        if unit.phrase:
            terms = unit.phrase.spoken_terms
            return min(self.count_unit(Unit(((term,),))) for term in terms)
        return sum(entry.weight(unit) > 0 for entry in self._entries)

    def correct(self, word: str) -> str | None:
        """The nearest spelling that occurs."""
        vocabulary = {term for entry in self._entries for term in entry.weights}
        start = [term for term in vocabulary if term.startswith(word[:2])]
        return correct(word, start, lambda term: self.count_unit(Unit(((term,),))))


def _order(hit: Hit | Position) -> tuple[float, str]:
    return (-hit.score, hit.record_id)


def _is_allowed(entry: _Entry, query: ParsedQuery, filters: Filters) -> bool:
    for field, term in list_filter_terms(filters).items():
        if term not in entry.values.get(field, []):
            return False
    return all(map(entry.has, query.required)) and not any(map(entry.has, query.unwanted))


def _count_facets(entries: list[_Entry]) -> dict[str, list[tuple[str, int]]]:
    return {
        name: order_facet(
            Counter(
                value.removeprefix(EXACT)
                for entry in entries
                for value in entry.values.get(name, [])
                if value.startswith(EXACT)
            )
        )
        for name in FACET_NAMES
    }


class FakeIndexWriter:
    """Builds one version aside."""

    def __init__(
        self, store: FakeIndexStore, version: str, documents: dict[str, IndexDocument]
    ) -> None:
        self._store = store
        self._version = version
        self._documents = documents

    def put(self, document: IndexDocument) -> None:
        """Add the record, or replace the one with its id."""
        self._documents[document.record_id] = document

    def delete(self, record_id: str) -> None:
        """Remove the record; an id that is not there is no error."""
        self._documents.pop(record_id, None)

    def end(self) -> None:
        """There is no more to put or delete."""

    def finish(self) -> None:
        """Make it openable."""
        self._store.versions[self._version] = self._documents
        self._store.damaged.discard(self._version)

    def abort(self) -> None:
        """Drop everything that was written."""
        self._documents = {}


class FakeIndexStore:
    """All index versions, in memory. Put a version into `damaged` to see how a damaged
    index is dealt with; rebuilding it repairs it."""

    def __init__(self) -> None:
        self.versions: dict[str, dict[str, IndexDocument]] = {}
        self.damaged: set[str] = set()

    def open(self, version: str) -> FakeSearchIndex:
        """Open a finished index. Raises IndexMissing or IndexDamaged."""
        return FakeSearchIndex(version, self._find(version))

    def verify(self, version: str) -> int:
        """How many records a finished index holds. Raises IndexMissing or IndexDamaged."""
        return len(self._find(version))

    def begin(self, version: str, *, base: str | None = None) -> FakeIndexWriter:
        """Start building `version`, empty or from a copy of `base`."""
        documents = {} if base is None else dict(self._find(base))
        return FakeIndexWriter(self, version, documents)

    def sweep(self, keep: set[str]) -> None:
        """Remove every other version."""
        for version in set(self.versions) - keep:
            del self.versions[version]

    def _find(self, version: str) -> dict[str, IndexDocument]:
        if version in self.damaged:
            raise IndexDamaged(f"The full-text index of {version} is damaged: build it again.")
        if version not in self.versions:
            raise IndexMissing(f"There is no full-text index of {version}: build it.")
        return self.versions[version]
