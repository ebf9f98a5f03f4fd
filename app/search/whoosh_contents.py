"""What is loaded once when an index is opened: ids, their order, and the facets.

Cost: about 0.3 s and 25 MB for 100,000 records.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, compress

from app.search.document import EXACT
from app.search.protocol import FACET_NAMES
from app.search.ranking import order_facet
from app.search.whoosh_postings import IndexPostings, damage
from app.search.whoosh_segment import SegmentReader, decode

Numbers = Sequence[int]
"""Records by their number in the index."""


class Contents:
    """An open index as searches see it."""

    def __init__(self, segments: Sequence[SegmentReader]) -> None:
        self.postings = IndexPostings(segments)
        with damage():
            self.ids = [decode(record_id) for s in segments for record_id in s.list_ids()]
        kept = [n not in s.deleted for s in segments if s.deleted for n in range(s.count)]
        flags: Iterable[bool] = chain.from_iterable(
            [n not in s.deleted for n in range(s.count)] if s.deleted else [True] * s.count
            for s in segments
        )
        self.live = array("I", compress(range(len(self.ids)), flags)) if kept else None
        self.count = len(self.ids) if self.live is None else len(self.live)
        self.ranks = array("I", bytes(4 * len(self.ids)))
        """The place of each record among all, by id."""
        for rank, number in enumerate(sorted(range(len(self.ids)), key=self.ids.__getitem__)):
            self.ranks[number] = rank
        self._facets = {name: _Facet(self.postings, name) for name in FACET_NAMES}

    @property
    def everything(self) -> Numbers:
        """The numbers of all records."""
        return range(len(self.ids)) if self.live is None else self.live

    def count_facets(self, numbers: Numbers) -> dict[str, list[tuple[str, int]]]:
        """For each facet the values of these records, the most frequent first."""
        return {name: facet.count(numbers) for name, facet in self._facets.items()}


class _Facet:
    """One facet: for each record, which values it has."""

    def __init__(self, postings: IndexPostings, name: str) -> None:
        values = postings.list_values(name, EXACT)
        self._names = [value.removeprefix(EXACT) for value in values]
        self._several = name == "tag"
        self._sets: list[tuple[int, ...]] = []
        # The value's place among the names, from 1 on; 0 for none.
        self._single = array("I")
        if self._several:
            self._sets = _collect(values, postings.size)
        else:
            self._single = array("I", bytes(4 * postings.size))
            for place, numbers in enumerate(values.values(), start=1):
                for number in numbers:
                    self._single[number] = place

    def count(self, numbers: Numbers) -> list[tuple[str, int]]:
        """The values of these records, the most frequent first."""
        places: Iterable[int]
        if self._several:
            places = chain.from_iterable(map(self._sets.__getitem__, numbers))
        else:
            places = map(self._single.__getitem__, numbers)
        counts = Counter(places)
        del counts[0]
        return order_facet({self._names[place - 1]: n for place, n in counts.items()})


def _collect(values: Mapping[str, Iterable[int]], size: int) -> list[tuple[int, ...]]:
    """For each record the places of its values. Equal sets are one object."""
    sets: list[tuple[int, ...]] = [()] * size
    for place, numbers in enumerate(values.values(), start=1):
        for number in numbers:
            sets[number] += (place,)
    known: dict[tuple[int, ...], tuple[int, ...]] = {}
    return [known.setdefault(places, places) for places in sets]
