"""Answers queries from a finished index. See `errdex.search.protocol.SearchIndex`.

A search starts from the rarest thing wanted and narrows its records down by the
others, so an all-words query costs little more than its rarest word. Scores are
computed for what is left, facets counted over it, and only the page is sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray
from whoosh.codec.whoosh3 import W3Segment
from whoosh.filedb.filestore import Storage

from errdex.records.filters import Filters
from errdex.search.document import list_filter_terms, take_apart_record
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
    PHRASE_WEIGHT,
    SIMILAR_SHARE,
    Unit,
    choose_lower_units,
    choose_similar_terms,
    factor,
    list_similar_terms,
    list_units,
    rarity,
)
from errdex.search.spelling import find_nearest, list_near_beginnings, most_edits, suggest
from errdex.search.whoosh.contents import Contents
from errdex.search.whoosh.postings import MOST_EXPANSIONS, IndexPostings, Postings, damage
from errdex.search.whoosh.segment import WORDS, Numbers, SegmentReader

_MOST_SPELLINGS = 2000

Scores = NDArray[np.int64]


class WhooshSearchIndex:
    """An open index. Safe to use from several threads."""

    def __init__(self, version: str, storage: Storage, segments: Iterable[W3Segment]) -> None:
        self._version = version
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
        self, query: str, filters: Filters, *, limit: int = 20, after: Position | None = None
    ) -> SearchResult:
        """Find records. Raises IndexDamaged when its files are not what was written."""
        parsed = parse_query(query)
        if parsed.empty:
            return SearchResult((), 0, dict.fromkeys(FACET_NAMES, ()), notes=parsed.notes)
        return _Search(self._get_contents(), query, parsed, filters).answer(limit, after)

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
        self._text = text
        self._query = query
        self._filters = [
            self._postings.find(field, (term,))
            for field, term in list_filter_terms(filters).items()
        ]
        self._notes = dict.fromkeys(query.notes)

    def answer(self, limit: int, after: Position | None) -> SearchResult:
        """The page behind `after`, and what belongs to the whole answer."""
        upper = self._find_upper()
        frequencies = [(unit, self._count(unit)) for unit in list_units(self._query)]
        lower = np.empty(0, np.int32)
        if len(upper) < limit or (after is not None and not after.all_words):
            lower = self._find_lower(upper, choose_lower_units(frequencies))
        factors = [(u, factor(u, n, len(self._contents.everything))) for u, n in frequencies if n]
        hits: list[Hit] = []
        for all_words, numbers in ((True, upper), (False, lower)):
            behind = after if after and after.all_words == all_words else None
            if len(hits) <= limit and (after is None or behind or after.all_words):
                scores = self._score(numbers, factors, phrases=all_words)
                hits += self._take(numbers, scores, all_words, limit + 1 - len(hits), behind)
        page = hits[:limit]
        position = None
        if len(hits) > limit and page:
            position = Position(page[-1].all_words, page[-1].score, page[-1].record_id)
        return SearchResult(
            hits=page,
            total=len(upper) + len(lower),
            facets=self._contents.count_facets(np.concatenate([upper, lower])),
            suggestion=None if len(upper) else self._suggest(),
            terms=self._query.list_terms(),
            notes=tuple(self._notes),
            next_position=position,
        )

    def _find_upper(self) -> Numbers:
        """The records for which everything holds."""
        clauses: list[Clause] = [*self._query.wanted, *self._query.required]
        starts = [[postings] for postings in self._filters] + [self._start(c) for c in clauses]
        if not starts:
            return self._restrict(self._contents.everything)
        start = min(starts, key=lambda lists: sum(postings.count for postings in lists))
        numbers = self._unite(start)
        # Phrases are looked up in the text of each record, so they come last.
        for clause in sorted(self._query.wanted, key=lambda c: isinstance(c, Phrase)):
            numbers = self._select(clause, numbers)
        return self._restrict(numbers)

    def _find_lower(self, upper: Numbers, units: list[Unit]) -> Numbers:
        """The records outside of `upper` that have one of the units, and all that is required."""
        found = np.zeros(self._postings.size, bool)
        for unit in units:
            if unit.phrase:
                start = self._unite(self._start(unit.phrase))
                found[self._select(unit.phrase, start)] = True
            else:
                found[self._find(unit).numbers] = True
        found[upper] = False
        return self._restrict(np.flatnonzero(found).astype(np.int32))

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
            return [self._find_prefix(clause)]
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
            return self._find_prefix(clause).keep(numbers)
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

    def _find_prefix(self, clause: WordPrefix) -> Postings:
        postings = self._postings.find_prefix(WORDS, clause.start)
        if postings.cut:
            note = f"Only the {MOST_EXPANSIONS} commonest words were looked for that begin with "
            self._notes[f"{note}“{clause.start}”."] = None
        return postings

    def _find(self, unit: Unit) -> Postings:
        if unit.prefix:
            return self._postings.find_prefix(WORDS, unit.prefix)
        return self._postings.find(WORDS, unit.terms)

    def _count(self, unit: Unit) -> int:
        if unit.phrase:
            return min(self._find_word(term).count for term in unit.phrase.spoken_terms)
        return self._find(unit).count

    def _score(self, numbers: Numbers, factors: list[tuple[Unit, int]], *, phrases: bool) -> Scores:
        """The score of each; `phrases` tells that all of them have every phrase."""
        scores = np.zeros(len(numbers), np.int64)
        for unit, by in factors:
            if not unit.phrase:
                scores += self._find(unit).weigh(numbers).astype(np.int64) * by
            elif phrases:
                scores += PHRASE_WEIGHT * by
            else:
                having = self._select_phrase(unit.phrase, numbers)
                scores[np.searchsorted(numbers, having)] += PHRASE_WEIGHT * by
        return scores

    def _take(
        self,
        numbers: Numbers,
        scores: Scores,
        all_words: bool,
        limit: int,
        behind: Position | None,
    ) -> list[Hit]:
        """The first so many of a tier, or the first behind that position."""
        ranks = self._contents.ranks[numbers]
        if behind is not None:
            later = ranks >= self._contents.find_rank(behind.record_id)
            rest = (scores < behind.score) | ((scores == behind.score) & later)
            numbers, scores, ranks = numbers[rest], scores[rest], ranks[rest]
        if len(numbers) > limit:
            least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            rest = scores >= least
            numbers, scores, ranks = numbers[rest], scores[rest], ranks[rest]
        first = np.lexsort((ranks, -scores))[:limit]
        return [
            Hit(self._contents.get_id(number), float(score), all_words)
            for number, score in zip(numbers[first], scores[first], strict=True)
        ]

    def _suggest(self) -> str | None:
        return suggest(
            self._text,
            self._query,
            lambda term: self._postings.find_frequency(term) > 0,
            partial(_correct, self._postings),
        )


def _keep_all(postings: list[Postings], numbers: Numbers) -> Numbers:
    for each in sorted(postings, key=lambda p: p.count):
        numbers = each.keep(numbers)
    return numbers


def _correct(postings: IndexPostings, word: str) -> str | None:
    """The nearest spelling that occurs, in bounded time: where too many words have the same
    first letters, the rare ones among them are compared only when they have more, and of
    those that begin otherwise only frequent ones are."""
    most = most_edits(word)
    if not most:
        return None
    near: dict[str, int] = {}
    for length in (2, 3, 4):
        listed, cut = postings.list_frequencies(word[:length])
        near.update((term, n) for term, n in listed.items() if abs(len(term) - len(word)) <= most)
        if not cut:
            break
    likely = nlargest(_MOST_SPELLINGS, [(n, term) for term, n in near.items()])
    beginnings = list_near_beginnings(word) & postings.frequent
    return find_nearest(word, [(term, n) for n, term in likely]) or find_nearest(
        word, [(term, postings.find_frequency(term)) for term in beginnings]
    )


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
