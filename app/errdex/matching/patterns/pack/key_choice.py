"""Chooses the keys of patterns, the windows of their literals that they are looked up by.

Of a literal the window is taken that the fewest literals of the set have: what is rare among
messages is rare in logs, and words that all of them use are frequent in both. Among equals it is
the one whose pairs of bytes are rarest. Then of a pattern's clauses the one whose keys should
occur least often. The rarest words of what else each match needs are kept with it: texts that have
the key alone are left out before any pattern is looked at by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from errdex.matching.patterns.pack.facts import MOST_BYTES, MOST_WORDS, MOST_WORDS_OF, ROW, WORD
from errdex.matching.patterns.pack.key_columns import PatternKeys
from errdex.matching.patterns.pack.keys import (
    FLOATING,
    SIZES,
    find_word_starts,
    hash_places,
    hash_windows,
    lengths_of,
    slots_of,
    words_of,
)
from errdex.matching.patterns.pack.words import BYTES, NO_WORD, hash_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from errdex.matching.patterns.pack.keys import Flags, Places, Words
    from errdex.matching.patterns.pack.words import Hashes

    Costs = NDArray[np.float64]

_MOST_COUNTERS = 22
"""Bits of a hash by which windows are counted, at most."""
_BEGINNINGS = 0.005
"""What another window that begins with the same eight bytes costs, beside one that is the same."""
_FLOATING_COST = 1e7
"""Of a window that is looked for at all places, in windows that are the same."""
_SHORT_COST = 1e12
"""Occurrences to expect of an empty literal; each byte halves it."""
_CHUNK = 1 << 22
"""Bytes of literals of which the windows are held at once."""


class _Windows(NamedTuple):
    """Windows of literals: where each begins, its bytes, its literal and what it costs."""

    places: Places
    sizes: Places
    literals: Places
    costs: Costs
    floating: Flags
    """Whether it is looked for at all places."""

    def take(self, chosen: Places | Flags) -> _Windows:
        return _Windows(
            self.places[chosen],
            self.sizes[chosen],
            self.literals[chosen],
            self.costs[chosen],
            self.floating[chosen],
        )


def _join(pieces: Sequence[_Windows]) -> _Windows:
    return _Windows(
        np.concatenate([each.places for each in pieces]),
        np.concatenate([each.sizes for each in pieces]),
        np.concatenate([each.literals for each in pieces]),
        np.concatenate([each.costs for each in pieces]),
        np.concatenate([each.floating for each in pieces]),
    )


class KeyChooser:
    """Chooses the keys of patterns whose clauses are given as spans of literals."""

    def __init__(
        self,
        literals: bytes | bytearray,
        literal_starts: Sequence[int],
        clause_starts: Sequence[int],
        pattern_starts: Sequence[int],
        known: Sequence[Words],
    ) -> None:
        """`literals` in a row; the starts of each one in bytes, of each clause in literals and of
        each pattern in clauses, with the end of the last. `known`: keys of other patterns of the
        set, a row each."""
        self._data = bytes(literals) + bytes(2 * MOST_BYTES)
        self._words = words_of(self._data)
        self._starts = np.array(literal_starts, np.int64)
        self._clauses = np.array(clause_starts, np.int64)
        self._patterns = np.array(pattern_starts, np.int64)
        size = len(self._data) + sum(map(len, known)) * WORD
        self._bits = min(size.bit_length(), _MOST_COUNTERS)
        self._counts = np.zeros(1 << self._bits, np.int32)
        """By hash, the windows of all sizes."""
        for rows in known:
            self._count(hash_windows(rows[lengths_of(rows) >= WORD])[1])

    def choose(self) -> PatternKeys:
        """The keys of all patterns. A pattern without clauses has none."""
        chunks = self._chunks()
        for first, last in chunks:
            for size in SIZES:
                places = self._places(first, last, size)
                self._count(hash_places(self._words, places, np.full(len(places), size)))
        pairs = self._weigh_pairs()
        best = _join([self._choose_windows(first, last, pairs) for first, last in chunks])
        clauses, having = self._choose_clauses(best.costs)
        sizes, firsts = np.diff(self._clauses)[clauses], self._clauses[clauses]
        before = np.cumsum(sizes) - sizes
        literals = np.repeat(firsts - before, sizes) + np.arange(int(sizes.sum()))
        counts = np.zeros(len(self._patterns) - 1, np.int64)
        counts[having] = sizes
        keys = best.take(literals)
        words = np.zeros((len(counts), MOST_WORDS_OF), np.uint32)
        for first, last in chunks:
            self._choose_words(first, last, keys, pairs, words)
        return PatternKeys(counts, self._rows(keys), words)

    def _chunks(self) -> list[tuple[int, int]]:
        """The literals, cut into runs of some size; at least one run."""
        cuts = [0]
        count = len(self._starts) - 1
        while cuts[-1] < count:
            end = int(np.searchsorted(self._starts, self._starts[cuts[-1]] + _CHUNK))
            cuts.append(min(max(end, cuts[-1] + 1), count))
        return list(pairwise(cuts)) or [(0, 0)]

    def _places(self, first: int, last: int, size: int) -> Places:
        """The places of all windows of so many bytes that are within one of these literals."""
        starts = self._starts[first : last + 1]
        room = np.maximum(np.diff(starts) - size + 1, 0)
        before = np.cumsum(room) - room
        places: Places = np.repeat(starts[:-1] - before, room) + np.arange(int(room.sum()))
        return places

    def _count(self, hashes: Words) -> None:
        """Count windows; those whose hashes begin alike are counted together."""
        counted = np.bincount(slots_of(hashes, self._bits), minlength=1 << self._bits)
        self._counts += counted.astype(np.int32)

    def _weigh_pairs(self) -> Costs:
        """For each pair of bytes the logarithm of how often the second follows the first."""
        data = np.frombuffer(self._data, np.uint8).astype(np.int32)
        counted = np.bincount(data[:-1] * 256 + data[1:], minlength=1 << 16).reshape(256, 256)
        counts = counted.astype(np.float64) + 0.05
        rarity: Costs = np.log(counts / counts.sum(axis=1, keepdims=True))
        return rarity

    def _choose_windows(self, first: int, last: int, pairs: Costs) -> _Windows:
        """The best window of each of these literals, all of it where it has none."""
        starts = self._starts[first : last + 1]
        windows = self._weigh_windows(first, last, pairs)
        best, having = _first_least(windows.costs, windows.literals)
        lengths = np.diff(starts)
        chosen = _Windows(
            starts[:-1].copy(),
            lengths,
            np.arange(first, last),
            _SHORT_COST / 2.0 ** np.minimum(lengths, WORD),
            np.zeros(len(lengths), bool),
        )
        for column, given in zip(chosen, windows.take(best), strict=True):
            column[having - first] = given
        return chosen

    def _weigh_windows(self, first: int, last: int, pairs: Costs) -> _Windows:
        """All windows that a key of these literals may be, each as long as it can be."""
        start, end = int(self._starts[first]), int(self._starts[last])
        places = self._places(first, last, WORD)
        literals = np.searchsorted(self._starts, places, side="right") - 1
        anchored = self._begins(first, last)[places - start]
        anchored_in = np.bincount(literals[anchored] - first, minlength=last - first) > 0
        usable = anchored | ~anchored_in[literals - first]
        places, literals, anchored = places[usable], literals[usable], anchored[usable]
        sizes = _fit(self._starts[literals + 1] - places)
        costs = np.where(anchored, 0.0, _FLOATING_COST)
        for share, size in ((_BEGINNINGS, np.full(len(places), WORD)), (1.0, sizes)):
            hashes = hash_places(self._words, places, size)
            costs += share * self._counts[slots_of(hashes, self._bits)]
        data = np.frombuffer(self._data, np.uint8)[start:end]
        sums = np.concatenate([[0.0], np.cumsum(pairs[data[:-1], data[1:]])])
        offsets = places - start
        costs += np.exp((sums[offsets + sizes - 1] - sums[offsets]) / sizes)
        costs *= (MOST_BYTES / sizes) ** 2
        return _Windows(places, sizes, literals, costs, ~anchored)

    def _rows(self, windows: _Windows) -> Words:
        """The keys that these windows are."""
        rows = np.zeros((len(windows.places), ROW), np.uint64)
        data = np.frombuffer(self._data, np.uint8)
        within = np.arange(MOST_BYTES)
        text = data[windows.places[:, None] + within] * (within < windows.sizes[:, None])
        rows[:, :MOST_WORDS] = np.ascontiguousarray(text).view(np.uint64)
        rows[:, MOST_WORDS] = windows.sizes + np.where(windows.floating, FLOATING, 0)
        return rows

    def _choose_clauses(self, costs: Costs) -> tuple[Places, Places]:
        """The clause of each pattern whose keys should occur least often, and the patterns that
        have any. `costs`: of the best window of each literal."""
        sums = np.concatenate([[0.0], np.cumsum(costs)])
        of_clause = sums[self._clauses[1:]] - sums[self._clauses[:-1]]
        counts = np.diff(self._patterns)
        return _first_least(of_clause, np.repeat(np.arange(len(counts)), counts))

    def _choose_words(
        self, first: int, last: int, keys: _Windows, pairs: Costs, words: Hashes
    ) -> None:
        """Put the rarest words of these literals, but for those in a key, to their patterns."""
        places, literals, costs, floating = self._weigh_words(first, last, pairs)
        clauses = np.searchsorted(self._clauses, literals, side="right") - 1
        key_of = np.full(last - first, -1)
        here = (first <= keys.literals) & (keys.literals < last)
        key_of[keys.literals[here] - first] = np.flatnonzero(here)
        key = key_of[literals - first]
        within = (places >= keys.places[key]) & (
            places + BYTES <= keys.places[key] + keys.sizes[key]
        )
        # A match need not have a certain one of several literals.
        usable = (np.diff(self._clauses)[clauses] == 1) & ~((key >= 0) & within)
        places, clauses = places[usable], clauses[usable]
        hashes = hash_words(self._words[places], floating=floating[usable])
        of_pattern = np.searchsorted(self._patterns, clauses, side="right") - 1
        order = np.lexsort((costs[usable], of_pattern))
        of_pattern, hashes = of_pattern[order], hashes[order]
        rank = np.arange(len(order)) - np.searchsorted(of_pattern, of_pattern)
        # Literals of one pattern may be in two chunks: the later ones take what is left.
        rank += (words[of_pattern] != NO_WORD).sum(axis=1)
        kept = rank < MOST_WORDS_OF
        words[of_pattern[kept], rank[kept]] = hashes[kept]

    def _weigh_words(
        self, first: int, last: int, pairs: Costs
    ) -> tuple[Places, Places, Costs, Flags]:
        """The words of these literals: where each is, its literal, its cost, and whether it is a
        floating one."""
        start = int(self._starts[first])
        places = self._places(first, last, BYTES)
        literals = np.searchsorted(self._starts, places, side="right") - 1
        anchored = self._begins(first, last)[places - start]
        # Before the first word that begins within a literal there may be a part of another.
        firsts = self._starts[first + 1 : last + 1].copy()
        np.minimum.at(firsts, literals[anchored] - first, places[anchored])
        usable = anchored | (places < firsts[literals - first])
        places, literals, floating = places[usable], literals[usable], ~anchored[usable]
        data = np.frombuffer(self._data, np.uint8)
        costs = np.where(floating, _FLOATING_COST, 0.0)
        for offset in range(BYTES - 1):
            costs += pairs[data[places + offset], data[places + offset + 1]]
        return places, literals, costs, floating

    def _begins(self, first: int, last: int) -> Flags:
        """For each byte of these literals, whether a word begins there, behind the first byte of
        a literal: what is before that is another literal."""
        start, end = int(self._starts[first]), int(self._starts[last])
        begins = np.zeros(end - start + 1, bool)
        begins[find_word_starts(self._data[start:end])] = True
        begins[self._starts[first : last + 1] - start] = False
        return begins


def _fit(room: Places) -> Places:
    """The largest size of a window for each number of bytes that is large enough for one."""
    return np.array(SIZES)[np.searchsorted(SIZES, room, side="right") - 1]


def _first_least(costs: Costs, groups: Places) -> tuple[Places, Places]:
    """The place of the first of the least costs of each group, and the groups that have any."""
    order = np.lexsort((costs, groups))
    having, firsts = np.unique(groups[order], return_index=True)
    return order[firsts], having
