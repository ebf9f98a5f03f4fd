"""Where terms occur in a whole index: the posting lists of its segments put together.

Records are numbered through all segments, deleted ones left out of every list. A
list of few records is a dictionary from number to weight; one of many is a row of
bytes, one for each record of the index, so that two lists are crossed, and weights
looked up, by calls that run in C. What was put together lately is kept, within bounds.

Everything that a damaged file can lead to is raised as IndexDamaged.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from heapq import nlargest
from itertools import accumulate, compress, filterfalse
from threading import Lock

from app.search.protocol import IndexDamaged
from app.search.ranking import lessen
from app.search.whoosh_segment import DAMAGE, WORDS, SegmentReader, Term, encode

MOST_EXPANSIONS = 1000
"""A prefix stands for so many terms at most, the most frequent ones."""
_ROW_FROM = 32
"""A list becomes a row when more than one record in so many is in it."""
_KEPT_BYTES = 48 << 20
_LESSENED = bytes(map(lessen, range(256)))


@contextmanager
def damage() -> Iterator[None]:
    """Raise what a damaged file leads to as IndexDamaged."""
    try:
        yield
    except (OSError, *DAMAGE) as error:
        raise IndexDamaged(f"The full-text index is damaged, build it again: {error}") from error


class Postings:
    """The records that have something, each with a weight above 0."""

    def __init__(
        self, weights: dict[int, int] | bytearray, count: int, *, cut: bool = False
    ) -> None:
        self._weights = weights
        self.count = count
        self.cut = cut
        """Whether there are more: of a prefix that too many terms begin with."""

    @property
    def numbers(self) -> Sequence[int]:
        """The records' numbers."""
        if isinstance(self._weights, dict):
            return list(self._weights)
        return list(compress(range(len(self._weights)), self._weights))

    @property
    def weigh(self) -> Callable[[int], int | None]:
        """From a record's number to its weight; 0 or None when it is not among them."""
        return self._weights.get if isinstance(self._weights, dict) else self._weights.__getitem__

    @property
    def size(self) -> int:
        """About how many bytes this takes."""
        return len(self._weights) * (100 if isinstance(self._weights, dict) else 1) + 200

    def keep(self, numbers: Sequence[int]) -> list[int]:
        """Those of the numbers that are among the records, in their order."""
        if isinstance(self._weights, dict):
            return list(filter(self._weights.__contains__, numbers))
        return list(compress(numbers, map(self._weights.__getitem__, numbers)))

    def drop(self, numbers: Sequence[int]) -> list[int]:
        """Those of the numbers that are not among the records, in their order."""
        return list(filterfalse(self.weigh, numbers))


NONE = Postings({}, 0)


class IndexPostings:
    """The posting lists of an open index. Safe to use from several threads."""

    def __init__(self, segments: Sequence[SegmentReader]) -> None:
        self._segments = segments
        self._bases = list(accumulate([segment.count for segment in segments], initial=0))
        self.size = self._bases.pop()
        """How many numbers there are, those of deleted records included."""
        self._kept: OrderedDict[tuple[str, ...], Postings] = OrderedDict()
        self._kept_bytes = 0
        self._lock = Lock()

    def find(self, field: str, terms: Sequence[str]) -> Postings:
        """The records that have any of the terms, the first in full, the others lessened."""
        return self._remember((field, *terms), lambda: self._unite(self._read_all(field, terms)))

    def find_prefix(self, field: str, start: str) -> Postings:
        """The records that have a term that begins so."""
        return self._remember((field, start, "*"), lambda: self._expand(field, start))

    def list_frequencies(self, start: str) -> dict[str, int]:
        """The words that begin so, with how often they occur, deleted records included."""
        frequencies: defaultdict[bytes, int] = defaultdict(int)
        for _, term in self._list(WORDS, start):
            frequencies[term.text] += term.frequency
        return {text.decode("utf-8", "surrogatepass"): n for text, n in frequencies.items()}

    def find_frequency(self, word: str) -> int:
        """In how many records the word occurs, deleted ones included."""
        with damage():
            found = [segment.find_term(WORDS, encode(word)) for segment in self._segments]
        return sum(term.frequency for term in found if term)

    def list_values(self, field: str, start: str) -> dict[str, array[int]]:
        """The field's values that begin so, each with the records that have it."""
        values: defaultdict[bytes, array[int]] = defaultdict(lambda: array("I"))
        for position, term in self._list(field, start):
            values[term.text].extend(self._read(position, term)[0])
        return {text.decode("utf-8", "surrogatepass"): found for text, found in values.items()}

    def get_phrases(self, number: int) -> bytes:
        """The running text of the record of that number."""
        position = len(self._bases) - 1
        while self._bases[position] > number:
            position -= 1
        with damage():
            return self._segments[position].get_phrases(number - self._bases[position])

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
                self._kept_bytes += postings.size
            while self._kept_bytes > _KEPT_BYTES:
                self._kept_bytes -= self._kept.popitem(last=False)[1].size
        return postings

    def _list(self, field: str, start: str) -> Iterator[tuple[int, Term]]:
        with damage():
            for position, segment in enumerate(self._segments):
                for term in segment.list_terms(field, encode(start)):
                    yield position, term

    def _read(self, position: int, term: Term) -> tuple[Sequence[int], bytes]:
        """The numbers and weights of one segment's term. A field without weights has ones."""
        segment = self._segments[position]
        with damage():
            numbers, weights = segment.read_postings(term)
        weights = weights or b"\1" * len(numbers)
        if segment.deleted:
            live = [number not in segment.deleted for number in numbers]
            numbers = array("I", compress(numbers, live))
            weights = bytes(compress(weights, live))
        base = self._bases[position]
        return (list(map(base.__add__, numbers)) if base else numbers), weights

    def _read_all(self, field: str, terms: Sequence[str]) -> list[tuple[Sequence[int], bytes]]:
        lists = []
        for nth, text in enumerate(terms):
            for position, segment in enumerate(self._segments):
                with damage():
                    term = segment.find_term(field, encode(text))
                if term:
                    numbers, weights = self._read(position, term)
                    lists.append((numbers, weights.translate(_LESSENED) if nth else weights))
        return lists

    def _expand(self, field: str, start: str) -> Postings:
        entries: defaultdict[bytes, list[tuple[int, Term]]] = defaultdict(list)
        for position, term in self._list(field, start):
            entries[term.text].append((position, term))
        cut = len(entries) > MOST_EXPANSIONS
        if cut:
            by_frequency = [(sum(term.frequency for _, term in e), t) for t, e in entries.items()]
            entries_left = nlargest(MOST_EXPANSIONS, by_frequency)
            chosen = [entries[text] for _, text in entries_left]
        else:
            chosen = list(entries.values())
        lists = [self._read(position, term) for entry in chosen for position, term in entry]
        postings = self._unite(lists)
        postings.cut = cut
        return postings

    def _unite(self, lists: Iterable[tuple[Sequence[int], bytes]]) -> Postings:
        """The heaviest weight of each record that is in any of the lists."""
        lists = sorted(lists, key=lambda entry: -len(entry[0]))
        if sum(len(numbers) for numbers, _ in lists) * _ROW_FROM <= self.size:
            few: dict[int, int] = {}
            for numbers, weights in lists:
                for number, weight in zip(numbers, weights, strict=True):
                    if few.get(number, 0) < weight:
                        few[number] = weight
            return Postings(few, len(few))
        row = bytearray(self.size)
        for numbers, weights in lists:
            for number, weight in zip(numbers, weights, strict=True):
                if row[number] < weight:
                    row[number] = weight
        return Postings(row, self.size - row.count(0))
