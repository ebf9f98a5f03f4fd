"""What the page of an answered paste shows, made from the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlencode

import orjson

from errdex.knowledge import MatchAnswer
from errdex.matching.model import Event, Role
from errdex.matching.ranking import EventAnswer, Match
from errdex.records.derived_pattern import group_names
from errdex.records.model import Record
from errdex.records.validation import parse_record
from errdex.records.wire import load_wire
from errdex.store import StoredRecord
from errdex.web.match.contexts import (
    CapturedValue,
    EventView,
    Link,
    MatchedRecord,
    MatchView,
    NearRecord,
)
from errdex.web.match.paste_lines import Spot, show_paste, visible
from errdex.web.pages.rendering.prose import first_sentence
from errdex.web.pages.rendering.templating import shortened

MOST_EVENTS = 100
"""Events that a page shows; further ones are counted."""
MOST_TOGETHER = 5
"""Records that are shown in full where nothing tells them apart."""
MOST_CAPTURES = 12
MOST_NOTES = 5
MOST_VALUE = 400
"""Characters of a captured value that are shown."""
_SHARED = 10
_SHARED_VALUE = 200
_SHARED_URL = 6_000
_CHAINS, _LINKS = 5, 12
_ROLES = {
    Role.ROOT_CAUSE: "the root cause",
    Role.WRAPPER: "came of another error",
    Role.MEMBER: "one of several",
    Role.SYMPTOM: "says only that something failed",
}
Shared = tuple[str, Mapping[str, str]]
"""The id of a record and what was captured under its holes."""
Told = dict[str, int]
"""For each record that a page tells of, by its id, the number of the answer that does first."""


def match_view(answered: MatchAnswer, text: str) -> MatchView:
    """The view of an answer to `text`, which is the paste as it was matched."""
    answer = answered.answer
    order = answer.reading_order
    shown = order[:MOST_EVENTS]
    numbers = {index: number for number, index in enumerate(shown, 1)}
    told: Told = {}
    events = [
        _event(answer.events[index], number, answered, told) for index, number in numbers.items()
    ]
    lines = show_paste(
        text, [_spot(answer.events[index], number, text) for index, number in numbers.items()]
    )
    return MatchView(
        events=events,
        known=sum(bool(each.matches) for each in answer.events),
        total=len(answer.events),
        chains=list(_chains(answer.events, numbers)),
        limits=answer.limits_hit,
        lines=text.rstrip("\n").count("\n") + 1 if answer.lines else 0,
        chunks=lines.chunks,
        lines_left_out=lines.left_out,
        share_url=share_url([each.matches[0] for i in shown if (each := answer.events[i]).matches]),
    )


def share_url(matches: Sequence[Match]) -> str:
    """An address that holds the ids of records and what was captured, nothing else."""
    url = ""
    for number in range(len(matches[:_SHARED]), 0, -1):
        shared = [
            orjson.dumps(
                [
                    match.record.id,
                    {each.name: each.text[:_SHARED_VALUE] for each in match.captures},
                ]
            ).decode()
            for match in matches[:number]
        ]
        url = "/match/shared?" + urlencode([("r", each) for each in shared])
        if len(url) <= _SHARED_URL:
            return url
    return ""


def read_shared(parts: Sequence[str]) -> list[Shared]:
    """What such an address holds; what is not of its form is left out."""
    found: list[Shared] = []
    for part in parts[:_SHARED]:
        try:
            value = orjson.loads(part)
        except orjson.JSONDecodeError:
            continue
        match value:
            case [str(record_id), dict(captures)]:
                texts = {
                    name[:_SHARED_VALUE]: text[:_SHARED_VALUE]
                    for name, text in captures.items()
                    if isinstance(text, str)
                }
                found.append((record_id, texts))
    return found


def shared_record(stored: StoredRecord, captures: Mapping[str, str]) -> MatchedRecord:
    """A record with values from such an address, of holes that it has."""
    holes = set(group_names(stored.pattern, stored.error_message))
    values = [
        CapturedValue(name, visible(text), len(text) == _SHARED_VALUE)
        for name, text in list(captures.items())[:MOST_CAPTURES]
        if name in holes
    ]
    return _matched(stored, values)


def told_once(record: MatchedRecord, number: int, told: Told) -> MatchedRecord:
    """The record for the answer of that number, which need not tell again what one above does."""
    first = told.setdefault(record.stored.id, number)
    return record if first == number else replace(record, told_at=first)


def _event(each: EventAnswer, number: int, answered: MatchAnswer, told: Told) -> EventView:
    event = each.event
    groups = [match.group for match in each.matches]
    best = groups.count(groups[0]) if groups else 0
    records = [
        _of_match(
            match,
            answered.records[match.record.id],
            [difference.words for difference in answered.differences(event, match)],
        )
        for match in each.matches
        if match.record.id in answered.records
    ]
    near = [
        NearRecord(answered.records[miss.record.id], miss.why)
        for miss in each.near_misses
        if miss.record.id in answered.records
    ]
    return EventView(
        number=number,
        role=_role(event),
        name=_name(event),
        message=shortened(visible(event.message), 600),
        notes=[shortened(visible(note), 300) for note in event.notes[:MOST_NOTES]],
        line=event.message_line,
        repeats=_repeats(each),
        matches=[told_once(each, number, told) for each in records[: min(best, MOST_TOGETHER)]],
        others=records[min(best, MOST_TOGETHER) :],
        near=near,
    )


def _role(event: Event) -> str:
    words = _ROLES.get(event.role, "")
    if event.handled:
        words = words or "logged, and the program went on"
    if event.severity == "warning":
        words = words or "a warning"
    return words


def _repeats(each: EventAnswer) -> str:
    if not each.repeats:
        return ""
    times = "once" if each.repeats == 1 else f"{each.repeats:,} times"
    lines = ", ".join(map(str, each.repeat_lines[:5]))
    more = "" if len(each.repeat_lines[:5]) == each.repeats else " …"
    return f"{times} more, on line {lines}{more}" if lines else f"{times} more"


def _of_match(match: Match, stored: StoredRecord, differences: Sequence[str]) -> MatchedRecord:
    captures = [
        CapturedValue(
            each.name,
            visible(each.text[:MOST_VALUE]),
            each.length > min(len(each.text), MOST_VALUE),
        )
        for each in match.captures[:MOST_CAPTURES]
    ]
    return _matched(
        stored,
        captures,
        evidence=[each.words for each in match.evidence if each.points > 0],
        against=[each.words for each in match.evidence if each.points < 0],
        differences=differences,
    )


def _matched(
    stored: StoredRecord,
    captures: Sequence[CapturedValue],
    evidence: Sequence[str] = (),
    against: Sequence[str] = (),
    differences: Sequence[str] = (),
) -> MatchedRecord:
    record: Record = parse_record(load_wire(stored.body_json))
    return MatchedRecord(
        stored=stored,
        meaning=first_sentence(record.documentation or "", 400),
        solutions=record.solutions or (),
        captures=captures,
        evidence=evidence,
        against=against,
        raised_when=shortened(visible(record.raised_when or ""), 300),
        differences=[visible(words) for words in differences],
    )


def _spot(each: EventAnswer, number: int, text: str) -> Spot:
    if each.matches:
        match = each.matches[0]
        captures = [(capture.place.start, capture.place.end) for capture in match.captures]
        return Spot(match.place.start, match.place.end, number, True, captures)
    start = each.event.message_offset
    end = text.find("\n", start)
    return Spot(start, len(text.rstrip("\n")) if end < 0 else end, number, False)


def _chains(answers: Sequence[EventAnswer], numbers: Mapping[int, int]) -> Iterator[list[Link]]:
    """For each error that is the last of its chain, the way there from the root cause."""
    events = [each.event for each in answers]
    causes = {event.cause for event in events if event.cause is not None}
    count = 0
    for index, event in enumerate(events):
        if event.cause is None or index in causes or count == _CHAINS:
            continue
        way = [index]
        while (cause := events[way[-1]].cause) is not None and cause not in way:
            way.append(cause)
        shown = [index for index in reversed(way) if index in numbers]
        if len(shown) > 1:
            count += 1
            # Of a long chain the middle says least: the cause and what became of it stay.
            ends = shown if len(shown) <= _LINKS else [*shown[: _LINKS - 2], *shown[-2:]]
            yield [_link(answers[each], numbers[each]) for each in ends]


def _link(each: EventAnswer, number: int) -> Link:
    message = shortened(visible(each.event.message), 120)
    return Link(number, _name(each.event), message, bool(each.matches))


def _name(event: Event) -> str:
    """The class, or a code that says something by itself."""
    code = event.code or ""
    return event.error_class or ("" if code.isdecimal() else code)
