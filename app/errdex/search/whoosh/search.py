"""Answers queries from a finished index. See `errdex.search.protocol.SearchIndex`.

A search starts from the records that have one of the query's rarest units, of which every hit
has one (`Plan.essential`). Scores are computed for these alone, facets counted over what has
enough of the query, and only the page is sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from whoosh.codec.whoosh3 import W3Segment
from whoosh.filedb.filestore import Storage

from errdex.records.filters import Filters
from errdex.search.document import list_filter_terms, take_apart_record
from errdex.search.plan import LEAST_COVER, Plan, make_plan
from errdex.search.protocol import (
    FACET_NAMES,
    Hit,
    IndexDocument,
    Position,
    SearchError,
    SearchResult,
)
from errdex.search.query import Clause, FieldIs, ParsedQuery, Phrase, WordPrefix, parse_query
from errdex.search.ranking import (
    MOST_ORDERED,
    PHRASE_WEIGHT,
    SIMILAR_SHARE,
    Unit,
    choose_similar_terms,
    list_similar_terms,
    rarity,
    score_first,
)
from errdex.search.spelling import correct, most_edits
from errdex.search.synonyms import load_groups
from errdex.search.whoosh.contents import Contents
from errdex.search.whoosh.postings import MOST_EXPANSIONS, IndexPostings, Postings, damage
from errdex.search.whoosh.segment import WORDS, Numbers, SegmentReader

_MOST_SPELLINGS = 2000

Scores = NDArray[np.int64]


class _Hits(NamedTuple):
    """What was found: the records, the score of each, and whether it has every word."""

    numbers: Numbers
    scores: Scores
    complete: NDArray[np.bool_]


class WhooshSearchIndex:
    """An open index. Safe to use from several threads."""

    def __init__(self, version: str, storage: Storage, segments: Iterable[W3Segment]) -> None:
        self._version = version
        load_groups()  # before a query waits for it
        with damage():
            readers = [SegmentReader(storage, segment) for segment in segments]
        self._contents: Contents | None = Contents(readers)
        self._count = len(self._contents.everything)

    @property
    def version(self) -> str:
        """The dataset version that this index was built from."""
        return self._version

    def count(self) -> int:
        """How many records the index holds."""
        return self._count

    def close(self) -> None:
        """Let go of its files, once the searches that are under way have ended."""
        self._contents = None

    def search(
        self,
        query: str,
        filters: Filters,
        *,
        limit: int = 20,
        after: Position | None = None,
        first: Sequence[str] = (),
    ) -> SearchResult:
        """Find records. Raises IndexDamaged when its files are not what was written."""
        parsed = parse_query(query)
        if parsed.empty:
            return SearchResult((), 0, 0, dict.fromkeys(FACET_NAMES, ()), notes=parsed.notes)
        return _Search(self._get_contents(), query, parsed, filters).answer(limit, after, first)

    def similar(self, document: IndexDocument, *, limit: int = 10) -> Sequence[Hit]:
        """Records whose message is like this one's, itself left out."""
        return _find_similar(self._get_contents(), document, limit)

    def _get_contents(self) -> Contents:
        contents = self._contents
        if contents is None:
            raise SearchError(f"The full-text index of {self._version} is closed: open it again.")
        return contents


class _Search:
    """One query on one index."""

    def __init__(self, contents: Contents, text: str, query: ParsedQuery, filters: Filters) -> None:
        self._contents = contents
        self._postings = contents.postings
        self._query = query
        self._filters = [
            self._postings.find(field, (term,))
            for field, term in list_filter_terms(filters).items()
        ]
        self._notes = dict.fromkeys(query.notes)
        self._plan = make_plan(text, query, self)

    def answer(self, limit: int, after: Position | None, first: Sequence[str]) -> SearchResult:
        """The page behind `after`, and what belongs to the whole answer."""
        plan = self._plan
        hits = self._put_first(first, self._score(self._find_candidates(plan), plan))
        page = self._take(hits, limit + 1, after)
        position = None
        if len(page) > limit:
            position = Position(page[limit - 1].score, page[limit - 1].record_id)
        total = int(np.count_nonzero(hits.complete))
        return SearchResult(
            hits=page[:limit],
            total=total,
            partial=len(hits.numbers) - total,
            facets=self._contents.count_facets(hits.numbers),
            suggestion=None if total else plan.suggestion,
            terms=plan.list_terms(),
            notes=tuple(self._notes),
            next_position=position,
        )

    def count_unit(self, unit: Unit) -> int:
        """In how many records the unit occurs; for a phrase, at most."""
        if unit.phrase:
            return min(self._find_word(term).count for term in unit.phrase.spoken_terms)
        return self._find(unit).count

    def count(self) -> int:
        """How many records there are."""
        return len(self._contents.everything)

    def correct(self, word: str) -> str | None:
        """The nearest spelling that occurs."""
        return _correct(self._postings, word)

    def _find_candidates(self, plan: Plan) -> Numbers:
        """Few records, all hits among them, for which all that is required holds."""
        if plan.cover:
            lists = [p for unit in plan.essential for p in self._start_unit(unit)]
            wanted = self._unite(lists) if lists else np.empty(0, np.int32)
        else:
            wanted = self._contents.everything
        starts = [[postings] for postings in self._filters]
        starts += [self._start(each) for each in self._query.required]
        rest = min(starts, key=lambda lists: sum(each.count for each in lists), default=None)
        if rest is not None and sum(each.count for each in rest) < len(wanted):
            numbers = self._unite(rest)
            return self._restrict(np.intersect1d(numbers, wanted, assume_unique=True))
        return self._restrict(wanted)

    def _start_unit(self, unit: Unit) -> list[Postings]:
        return self._start(unit.phrase) if unit.phrase else [self._find(unit)]

    def _score(self, numbers: Numbers, plan: Plan) -> _Hits:
        """The hits among the records."""
        scores = np.zeros(len(numbers), np.int64)
        covers = np.zeros(len(numbers), np.int64)
        complete = np.ones(len(numbers), bool)
        for unit, count, by, cover in plan.units:
            if unit.phrase and unit.bonus:
                continue
            weights = self._weigh(unit, numbers) if count else np.zeros(len(numbers), np.uint8)
            scores += weights.astype(np.int64) * by
            if not unit.bonus:
                having = weights > 0
                covers += having * np.int64(cover)
                complete &= having
        if plan.cover:
            kept = covers * 100 >= plan.cover * LEAST_COVER
            numbers, scores, covers = numbers[kept], scores[kept], covers[kept]
            complete = complete[kept]
        if np.count_nonzero(complete) <= MOST_ORDERED:
            for unit, count, by, _ in plan.units:
                if unit.phrase and unit.bonus and count:
                    ordered = self._select_phrase(unit.phrase, numbers[complete])
                    scores[np.searchsorted(numbers, ordered)] += PHRASE_WEIGHT * by
        if plan.cover:
            scores = scores * covers**2 // plan.cover**2
        return _Hits(numbers, scores, complete & plan.as_asked)

    def _weigh(self, unit: Unit, numbers: Numbers) -> NDArray[np.uint8]:
        """The weight of each of the records for the unit, 0 when it does not have it."""
        if unit.phrase is None:
            return self._find(unit).weigh(numbers)
        weights = np.zeros(len(numbers), np.uint8)
        weights[np.searchsorted(numbers, self._select_phrase(unit.phrase, numbers))] = PHRASE_WEIGHT
        return weights

    def _put_first(self, first: Sequence[str], hits: _Hits) -> _Hits:
        """The hits with those of the records that are allowed before all others."""
        found = {
            number: score_first(place)
            for place, each in enumerate(first)
            for number in self._restrict(self._contents.find_numbers(each)).tolist()
        }
        if not found:
            return hits
        others = ~np.isin(hits.numbers, list(found))
        numbers = np.concatenate([np.array(list(found), np.int32), hits.numbers[others]])
        scores = np.concatenate([np.array(list(found.values())), hits.scores[others]])
        complete = np.concatenate([np.ones(len(found), bool), hits.complete[others]])
        return _Hits(numbers, scores, complete)

    def _restrict(self, numbers: Numbers) -> Numbers:
        """Those for which the filters and required values hold, and nothing unwanted does."""
        for postings in self._filters:
            numbers = postings.keep(numbers)
        for required in self._query.required:
            numbers = self._select(required, numbers)
        for unwanted in self._query.unwanted:
            numbers = np.setdiff1d(numbers, self._select(unwanted, numbers), assume_unique=True)
        return numbers

    def _start(self, clause: Clause) -> list[Postings]:
        """Few postings that together have every record for which the clause holds."""
        if isinstance(clause, FieldIs):
            return [min(self._find_values(clause), key=lambda p: p.count)]
        if isinstance(clause, WordPrefix):
            return [self._find_prefix(clause.start)]
        if isinstance(clause, Phrase):
            spoken = [self._find_word(term) for term in clause.spoken_terms]
            if clause.squashed_terms == clause.spoken_terms:
                return [min(spoken, key=lambda p: p.count)]
            squashed = [self._find_word(term) for term in clause.squashed_terms]
            return [min(lists, key=lambda p: p.count) for lists in (spoken, squashed)]
        parts = [self._postings.find(WORDS, part) for part in clause.parts]
        wholes = [self._find_word(whole) for whole in clause.wholes[:1]]
        return [min(parts, key=lambda p: p.count), *(p for p in wholes if p.count)]

    def _select(self, clause: Clause, numbers: Numbers) -> Numbers:
        """Those of the numbers for which the clause holds."""
        if isinstance(clause, FieldIs):
            return _keep_all(self._find_values(clause), numbers)
        if isinstance(clause, WordPrefix):
            return self._find_prefix(clause.start).keep(numbers)
        if isinstance(clause, Phrase):
            return self._select_phrase(clause, numbers)
        held = np.ones(len(numbers), bool)
        for part in clause.parts:
            held &= self._postings.find(WORDS, part).weigh(numbers) > 0
        for whole in clause.wholes[:1]:
            # Written in another way than the query, the name may not show its parts.
            held |= self._find_word(whole).weigh(numbers) > 0
        return numbers[held]

    def _unite(self, lists: list[Postings]) -> Numbers:
        """The records of all these lists."""
        if len(lists) == 1:
            return lists[0].numbers
        found = np.zeros(self._postings.size, bool)
        for postings in lists:
            found[postings.numbers] = True
        return np.flatnonzero(found).astype(np.int32)

    def _select_phrase(self, phrase: Phrase, numbers: Numbers) -> Numbers:
        spoken = _keep_all([self._find_word(term) for term in phrase.spoken_terms], numbers)
        found = self._postings.select_phrase(phrase.spoken, spoken)
        if phrase.squashed == phrase.spoken:
            return found
        rest = np.setdiff1d(numbers, found, assume_unique=True)
        squashed = _keep_all([self._find_word(term) for term in phrase.squashed_terms], rest)
        return np.union1d(found, self._postings.select_phrase(phrase.squashed, squashed))

    def _find_word(self, term: str) -> Postings:
        return self._postings.find(WORDS, (term,))

    def _find_values(self, clause: FieldIs) -> list[Postings]:
        *whole, last = clause.values
        postings = [self._postings.find(clause.field, (value,)) for value in whole]
        if clause.prefix:
            return [*postings, self._postings.find_prefix(clause.field, last)]
        return [*postings, self._postings.find(clause.field, (last,))]

    def _find_prefix(self, start: str) -> Postings:
        postings = self._postings.find_prefix(WORDS, start)
        if postings.cut:
            note = f"Only the {MOST_EXPANSIONS} commonest words were looked for that begin with "
            self._notes[f"{note}“{start}”."] = None
        return postings

    def _find(self, unit: Unit) -> Postings:
        if unit.prefix:
            return self._find_prefix(unit.prefix)
        if all(len(way) == 1 for way in unit.ways):
            return self._postings.find(unit.field or WORDS, [way[0] for way in unit.ways])
        return self._postings.find_ways(WORDS, unit.ways)

    def _take(self, hits: _Hits, limit: int, behind: Position | None) -> list[Hit]:
        """The first so many, or the first behind that position."""
        numbers, scores, complete = hits
        ranks = self._contents.ranks[numbers]
        rest = np.ones(len(numbers), bool)
        if behind is not None:
            later = ranks >= self._contents.find_rank(behind.record_id)
            rest = (scores < behind.score) | ((scores == behind.score) & later)
        places = np.flatnonzero(rest)
        if len(places) > limit:
            least = np.partition(scores[places], len(places) - limit)[len(places) - limit]
            places = places[scores[places] >= least]
        places = places[np.lexsort((ranks[places], -scores[places]))][:limit]
        return [
            Hit(self._contents.get_id(int(numbers[n])), float(scores[n]), bool(complete[n]))
            for n in places
        ]


def _keep_all(postings: list[Postings], numbers: Numbers) -> Numbers:
    for each in sorted(postings, key=lambda p: p.count):
        numbers = each.keep(numbers)
    return numbers


def _correct(postings: IndexPostings, word: str) -> str | None:
    """The nearest spelling that occurs, in bounded time: where too many words have the same
    first letters, the rare ones among them are compared only when they have more, and of
    those that begin otherwise only frequent ones are."""
    most = most_edits(word)
    near: dict[str, int] = {}
    many = False
    for length in (2, 3, 4):
        listed, cut = postings.list_frequencies(word[:length])
        near.update((term, n) for term, n in listed.items() if abs(len(term) - len(word)) <= most)
        many |= cut
        if not cut:
            break
    likely = nlargest(_MOST_SPELLINGS, near, key=near.__getitem__)

    def count(term: str) -> int:
        # Most of what is tried occurs nowhere, which is known without reading a list.
        return postings.find(WORDS, (term,)).count if postings.find_frequency(term) else 0

    return correct(word, likely, count, postings.frequent if many else None)


def _find_similar(contents: Contents, document: IndexDocument, limit: int) -> list[Hit]:
    terms = list_similar_terms(document)
    frequencies = {term: contents.postings.find_frequency(term) for term in terms}
    own = take_apart_record(IndexDocument(document.record_id, document.message, "")).weights
    scores = np.zeros(contents.postings.size, np.int32)
    least = 0
    for term in choose_similar_terms(frequencies):
        postings = contents.postings.find(WORDS, (term,))
        by = rarity(frequencies[term], len(contents.everything))
        least += own[term] * by
        postings.add_to(scores, by)
    alike = np.flatnonzero(scores >= max(-(-least // SIMILAR_SHARE), 1)).astype(np.int32)
    # One more, since the record itself is like itself.
    nearest = alike[np.lexsort((contents.ranks[alike], -scores[alike]))][: limit + 1]
    found = {int(number): contents.get_id(number) for number in nearest}
    others = [number for number, each in found.items() if each != document.record_id][:limit]
    whole = set(others)
    for term in sorted(terms, key=frequencies.__getitem__):
        if not whole:
            break  # mostly after the rarest, which spares reading the long lists
        whole &= set(contents.postings.find(WORDS, (term,)).keep(np.array(sorted(whole))).tolist())
    return [Hit(found[number], float(scores[number]), number in whole) for number in others]
