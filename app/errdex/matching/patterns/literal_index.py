"""Which patterns could match a text: all literals of a pattern set, found in one pass.

Of each pattern's clauses the one that should occur least often is looked for, with
Aho-Corasick over all patterns at once; a pattern whose clauses are all useless for this
is listed in `unfiltered`. Like `literals`, this gives no false negatives: a pattern
that matches a text is among `patterns_with` the literals of its scanned form, or unfiltered.

How often a literal should occur is estimated from how many patterns of the set share it
and from how much it says (`weight.weigh`). Long literals are cut to KEY_LENGTH bytes,
which keeps the automaton small; `rules_out` looks for all of them, and for the other
clauses, before anything is compiled.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import ahocorasick_rs

from errdex.matching.patterns.batches import Batch, JoinedTexts
from errdex.matching.patterns.literals import Clause, Required
from errdex.matching.patterns.packed_texts import PackedBytes, PackedGroups
from errdex.matching.patterns.weight import weigh

_SHORT = 8
"""Of fewer bytes a key is chosen only if there is no other."""
KEY_LENGTH = 24
"""Bytes of a literal that are scanned for."""
_OFFERED = 3
"""Clauses of a pattern that are weighed, the longest ones."""
_USUAL_WORDS = 4000.0
"""Occurrences to expect, in any log, of a literal that says nothing."""
_BY_WORDS = 0.4
"""What the words of a literal count, against its length alone: a phrase is rarer than a
word of it."""

Hits = dict[int, list[int]]
"""For each text of a batch, by its number, the literals that occur in it."""

_Keys = tuple[bytes, ...]
_Option = tuple[bool, _Keys]
"""A way to find a pattern: whether in the folded form, and what to scan for, any of which
may be there."""


class LiteralIndex:
    """The literals of a pattern set, exact and folded, and the patterns they stand for."""

    def __init__(self, required: Iterable[Required]) -> None:
        options: list[list[_Option]] = []
        self._first_checks = array("I", [0])

        def checks() -> Iterator[bytes]:
            count = 0
            for found in required:
                options.append(_options(found.clauses))
                for check in _checks(found.clauses):
                    count += 1
                    yield check
                self._first_checks.append(count)

        self._checks = PackedBytes(checks())
        shared = Counter(
            key for ways in options if len(ways) > 1 for _, keys in ways for key in keys
        )
        literals: tuple[dict[bytes, list[int]], dict[bytes, list[int]]] = {}, {}
        unfiltered: list[int] = []
        for index, ways in enumerate(options):
            if not ways:
                unfiltered.append(index)
                continue
            folded, keys = ways[0] if len(ways) == 1 else _cheapest(ways, shared)
            for key in keys:
                literals[folded].setdefault(key, []).append(index)
        self.unfiltered: Sequence[int] = tuple(unfiltered)
        """Patterns, by their place in the set, that have to be tried on every text."""
        self._exact, self._folded = map(_Scanner, literals)

    @property
    def size(self) -> int:
        """Literals that are scanned for."""
        return self._exact.size + self._folded.size

    def find_literals(self, batch: Batch) -> Hits:
        """The literals that occur in each text of a batch. They are few beside the patterns
        that may need them: see `patterns_with`."""
        found: Hits = {}
        self._exact.add_hits(batch.scanned, 0, found)
        if self._folded.size:
            self._folded.add_hits(batch.folded, self._exact.size, found)
        return found

    def patterns_with(self, literals: Iterable[int]) -> set[int]:
        """The patterns that one of these literals was chosen for."""
        found: set[int] = set()
        exact = self._exact.size
        for literal in literals:
            if literal < exact:
                found.update(self._exact.patterns[literal])
            else:
                found.update(self._folded.patterns[literal - exact])
        return found

    def rules_out(self, index: int, scanned: bytes) -> bool:
        """True when a scanned text lacks something else that the pattern needs."""
        checks = self._checks
        for place in range(self._first_checks[index], self._first_checks[index + 1]):
            if checks[place] not in scanned:
                return True
        return False


class _Scanner:
    """One automaton. Finds overlapping occurrences: a literal inside another counts too."""

    def __init__(self, literals: dict[bytes, list[int]]) -> None:
        self.size = len(literals)
        self.patterns = PackedGroups(literals.values())
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            list(literals), implementation=ahocorasick_rs.Implementation.ContiguousNFA
        )

    def add_hits(self, joined: JoinedTexts, first: int, found: Hits) -> None:
        """Add the literals that occur in each text, counted on from `first`."""
        if not self.size:
            return
        hits = self._automaton.find_matches_as_indexes(joined.data, overlapping=True)
        if not hits:
            return
        # A text may repeat a literal thousands of times: each counts once.
        for text, literal in {(joined.text_at(start), literal) for literal, start, _ in hits}:
            found.setdefault(text, []).append(first + literal)


def _options(clauses: Sequence[Clause]) -> list[_Option]:
    """The ways to find a pattern by one of its clauses. A long literal that is alone in its
    clause is offered from each of several words on."""
    options: list[_Option] = []
    usable = [clause for clause in clauses if clause.scannable]
    if len(usable) > _OFFERED:
        usable.sort(key=lambda clause: -min(map(len, clause.literals)))
    for clause in usable[:_OFFERED]:
        if len(clause.literals) > 1:
            keys = dict.fromkeys(literal.encode()[:KEY_LENGTH] for literal in clause.literals)
            options.append((clause.folded, tuple(keys)))
            continue
        literal = clause.literals[0].encode()
        options.append((clause.folded, (literal[:KEY_LENGTH],)))
        if len(literal) > KEY_LENGTH:
            for start in {literal.find(b" ", 1), literal.find(b" ", len(literal) - KEY_LENGTH)}:
                if 0 < start <= len(literal) - _SHORT:
                    key = literal[start : start + KEY_LENGTH]
                    options.append((clause.folded, (key,)))
    return options


def _cheapest(options: list[_Option], shared: Counter[bytes]) -> _Option:
    costs = [sum([shared[key] + _expected(key) for key in keys]) for _, keys in options]
    return options[costs.index(min(costs))]


def _expected(key: bytes) -> float:
    """Occurrences to expect, whatever the log. A key that begins within words costs the
    scan more, since it begins to match more often."""
    telling: float = len(key)
    if telling < _SHORT * 2:
        words = weigh(key.decode("utf-8", "replace"))
        telling = _BY_WORDS * words + (1 - _BY_WORDS) * telling
    return _USUAL_WORDS * (2 if key[:1].islower() else 1) / float(2 ** (telling / 2))


def _checks(clauses: Sequence[Clause]) -> _Keys:
    """Literals that a match needs one and all, other than by chance the one scanned for."""
    return tuple(
        [
            clause.literals[0].encode()
            for clause in clauses
            if len(clause.literals) == 1 and not clause.folded
        ]
    )
