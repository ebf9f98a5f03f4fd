"""The whole way from a paste to its answer: reading, events, patterns, evidence.

*Invariant:* a record is a match only when its pattern was found in a text of the event, and
then only when the evidence allows it (`earned.counts_as_match`). Nothing is called a match
for being similar: similar records are only where a message is looked for in other letters and
without its quotation marks (`similar`).

*Cost:* reading and finding events are linear in the paste; patterns are looked for in one pass
over the events' texts and one over the quiet lines (see `engine`). Only records whose pattern
was found are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from errdex.matching.events import EventLimits, Found, Units, find_bare, find_events, units
from errdex.matching.model import Event, Role
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pattern_search import Findings, Limits, Match
from errdex.matching.ranking.answer import Answer, EventAnswer, RecordFacts
from errdex.matching.ranking.bounds_hit import BoundsHit
from errdex.matching.ranking.earned import says_enough
from errdex.matching.ranking.nested_matches import forget_found_again
from errdex.matching.ranking.repeats import Folded, fold
from errdex.matching.ranking.root_choice import find_first
from errdex.matching.ranking.roots import find_root_cause
from errdex.matching.ranking.scoring import (
    Candidate,
    Candidates,
    MatchBuilder,
    candidate,
    ranked,
)
from errdex.matching.ranking.searched_texts import (
    CALM,
    PlacedText,
    QuietTexts,
    event_texts,
    is_quoted,
    is_reported,
    is_stack_entry,
    is_traced,
    quiet_event,
)
from errdex.matching.ranking.second_lines import Repetitions, head_of, without_second_lines
from errdex.matching.ranking.similar import Similar, with_similar
from errdex.matching.ranking.tool_lines import ToolSpans, is_bare_symptom
from errdex.matching.ranking.variants import Variants
from errdex.matching.ranking.windows import crosses_lines, lines_taken, windows
from errdex.matching.reading import Paste, ReadingLimits, read_paste
from errdex.matching.timings import stage
from errdex.workers.cancellation import clock

Lookup = Callable[[Collection[str]], Mapping[str, RecordFacts]]
"""Gives those of the records with these ids that are there."""

_QUIET_WEIGHT, _ENTIRE_WEIGHT = 9.0, 6.0
_QUIET_TELLING = 14.0
_SHARE = 0.4
"""Of the time that is left, what reading may take, and then finding events."""
_SPELLED_OUT, _FRAMED = 0.8, 0.5
"""Share of a line that a pattern spells out, in one piece and in several around its holes."""


@dataclass(frozen=True, slots=True)
class MatchLimits:
    """Bounds of the work for one paste. What is past them is left out, and the answer says so."""

    seconds: float = 10.0
    matches: int = 2_000
    """In all."""
    matches_per_record: int = 500
    events: int = 2_000
    reading: ReadingLimits = field(default_factory=ReadingLimits)


@dataclass(slots=True)
class Quiet:
    """A line of no event, and what was found in it."""

    text: PlacedText
    candidates: Candidates


class Matcher:
    """Patterns under the ids of their records. Never changes; threads can share it."""

    def __init__(self, patterns: PatternSet, *, clock: Callable[[], float] = clock) -> None:
        self.patterns = patterns
        self._clock = clock

    def match(
        self,
        data: bytes | str,
        lookup: Lookup,
        limits: MatchLimits | None = None,
        *,
        similar: Similar | None = None,
    ) -> Answer:
        """Answer a paste. Never raises for its content. With `similar`, messages that were typed
        again are found as well."""
        work = _Work(self.patterns, lookup, limits or MatchLimits(), self._clock)
        return work.answer(data, similar)


class _Work:
    """One paste being answered."""

    def __init__(
        self,
        patterns: PatternSet,
        lookup: Lookup,
        limits: MatchLimits,
        clock: Callable[[], float],
    ) -> None:
        self.patterns = patterns
        self.lookup = lookup
        self.limits = limits
        self.clock = clock
        self.deadline = clock() + limits.seconds
        self.hit = BoundsHit()

    def answer(self, data: bytes | str, similar: Similar | None) -> Answer:
        with stage("read"):
            paste = self._read(data)
        with stage("events"):
            found = self._find_events(paste)
            folded = fold(found.events)
            texts = units(paste, found)
        with stage("engine"):
            kept = {each.index for each in folded}
            lot = [(event, text) for event, text in event_texts(found, texts) if event in kept]
            matched, complete = self._match_events(lot)
            variants = Variants(found, folded, matched)
            folded = variants.unfold(texts, self._match_events)
            quiet = self._match_quiet(texts)
            _give_to_tools(ToolSpans(paste, found.events), folded, matched, quiet)
            _forget_repetitions(paste, folded, quiet)
            self._match_windows(texts, folded, matched, quiet)
            if paste.unread:
                quiet_lines = (line.candidates for line in quiet.values())
                forget_found_again(paste, [*matched.values(), *quiet_lines])
        with stage("ranking"):
            answers = without_second_lines(self._answers(texts, folded, matched, quiet))
            if not any(each.matches and each.event.role is not Role.SYMPTOM for each in answers):
                bare = find_bare(paste, [each.event for each in answers])
                answers = _in_order(answers, [self._answer_bare(paste, bare)] if bare else [])
            if similar:
                answers = with_similar(paste, answers, similar, patterns=len(self.patterns))
            known = {index for index, each in enumerate(answers) if each.matches}
            explained = {index for index in known if answers[index].explained}
            root = find_root_cause([each.event for each in answers], known, explained)
            first = find_first(answers, root)
        blank = not any(map(str.strip, paste.texts))
        looked_at = 0 if blank or not complete else len(paste)
        read = 0 if blank else len(paste)
        return Answer(answers, first, read, looked_at, self.hit.sentences)

    def _read(self, data: bytes | str) -> Paste:
        limits = replace(self.limits.reading, seconds=self._left() * _SHARE)
        paste = read_paste(data, limits=limits, clock=self.clock)
        if paste.incomplete:
            self.hit.reading()
        return paste

    def _find_events(self, paste: Paste) -> Found:
        limits = EventLimits(self.limits.events, self._left() * _SHARE)
        found = find_events(paste, limits=limits)
        if found.incomplete:
            self.hit.events(self.limits.events)
        return found

    def _match_events(
        self,
        lot: Sequence[tuple[int, PlacedText]],
        known_before: Mapping[int, Collection[str]] | None = None,
    ) -> tuple[dict[int, Candidates], bool]:
        """The best place of each pattern in each event's texts, by the event's index, and whether
        all of them were looked at. `known_before`: records that are not looked for in an event."""
        before = known_before or {}
        best: dict[int, Candidates] = {}

        def is_settled(unit: int, key: str) -> bool:
            event, text = lot[unit]
            if key in before.get(event, ()):
                return True
            known = best[event].get(key) if event in best else None
            return known is not None and (known.fit.whole or text.raw)  # the message comes first

        def take(match: Match) -> bool:
            """Keep a match. Only the first one that takes an event's whole message or a line of
            it counts: what lies in another record's messages hides no event of its own."""
            event, text = lot[match.unit]
            if text.joined and not _joins(text, match.place.span):
                return False
            here = candidate(text, match.place, match.pattern)
            known = best.setdefault(event, {})
            counts = here.fit.entire and match.key not in known
            if here.fit.entire or not here.said.weak:
                _keep_best(known, match.key, here)
            return counts

        wanted = [text.text for _, text in lot]
        findings = self._find(wanted, weak=True, settled=is_settled, take=take)
        return best, findings.complete

    def _match_quiet(self, texts: Units) -> dict[int, Quiet]:
        """What is found in lines of no event, by the index of the line."""
        lot = QuietTexts(texts)
        findings = self._find(lot.texts, weak=True)
        quiet: dict[int, Quiet] = {}
        for match in findings.matches:
            text = lot.at(match.unit)
            if text.joined and not _joins(text, match.place.span):
                continue
            here = candidate(text, match.place, match.pattern)
            number = text.pieces[0].line
            if text.level:
                says_much = here.fit.whole and here.place.span[0] == 0 and not here.said.led
            else:
                says_much = _says_much_in_quiet(here, texts.paste.level(number))
            if says_much:
                line = quiet.setdefault(number, Quiet(text.line, {}))
                _keep_best(line.candidates, match.key, here)
        return quiet

    def _match_windows(
        self,
        texts: Units,
        folded: Sequence[Folded],
        matched: dict[int, Candidates],
        quiet: dict[int, Quiet],
    ) -> None:
        """Add what patterns find across lines, to an event whose line is among them or to a
        quiet line."""
        kept = {each.index for each in folded}
        unknown = {each.index for each in folded if not matched.get(each.index)}
        lot = list(windows(texts, unknown))
        for match in self._find([text.text for text in lot], weak=False).matches:
            window, span = lot[match.unit], match.place.span
            here = candidate(window, match.place, match.pattern)
            taken = lines_taken(window, span)
            level = texts.paste.level(taken.pieces[0].line)
            if not crosses_lines(window.text, match.place) or not _says_much_in_quiet(here, level):
                continue
            if is_traced(taken.text):
                continue
            if any(_is_in(quiet, piece.line, match.key) for piece in taken.pieces):
                continue
            events = [texts.event_of(piece.line) for piece in taken.pieces]
            owner = next((event for event in events if event in kept), None)
            if owner is not None:
                _keep_best(matched.setdefault(owner, {}), match.key, here)
            elif all(event is None for event in events):
                line = quiet.setdefault(taken.pieces[0].line, Quiet(taken, {}))
                line.text = taken
                _keep_best(line.candidates, match.key, here)

    def _find(
        self,
        lot: Sequence[str],
        *,
        weak: bool,
        settled: Callable[[int, str], bool] | None = None,
        take: Callable[[Match], bool] | None = None,
    ) -> Findings:
        limits = Limits(
            seconds=max(0.001, self._left()),
            matches=self.limits.matches,
            matches_per_pattern=self.limits.matches_per_record,
            weak=weak,
        )
        findings = self.patterns.find(lot, limits, settled=settled, take=take, clock=self.clock)
        if not findings.complete:
            self._say_why(findings, len(lot))
        if findings.capped:
            self.hit.places(findings.capped, self.limits.matches_per_record)
        return findings

    def _say_why(self, findings: Findings, texts: int) -> None:
        if len(findings.matches) >= self.limits.matches:
            self.hit.matches(self.limits.matches)
        else:
            self.hit.time(self.limits.seconds, findings.units / max(1, texts))

    def _answers(
        self,
        texts: Units,
        folded: Sequence[Folded],
        matched: Mapping[int, Candidates],
        quiet: Mapping[int, Quiet],
    ) -> list[EventAnswer]:
        paste = texts.paste
        found = [*matched.values(), *(line.candidates for line in quiet.values())]
        keys = {key for candidates in found for key in candidates}
        builder = self._builder(paste, keys)
        answers = [_answer(builder, each, matched.get(each.index, {})) for each in folded]
        numbers = [line for line in sorted(quiet) if quiet[line].candidates]
        said = {place: frozenset(quiet[line].candidates) for place, line in enumerate(numbers)}
        events = fold([quiet_event(paste, quiet[line].text) for line in numbers], said)
        lines = {numbers[each.index]: each for each in events}
        known = {
            line: answer
            for line, each in lines.items()
            if (answer := _answer(builder, each, quiet[line].candidates)).matches
        }
        places = {each.index: place for place, each in enumerate(folded)}
        for line in list(known):
            head = head_of(paste, line)
            event = None if head is None else texts.event_of(head)
            owner = None if event is None else places.get(event)
            if owner is not None and not answers[owner].matches:
                each = folded[owner]
                answers[owner] = _answer(builder, each, quiet[line].candidates)
                if answers[owner].matches:
                    del known[line]
            elif owner is not None or head in known:
                del known[line]
        return _in_order(answers, list(known.values()))

    def _answer_bare(self, paste: Paste, event: Event) -> EventAnswer:
        """Answer the line that reports a paste's error where nothing else does, as an event; what
        source code quotes is no report."""
        lot = [(0, PlacedText(event.message, event.pieces))]
        candidates = {
            key: here
            for key, here in self._match_events(lot)[0].get(0, {}).items()
            if not is_quoted(here.text.text, here.place.span)
            or is_reported(here.text.text, here.place.span)
        }
        builder = self._builder(paste, candidates.keys())
        return _answer(builder, Folded(event, 0, 0, ()), candidates)

    def _builder(self, paste: Paste, keys: Set[str]) -> MatchBuilder:
        records = self.lookup(keys) if keys else {}
        return MatchBuilder(paste, records, patterns=len(self.patterns))

    def _left(self) -> float:
        return self.deadline - self.clock()


def _give_to_tools(
    spans: ToolSpans,
    folded: Sequence[Folded],
    matched: dict[int, Candidates],
    quiet: dict[int, Quiet],
) -> None:
    """Take what was found in a line of a tool's error for found in that error; where the line
    says only that something failed, if no other line of it is known."""
    kept = {each.index for each in folded}
    given: list[tuple[bool, int, Quiet]] = []
    for line in list(quiet):
        owner = spans.owner(line)
        if owner is not None:
            found = quiet.pop(line)
            given += [(is_bare_symptom(found.text.text), owner, found)] if owner in kept else []
    for says_little, owner, found in sorted(given, key=lambda each: each[0]):
        if not (says_little and matched.get(owner)):
            for key, here in found.candidates.items():
                _keep_best(matched.setdefault(owner, {}), key, here)


def _forget_repetitions(paste: Paste, folded: Sequence[Folded], quiet: dict[int, Quiet]) -> None:
    """Leave out quiet lines that say an error's message alone, near it."""
    repetitions = Repetitions(each.event for each in folded)
    for line in list(quiet):
        if repetitions.has(paste.texts[line], paste.numbers[line]):
            del quiet[line]


def _is_in(quiet: Mapping[int, Quiet], line: int, key: str) -> bool:
    return line in quiet and key in quiet[line].candidates


def _answer(builder: MatchBuilder, each: Folded, candidates: Candidates) -> EventAnswer:
    found = ranked(builder, each.event, candidates)
    return EventAnswer(
        each.event,
        found.matches,
        near_misses=() if found.matches else found.contradicted,
        left_out=found.left_out,
        repeats=each.repeats,
        repeat_lines=each.repeat_lines,
    )


def _keep_best(candidates: Candidates, key: str, here: Candidate) -> None:
    known = candidates.get(key)
    if known is None or here.fit > known.fit:
        candidates[key] = here


def _joins(text: PlacedText, span: tuple[int, int]) -> bool:
    """Whether a match needs the lines joined: within one of them it is that line's own."""
    crosses = any(span[0] < piece.start < span[1] for piece in text.pieces)
    return crosses and not is_quoted(text.text, span)


def _says_much_in_quiet(here: Candidate, level: str) -> bool:
    """Whether a pattern's place in a line that no parser took for an error says_much that it is
    one: the line is the record's message, begins with it, or has much of its fixed text. A
    line that a log calls harmless must be the message as a whole."""
    fit, said = here.fit, here.said
    text = here.text.text
    if fit.torn or is_stack_entry(text) or is_traced(text):
        return False
    if is_quoted(text, here.place.span):
        return said.weight >= _QUIET_TELLING and is_reported(text, here.place.span)
    if said.word and fit.fixed < 1:
        return False
    if fit.entire:
        spelled_out = _FRAMED if fit.whole and said.pieces > 1 else _SPELLED_OUT
        enough = fit.fixed >= spelled_out or said.weight >= _ENTIRE_WEIGHT
        return enough or says_enough(said, fit)
    if level in CALM or said.weight < _QUIET_WEIGHT:
        return False
    return fit.clause or fit.begins or said.weight >= _QUIET_TELLING


def _in_order(answers: list[EventAnswer], lines: list[EventAnswer]) -> list[EventAnswer]:
    """Put the answers of quiet lines between those of events, causes counted anew."""
    if not lines:
        return answers
    merged = sorted(
        [(each.event.message_offset, 0, number, each) for number, each in enumerate(answers)]
        + [(each.event.message_offset, 1, number, each) for number, each in enumerate(lines)],
        key=lambda item: item[:3],
    )
    new_index = {number: place for place, (_, kind, number, _) in enumerate(merged) if kind == 0}
    return [
        each if each.event.cause is None else each.with_cause(new_index[each.event.cause])
        for _, _, _, each in merged
    ]
