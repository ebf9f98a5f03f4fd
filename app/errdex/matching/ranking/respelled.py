"""Messages that people typed again: in other letters or without their quotation marks.

The patterns of all records cannot be searched for so in every line. Where nothing matched, the
records whose words are most like an event's are tried: their pattern must take the whole message
but for that, or much of it, and the evidence counts as always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from errdex.matching.model import Event, Role
from errdex.matching.patterns.pattern import PatternMatch, compile_respelled, without_marks
from errdex.matching.ranking.answer import EventAnswer, RecordFacts
from errdex.matching.ranking.scoring import Candidates, MatchBuilder, candidate, ranked
from errdex.matching.ranking.searched_texts import PlacedText
from errdex.matching.reading import Paste

Similar = Callable[[Event], Mapping[str, RecordFacts]]
"""Gives the records whose words are most like an event's, by id."""

LOOKED_UP = 5
"""Unknown events of a paste for which similar records are looked up."""
_LONGEST = 1_000
"""Characters of a message that somebody types."""
_TELLING = 14.0
"""Weight of text that is meant though more stands around it, as in a line of no event."""


def is_looked_up(each: EventAnswer) -> bool:
    """Whether similar records are looked up for an event."""
    return not each.matches and each.event.role is not Role.SYMPTOM


def with_respelled(
    paste: Paste, answers: Sequence[EventAnswer], similar: Similar, *, patterns: int
) -> list[EventAnswer]:
    """The answers, the first unknown events answered by the records that are most like them.
    `patterns`: how many are searched for in all."""
    new = list(answers)
    unknown = [place for place, each in enumerate(answers) if is_looked_up(each)]
    for place in unknown[:LOOKED_UP]:
        each = answers[place]
        records = similar(each.event)
        builder = MatchBuilder(paste, records, patterns=patterns)
        found = ranked(builder, each.event, _find_respelled(each.event, records))
        if found.matches:
            new[place] = replace(each, matches=found.matches, near_misses=())
    return new


def _find_respelled(event: Event, records: Mapping[str, RecordFacts]) -> Candidates:
    """The records whose message an event's is, but for case and quotation marks."""
    said, places = without_marks(event.message)
    if not said.strip() or len(said) > _LONGEST:
        return {}
    text = PlacedText(event.message, event.pieces)
    found: Candidates = {}
    for key, record in records.items():
        pattern = compile_respelled(record.pattern)
        place = pattern.search(said) if pattern else None
        if pattern is None or place is None:
            continue
        here = candidate(text, _in_message(place, places), pattern.traits)
        if here.fit.entire or here.said.weight >= _TELLING:
            found[key] = here._replace(said=here.said._replace(respelled=False))
    return found


def _in_message(place: PatternMatch, places: list[int]) -> PatternMatch:
    """A place in what is left without the marks, as one in the message."""

    def moved(span: tuple[int, int]) -> tuple[int, int]:
        start, end = span
        first = places[start] if start < len(places) else places[-1] + 1
        return first, (places[end - 1] + 1 if end > start else first)

    groups = tuple(None if span is None else moved(span) for span in place.groups)
    return PatternMatch(moved(place.span), groups, place.whole)
