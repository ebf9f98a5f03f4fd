"""What a pattern set knows of each pattern, and the way from a key to the patterns that need it.

Patterns are named by their place in the set. A *key* is a run of bytes of a literal: in the folded
form of each text in which the pattern can match, one of the pattern's keys is to be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from errdex.matching.patterns.pack import columns
from errdex.matching.patterns.pack.columns import Spans, Texts
from errdex.matching.patterns.pack.sections import PackDamaged

ROW = 4
"""Words of a key as it is kept: its bytes, filled up with zeros, and their number."""
MOST_BYTES = 24
"""Of a key."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The columns of a pattern set, made of the sections of a pack. A place that another column
    names is checked when it is used."""

    ids: Texts
    sources: Texts
    checks: Texts
    """Literals that a match needs one and all, in the scanned form."""
    checks_of: Spans
    """By pattern, its checks."""
    pattern_keys: memoryview
    """The keys of all patterns, a row of words each (see `keys`)."""
    keys_of: Spans
    """By pattern, its keys, any of which may be there; none: the pattern has to be tried on
    every text."""
    scanned_keys: memoryview
    """Each key once that an automaton looks for, a row of words each."""
    hashes: memoryview
    """Behind them in the order of keys, those that are looked up: their hashes, ascending."""
    beginnings: memoryview
    windows: memoryview
    """The tables of their beginnings and of all of them."""
    key_patterns: memoryview
    patterns_of: Spans
    """By key, its patterns among `key_patterns`."""
    unfiltered: memoryview
    """The patterns without a key."""
    refused_ids: Texts
    refused_sources: Texts
    """Patterns that cannot be read, and never match."""

    @classmethod
    def of(cls, sections: Mapping[str, memoryview]) -> Facts:
        """Raises PackDamaged when the columns do not fit each other."""
        checks, pattern_keys = Texts(sections, "checks"), columns.keys(sections, "pattern keys")
        key_patterns = columns.numbers(sections, "key patterns")
        facts = cls(
            Texts(sections, "ids"),
            Texts(sections, "sources"),
            checks,
            Spans(columns.numbers(sections, "checks of"), len(checks)),
            pattern_keys,
            Spans(columns.numbers(sections, "keys of"), len(pattern_keys) // ROW),
            columns.keys(sections, "scanned keys"),
            columns.keys(sections, "hashes"),
            columns.section(sections, "beginnings"),
            columns.section(sections, "windows"),
            key_patterns,
            Spans(columns.numbers(sections, "patterns of"), len(key_patterns)),
            columns.numbers(sections, "unfiltered"),
            Texts(sections, "refused ids"),
            Texts(sections, "refused sources"),
        )
        facts._check()
        return facts

    def _check(self) -> None:
        patterns = {len(self), len(self.sources), len(self.checks_of), len(self.keys_of)}
        keys = len(self.scanned_keys) // ROW + len(self.hashes)
        tables = {len(self.beginnings).bit_count(), len(self.windows).bit_count()}
        if (
            len(patterns) > 1
            or len(self.scanned_keys) % ROW
            or len(self.pattern_keys) % ROW
            or keys != len(self.patterns_of)
            or tables != {1}
            or len(self.refused_ids) != len(self.refused_sources)
        ):
            raise PackDamaged("The columns of the pack do not fit each other.")

    def __len__(self) -> int:
        return len(self.ids)

    def list_checks(self, pattern: int) -> range:
        """The places of the checks of a pattern. Raises PackDamaged."""
        return range(*self.checks_of.span(pattern))

    def patterns_with(self, key: int) -> memoryview:
        """The patterns that have a key, by its place. Raises PackDamaged."""
        start, end = self.patterns_of.span(key)
        return self.key_patterns[start:end]
