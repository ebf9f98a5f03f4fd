"""The whole way from a paste to its answer: reading, events, patterns, evidence.

*Invariant:* a record is a match only when its pattern was found in a text of the event, and
then only when the evidence allows it (`evidence.counts_as_match`). Nothing is called a match
for being similar.

*Cost:* reading and finding events are linear in the paste; patterns are looked for in one pass
over the events' texts and one over the quiet lines (see `engine`). Only records whose pattern
was found are asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from app.matching import engine
from app.matching.engine import PatternSet
from app.matching.events import EventLimits, Found, Units, find_events, units
from app.matching.model import Event
from app.matching.ranking.answer import Answer, EventAnswer, RecordFacts
from app.matching.ranking.order import Candidate, MatchBuilder, ranked
from app.matching.ranking.repeats import Folded, fold
from app.matching.ranking.roots import find_root_cause
from app.matching.ranking.texts import (
    EventText,
    event_texts,
    fit_in,
    is_quoted,
    pieces_of,
    quiet_event,
    quiet_units,
)
from app.matching.reading import Paste, ReadingLimits, read_paste

Lookup = Callable[[Collection[str]], Mapping[str, RecordFacts]]
"""Gives those of the records with these ids that are there."""

_QUIET_WEIGHT = 9.0
_QUIET_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class MatchLimits:
    """Bounds of the work for one paste. What is past them is left out, and the answer says so."""

    seconds: float = 10.0
    matches: int = 2_000
    """In all."""
    matches_per_record: int = 500
    events: int = 2_000
    reading: ReadingLimits = field(default_factory=ReadingLimits)


class Matcher:
    """Patterns under the ids of their records. Never changes; threads can share it."""

    def __init__(
        self, patterns: PatternSet[str], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.patterns = patterns
        self._clock = clock

    def match(self, data: bytes | str, lookup: Lookup, limits: MatchLimits | None = None) -> Answer:
        """Answer a paste. Never raises for its content."""
        return _Work(self.patterns, lookup, limits or MatchLimits(), self._clock).answer(data)


class _Work:
    """One paste being answered."""

    def __init__(
        self,
        patterns: PatternSet[str],
        lookup: Lookup,
        limits: MatchLimits,
        clock: Callable[[], float],
    ) -> None:
        self.patterns = patterns
        self.lookup = lookup
        self.limits = limits
        self.clock = clock
        self.deadline = clock() + limits.seconds
        self.hit: list[str] = []

    def answer(self, data: bytes | str) -> Answer:
        paste = read_paste(data, limits=self.limits.reading)
        if paste.incomplete:
            self.hit.append("The paste is too long: the lines behind the bound were not read.")
        found = self._find_events(paste)
        folded = fold(found.events)
        texts = units(paste, found)
        matched, lines = self._match_events(found, folded, texts)
        quiet = self._match_quiet(texts)
        answers = self._answers(texts, folded, matched, quiet)
        root = find_root_cause([each.event for each in answers])
        return Answer(answers, root, len(paste), lines, tuple(self.hit))

    def _find_events(self, paste: Paste) -> Found:
        limits = EventLimits(self.limits.events, self._left())
        found = find_events(paste, limits=limits)
        if found.incomplete:
            self.hit.append(
                f"The paste holds more than {self.limits.events:,} errors, or took too long: "
                "later ones were not looked for."
            )
        return found

    def _match_events(
        self, found: Found, folded: Sequence[Folded], texts: Units
    ) -> tuple[dict[int, dict[str, Candidate]], int]:
        """The best place of each pattern in each event, by index and record."""
        kept = {each.index for each in folded}
        lot = [text for text in event_texts(found, texts) if text.event in kept]
        findings = self._find([text.text for text in lot], weak=True)
        best: dict[int, dict[str, Candidate]] = {}
        for match in findings.matches:
            text = lot[match.unit]
            candidate = _candidate(text, match)
            if candidate.traits.weak and not (candidate.fit.whole or candidate.fit.line):
                continue
            of_event = best.setdefault(text.event, {})
            known = of_event.get(match.key)
            if known is None or candidate.fit > known.fit:
                of_event[match.key] = candidate
        return best, len(texts.paste) if findings.complete else 0

    def _match_quiet(self, texts: Units) -> dict[int, dict[str, Candidate]]:
        """What patterns with telling text find in lines of no event, by unit and record."""
        lot = quiet_units(texts)
        findings = self._find([texts.texts[unit] for unit in lot], weak=False)
        best: dict[int, dict[str, Candidate]] = {}
        for match in findings.matches:
            unit = lot[match.unit]
            text = texts.texts[unit]
            candidate = _candidate(EventText(text, -1, 0, pieces_of(texts, unit)), match)
            if _tells_in_quiet(candidate):
                best.setdefault(unit, {})[match.key] = candidate
        return best

    def _find(self, texts: Sequence[str], *, weak: bool) -> engine.Findings[str]:
        limits = engine.Limits(
            seconds=max(0.001, self._left()),
            matches=self.limits.matches,
            matches_per_pattern=self.limits.matches_per_record,
            weak=weak,
        )
        findings = self.patterns.find(texts, limits, clock=self.clock)
        if not findings.complete:
            self._say_why(findings, len(texts))
        if findings.capped:
            self.hit.append(
                f"{len(findings.capped):,} records match in more than "
                f"{self.limits.matches_per_record:,} places: the later ones are left out."
            )
        return findings

    def _say_why(self, findings: engine.Findings[str], texts: int) -> None:
        if len(findings.matches) >= self.limits.matches:
            self.hit.append(f"More than {self.limits.matches:,} matches: the rest is left out.")
        else:
            share = 100 * findings.units // max(1, texts)
            self.hit.append(
                f"The time of {self.limits.seconds:g} seconds ran out after {share} % of the "
                "work: paste less, such as the part around the error."
            )

    def _answers(
        self,
        texts: Units,
        folded: Sequence[Folded],
        matched: Mapping[int, Mapping[str, Candidate]],
        quiet: Mapping[int, Mapping[str, Candidate]],
    ) -> list[EventAnswer]:
        keys = {key for found in (*matched.values(), *quiet.values()) for key in found}
        builder = MatchBuilder(texts.paste, self.lookup(keys) if keys else {})
        answers = [self._answer(builder, each, matched.get(each.index, {})) for each in folded]
        lines = [
            self._answer(builder, each, quiet[unit]) for unit, each in _quiet_events(texts, quiet)
        ]
        return _in_order(answers, [each for each in lines if each.matches])

    def _answer(
        self, builder: MatchBuilder, each: Folded, candidates: Mapping[str, Candidate]
    ) -> EventAnswer:
        matches, left_out = ranked(builder, each.event, candidates)
        return EventAnswer(
            each.event,
            matches,
            left_out=left_out,
            repeats=each.repeats,
            repeat_lines=each.repeat_lines,
        )

    def _left(self) -> float:
        return self.deadline - self.clock()


def _candidate(text: EventText, match: engine.Match[str]) -> Candidate:
    fit = fit_in(text.text, text.start, match.place.span)
    return Candidate(text, match.place, match.pattern, fit)


def _tells_in_quiet(candidate: Candidate) -> bool:
    """A line that no parser took for an error needs most of itself in the pattern's text."""
    fit = candidate.fit
    if candidate.traits.literal_weight < _QUIET_WEIGHT:
        return False
    if not (fit.whole or fit.line or fit.share >= _QUIET_SHARE):
        return False
    return not is_quoted(candidate.text.text, candidate.place.span)


def _quiet_events(
    texts: Units, quiet: Mapping[int, Mapping[str, Candidate]]
) -> list[tuple[int, Folded]]:
    """Quiet lines with matches as events, each line that comes again once."""
    found = sorted(quiet)
    events: list[Event] = [quiet_event(texts, unit, texts.texts[unit]) for unit in found]
    return [(found[each.index], each) for each in fold(events)]


def _in_order(answers: list[EventAnswer], lines: list[EventAnswer]) -> list[EventAnswer]:
    """Put the answers of quiet lines between those of events, causes counted anew."""
    merged = sorted(
        [(each.event.message_offset, 0, number, each) for number, each in enumerate(answers)]
        + [(each.event.message_offset, 1, number, each) for number, each in enumerate(lines)],
        key=lambda item: item[:3],
    )
    if not lines:
        return answers
    new_index = {number: place for place, (_, kind, number, _) in enumerate(merged) if kind == 0}
    return [
        each if each.event.cause is None else each.with_cause(new_index[each.event.cause])
        for _, _, _, each in merged
    ]
