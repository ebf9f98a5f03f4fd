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

WORD = 8
"""Bytes that are looked at together."""
MOST_WORDS = 3
"""Of a key."""
MOST_BYTES = MOST_WORDS * WORD
ROW = MOST_WORDS + 1
"""Words of a key as it is kept: its bytes, filled up with zeros, and their number."""
MOST_WORDS_OF = 3
"""Words of a pattern that are kept besides its keys."""


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
    rows: memoryview
    """The bytes of each key once, a row of words each (see `keys`): first those of fewer than
    eight bytes."""
    row_keys: memoryview
    """By row, its key. Keys of fewer than eight bytes have a row each. Then come those that are
    looked up by their hash, which several rows may have in common."""
    pattern_rows: memoryview
    rows_of: Spans
    """By pattern, the rows of its keys among `pattern_rows`, any of which may be there; none: the
    pattern has to be tried on every text."""
    words: memoryview
    """By pattern, MOST_WORDS_OF hashes of words that a match needs as well (see `words`)."""
    hashes: memoryview
    """Of the keys that are looked up, ascending."""
    beginnings: memoryview
    floating: memoryview
    windows: memoryview
    """The tables of the beginnings of keys, of those that may be anywhere, and of whole keys."""
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
        checks = Texts(sections, "checks")
        pattern_rows = columns.numbers(sections, "pattern rows")
        key_patterns = columns.numbers(sections, "key patterns")
        facts = cls(
            Texts(sections, "ids"),
            Texts(sections, "sources"),
            checks,
            Spans(columns.numbers(sections, "checks of"), len(checks)),
            columns.keys(sections, "rows"),
            columns.numbers(sections, "row keys"),
            pattern_rows,
            Spans(columns.numbers(sections, "rows of"), len(pattern_rows)),
            columns.numbers(sections, "words"),
            columns.keys(sections, "hashes"),
            columns.section(sections, "beginnings"),
            columns.section(sections, "floating"),
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
        of_patterns = (
            self.ids, self.sources, self.checks_of, self.rows_of,
        )  # fmt: skip
        tables = (self.beginnings, self.floating, self.windows)
        if (
            len({len(column) for column in of_patterns}) > 1
            or len(self.words) != MOST_WORDS_OF * len(self)
            or len(self.rows) != ROW * len(self.row_keys)
            or len(self.hashes) > len(self.patterns_of)
            or self.short_keys > len(self.row_keys)
            or any(len(table).bit_count() != 1 for table in tables)
            or len(self.refused_ids) != len(self.refused_sources)
        ):
            raise PackDamaged("The columns of the pack do not fit each other.")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def short_keys(self) -> int:
        """The number of keys that are not looked up by their hash. They are the first ones."""
        return len(self.patterns_of) - len(self.hashes)

    def list_checks(self, pattern: int) -> range:
        """The places of the checks of a pattern. Raises PackDamaged."""
        return range(*self.checks_of.span(pattern))

    def patterns_with(self, key: int) -> memoryview:
        """The patterns that have a key, by its place. Raises PackDamaged."""
        start, end = self.patterns_of.span(key)
        return self.key_patterns[start:end]
