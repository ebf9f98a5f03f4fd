"""Many patterns against many texts.

*Invariant:* `PatternSet.find` gives what trying each pattern on each text would give
(`Pattern.search`), no more and no less, in the order of the texts and then of the
patterns. This holds for texts up to MAX_PIECE bytes of UTF-8 and while no limit is hit. A
longer text is looked at in pieces that overlap by half: in it, a match of up to half a
piece is always found, but a hole that could take more of the text may end with its piece.

*Cost:* one pass over all texts, whatever the number of patterns, in C; then
Python and one or two calls of RE2 for each pattern in whose text a piece of a literal occurs
that the pattern needs (`literal_index`). Patterns are compiled when they are first
tried. Patterns without such a literal cost one RE2 pass over all texts each. RE2's time
is linear in the text, so that the work for a text of n bytes is at most
O(n * candidates), and a candidate sees each byte of a long text at most twice.

A set is a pack (see `pack`): opened at once, and shared by all processes that open its file.

The filter is that of RE2's `FilteredRE2` (re2/filtered_re2.h), over literals that are
extracted like those of Rust's `regex-automata`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from errdex.matching.patterns.batches import Batch, batches
from errdex.matching.patterns.literal_index import TABLE_FROM, Candidates, LiteralIndex
from errdex.matching.patterns.pack.build import build_pack
from errdex.matching.patterns.pack.facts import Facts
from errdex.matching.patterns.pack.mapped_file import MappedFile
from errdex.matching.patterns.pack.sections import split_sections
from errdex.matching.patterns.pattern import Pattern, compile_pattern
from errdex.matching.patterns.pattern_search import Findings, Limits, Match, Search
from errdex.matching.patterns.refusal import PatternRefused

KEPT_COMPILED = 3072
"""So many compiled patterns, those used last, a set keeps at least, and at most twice as
many. RE2 takes some 15 kB for one in use, and a millisecond to make one."""


class PatternSet:
    """Patterns, each under an id. Never changes, so that threads can share it. Made by `compile`
    and `open`."""

    def __init__(
        self,
        pack: memoryview,
        file: MappedFile | None = None,
        *,
        table_from: int = TABLE_FROM,
    ) -> None:
        """`table_from`: see `literal_index`. Raises PackMissing and PackDamaged."""
        self.sections = split_sections(pack)
        self.facts = facts = Facts.of(self.sections)
        self._file = file
        self.index = LiteralIndex(facts, table_from=table_from)
        self._compiled: dict[int, Pattern] = {}
        self._compiled_before: dict[int, Pattern] = {}
        self._weak: dict[int, bool] = {}
        self.refused: dict[str, PatternRefused] = {}
        """Patterns that turned out to be unusable. They never match."""
        for pattern_id, source in zip(facts.refused_ids, facts.refused_sources, strict=True):
            try:
                compile_pattern(source)
            except PatternRefused as refusal:
                self.refused[pattern_id] = refusal

    @classmethod
    def compile(
        cls, patterns: Iterable[tuple[str, str]], *, table_from: int = TABLE_FROM
    ) -> PatternSet:
        """Make a set from ids and sources. A pattern that cannot be read is put under
        `refused`."""
        return cls(memoryview(build_pack(patterns)), table_from=table_from)

    @classmethod
    def open(cls, path: Path) -> PatternSet:
        """The set in a file that is a pack, without reading it into memory. Raises OSError,
        PackMissing and PackDamaged."""
        file = MappedFile(path)
        return cls(file.data, file)

    def __len__(self) -> int:
        return len(self.facts)

    @property
    def unfiltered(self) -> int:
        """Patterns without a usable literal, which are tried on every text."""
        return len(self.index.unfiltered)

    @property
    def literals(self) -> int:
        """Keys that are scanned for."""
        return self.index.size

    def find(
        self,
        units: Iterable[str],
        limits: Limits | None = None,
        *,
        settled: Callable[[int, str], bool] | None = None,
        take: Callable[[Match], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> Findings:
        """Find every pattern in every text, at its first place there. `take` is given each
        match when it is found, and says whether it counts against the limits; `settled` may
        say, going by those, that a pattern is not to be looked for in a text (by its number
        among the texts). Raises PackDamaged when somebody changed the pack's file."""
        if self._file is not None:
            self._file.check()
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
            key = self.key(index)
            if key in self.refused:
                return None
            try:
                pattern = compile_pattern(self.facts.sources.text(index))
            except PatternRefused as refusal:
                self.refused[key] = refusal
                return None
        # Threads that come here at once at worst compile a pattern twice.
        if len(self._compiled) >= KEPT_COMPILED:
            self._compiled_before, self._compiled = self._compiled, {}
        self._compiled[index] = pattern
        return pattern

    def key(self, index: int) -> str:
        """The id of the pattern at a place of the set."""
        return self.facts.ids.text(index)

    def find_candidates(self, batch: Batch) -> Candidates:
        """The patterns that might match each text of a batch, but for those without a usable
        literal."""
        return self.index.find_candidates(batch)

    def unfiltered_places(self, *, weak: bool) -> list[int]:
        """The places of the patterns without a usable literal, with or without weak ones."""
        return [place for place in self.index.unfiltered if weak or not self.is_weak(place)]

    def is_weak(self, index: int) -> bool:
        """Whether a match of the pattern means little by itself; True when RE2 refuses it."""
        known = self._weak.get(index)
        if known is None:
            pattern = self.pattern(index)
            known = self._weak[index] = pattern is None or pattern.weak
        return known

    def rules_out(self, index: int, scanned: bytes) -> bool:
        """True when a candidate lacks another literal that the pattern needs."""
        return self.index.rules_out(index, scanned)

    def find_texts(self, index: int, batch: Batch, texts: range) -> Iterable[int]:
        """Those of the texts in which a pattern without a usable literal may be found: they are
        searched at once, going on behind each one that was."""
        pattern = self.pattern(index)
        if pattern is None:
            return
        if pattern.absolute or batch.span is not None:
            yield from texts
            return
        joined = batch.joined
        start, end = joined.starts[texts.start], min(joined.starts[texts.stop], len(joined.data))
        while start < end and (place := pattern.find_bytes(joined.data, start, end)):
            text = joined.text_at(place[0])
            yield text
            start = joined.starts[text + 1]
