"""One search of a pattern set: batch by batch, text by text, within its limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from errdex.matching.patterns.batches import Batch
from errdex.matching.patterns.literal_index import Candidates
from errdex.matching.patterns.literals import normalise
from errdex.matching.patterns.pattern import Pattern, PatternMatch, Traits, to_match

_UNCOUNTED = 10
"""Times the limit of matches that may be found in all, with those that count for nothing."""
MOST_HELD = 1_000_000
"""Pairs of a text and a pattern without a usable literal that are held at once."""
_LOOKS_AT_CLOCK = 256
"""The clock is read for each candidate that is tried, and for one in so many of the others."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one search. None: no bound."""

    seconds: float | None = None
    matches: int | None = None
    """Matches in all."""
    matches_per_pattern: int | None = None
    """Texts in which one pattern is reported; in later ones it is not looked for."""
    weak: bool = True
    """False: without the patterns that mean little by themselves (`Traits.weak`)."""


class Match(NamedTuple):
    """A pattern in a text. `place`: its span, in characters of the text, and its groups.
    `pattern` is not the compiled one, which a set may let go of."""

    unit: int
    key: str
    pattern: Traits
    place: PatternMatch


@dataclass(frozen=True, slots=True)
class Findings:
    """What a search found. `complete` is False when the time or the number of matches ran
    out: then only the first `units` texts were looked at with all patterns. `capped` has
    the keys of patterns that may occur in more texts than were to be reported."""

    matches: list[Match]
    complete: bool
    units: int
    capped: frozenset[str]


class Searched(Protocol):
    """What a search asks of the set of patterns (`engine.PatternSet`)."""

    def pattern(self, index: int) -> Pattern | None:
        """The compiled pattern at a place of the set, None when RE2 refuses it."""

    def key(self, index: int) -> str:
        """The key of the pattern at a place of the set."""

    def find_candidates(self, batch: Batch) -> Candidates:
        """The patterns that might match each text of a batch, but for those without a usable
        literal."""

    def unfiltered_places(self, *, weak: bool) -> list[int]:
        """The places of the patterns without a usable literal, with or without weak ones."""

    def is_weak(self, index: int) -> bool:
        """Whether a match of the pattern means little by itself."""

    def rules_out(self, index: int, scanned: bytes) -> bool:
        """True when a candidate lacks another literal that the pattern needs."""

    def find_texts(self, index: int, batch: Batch, texts: range) -> Iterable[int]:
        """Those of the texts in which a pattern without a usable literal may be found."""


@dataclass(slots=True)
class Search:
    """One search under way: its limits, and what has been found."""

    patterns: Searched
    limits: Limits
    clock: Callable[[], float]
    settled: Callable[[int, str], bool] | None = None
    taken: Callable[[Match], bool] | None = None
    deadline: float | None = None
    found: list[tuple[int, int, Match]] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)
    counted: int = 0
    passed_over: int = 0
    """Candidates that were not tried."""
    capped: set[int] = field(default_factory=set)
    last_text: int = -1
    """The long text whose pieces are being looked at."""
    last_found: set[int] = field(default_factory=set)
    """Patterns found in its earlier pieces."""
    units: int = 0
    complete: bool = True

    def __post_init__(self) -> None:
        if self.limits.seconds is not None:
            self.deadline = self.clock() + self.limits.seconds

    def take(self, batch: Batch) -> bool:
        """Look at a batch. False: stop, a limit was hit."""
        if self._out_of_time():
            self.complete = False
            return False
        if batch.first != self.last_text:
            self.last_text, self.last_found = batch.first, set()
        for text, candidates in self._list_candidates(batch):
            if not self._confirm(batch, text, candidates):
                self.units = batch.first + text
                self.complete = False
                return False
        if not self.complete:
            return False
        self.units = batch.complete
        return True

    def _list_candidates(self, batch: Batch) -> Candidates:
        """The candidates of each text, in order. Ends early when the time runs out."""
        found = self.patterns.find_candidates(batch)
        unfiltered = self.patterns.unfiltered_places(weak=self.limits.weak)
        if not unfiltered:
            yield from found
            return
        step = max(1, MOST_HELD // (len(unfiltered) + 1))
        following = next(found, None)
        for start in range(0, len(batch.texts), step):
            texts = range(start, min(start + step, len(batch.texts)))
            self.units = max(self.units, batch.first + start)
            more = self._find_unfiltered(batch, texts, unfiltered)
            if more is None:
                self.complete = False
                return
            for text in texts:
                candidates: Sequence[int] = more.get(text, ())
                if following is not None and following[0] == text:
                    candidates = sorted({*candidates, *following[1]})
                    following = next(found, None)
                if candidates:
                    yield text, candidates

    def _find_unfiltered(
        self, batch: Batch, texts: range, unfiltered: Sequence[int]
    ) -> dict[int, list[int]] | None:
        """The patterns without a usable literal that may be found in each of some texts; None
        when the time ran out."""
        found: dict[int, list[int]] = {}
        for index in unfiltered:
            if self._out_of_time():
                return None
            for text in self.patterns.find_texts(index, batch, texts):
                found.setdefault(text, []).append(index)
        return found

    def _confirm(self, batch: Batch, text: int, candidates: Sequence[int]) -> bool:
        encoded = batch.encoded(text)
        start, end = batch.span or (0, len(encoded.data))
        scanned = normalise(encoded.data[start:end])
        unit = batch.first + text
        for index in candidates:
            if self._passes_over(index, unit, scanned):
                self.passed_over += 1
                if not self.passed_over % _LOOKS_AT_CLOCK and self._out_of_time():
                    return False
                continue
            if self._out_of_time():
                return False
            pattern = self.patterns.pattern(index)
            spans = None if pattern is None else pattern.search_bytes(encoded.data, start, end)
            if pattern is None or spans is None:
                continue
            if not self._add(unit, index, pattern, to_match(spans, encoded)):
                return False
            if batch.span is not None:
                self.last_found.add(index)
        return True

    def _passes_over(self, index: int, unit: int, scanned: bytes) -> bool:
        """Whether a candidate need not be tried on a text."""
        patterns = self.patterns
        return (
            index in self.last_found
            or patterns.rules_out(index, scanned)
            or (self.settled is not None and self.settled(unit, patterns.key(index)))
            or self._is_capped(index)
            or (not self.limits.weak and patterns.is_weak(index))
        )

    def _add(self, unit: int, index: int, pattern: Pattern, place: PatternMatch) -> bool:
        most = self.limits.matches
        if most is not None and (self.counted >= most or len(self.found) >= most * _UNCOUNTED):
            return False
        match = Match(unit, self.patterns.key(index), pattern.traits, place)
        self.found.append((unit, index, match))
        if self.taken is None or self.taken(match):
            self.counted += 1
            self.counts[index] = self.counts.get(index, 0) + 1
        return True

    def _is_capped(self, index: int) -> bool:
        most = self.limits.matches_per_pattern
        if most is None or self.counts.get(index, 0) < most:
            return False
        self.capped.add(index)
        return True

    def _out_of_time(self) -> bool:
        return self.deadline is not None and self.clock() >= self.deadline

    def findings(self) -> Findings:
        """What was found up to now, in order."""
        self.found.sort(key=lambda entry: entry[:2])
        return Findings(
            [match for _, _, match in self.found],
            self.complete,
            self.units,
            frozenset(map(self.patterns.key, self.capped)),
        )
