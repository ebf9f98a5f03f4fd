"""Messages within a question, as people type one: `why do I get cannot find module express in
docker`.

Where nothing is known of a short text, its lines are searched for the records that are most like
them, in any letters and without quotation marks. The record that spells out most of a line is the
answer, if that is more than plain language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from errdex.matching.events.bare_lines import event_of_line
from errdex.matching.model import Event
from errdex.matching.patterns.pattern import PatternMatch
from errdex.matching.patterns.regex.respelling import MARKS
from errdex.matching.ranking.answer import EventAnswer, RecordFacts
from errdex.matching.ranking.scoring import Candidate, Candidates, MatchBuilder, ranked
from errdex.matching.ranking.searched_texts import CALM, PlacedText
from errdex.matching.ranking.similar.respelled import find_places
from errdex.matching.reading import Paste

_MOST_LINES, _LONGEST = 3, 500
"""Lines of a question, and characters of one."""
_STOPS = MARKS + ".,;:?!"
"""What may stand right behind a name."""
_LEAST = 8.0
"""Weight of what is more than plain language: `cannot find module` weighs 9."""


def with_questions(
    paste: Paste,
    answers: Sequence[EventAnswer],
    similar: Callable[[Event], Mapping[str, RecordFacts]],
    *,
    patterns: int,
) -> list[EventAnswer]:
    """The answers, those of a line that names a known message replaced by what is known of it.
    `patterns`: how many are searched for in all."""
    coded = {each.event.message_line for each in answers if _says_more(each.event)}
    for event in _lines(paste):
        if event.message_line in coded:
            continue
        records = similar(event)
        builder = MatchBuilder(paste, records, patterns=patterns)
        text = PlacedText(event.message, event.pieces)
        candidates = {
            key: _without_rest(here, records[key])
            for key, here in find_places(text, records, anywhere=True).items()
            if here.said.weight >= _LEAST and not here.fit.torn
        }
        found = _answer(builder, event, candidates)
        if found is not None:
            line = found.event.first_line
            others = [each for each in answers if each.event.first_line != line]
            return [found, *(each.without_cause() for each in others)]
    return list(answers)


def _says_more(event: Event) -> bool:
    """Whether an error has a class or code: it is no question, and a record of another code or
    class was refused for it with reason."""
    return event.code is not None or event.error_class is not None


def _lines(paste: Paste) -> Iterator[Event]:
    """The lines of a short text as events."""
    filled = [index for index, text in enumerate(paste.texts) if text.strip()]
    if len(filled) > _MOST_LINES:
        return
    for index in filled:
        text = paste.texts[index]
        if len(text) <= _LONGEST and paste.level(index) not in CALM:
            yield event_of_line(paste, index, text, 0)


def _answer(builder: MatchBuilder, event: Event, candidates: Candidates) -> EventAnswer | None:
    """What is known of the message in a line: the record that spells out most of it."""
    matches = ranked(builder, event, candidates).matches
    if not matches:
        return None
    best = max(matches, key=lambda match: candidates[match.record.id].said.weight)
    here = candidates[best.record.id]
    start = here.place.span[0]
    index = event.pieces[0].line
    named = event_of_line(builder.paste, index, here.matched, start)
    return EventAnswer(named, (best._replace(group=1),))


def _without_rest(here: Candidate, record: RecordFacts) -> Candidate:
    """A place without the words of the question behind a name that the record shows in quotation
    marks: only the first one is the name."""
    first, last = here.place.span
    groups = [span for span in here.place.groups if span is not None]
    if not groups or groups[-1][1] != last or record.error_message.rstrip(".")[-1:] not in MARKS:
        return here
    start = groups[-1][0]
    name = here.text.text[start:last].partition(" ")[0].rstrip(_STOPS)
    end = start + len(name) if name else last
    spans = tuple((span[0], end) if span == (start, last) else span for span in here.place.groups)
    return here._replace(place=PatternMatch((first, end), spans, whole=False))
