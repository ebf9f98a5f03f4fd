"""Builds packs: of patterns, or of another pack and what changed.

*Cost:* some 50 µs for each pattern that is new, to read it; those that another pack has are
copied in long runs.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from errdex.matching.patterns.literals import Clause, extract, fold
from errdex.matching.patterns.pack.columns import TextsWriter, shift
from errdex.matching.patterns.pack.facts import ROW, Facts
from errdex.matching.patterns.pack.sections import join_sections
from errdex.matching.patterns.refusal import PatternRefused

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE_FROM = 16_384
"""Keys from which on they are looked up in tables. Fewer are left to an automaton, which is
made in less time than it takes to import numpy."""
_OFFERED = 3
"""Clauses of a pattern that are weighed, the longest ones."""


def build_pack(patterns: Iterable[tuple[str, str]], *, table_from: int = TABLE_FROM) -> bytes:
    """The pack of these ids and patterns, in their order. One that cannot be read is among the
    refused."""
    writer = _Writer([])
    for pattern_id, source in patterns:
        writer.add(pattern_id, source)
    return writer.finish(table_from)


def update_pack(
    base: Facts, changed: Mapping[str, str | None], *, table_from: int = TABLE_FROM
) -> bytes:
    """The pack with these patterns new, or instead of those with their ids; None: with that id
    gone. The ids of the base ascend, and so do those of the result."""
    writer = _Writer([base])
    copied = 0
    for pattern_id in sorted(changed):
        place = bisect_left(base.ids, pattern_id.encode(), lo=copied)
        writer.copy(base, copied, place)
        copied = place
        if place < len(base) and base.ids.text(place) == pattern_id:
            copied += 1
        if (source := changed[pattern_id]) is not None:
            writer.add(pattern_id, source)
    writer.copy(base, copied, len(base))
    for pattern_id, source in zip(base.refused_ids, base.refused_sources, strict=True):
        if pattern_id not in changed:
            writer.refuse(pattern_id, source)
    return writer.finish(table_from)


class _Writer:
    """The columns of a pack, growing."""

    def __init__(self, bases: Sequence[Facts]) -> None:
        """`bases`: packs that patterns are copied from."""
        self._bases = bases
        self._ids, self._sources, self._checks = TextsWriter(), TextsWriter(), TextsWriter()
        self._checks_of = array("I", [0])
        self._refused_ids, self._refused_sources = TextsWriter(), TextsWriter()
        self._literals = TextsWriter()
        """Of the patterns that were added: all that keys may be chosen of."""
        self._clauses = array("Q", [0])
        self._patterns = array("Q", [0])
        self._runs: list[tuple[Facts | None, int, int]] = []
        """Where the keys of the patterns are: copied, or to be chosen."""

    def add(self, pattern_id: str, source: str) -> None:
        """Add a pattern."""
        try:
            clauses = extract(source).clauses
        except PatternRefused:
            self.refuse(pattern_id, source)
            return
        self._ids.add_text(pattern_id)
        self._sources.add_text(source)
        needed = [(clause, _shortest(clause.literals)) for clause in clauses]
        for check in _list_checks(needed):
            self._checks.add(check)
        self._checks_of.append(len(self._checks))
        for literals in _list_offered(needed):
            for literal in literals:
                self._literals.add(fold(literal))
            self._clauses.append(len(self._literals))
        added = len(self._patterns) - 1
        self._patterns.append(len(self._clauses) - 1)
        if self._runs and self._runs[-1][0] is None:
            added = self._runs.pop()[1]
        self._runs.append((None, added, len(self._patterns) - 1))

    def refuse(self, pattern_id: str, source: str) -> None:
        """Note a pattern that cannot be read."""
        self._refused_ids.add_text(pattern_id)
        self._refused_sources.add_text(source)

    def copy(self, base: Facts, first: int, last: int) -> None:
        """Add the patterns that another pack has between two places."""
        if first == last:
            return
        self._ids.copy(base.ids, first, last)
        self._sources.copy(base.sources, first, last)
        checks = base.checks_of.starts[first : last + 1]
        self._checks.copy(base.checks, checks[0], checks[-1])
        shift(self._checks_of, checks)
        self._runs.append((base, first, last))

    def finish(self, table_from: int) -> bytes:
        """The pack."""
        sections: dict[str, bytes | bytearray | memoryview] = {}
        self._ids.write(sections, "ids")
        self._sources.write(sections, "sources")
        self._checks.write(sections, "checks")
        sections["checks of"] = memoryview(self._checks_of).cast("B")
        self._refused_ids.write(sections, "refused ids")
        self._refused_sources.write(sections, "refused sources")
        self._add_keys(sections, table_from)
        return join_sections(sections)

    def _add_keys(
        self, sections: dict[str, bytes | bytearray | memoryview], table_from: int
    ) -> None:
        import numpy as np

        from errdex.matching.patterns.pack.keys import (
            KeyChooser,
            build_table,
            hash_windows,
            is_short,
        )

        def rows(facts: Facts) -> NDArray[np.uint64]:
            return np.asarray(facts.pattern_keys, np.uint64).reshape(-1, ROW)

        new_counts, new_keys = KeyChooser(
            self._literals.data,
            self._literals.starts,
            self._clauses,
            self._patterns,
            known=[rows(base) for base in self._bases],
        ).choose()
        new_ends = np.concatenate([[0], np.cumsum(new_counts)])
        counts, chosen = [np.empty(0, np.int64)], [np.empty((0, ROW), np.uint64)]
        for base, first, last in self._runs:
            if base is None:
                counts.append(new_counts[first:last])
                chosen.append(new_keys[new_ends[first] : new_ends[last]])
            else:
                starts = np.asarray(base.keys_of.starts[first : last + 1], np.int64)
                counts.append(np.diff(starts))
                chosen.append(rows(base)[starts[0] : starts[-1]])
        keys_of, pattern_keys = np.concatenate(counts), np.concatenate(chosen)
        patterns = np.repeat(np.arange(len(keys_of), dtype=np.uint32), keys_of)

        automaton = np.ones(len(pattern_keys), bool)
        if len(pattern_keys) >= table_from:
            automaton = is_short(pattern_keys)
        scanned, key_of_scanned = np.unique(
            pattern_keys[automaton].view(f"V{ROW * 8}").ravel(), return_inverse=True
        )
        beginnings, whole = hash_windows(pattern_keys[~automaton])
        hashes, key_of_window = np.unique(whole, return_inverse=True)
        key = np.empty(len(pattern_keys), np.int64)
        key[automaton] = key_of_scanned
        key[~automaton] = key_of_window + len(scanned)
        order = np.argsort(key, kind="stable")
        ends = np.cumsum(np.bincount(key, minlength=len(scanned) + len(hashes)))
        columns: dict[str, NDArray[Any]] = {
            "pattern keys": pattern_keys,
            "keys of": np.concatenate([[0], np.cumsum(keys_of)]).astype(np.uint32),
            "scanned keys": scanned,
            "hashes": hashes,
            "beginnings": build_table(beginnings),
            "windows": build_table(whole),
            "key patterns": patterns[order],
            "patterns of": np.concatenate([[0], ends]).astype(np.uint32),
            "unfiltered": np.flatnonzero(keys_of == 0).astype(np.uint32),
        }
        sections.update((name, column.tobytes()) for name, column in columns.items())


def _shortest(literals: Sequence[str]) -> list[bytes]:
    """Those that contain no other one: where a longer one is, the shorter one is too."""
    kept: list[bytes] = []
    for literal in sorted(map(str.encode, literals), key=len):
        if not any(shorter in literal for shorter in kept):
            kept.append(literal)
    return kept


def _list_offered(needed: Iterable[tuple[Clause, list[bytes]]]) -> list[list[bytes]]:
    """The clauses that a pattern may be looked up by."""
    usable = [literals for clause, literals in needed if clause.scannable]
    if len(usable) > _OFFERED:
        usable.sort(key=lambda literals: -min(map(len, literals)))
    return usable[:_OFFERED]


def _list_checks(needed: Iterable[tuple[Clause, list[bytes]]]) -> list[bytes]:
    """Literals that a match needs one and all, other than by chance the one looked up; the
    longest first, which most texts lack."""
    checks = [
        literals[0] for clause, literals in needed if len(literals) == 1 and not clause.folded
    ]
    return sorted(checks, key=len, reverse=True)
