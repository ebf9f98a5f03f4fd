"""Which bytes of its literals a pattern is looked up by, and how they are found in a text.

A key is a *window* of a literal in folded form: 24 bytes in a row, or 16, 12 or 8 where there
are not so many. Every match of a pattern has one of the pattern's keys in its folded form, since a
literal of each clause is there, and each literal of the clause that was chosen has a key
(`key_choice`).

Windows begin where a word does, behind a byte that is in no word: both are part of the literal, so
that the word begins there in each text that has the literal too. Then only a sixth of the places of
a log are looked at. A literal without such a place has a *floating* key, which is looked for at
all places, and one of fewer than eight bytes is a key itself, for Aho-Corasick.

Windows are found as by Rabin and Karp: the eight bytes at each place are hashed, all at once by
numpy, and looked up in a table of one byte a slot, which has the sizes of the windows that begin
so: for most of them, none. Windows of these sizes are hashed and looked up in a second table, and
what passes that among the sorted hashes of the windows. So the time does not grow with the number
of keys, but for what the tables let through and the processor's caches cannot hold. Windows with
the same hash are taken for one: that gives candidates too many, never too few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from errdex.matching.patterns.pack.facts import MOST_BYTES, MOST_WORDS, ROW, WORD, Facts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Places = NDArray[np.int64]
    Flags = NDArray[np.bool_]

SIZES = (8, 12, 16, 24)
"""The bytes of a window."""
FLOATING = 1 << 8
"""In the last word of a row, beside the number of bytes: a window that begins anywhere."""

_IN_WORD = bytes(
    48 <= byte <= 57 or 97 <= byte <= 122 or 128 <= byte < 255  # 255 parts texts
    for byte in range(256)
)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # Knuth's multiplicative hashing
_HALF = np.uint64(32)
_ROOM = 16
"""Slots of a table for each key."""
_SEVERAL = 255
"""In a slot: of several keys."""


class WindowTable:
    """The windows of a pattern set, by their hashes."""

    def __init__(self, facts: Facts) -> None:
        self._hashes = np.asarray(facts.hashes, np.uint64)
        self._beginnings = np.asarray(facts.beginnings, np.uint8)
        self._floating = np.asarray(facts.floating, np.uint8)
        self._any_floating = bool(self._floating.any())
        self._whole = np.asarray(facts.windows, np.uint8)

    def find(self, words: Words, starts: Places) -> tuple[Places, Places]:
        """Where windows begin, and the place of the hash of each one. `words`: the eight bytes at
        each place of the texts, and MOST_BYTES more; `starts`: those where a word begins."""
        places, hashes = starts, words[starts] * _FACTOR
        sizes = self._beginnings.take(_slots_in(self._beginnings, hashes), mode="clip")
        found = [_of_sizes(words, places, hashes, sizes)]
        if self._any_floating:
            hashes = words[: len(words) + WORD - 1 - MOST_BYTES] * _FACTOR
            sizes = self._floating.take(_slots_in(self._floating, hashes), mode="clip")
            found.append(_of_sizes(words, np.arange(len(hashes)), hashes, sizes))
        places = np.concatenate([places for places, _ in found])
        hashes = np.concatenate([hashes for _, hashes in found])
        passed = _passing(self._whole, hashes)
        places, hashes = places[passed], hashes[passed]
        keys = np.searchsorted(self._hashes, hashes)
        keys[keys == len(self._hashes)] = 0
        same = self._hashes[keys] == hashes
        return places[same], keys[same]


def _of_sizes(
    words: Words, places: Places, hashes: Words, sizes: NDArray[np.uint8]
) -> tuple[Places, Words]:
    """The windows of the sizes that may begin at places with these hashes: where each begins, and
    its hash."""
    some = np.flatnonzero(sizes)
    places, hashes, sizes = places[some], hashes[some], sizes[some]
    found = [(places[:0], hashes[:0])]
    for bit, size in enumerate(SIZES):
        here = np.flatnonzero(sizes & (1 << bit))
        there = places[here]
        found.append((there, _hash_rest(hashes[here], size, words, there)))
    return np.concatenate([f for f, _ in found]), np.concatenate([h for _, h in found])


def words_of(data: bytes | memoryview) -> Words:
    """The eight bytes at each place of the data, a view of it."""
    return np.ndarray((max(len(data) - WORD + 1, 0),), np.uint64, data, strides=(1,))


def _hash_rest(hashes: Words, size: int, words: Words, places: Places) -> Words:
    """The hashes of the windows of that size at these places, whose first words have these hashes.
    The last word overlaps the one before it, if need be."""
    if size > 2 * WORD:
        hashes = _mix(hashes, words[places + WORD])
    return _mix(hashes, words[places + size - WORD]) if size > WORD else hashes


def find_word_starts(data: bytes) -> Places:
    """Where in folded data words begin that have something before them."""
    kinds = np.frombuffer(data.translate(_IN_WORD), np.uint8)
    places: Places = np.flatnonzero(kinds[1:] > kinds[:-1])
    return places + 1


def lengths_of(rows: Words) -> Places:
    """The bytes of keys, a row each."""
    return (rows[:, MOST_WORDS] & np.uint64(FLOATING - 1)).astype(np.int64)


def hash_windows(rows: Words) -> tuple[Words, Words]:
    """The hash of the beginning of each window, a row each, and of all of it."""
    data = words_of(np.ascontiguousarray(rows).tobytes() + bytes(MOST_BYTES))
    places = np.arange(len(rows)) * (ROW * WORD)
    return rows[:, 0] * _FACTOR, hash_places(data, places, lengths_of(rows))


def hash_places(words: Words, places: Places, sizes: Places) -> Words:
    """The hashes of the windows of these sizes at these places of what the words are of."""
    hashes = words[places] * _FACTOR
    for size in SIZES:
        here = np.flatnonzero(sizes == size)
        hashes[here] = _hash_rest(hashes[here], size, words, places[here])
    return hashes


def build_beginnings(beginnings: Words, sizes: Places) -> NDArray[np.uint8]:
    """In the slot of each hash of a beginning the bits of the sizes of its windows."""
    table = np.zeros(1 << _bits_for(len(np.unique(beginnings))), np.uint8)
    bits = (1 << np.searchsorted(SIZES, sizes)).astype(np.uint8)
    np.bitwise_or.at(table, _slots_in(table, beginnings), bits)
    return table


def build_table(hashes: Words) -> NDArray[np.uint8]:
    """In the slot of each hash a mark of its own from 1 to 254, or 255 where several are; 0 in
    the others."""
    hashes = np.unique(hashes)
    bits = _bits_for(len(hashes))
    table = np.zeros(1 << bits, np.uint8)
    slots, marks = slots_of(hashes, bits), _marks(hashes, bits)
    table[slots] = marks
    taken, counts = np.unique(slots, return_counts=True)
    table[taken[counts > 1]] = _SEVERAL
    return table


def _passing(table: NDArray[np.uint8], hashes: Words) -> Places:
    """The places of the hashes that may be in a table: all that are, and one in some thousands of
    the others."""
    kept = table.take(_slots_in(table, hashes), mode="clip")
    places = np.flatnonzero(kept)
    hashes, kept = hashes[places], kept[places]
    marks = _marks(hashes, len(table).bit_length() - 1)
    passing: Places = places[(kept == marks) | (kept == _SEVERAL)]
    return passing


def _bits_for(keys: int) -> int:
    return max(int(keys * _ROOM - 1).bit_length(), 10)


def _slots_in(table: NDArray[np.uint8], hashes: Words) -> Places:
    """All of them are in the table: taking with "clip" takes less time than looking for it."""
    return slots_of(hashes, len(table).bit_length() - 1)


def slots_of(hashes: Words, bits: int) -> Places:
    """Where in a table of so many bits of places."""
    return (hashes >> np.uint64(64 - bits)).view(np.int64)


def _marks(hashes: Words, bits: int) -> NDArray[np.uint8]:
    """The bits behind those of the slot."""
    marks = (hashes >> np.uint64(56 - bits)).astype(np.uint8)
    return marks.clip(1, _SEVERAL - 1)


def _mix(hashes: Words, words: Words) -> Words:
    """The hash of what was hashed and the words behind it."""
    return ((hashes ^ (hashes >> _HALF)) + words) * _FACTOR
