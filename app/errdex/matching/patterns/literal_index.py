"""Which patterns could match a text: the keys of a pattern set, found in one pass.

Like `literals`, this gives no false negatives: a pattern that matches a text has one of its keys in
the folded form of the text, and its second key if it has one (see `pack.keys`), or it is
unfiltered. Keys are looked up by their hash. The few that are too short for that are found by
Aho-Corasick, and so are all of a small set in a small text: the automaton is made in less time
than it takes to import numpy. `rules_out` looks for all that a pattern needs before anything is
compiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import ahocorasick_rs

from errdex.matching.patterns.batches import Batch, JoinedTexts
from errdex.matching.patterns.pack.facts import MOST_BYTES, ROW, WORD, Facts
from errdex.matching.patterns.pack.sections import PackDamaged

if TYPE_CHECKING:
    from errdex.matching.patterns.candidates import CandidateFinder

TABLE_FROM = 16_384
"""Keys from which on they are looked up in tables in small texts too."""
TABLES_FROM_CHARACTERS = 1 << 16
"""In more text than that, also fewer keys are."""
KEPT_CHECKS = 8_192
"""Patterns whose checks are kept as objects, at most: a few megabytes."""

Candidates = Iterator[tuple[int, Sequence[int]]]
"""Texts of a batch, by their number, and the patterns that might match each, by their place in
the set; both ascend."""


class LiteralIndex:
    """The keys of a pattern set, and the patterns they stand for."""

    def __init__(self, facts: Facts, *, table_from: int = TABLE_FROM) -> None:
        self._facts = facts
        self._small = self.size < table_from
        self._kept_checks: dict[int, tuple[bytes, ...]] = {}
        self.unfiltered: Sequence[int] = tuple(facts.unfiltered)
        """Patterns, by their place in the set, that have to be tried on every text."""

    @property
    def size(self) -> int:
        """Keys that are scanned for."""
        return len(self._facts.patterns_of)

    def find_candidates(self, batch: Batch) -> Candidates:
        """The patterns that might match the texts of a batch. They are gathered for few texts at
        a time, since patterns may share a key by the thousand."""
        if self._small and batch.characters < TABLES_FROM_CHARACTERS:
            return self._find_by_automaton(batch.folded)
        return self._tables.find(batch.spaced)

    def _find_by_automaton(self, folded: JoinedTexts) -> Candidates:
        # A text may repeat a key thousands of times: each counts once.
        hits = {(folded.text_at(start), key) for key, start in self._automaton.find(folded.data)}
        for text, of_text in groupby(sorted(hits), key=itemgetter(0)):
            found: set[int] = set()
            for _, key in of_text:
                found.update(self._facts.patterns_with(key))
            if found:
                yield text, sorted(found)

    @cached_property
    def _automaton(self) -> Automaton:
        return Automaton(self._facts, len(self._facts.row_keys))

    @cached_property
    def _tables(self) -> CandidateFinder:
        from errdex.matching.patterns.candidates import CandidateFinder

        return CandidateFinder(self._facts, Automaton(self._facts, self._facts.short_keys))

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


class Automaton:
    """Finds overlapping occurrences of keys: one inside another counts too."""

    def __init__(self, facts: Facts, rows: int) -> None:
        """The keys of so many rows, the first ones. Raises PackDamaged."""
        words = facts.rows[: rows * ROW]
        data, lengths = words.tobytes(), [last & 0xFF for last in words[ROW - 1 :: ROW].tolist()]
        if not all(0 < length <= MOST_BYTES for length in lengths):
            raise PackDamaged("A key in the pack has a length that it cannot have.")
        starts = range(0, len(data), ROW * WORD)
        literals = [data[at : at + length] for at, length in zip(starts, lengths, strict=True)]
        self._keys = facts.row_keys[:rows].tolist()
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            literals,
            implementation=ahocorasick_rs.Implementation.ContiguousNFA,
        )

    def find(self, data: bytes) -> Sequence[tuple[int, int]]:
        """Keys, and where they begin in the data."""
        if not self._keys:
            return ()
        hits = self._automaton.find_matches_as_indexes(data, overlapping=True)
        return [(self._keys[row], start) for row, start, _ in hits]
