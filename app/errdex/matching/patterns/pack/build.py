"""Builds packs: of patterns, or of another pack and what changed.

*Cost:* some 50 µs for each pattern that is new, to read it; those that another pack has are
copied in long runs.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from errdex.matching.patterns.literals import Clause, extract, fold
from errdex.matching.patterns.pack.columns import TextsWriter, shift
from errdex.matching.patterns.pack.facts import Facts
from errdex.matching.patterns.pack.sections import join_sections
from errdex.matching.patterns.refusal import PatternRefused

_OFFERED = 3
"""Clauses of a pattern that are weighed, the longest ones."""


def build_pack(patterns: Iterable[tuple[str, str]]) -> bytes:
    """The pack of these ids and patterns, in their order. One that cannot be read is among the
    refused."""
    writer = _Writer([])
    for pattern_id, source in patterns:
        writer.add(pattern_id, source)
    return writer.finish()


def update_pack(base: Facts, changed: Mapping[str, str | None]) -> bytes:
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
    return writer.finish()


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

    def finish(self) -> bytes:
        """The pack."""
        sections: dict[str, bytes | bytearray | memoryview] = {}
        self._ids.write(sections, "ids")
        self._sources.write(sections, "sources")
        self._checks.write(sections, "checks")
        sections["checks of"] = memoryview(self._checks_of).cast("B")
        self._refused_ids.write(sections, "refused ids")
        self._refused_sources.write(sections, "refused sources")
        self._add_keys(sections)
        return join_sections(sections)

    def _add_keys(self, sections: dict[str, bytes | bytearray | memoryview]) -> None:
        from errdex.matching.patterns.pack.key_choice import KeyChooser
        from errdex.matching.patterns.pack.key_columns import (
            copy_keys,
            join_keys,
            known_rows,
            write_keys,
        )

        chosen = KeyChooser(
            self._literals.data,
            self._literals.starts,
            self._clauses,
            self._patterns,
            known=[known_rows(base) for base in self._bases],
        ).choose()
        pieces = [
            chosen.cut(first, last) if base is None else copy_keys(base, first, last)
            for base, first, last in self._runs
        ]
        columns = write_keys(join_keys(pieces))
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
