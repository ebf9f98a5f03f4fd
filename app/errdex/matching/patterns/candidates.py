"""Candidates of many texts at once, found in the tables of a pack with numpy.

The keys that occur in the texts are looked up (`pack.keys`), and the patterns that have one of them
are listed. Those of which another word is not in the text are left out, all at once
(`pack.words`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from errdex.matching.patterns.pack.facts import MOST_BYTES, MOST_WORDS_OF, WORD, Facts
from errdex.matching.patterns.pack.keys import WindowTable, find_word_starts, words_of
from errdex.matching.patterns.pack.sections import PackDamaged
from errdex.matching.patterns.pack.words import TextWords, has_kind

if TYPE_CHECKING:
    from errdex.matching.patterns.literal_index import Automaton, Candidates
    from errdex.matching.patterns.pack.keys import Places, Words

MOST_PAIRS = 1 << 17
"""Pairs of a text and a pattern that are looked at together, but for those of one text."""
_BARRIER, _SPACE = 0xFF, 0x20
_BEHIND = bytes(MOST_BYTES)


class CandidateFinder:
    """Finds what is looked up by its hash, and with an automaton what is too short for that."""

    def __init__(self, facts: Facts, automaton: Automaton) -> None:
        self._automaton = automaton
        self._table = WindowTable(facts)
        self._first_hashed = facts.short_keys
        self._patterns = len(facts)
        self._keys = len(facts.patterns_of)
        self._starts = np.asarray(facts.patterns_of.starts)
        self._key_patterns = np.asarray(facts.key_patterns)
        self._words = np.asarray(facts.words).reshape(-1, MOST_WORDS_OF)

    def find(self, spaced: bytes) -> Candidates:
        """The candidates of each text of a batch (`Batch.spaced`). Raises PackDamaged."""
        data = one_space(spaced)
        words, starts = words_of(data + _BEHIND), find_word_starts(data)
        barriers = np.flatnonzero(np.frombuffer(data, np.uint8) == _BARRIER)
        texts, keys = self._find_keys(data, words, starts, barriers)
        if not len(texts):
            return
        places = _PlacesOfTexts(words, starts, barriers)
        having = places.note_words(_each_once(texts))
        try:
            for first, last in self._cut(texts, keys):
                pairs = self._list_pairs(texts[first:last], keys[first:last])
                pairs = self._with_words(*pairs, having)
                floating = has_kind(self._words[pairs[1]], floating=True).any(axis=1)
                if floating.any():
                    of_texts = places.note_all(_each_once(pairs[0][floating]))
                    pairs = self._with_words(*pairs, of_texts)
                yield from _by_text(
                    _each_once(pairs[0] * self._patterns + pairs[1]), self._patterns
                )
        except (IndexError, ValueError):
            raise PackDamaged("A place in the pack is wrong.") from None

    def _find_keys(
        self, data: bytes, words: Words, starts: Places, barriers: Places
    ) -> tuple[Places, Places]:
        """The keys in each text, each once, in the order of the texts."""
        places, windows = self._table.find(words, starts)
        keys = windows + self._first_hashed
        if others := self._automaton.find(data):
            more = np.array(others, np.int64)
            places, keys = np.concatenate([places, more[:, 1]]), np.concatenate([keys, more[:, 0]])
        hits = _each_once(np.searchsorted(barriers, places) * self._keys + keys)
        texts = hits // self._keys
        return texts, hits - texts * self._keys

    def _cut(self, texts: Places, keys: Places) -> Iterator[tuple[int, int]]:
        """Runs of hits, all of a text together, that have not too many patterns."""
        counts = self._starts[keys + 1].astype(np.int64) - self._starts[keys]
        before = np.cumsum(counts)
        first = 0
        while first < len(texts):
            had = before[first] - counts[first]
            last = max(int(np.searchsorted(before, had + MOST_PAIRS, side="right")), first + 1)
            if last < len(texts) and texts[last - 1] == texts[last]:
                begins = int(np.searchsorted(texts, texts[last]))
                # One text that has too many by itself is taken whole.
                last = begins if begins > first else int(np.searchsorted(texts, texts[last] + 1))
            yield first, last
            first = last

    def _list_pairs(self, texts: Places, keys: Places) -> tuple[Places, Places]:
        """The texts that have these keys, and the patterns that may be there."""
        starts = self._starts[keys].astype(np.int64)
        spans = _spans(starts, self._starts[keys + 1] - starts)
        return np.repeat(texts, self._starts[keys + 1] - starts), self._key_patterns[spans]

    def _with_words(
        self, texts: Places, patterns: Places, having: TextWords
    ) -> tuple[Places, Places]:
        """Without the patterns that need a word which the text does not have."""
        for word in range(MOST_WORDS_OF):
            kept = having.may_have(texts, self._words[patterns, word])
            texts, patterns = texts[kept], patterns[kept]
        return texts, patterns


class _PlacesOfTexts:
    """Where in a batch each text has its bytes and its words."""

    def __init__(self, words: Words, starts: Places, barriers: Places) -> None:
        self._words = words
        self._starts = starts
        self._ends = np.append(barriers, len(words) + WORD - 1 - MOST_BYTES)

    def note_words(self, texts: Places) -> TextWords:
        """What words of these texts begin with."""
        ends = np.searchsorted(self._starts, self._ends)
        places, counts = self._within(texts, ends)
        words = self._words[self._starts[places]]
        return TextWords(words, np.repeat(texts, counts), floating=False)

    def note_all(self, texts: Places) -> TextWords:
        """What begins anywhere in these texts."""
        places, counts = self._within(texts, self._ends)
        return TextWords(self._words[places], np.repeat(texts, counts), floating=True)

    @staticmethod
    def _within(texts: Places, ends: Places) -> tuple[Places, Places]:
        """All places of these texts, by where each text ends, and how many each has."""
        firsts = np.where(texts > 0, ends[texts - 1], 0)
        return _spans(firsts, ends[texts] - firsts), ends[texts] - firsts


def _spans(starts: Places, counts: Places) -> Places:
    """The numbers from each start on, so many."""
    before = np.cumsum(counts) - counts
    spans: Places = np.repeat(starts - before, counts) + np.arange(int(counts.sum()))
    return spans


def _each_once(numbers: Places) -> Places:
    """The numbers in order, each once: for few of them faster than `np.unique`."""
    numbers = np.sort(numbers)
    new = np.ones(len(numbers), bool)
    new[1:] = numbers[1:] != numbers[:-1]
    return numbers[new]


def _by_text(pairs: Places, patterns: int) -> Candidates:
    texts = pairs // patterns
    ends = [*np.flatnonzero(texts[1:] != texts[:-1]) + 1, len(pairs)]
    numbers, first = (pairs - texts * patterns).tolist(), 0
    for end in ends:
        if first < end:
            yield int(texts[first]), numbers[first:end]
        first = end


def one_space(data: bytes) -> bytes:
    """The data with one space instead of several in a row."""
    seen = np.frombuffer(data, np.uint8)
    spaces = seen == _SPACE
    more = spaces[1:] & spaces[:-1]
    return data[:1] + seen[1:][~more].tobytes() if more.any() else data
