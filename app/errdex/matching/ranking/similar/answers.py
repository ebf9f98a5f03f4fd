"""Which events are answered by similar records, and in what way these are tried.

The patterns of all records cannot be searched for so in every line. Where nothing matched, the
records whose words are most like an event's are tried: their pattern must take the message but for
what people change in it, and the evidence counts as always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from errdex.matching.model import Event, Role
from errdex.matching.ranking.answer import EventAnswer, Kind, Match, RecordFacts
from errdex.matching.ranking.scoring import MatchBuilder, ranked
from errdex.matching.ranking.similar.cut_messages import (
    find_cut,
    is_marked,
    may_go_on,
    only_best,
)
from errdex.matching.ranking.similar.questions import with_questions
from errdex.matching.ranking.similar.respelled import find_respelled
from errdex.matching.ranking.similar.typed_texts import message_texts
from errdex.matching.reading import Paste

Similar = Callable[[Event], Mapping[str, RecordFacts]]
"""Gives the records whose words are most like an event's, by id."""

_NEAR_MISSES = 3
_CARRIED = 0.6
"""Share of a match that is in holes from which on it may carry another message."""
LOOKED_UP = 5
"""Unknown events of a paste for which similar records are looked up."""


def is_looked_up(each: EventAnswer) -> bool:
    """Whether similar records are looked up for an event."""
    return not each.matches and each.event.role is not Role.SYMPTOM


def _is_doubtful(each: EventAnswer) -> bool:
    """Whether what is known of an event may be a wrapper or a stranger: the message was cut off,
    the record takes most of it with a hole, or a class or code contradicts."""
    if not each.matches:
        return False
    best = each.matches[0]
    if is_marked(each.event.message) or any(one.points < 0 for one in best.evidence):
        return True
    taken = sum(capture.place.end - capture.place.start for capture in best.captures)
    return taken > _CARRIED * (best.place.end - best.place.start)


def with_similar(
    paste: Paste, answers: Sequence[EventAnswer], similar: Similar, *, patterns: int
) -> list[EventAnswer]:
    """The answers, the first unknown events answered by the records that are most like them, and
    messages with a mark where they were cut off by one that says more of them. `patterns`: how
    many are searched for in all."""
    new = list(answers)
    tried = [
        place for place, each in enumerate(answers) if is_looked_up(each) or _is_doubtful(each)
    ]
    for place in tried[:LOOKED_UP]:
        each = answers[place]
        records = similar(each.event)
        builder = MatchBuilder(paste, records, patterns=patterns)
        if not each.matches:
            found = ranked(builder, each.event, find_respelled(each.event, records)).matches
            each = replace(each, matches=found, near_misses=() if found else each.near_misses)
        new[place] = _with_cut(builder, paste, each, records)
    if any(each.matches for each in new):
        return new
    return with_questions(paste, new, similar, patterns=patterns)


def _with_cut(
    builder: MatchBuilder, paste: Paste, each: EventAnswer, records: Mapping[str, RecordFacts]
) -> EventAnswer:
    """An answer with the record whose message was cut off, if it spells out more than what is
    known; else with those that may be meant."""
    candidates, marked = find_cut(message_texts(paste, each.event), records)
    found = ranked(builder, each.event, candidates)
    best = only_best(found, candidates, marked=marked)
    if best and (not each.matches or _says_more(best[0], each.matches[0])):
        others = (match for match in each.matches if match.record.id != best[0].record.id)
        behind = (match._replace(group=match.group + 1) for match in others)
        return replace(each, matches=(*best, *behind), near_misses=())
    if each.matches or best:
        return each
    near = (may_go_on(match.record) for match in found.matches[:_NEAR_MISSES])
    return replace(each, near_misses=(*each.near_misses, *near))


def _says_more(cut: Match, known: Match) -> bool:
    """Whether a record spells out more of a message than the one that is known, or as much and has
    more that agrees."""
    mine, theirs = _spelled(cut), _spelled(known)
    return mine > theirs or (mine == theirs and cut.score > known.score)


def _spelled(match: Match) -> float:
    """The points of what a record itself spells out of a message."""
    return sum(each.points for each in match.evidence if each.kind is Kind.TEXT)
