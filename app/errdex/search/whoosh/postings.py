"""Where terms occur in a whole index: the posting lists of its segments put together.

Records are numbered through all segments; deleted ones are in no list. Lists are kept
ascending, so that two are crossed by a few calls of numpy. What was put together
lately is kept, within bounds.

Everything that a damaged file can lead to is raised as IndexDamaged.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from errdex.search.protocol import IndexDamaged
from errdex.search.ranking import lessen
from errdex.search.whoosh.files import DAMAGE
from errdex.search.whoosh.segment import (
    WORDS,
    Numbers,
    SegmentReader,
    Term,
    Weights,
    decode,
    encode,
)

MOST_EXPANSIONS = 300
"""A prefix stands for so many terms at most, the most frequent ones."""
_FEW_LISTS = 32
"""So many lists are united one by one, which is quicker than to sort what they hold."""
_SORTED_TO = 20
"""Lists that hold less than one record in so many are united by sorting, without a row."""
_ROW_FROM = 50
"""A list is also kept as a row when more than one record in so many is in it."""
_KEPT_BYTES = 24 << 20
_KEPT_TERMS = 16_384
"""Terms of which it is kept where they occur, or that they do not: some 5 MB."""
_LESSENED = np.array([lessen(weight) for weight in range(256)], np.uint8)

Lists = list[tuple[Numbers, Weights]]


@contextmanager
def damage() -> Iterator[None]:
    """Raise what a damaged file leads to as IndexDamaged."""
    try:
        yield
    except (OSError, *DAMAGE) as error:
        raise IndexDamaged(f"The full-text index is damaged, build it again: {error}") from error


class Postings:
    """The records that have something, each with a weight above 0."""

    def __init__(self, numbers: Numbers, weights: Weights, size: int, *, cut: bool = False) -> None:
        self.numbers = numbers
        self.cut = cut
        """Whether there are more: of a prefix that too many terms begin with."""
        self._weights = weights
        self._size = size

    @property
    def count(self) -> int:
        """How many records."""
        return len(self.numbers)

    @property
    def bytes(self) -> int:
        """About how much memory this takes."""
        return 5 * self.count + 300 + (self._size if self.count * _ROW_FROM > self._size else 0)

    @cached_property
    def _row(self) -> Weights:
        """The weight of every record of the index, 0 for the others."""
        row = np.zeros(self._size, np.uint8)
        row[self.numbers] = self._weights
        return row

    def add_to(self, scores: NDArray[np.int32], factor: int) -> None:
        """Add to each record's score its weight times the factor."""
        scores[self.numbers] += self._weights.astype(np.int32) * np.int32(factor)

    def keep(self, numbers: Numbers) -> Numbers:
        """Those of the numbers that are among the records."""
        return numbers[self.weigh(numbers) > 0]

    def weigh(self, numbers: Numbers) -> Weights:
        """The weight of each of the numbers, 0 when it is not among the records."""
        if self.count * _ROW_FROM > self._size:
            return self._row[numbers]
        if len(numbers) < self.count:
            return _look_up(numbers, self.numbers, self._weights)
        weights = np.zeros(len(numbers), np.uint8)
        places = np.searchsorted(numbers, self.numbers)
        inside = places < len(numbers)
        found = np.flatnonzero(inside)[numbers[places[inside]] == self.numbers[inside]]
        weights[places[found]] = self._weights[found]
        return weights


def _look_up(numbers: Numbers, listed: Numbers, weights: Weights) -> Weights:
    places = np.minimum(np.searchsorted(listed, numbers), len(listed) - 1)
    return np.where(listed[places] == numbers, weights[places], np.uint8(0))


class IndexPostings:
    """The posting lists of an open index. Safe to use from several threads."""

    def __init__(self, segments: Sequence[SegmentReader]) -> None:
        self._segments = segments
        self._bases = list(accumulate([segment.count for segment in segments], initial=0))
        self.size = self._bases[-1]
        """How many numbers there are, those of deleted records included."""
        self.frequent = frozenset(word for segment in segments for word in segment.frequent)
        """The words that many records have."""
        self._live: list[NDArrayBool | None] = [_mark_live(segment) for segment in segments]
        self._kept: OrderedDict[tuple[str, ...], Postings] = OrderedDict()
        self._kept_bytes = 0
        self._lock = Lock()
        self._located: dict[tuple[str, str], tuple[tuple[int, Term], ...]] = {}

    def list_everything(self) -> Numbers:
        """The numbers of all records."""
        every = [
            np.arange(segment.count, dtype=np.int32) + base
            for segment, base in zip(self._segments, self._bases, strict=False)
        ]
        kept = [n if live is None else n[live] for n, live in zip(every, self._live, strict=True)]
        return np.concatenate(kept) if kept else np.empty(0, np.int32)

    def find(self, field: str, terms: Sequence[str]) -> Postings:
        """The records that have any of the terms, the first in full, the others lessened."""
        return self._remember((field, *terms), lambda: self._find(field, terms))

    def find_prefix(self, field: str, start: str) -> Postings:
        """The records that have a term that begins so."""
        return self._remember((field, start, "*"), lambda: self._expand(field, start))

    def find_ways(self, field: str, ways: Sequence[tuple[str, ...]]) -> Postings:
        """The records that have all terms of one of the ways, with the least weight of these:
        the first in full, the others lessened."""
        key = (field, *(" ".join(way) for way in ways), "&")
        return self._remember(key, lambda: self._find_ways(field, ways))

    def list_frequencies(self, start: str) -> tuple[dict[str, int], bool]:
        """The words that begin so, with how often they occur, deleted records included, and
        whether these are only the frequent ones, since there are too many."""
        frequencies: Counter[bytes] = Counter()
        cut = False
        with damage():
            for segment in self._segments:
                terms, only_frequent = segment.expand(WORDS, encode(start))
                cut |= only_frequent
                for term in terms:
                    frequencies[term.text] += term.frequency
        return {decode(text): count for text, count in frequencies.items()}, cut

    def find_frequency(self, word: str) -> int:
        """In how many records the word occurs, deleted ones included."""
        with damage():
            return sum(term.frequency for _, term in self._locate(WORDS, word))

    def list_values(self, field: str, start: str) -> dict[str, Numbers]:
        """The field's values that begin so, in order, each with the records that have it."""
        lists: defaultdict[bytes, list[Numbers]] = defaultdict(list)
        with damage():
            for place, segment in enumerate(self._segments):
                terms = list(segment.list_terms(field, encode(start)))
                for term, found in zip(terms, segment.read_many(terms), strict=True):
                    lists[term.text].append(self._place(place, *found)[0])
        return {decode(text): np.concatenate(lists[text]) for text in sorted(lists)}

    def select_phrase(self, phrase: bytes, numbers: Numbers) -> Numbers:
        """Those of the records in whose running text the signed words stand in a row."""
        kept = []
        with damage():
            for place, segment in enumerate(self._segments):
                base = self._bases[place]
                first, last = np.searchsorted(numbers, (base, self._bases[place + 1]))
                if first == last:
                    continue
                kept.append(segment.find_phrase(phrase, numbers[first:last] - base) + base)
        return np.concatenate(kept).astype(np.int32) if kept else numbers[:0]

    def _remember(self, key: tuple[str, ...], make: Callable[[], Postings]) -> Postings:
        with self._lock:
            postings = self._kept.get(key)
            if postings is not None:
                self._kept.move_to_end(key)
                return postings
        postings = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = postings
                self._kept_bytes += postings.bytes
            while self._kept_bytes > _KEPT_BYTES:
                self._kept_bytes -= self._kept.popitem(last=False)[1].bytes
        return postings

    def _read(self, place: int, term: Term) -> tuple[Numbers, Weights]:
        return self._place(place, *self._segments[place].read_postings(term))

    def _place(self, place: int, numbers: Numbers, weights: Weights) -> tuple[Numbers, Weights]:
        """A segment's postings with the numbers of the whole index, deleted records left out."""
        live = self._live[place]
        if live is not None:
            kept = live[numbers]
            numbers, weights = numbers[kept], weights[kept]
        return numbers + np.int32(self._bases[place]), weights

    def _find(self, field: str, terms: Sequence[str]) -> Postings:
        lists: Lists = []
        with damage():
            for nth, text in enumerate(terms):
                for place, term in self._locate(field, text):
                    numbers, weights = self._read(place, term)
                    lists.append((numbers, _LESSENED[weights] if nth else weights))
        return self._unite(lists)

    def _find_ways(self, field: str, ways: Sequence[tuple[str, ...]]) -> Postings:
        lists: Lists = []
        for nth, way in enumerate(ways):
            postings = sorted((self.find(field, (term,)) for term in way), key=lambda p: p.count)
            numbers = postings[0].numbers
            for each in postings[1:]:
                numbers = each.keep(numbers)
            weights = np.min([each.weigh(numbers) for each in postings], axis=0)
            lists.append((numbers, _LESSENED[weights] if nth else weights))
        return self._unite(lists)

    def _locate(self, field: str, text: str) -> tuple[tuple[int, Term], ...]:
        """The places of the segments that have the term, each with what it knows of it. Half of
        what it takes to find similar messages is to look their words up."""
        located = self._located.get((field, text))
        if located is None:
            found = [segment.find_term(field, encode(text)) for segment in self._segments]
            located = tuple((place, term) for place, term in enumerate(found) if term)
            if len(self._located) >= _KEPT_TERMS:
                self._located = {}
            self._located[field, text] = located
        return located

    def _expand(self, field: str, start: str) -> Postings:
        listed: list[list[Term]] = []
        counts: Counter[bytes] = Counter()
        cut = False
        with damage():
            for segment in self._segments:
                terms, only_frequent = segment.expand(field, encode(start))
                listed.append(list(terms))
                cut |= only_frequent
                for term in listed[-1]:
                    counts[term.text] += term.frequency
            if len(counts) > MOST_EXPANSIONS:
                cut = True
                chosen = {text for text, _ in counts.most_common(MOST_EXPANSIONS)}
                listed = [[term for term in terms if term.text in chosen] for terms in listed]
            return self._unite(
                [
                    self._place(place, *found)
                    for place, terms in enumerate(listed)
                    for found in self._segments[place].read_many(terms)
                ],
                cut,
            )

    def _unite(self, lists: Lists, cut: bool = False) -> Postings:
        """The heaviest weight of each record that is in any of the lists."""
        if not lists:
            return Postings(np.empty(0, np.int32), np.empty(0, np.uint8), self.size, cut=cut)
        numbers = np.concatenate([numbers for numbers, _ in lists])
        weights = np.concatenate([weights for _, weights in lists])
        if (numbers[1:] <= numbers[:-1]).any() and len(numbers) * _SORTED_TO < self.size:
            # Sorted by number, then weight: of equal numbers the last has the heaviest.
            both = np.sort(numbers.astype(np.int64) << 8 | weights)
            sorted_numbers = (both >> 8).astype(np.int32)
            last = np.append(sorted_numbers[1:] != sorted_numbers[:-1], True)
            numbers, weights = sorted_numbers[last], (both[last] & 255).astype(np.uint8)
        elif (numbers[1:] <= numbers[:-1]).any():
            row = np.zeros(self.size, np.uint8)
            if len(lists) <= _FEW_LISTS:
                for some, own in lists:
                    row[some] = np.maximum(row[some], own)
            else:
                # Lighter ones first: the last that is written stays.
                order = np.argsort(weights, kind="stable")
                row[numbers[order]] = weights[order]
            numbers = np.flatnonzero(row).astype(np.int32)
            weights = row[numbers]
        return Postings(numbers, weights, self.size, cut=cut)


NDArrayBool = NDArray[np.bool_]


def _mark_live(segment: SegmentReader) -> NDArrayBool | None:
    if not segment.deleted:
        return None
    live = np.ones(segment.count, bool)
    live[list(segment.deleted)] = False
    return live
