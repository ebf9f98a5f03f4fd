"""The literals of a pattern set that differs little from one that is indexed already.

The index of 100,000 patterns takes seconds to make, and a new dataset mostly brings the same
ones. So what is new gets a small index of its own, and what is gone is passed over, as in a
log-structured merge tree of two levels (O'Neil et al. 1996).
"""

from __future__ import annotations

from collections.abc import Iterable

from errdex.matching.patterns.batches import Batch
from errdex.matching.patterns.literal_index import Hits, LiteralIndex


class LayeredIndex:
    """Answers as one `LiteralIndex` would: the patterns of `base` without those that are
    `gone`, and behind them, counted on from `size_of_base`, those of `added`."""

    def __init__(
        self, base: LiteralIndex, size_of_base: int, gone: frozenset[int], added: LiteralIndex
    ) -> None:
        self._base = base
        self._start = size_of_base
        self._gone = gone
        self._added = added
        self.unfiltered = (
            *(index for index in base.unfiltered if index not in gone),
            *(size_of_base + index for index in added.unfiltered),
        )
        """Patterns, by their place in the set, that have to be tried on every text."""

    @property
    def size(self) -> int:
        """Literals that are scanned for, those of patterns that are gone included."""
        return self._base.size + self._added.size

    def find_literals(self, batch: Batch) -> Hits:
        """As `LiteralIndex.find_literals`, those of `added` counted on from those of `base`."""
        found = self._base.find_literals(batch)
        first = self._base.size
        for text, literals in self._added.find_literals(batch).items():
            found.setdefault(text, []).extend(first + literal for literal in literals)
        return found

    def patterns_with(self, literals: Iterable[int]) -> set[int]:
        """As `LiteralIndex.patterns_with`; those that are gone are left to `rules_out`."""
        first, listed = self._base.size, list(literals)
        found = self._base.patterns_with(literal for literal in listed if literal < first)
        added = self._added.patterns_with(n - first for n in listed if n >= first)
        found.update(self._start + index for index in added)
        return found

    def rules_out(self, index: int, scanned: bytes) -> bool:
        """True for a pattern that is gone, else as `LiteralIndex.rules_out`."""
        if index >= self._start:
            return self._added.rules_out(index - self._start, scanned)
        return index in self._gone or self._base.rules_out(index, scanned)
