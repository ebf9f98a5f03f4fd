"""Many patterns against many texts.

*Invariant:* `PatternSet.find` gives what trying each pattern on each text would give
(`Pattern.search`), no more and no less, in the order of the texts and then of the
patterns. This holds for texts up to MAX_PIECE bytes of UTF-8 and while no limit is hit. A
longer text is looked at in pieces that overlap by half: in it, a match of up to half a
piece is always found, but a hole that could take more of the text may end with its piece.

*Cost:* one Aho-Corasick pass over all texts, whatever the number of patterns, in C; then
Python and one or two calls of RE2 for each pattern in whose text a literal occurs
that the pattern needs (`literal_index`). Patterns are compiled when they are first
tried. Patterns without such a literal cost one RE2 pass over all texts each. RE2's time
is linear in the text, so that the work for a text of n bytes is at most
O(n * candidates), and a candidate sees each byte of a long text at most twice.

The filter is that of RE2's `FilteredRE2` (re2/filtered_re2.h), over literals that are
extracted like those of Rust's `regex-automata`.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from errdex.matching.patterns.batches import Batch, batches
from errdex.matching.patterns.layered_index import LayeredIndex
from errdex.matching.patterns.literal_index import Hits, LiteralIndex
from errdex.matching.patterns.literals import Required, extract
from errdex.matching.patterns.packed_texts import PackedEntries
from errdex.matching.patterns.pattern import Pattern, compile_pattern
from errdex.matching.patterns.pattern_search import Findings, Limits, Match, Search
from errdex.matching.patterns.refusal import PatternRefused

KEPT_COMPILED = 1024
"""So many compiled patterns, those used last, a set keeps at least, and at most twice as
many. RE2 takes some 50 kB for one in use."""

_MOST_CHANGED = 0.1
"""Of which share of a set's patterns may be new or gone before a new one is made."""

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class _Indexed(Generic[K]):
    """Patterns that could be read, the index of their literals, and those that could not."""

    entries: PackedEntries[K]
    index: LiteralIndex
    refused: dict[K, PatternRefused]

    @classmethod
    def of(cls, patterns: Iterable[tuple[K, str]]) -> _Indexed[K]:
        entries: list[tuple[K, str]] = []
        refused: dict[K, PatternRefused] = {}

        def required() -> Iterator[Required]:
            for key, source in patterns:
                try:
                    yield extract(source)
                except PatternRefused as refusal:
                    refused[key] = refusal
                else:
                    entries.append((key, source))

        index = LiteralIndex(required())
        return cls(PackedEntries(entries), index, refused)


class PatternSet(Generic[K]):
    """Compiled patterns, each under a key of the caller's. Never changes, so that threads
    can share it. Made by `compile` and `updated`."""

    def __init__(
        self,
        base: _Indexed[K],
        added: _Indexed[K] | None = None,
        gone: frozenset[int] = frozenset(),
    ) -> None:
        self._base = base
        self._added = added
        self._gone = gone
        self._index: LiteralIndex | LayeredIndex = base.index
        self._compiled: dict[int, Pattern] = {}
        self._compiled_before: dict[int, Pattern] = {}
        self._weak: dict[int, bool] = {}
        self.refused = dict((added or base).refused)
        """Patterns that turned out to be unusable. They never match."""
        if added:
            self._index = LayeredIndex(base.index, len(base.entries), gone, added.index)

    @classmethod
    def compile(cls, patterns: Iterable[tuple[K, str]]) -> PatternSet[K]:
        """Make a set from keys and sources. A pattern that cannot be read is put under
        `refused`."""
        return cls(_Indexed.of(patterns))

    def updated(self, patterns: Iterable[tuple[K, str]]) -> PatternSet[K]:
        """The set that `compile` makes of these patterns, whose keys are unique. Where most
        of them are in this set already, only the others are read; their places, and so the
        order in which they are found, are then behind all that stayed."""
        entries = self._base.entries
        stayed = bytearray(len(entries))
        order = array("l")
        changed: list[tuple[K, str]] = []
        for place, key, source in entries.places(patterns):
            if place < 0:
                order.append(~len(changed))
                changed.append((key, source))
            else:
                order.append(place)
                stayed[place] = 1
        gone = frozenset(index for index, here in enumerate(stayed) if not here)
        if len(gone) + len(changed) > _MOST_CHANGED * len(entries):
            return PatternSet.compile(
                changed[~place] if place < 0 else (entries.key(place), entries.text(place))
                for place in order
            )
        return PatternSet(self._base, _Indexed.of(changed), gone)

    def changed(self, new: Mapping[K, str], gone: Iterable[K] = ()) -> PatternSet[K] | None:
        """The set with these patterns new, or instead of those with their keys, and without
        the keys that are gone; None where so many differ that one had better be made anew."""
        places = set(self._gone)
        find = self._base.entries.finder()
        added = dict(self._added.entries) if self._added else {}
        for key in (*new, *gone):
            added.pop(key, None)
            if (place := find(key)) >= 0:
                places.add(place)
        added.update(new)
        if len(places) + len(added) > _MOST_CHANGED * len(self._base.entries):
            return None
        return PatternSet(self._base, _Indexed.of(added.items()), frozenset(places))

    def sources(self, keys: Iterable[K]) -> dict[K, str]:
        """The patterns of those keys that are in the set."""
        found: dict[K, str] = {}
        find, base = self._base.entries.finder(), self._base.entries
        added = dict(self._added.entries) if self._added else {}
        for key in keys:
            if key in added:
                found[key] = added[key]
            elif (place := find(key)) >= 0 and place not in self._gone:
                found[key] = base.text(place)
        return found

    def __len__(self) -> int:
        added = len(self._added.entries) if self._added else 0
        return len(self._base.entries) + added - len(self._gone)

    @property
    def unfiltered(self) -> int:
        """Patterns without a usable literal, which are tried on every text."""
        return len(self._index.unfiltered)

    @property
    def literals(self) -> int:
        """Literals that are scanned for."""
        return self._index.size

    def find(
        self,
        units: Iterable[str],
        limits: Limits | None = None,
        *,
        settled: Callable[[int, K], bool] | None = None,
        take: Callable[[Match[K]], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> Findings[K]:
        """Find every pattern in every text, at its first place there. `take` is given each
        match when it is found, and says whether it counts against the limits; `settled` may
        say, going by those, that a pattern is not to be looked for in a text (by its number
        among the texts)."""
        search = Search(self, limits or Limits(), clock, settled, take)
        for batch in batches(units):
            if not search.take(batch):
                break
        return search.findings()

    def pattern(self, index: int) -> Pattern | None:
        """The compiled pattern at a place of the set, None when RE2 refuses it."""
        pattern = self._compiled.get(index)
        if pattern is not None:
            return pattern
        pattern = self._compiled_before.get(index)
        if pattern is None:
            entries, place = self._entry(index)
            key = entries.key(place)
            if key in self.refused:
                return None
            try:
                pattern = compile_pattern(entries.text(place))
            except PatternRefused as refusal:
                self.refused[key] = refusal
                return None
        # Threads that come here at once at worst compile a pattern twice.
        if len(self._compiled) >= KEPT_COMPILED:
            self._compiled_before, self._compiled = self._compiled, {}
        self._compiled[index] = pattern
        return pattern

    def key(self, index: int) -> K:
        """The key of the pattern at a place of the set."""
        entries, place = self._entry(index)
        return entries.key(place)

    def _entry(self, index: int) -> tuple[PackedEntries[K], int]:
        base = self._base.entries
        if self._added and index >= len(base):
            return self._added.entries, index - len(base)
        return base, index

    def find_literals(self, batch: Batch) -> Hits:
        """The literals of patterns that occur in each text of a batch."""
        return self._index.find_literals(batch)

    def patterns_with(self, literals: Iterable[int]) -> set[int]:
        """The places of the patterns that may match where these literals occur."""
        return self._index.patterns_with(literals)

    def unfiltered_places(self, *, weak: bool) -> list[int]:
        """The places of the patterns without a usable literal, with or without weak ones."""
        return [place for place in self._index.unfiltered if weak or not self.is_weak(place)]

    def is_weak(self, index: int) -> bool:
        """Whether a match of the pattern means little by itself; True when RE2 refuses it."""
        known = self._weak.get(index)
        if known is None:
            pattern = self.pattern(index)
            known = self._weak[index] = pattern is None or pattern.weak
        return known

    def rules_out(self, index: int, scanned: bytes) -> bool:
        """True when a candidate lacks another literal that the pattern needs."""
        return self._index.rules_out(index, scanned)

    def find_texts(self, index: int, batch: Batch, texts: range) -> Iterable[int]:
        """Those of the texts in which a pattern without a usable literal may be found: they are
        searched at once, going on behind each one that was."""
        pattern = self.pattern(index)
        if pattern is None:
            return
        if pattern.absolute or batch.piece is not None:
            yield from texts
            return
        joined = batch.joined
        start, end = joined.starts[texts.start], min(joined.starts[texts.stop], len(joined.data))
        while start < end and (place := pattern.find_bytes(joined.data, start, end)):
            text = joined.text_at(place[0])
            yield text
            start = joined.starts[text + 1]
