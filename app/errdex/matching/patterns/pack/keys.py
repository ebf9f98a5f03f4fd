"""Which bytes of its literals a pattern is looked up by, and how they are found in a text.

A key is a *window* of a literal in folded form: 24 bytes in a row, or 16 or 8 of a shorter one. A
literal of fewer bytes is a key itself. Every match of a pattern has one of the pattern's keys in
its folded form, since a literal of each clause is there, and each literal of the clause that was
chosen has a key.

Of a literal the window is taken that the fewest literals of the set have: what is rare among
messages is rare in logs, and words that all of them use are frequent in both. Among equals it is
the one whose pairs of bytes are rarest. Then of a pattern's clauses the one whose keys should
occur least often.

Windows are found as by Rabin and Karp: the eight bytes at each place of a text are hashed, all at
once by numpy, and looked up in a table of one byte a slot, which says for most of them that no
window begins so. Of the others the hashes of all 8, 16 and 24 bytes are looked up in a second
table, and what passes that among the sorted hashes of the windows. So the time does not grow with
the number of keys, but for what the tables let through and the processor's caches cannot hold.
Windows with the same hash are taken for one: that gives candidates too many, never too few.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from errdex.matching.patterns.pack.facts import ROW

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Places = NDArray[np.int64]
    Costs = NDArray[np.float64]

WORD = 8
"""Bytes that are looked at together."""
MOST_WORDS = ROW - 1
"""In a window."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # Knuth's multiplicative hashing
_HALF = np.uint64(32)
_ROOM = 16
"""Slots of a table for each key."""
_SEVERAL = 255
"""In a slot: of several keys."""
_MOST_COUNTERS = 22
"""Bits of a hash by which windows are counted, at most."""
_BEGINNINGS = 0.05
"""What another window that begins with the same eight bytes costs, beside one that is the same."""
_SHORT_COST = 1e6
"""Occurrences to expect of an empty literal; each byte halves it."""
_CHUNK = 1 << 22
"""Bytes of literals of which the windows are held at once."""


class WindowTable:
    """The windows of a pattern set, by their hashes."""

    def __init__(
        self, hashes: Words, beginnings: NDArray[np.uint8], whole: NDArray[np.uint8]
    ) -> None:
        """`hashes` ascend; the tables are made by `build_table`."""
        self._hashes = hashes
        self._beginnings = beginnings
        self._whole = whole

    def find(self, data: bytes) -> tuple[Places, Places]:
        """Where in the data windows begin, and the place of the hash of each one."""
        words = words_of(data)
        hashes = words * _FACTOR
        places = _passing(self._beginnings, hashes)
        hashes = hashes[places]
        found: list[tuple[Places, Places]] = []
        for count in range(1, MOST_WORDS + 1):
            if count > 1:
                fits = places < len(words) - (count - 1) * WORD
                places, hashes = places[fits], hashes[fits]
                hashes = _mix(hashes, words[places + (count - 1) * WORD])
            passed = _passing(self._whole, hashes)
            here = hashes[passed]
            keys = np.searchsorted(self._hashes, here)
            keys[keys == len(self._hashes)] = 0
            same = self._hashes[keys] == here
            found.append((places[passed[same]], keys[same]))
        return np.concatenate([f for f, _ in found]), np.concatenate([k for _, k in found])


def words_of(data: bytes | memoryview) -> Words:
    """The eight bytes at each place of the data, a view of it."""
    return np.ndarray((max(len(data) - WORD + 1, 0),), np.uint64, data, strides=(1,))


def is_short(keys: Words) -> NDArray[np.bool_]:
    """Which of the keys, a row each, are literals that are no window."""
    short: NDArray[np.bool_] = keys[:, MOST_WORDS] < WORD
    return short


def hash_windows(keys: Words) -> tuple[Words, Words]:
    """The hash of the beginning of each window, a row each, and of all of it."""
    beginnings = whole = keys[:, 0] * _FACTOR
    for count in range(1, MOST_WORDS):
        whole = np.where(keys[:, MOST_WORDS] > count * WORD, _mix(whole, keys[:, count]), whole)
    return beginnings, whole


def build_table(hashes: Words) -> NDArray[np.uint8]:
    """In the slot of each hash a mark of its own from 1 to 254, or 255 where several are; 0 in
    the others."""
    hashes = np.unique(hashes)
    bits = max(int(len(hashes) * _ROOM - 1).bit_length(), 10)
    table = np.zeros(1 << bits, np.uint8)
    slots, marks = _slots(hashes, bits), _marks(hashes, bits)
    table[slots] = marks
    taken, counts = np.unique(slots, return_counts=True)
    table[taken[counts > 1]] = _SEVERAL
    return table


def _passing(table: NDArray[np.uint8], hashes: Words) -> Places:
    """The places of the hashes that may be in a table: all that are, and one in some thousands of
    the others."""
    bits = len(table).bit_length() - 1
    places = np.flatnonzero(table[_slots(hashes, bits)])
    hashes = hashes[places]
    kept = table[_slots(hashes, bits)]
    passing: Places = places[(kept == _marks(hashes, bits)) | (kept == _SEVERAL)]
    return passing


def _slots(hashes: Words, bits: int) -> Places:
    return (hashes >> np.uint64(64 - bits)).view(np.int64)


def _marks(hashes: Words, bits: int) -> NDArray[np.uint8]:
    """The bits behind those of the slot."""
    marks = (hashes >> np.uint64(56 - bits)).astype(np.uint8)
    return marks.clip(1, _SEVERAL - 1)


def _mix(hashes: Words, words: Words) -> Words:
    """The hash of what was hashed and the words behind it."""
    return ((hashes ^ (hashes >> _HALF)) + words) * _FACTOR


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
        self._data = bytes(literals) + bytes(WORD * MOST_WORDS)
        self._starts = np.array(literal_starts, np.int64)
        self._clauses = np.array(clause_starts, np.int64)
        self._patterns = np.array(pattern_starts, np.int64)
        size = len(self._data) + sum(map(len, known)) * WORD
        self._bits = min(size.bit_length(), _MOST_COUNTERS)
        self._counts = [np.zeros(1 << self._bits, np.int32) for _ in range(MOST_WORDS)]
        for keys in known:
            beginnings, whole = hash_windows(keys[~is_short(keys)])
            self._count(0, beginnings)
            self._count(MOST_WORDS - 1, whole)

    def choose(self) -> tuple[NDArray[np.int64], Words]:
        """How many keys each pattern has, and all of them in a row. A pattern without clauses
        has none."""
        chunks = self._chunks()
        for first, last in chunks:
            for count in range(1, MOST_WORDS + 1):
                places, _ = self._windows(first, last, count)
                self._count(count - 1, self._hash(places, count))
        pairs = self._weigh_pairs()
        chosen = [self._choose_windows(first, last, pairs) for first, last in chunks]
        keys = np.concatenate([np.empty((0, ROW), np.uint64), *(keys for keys, _ in chosen)])
        costs = np.concatenate([np.empty(0), *(costs for _, costs in chosen)])
        return self._choose_clauses(keys, costs)

    def _chunks(self) -> list[tuple[int, int]]:
        """The literals, cut into runs of some size."""
        cuts = [0]
        count = len(self._starts) - 1
        while cuts[-1] < count:
            end = int(np.searchsorted(self._starts, self._starts[cuts[-1]] + _CHUNK))
            cuts.append(min(max(end, cuts[-1] + 1), count))
        return list(pairwise(cuts))

    def _windows(self, first: int, last: int, words: int) -> tuple[Places, Places]:
        """The places of all windows of so many words that lie within one of these literals, and
        the literal of each."""
        starts = self._starts[first : last + 1]
        room = np.maximum(np.diff(starts) - words * WORD + 1, 0)
        before = np.cumsum(room) - room
        places = np.repeat(starts[:-1] - before, room) + np.arange(int(room.sum()))
        return places, np.repeat(np.arange(first, last), room)

    def _hash(self, places: Places, words: int) -> Words:
        """The hashes of the windows of so many words at these places."""
        data = words_of(self._data)
        hashes = data[places] * _FACTOR
        for count in range(1, words):
            hashes = _mix(hashes, data[places + count * WORD])
        return hashes

    def _count(self, counter: int, hashes: Words) -> None:
        """Count windows; those whose hashes begin alike are counted together."""
        counted = np.bincount(_slots(hashes, self._bits), minlength=1 << self._bits)
        self._counts[counter] += counted.astype(np.int32)

    def _weigh_pairs(self) -> Costs:
        """For each pair of bytes the logarithm of how often the second follows the first."""
        data = np.frombuffer(self._data, np.uint8).astype(np.int32)
        counted = np.bincount(data[:-1] * 256 + data[1:], minlength=1 << 16).reshape(256, 256)
        counts = counted.astype(np.float64) + 0.05
        rarity: Costs = np.log(counts / counts.sum(axis=1, keepdims=True))
        return rarity

    def _choose_windows(self, first: int, last: int, pairs: Costs) -> tuple[Words, Costs]:
        """The key of each of these literals, and how often to expect it."""
        start, end = int(self._starts[first]), int(self._starts[last])
        data = np.frombuffer(self._data, np.uint8)[start:end]
        sums = np.concatenate([[0.0], np.cumsum(pairs[data[:-1], data[1:]])])
        lengths = np.diff(self._starts[first : last + 1])
        begins, sizes, costs = np.array(self._starts[first:last]), lengths.copy(), np.empty(0)
        costs = _SHORT_COST / 2.0 ** np.minimum(lengths, WORD)
        for words in range(1, MOST_WORDS + 1):
            size = words * WORD
            places, literals = self._windows(first, last, words)
            longest = np.minimum(lengths // WORD, MOST_WORDS)[literals - first] == words
            places, literals = places[longest], literals[longest] - first
            offsets = places - start
            rarity = np.exp((sums[offsets + size - 1] - sums[offsets]) / size)
            same = self._counts[words - 1][_slots(self._hash(places, words), self._bits)]
            alike = self._counts[0][_slots(self._hash(places, 1), self._bits)]
            cost = same + _BEGINNINGS * alike + rarity
            best, having = _first_least(cost, literals)
            begins[having], costs[having], sizes[having] = places[best], cost[best], size
        return self._rows(begins, sizes), costs

    def _rows(self, begins: Places, sizes: Places) -> Words:
        """The keys that begin at these places and have so many bytes."""
        rows = np.zeros((len(begins), ROW), np.uint64)
        data = np.frombuffer(self._data, np.uint8)
        within = np.arange(MOST_WORDS * WORD)
        text = data[begins[:, None] + within] * (within < sizes[:, None])
        rows[:, :MOST_WORDS] = np.ascontiguousarray(text).view(np.uint64)
        rows[:, MOST_WORDS] = sizes
        return rows

    def _choose_clauses(self, keys: Words, costs: Costs) -> tuple[NDArray[np.int64], Words]:
        """The keys of the clause of each pattern that should occur least often."""
        sums = np.concatenate([[0.0], np.cumsum(costs)])
        of_clause = sums[self._clauses[1:]] - sums[self._clauses[:-1]]
        counts = np.diff(self._patterns)
        clauses, having = _first_least(of_clause, np.repeat(np.arange(len(counts)), counts))
        sizes, firsts = np.diff(self._clauses)[clauses], self._clauses[clauses]
        before = np.cumsum(sizes) - sizes
        literals = np.repeat(firsts - before, sizes) + np.arange(int(sizes.sum()))
        keys_of = np.zeros(len(counts), np.int64)
        keys_of[having] = sizes
        return keys_of, keys[literals]


def _first_least(costs: Costs, groups: Places) -> tuple[Places, Places]:
    """The place of the first of the least costs of each group, and the groups that have any."""
    order = np.lexsort((costs, groups))
    having, firsts = np.unique(groups[order], return_index=True)
    return order[firsts], having
