"""Which patterns could match a text: the keys of a pattern set, found in one pass.

Like `literals`, this gives no false negatives: a pattern that matches a text is among
`patterns_with` the keys of its folded form (see `pack.keys`), or unfiltered. Keys are looked up
by their hash; the few that are too short for that, and all of a small set, are found by
Aho-Corasick. `rules_out` looks for all that a pattern needs before anything is compiled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import ahocorasick_rs

from errdex.matching.patterns.batches import Batch, JoinedTexts
from errdex.matching.patterns.pack.facts import MOST_BYTES, ROW, Facts
from errdex.matching.patterns.pack.sections import PackDamaged

KEPT_CHECKS = 8_192
"""Patterns whose checks are kept as objects, at most: a few megabytes."""

Hits = dict[int, list[int]]
"""For each text of a batch, by its number, the keys that occur in it, by their place."""


class LiteralIndex:
    """The keys of a pattern set, and the patterns they stand for."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._kept_checks: dict[int, tuple[bytes, ...]] = {}
        self.unfiltered: Sequence[int] = tuple(facts.unfiltered)
        """Patterns, by their place in the set, that have to be tried on every text."""
        self._automaton = _Automaton(facts.scanned_keys)
        self._windows = _Windows(facts, first=self._automaton.size) if facts.hashes else None

    @property
    def size(self) -> int:
        """Keys that are scanned for."""
        return len(self._facts.patterns_of)

    def find_literals(self, batch: Batch) -> Hits:
        """The keys that occur in each text of a batch. They are few beside the patterns that may
        need them: see `patterns_with`."""
        found: Hits = {}
        if self._automaton.size:
            self._automaton.add_hits(batch.folded, found)
        if self._windows is not None:
            self._windows.add_hits(batch.folded, found)
        return found

    def patterns_with(self, literals: Iterable[int]) -> set[int]:
        """The patterns that have one of these keys."""
        found: set[int] = set()
        for literal in literals:
            found.update(self._facts.patterns_with(literal))
        return found

    def rules_out(self, index: int, scanned: bytes) -> bool:
        """True when a scanned text lacks something else that the pattern needs."""
        checks = self._kept_checks.get(index)
        if checks is None:
            checks = self._read_checks(index)
        for check in checks:  # noqa: SIM110 (any() takes twice the time)
            if check not in scanned:
                return True
        return False

    def _read_checks(self, index: int) -> tuple[bytes, ...]:
        """Those of a pattern, kept since what nearly matched one line often does the next."""
        if len(self._kept_checks) >= KEPT_CHECKS:
            self._kept_checks = {}
        read = tuple(map(self._facts.checks.__getitem__, self._facts.list_checks(index)))
        self._kept_checks[index] = read
        return read


class _Automaton:
    """Finds overlapping occurrences: a key inside another counts too."""

    def __init__(self, keys: memoryview) -> None:
        data, lengths = keys.tobytes(), keys.tolist()[ROW - 1 :: ROW]
        if not all(0 < length <= MOST_BYTES for length in lengths):
            raise PackDamaged("A key in the pack has a length that it cannot have.")
        starts = range(0, len(data), ROW * keys.itemsize)
        literals = [data[at : at + length] for at, length in zip(starts, lengths, strict=True)]
        self.size = len(literals)
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            literals, implementation=ahocorasick_rs.Implementation.ContiguousNFA
        )

    def add_hits(self, joined: JoinedTexts, found: Hits) -> None:
        """Add the keys that occur in each text."""
        hits = self._automaton.find_matches_as_indexes(joined.data, overlapping=True)
        if not hits:
            return
        # A text may repeat a key thousands of times: each counts once.
        for text, key in {(joined.text_at(start), key) for key, start, _ in hits}:
            found.setdefault(text, []).append(key)


class _Windows:
    """Finds the keys that are looked up by their hash."""

    def __init__(self, facts: Facts, first: int) -> None:
        """`first`: the place of the first of these keys."""
        import numpy as np

        from errdex.matching.patterns.pack.keys import WindowTable

        self._first = first
        self._table = WindowTable(
            np.asarray(facts.hashes, np.uint64),
            np.asarray(facts.beginnings, np.uint8),
            np.asarray(facts.windows, np.uint8),
        )

    def add_hits(self, joined: JoinedTexts, found: Hits) -> None:
        """Add the keys that occur in each text."""
        import numpy as np

        places, keys = self._table.find(joined.data)
        if not len(places):
            return
        texts = np.searchsorted(joined.starts, places, side="right") - 1
        count = int(keys.max()) + 1
        for hit in np.unique(texts * count + keys).tolist():
            found.setdefault(hit // count, []).append(self._first + hit % count)
