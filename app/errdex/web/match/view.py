"""Builds the view of an answer, which the page of a paste shows."""

from __future__ import annotations

from dataclasses import replace

from errdex import lazy_re as re
from errdex.formats.answer import ErrorEvent, MatchedRecord, NamedRecord, PasteAnswer
from errdex.formats.filled import message_segments, segments_of
from errdex.formats.markdown import write_event
from errdex.records.messages.filling import Segment
from errdex.web.match.contexts import (
    CapturedValue,
    EventView,
    MatchView,
    PagePart,
    PasteView,
)
from errdex.web.match.paste_lines import Spot, show_paste, visible
from errdex.web.match.reports import list_reports
from errdex.web.match.sharing import share_link
from errdex.web.match.unknown import unknown_view
from errdex.web.pages.rendering.templating import shortened

MOST_EVENTS = 100
"""Events that a page shows; further ones are on the next page."""
MOST_DETAILED = 20
"""Events of a page that can be copied as Markdown, and drafted when they are unknown."""
MOST_TOGETHER = 5
"""Records that are shown in full when the paste does not distinguish them."""
MOST_CAPTURES = 12
MOST_NOTES = 5
MOST_VALUE = 400
"""Characters of a captured value that are shown."""
_SENTENCES = 260
"""Characters of the meaning that are shown above the fix."""
_BESIDE_QUOTES = re.compile(r"'[^']*'|\"[^\"]*\"|\W")
_FIRST_LINE = 20
"""Characters of a message's first line that can head the answer alone."""
_SAYS_LITTLE = 6
"""Letters of a message that needs its class to be read."""
_ROLES = {
    "wrapper": "caused by another error",
    "member": "one of several",
    "symptom": "only reports a failure",
}
ShownRecords = dict[tuple[str, str], int]
"""Maps a record's id and its filled texts to the number of the first answer that shows them."""


def paste_view(
    answer: PasteAnswer,
    text: str,
    *,
    start: int = 0,
    site: str = "",
    report_url: str | None = None,
) -> PasteView:
    """The view of the answer to `text`, which is the paste as it was matched, from the event
    `start` on. `site` is the scheme and host for addresses that leave the page; `report_url` that
    of an issue form."""
    start = start if start < len(answer.events) else 0
    page = answer.reading_order[start : start + MOST_EVENTS]
    shown = sorted(page, key=lambda index: answer.events[index].message_offset)
    numbers = {index: number for number, index in enumerate(shown, start + 1)}
    first = first_event(answer)
    first = first if first in numbers else next(iter(numbers), None)
    records: ShownRecords = {}
    events = [
        replace(
            _event(
                event := answer.events[index],
                number,
                records,
                text if number - start <= MOST_DETAILED else None,
            ),
            opened=index == first,
            starts=event.role == "root_cause",
            follows=0 if event.cause is None else numbers.get(event.cause, 0),
            markdown=write_event(event, site) if number - start <= MOST_DETAILED else "",
        )
        for index, number in numbers.items()
    ]
    if report_url:
        events = [_with_reports(each, report_url, answer.dataset_version) for each in events]
    lines = show_paste(
        text, [_spot(answer.events[index], number, text) for index, number in numbers.items()]
    )
    link = share_link([each.matches[0] for i in shown if (each := answer.events[i]).known])
    return PasteView(
        events=events,
        known=sum(each.known for each in answer.events),
        total=len(answer.events),
        start=start,
        pages=_pages(len(answer.events), start),
        paste=text if len(answer.events) > MOST_EVENTS else "",
        summary=_summary(answer),
        place=_place(answer.events[first]) if len(events) == 1 and first is not None else "",
        limits=answer.limits_hit,
        lines=text.rstrip("\n").count("\n") + 1 if answer.lines else 0,
        chunks=lines.chunks,
        lines_left_out=lines.left_out,
        share_url=link.url,
        shared=link.values,
    )


def _pages(total: int, start: int) -> list[PagePart]:
    """The pages before and behind this one."""
    before, behind = max(0, start - MOST_EVENTS), start + MOST_EVENTS
    return [
        *([PagePart("Previous errors", before)] if start else ()),
        *([PagePart("Next errors", behind)] if behind < total else ()),
    ]


def _with_reports(event: EventView, report_url: str, version: str) -> EventView:
    matches = [
        replace(each, reports=list_reports(report_url, each.record.id, version))
        for each in event.matches
    ]
    return replace(event, matches=matches)


def first_event(answer: PasteAnswer) -> int | None:
    """The index of the event to see first: the first known one in the order to read; among
    independent errors, in the log."""
    order = list(answer.reading_order)
    if all(answer.events[index].cause is None for index in order):
        order.sort(key=lambda index: answer.events[index].message_offset)
    return next(
        (index for index in order if answer.events[index].known), order[0] if order else None
    )


def heading_of(answer: PasteAnswer) -> str:
    """What heads the answer: the error to see first, as the paste has it."""
    index = first_event(answer)
    if index is None:
        return "No errors found"
    event = answer.events[index]
    lines = [" ".join(line.split()) for line in visible(event.message).split("\n")]
    text = lines[0] if len(lines[0]) >= _FIRST_LINE else " ".join(filter(None, lines))
    name = _name(event).rsplit(".", 1)[-1]
    if name and len(_BESIDE_QUOTES.sub("", text)) < _SAYS_LITTLE:  # `'tenant'` of a KeyError
        text = f"{name}: {text}" if text else name
    return shortened(text or "Error without a message", 200)


def _summary(answer: PasteAnswer) -> str:
    events = answer.events
    known = sum(each.known for each in events)
    words = f"{known:,} known" if known else "no match yet"
    independent = len(events) > 1 and all(each.cause is None for each in events)
    kind = "independent failures" if independent else "errors"
    return f"{len(events):,} {kind}, {words}"


def _place(event: ErrorEvent) -> str:
    return " · ".join(filter(None, (visible(_name(event)), event.language or "", _where(event))))


def _where(event: ErrorEvent) -> str:
    frame = event.frames[-1] if event.frames else None
    return visible(f"{frame.file} line {frame.line}") if frame and frame.file and frame.line else ""


def show_once(match: MatchView, number: int, records: ShownRecords) -> MatchView:
    """The match for the answer of that number. If an answer above shows the record in full,
    this one refers to it."""
    texts = (match.meaning, match.solutions, match.example)
    first = records.setdefault((match.record.id, repr(texts)), number)
    return match if first == number else replace(match, shown_at=first)


def _event(event: ErrorEvent, number: int, records: ShownRecords, paste: str | None) -> EventView:
    matches = [_match(each) for each in event.matches]
    best = sum(each.group == event.matches[0].group for each in event.matches)
    best = min(best, MOST_TOGETHER)
    return EventView(
        number=number,
        opened=False,
        starts=False,
        follows=0,
        role=_role(event),
        name=_name(event),
        message=shortened(visible(event.message), 600),
        notes=[shortened(visible(note), 300) for note in event.notes[:MOST_NOTES]],
        line=event.message_line,
        test=visible(event.test or ""),
        repeats=_repeats(event),
        matches=[show_once(each, number, records) for each in matches[:best]],
        others=matches[best:],
        near=event.near_misses,
        where=_where(event),
        unknown=None if event.matches or paste is None else unknown_view(event, paste),
        first_steps=event.first_steps,
        markdown="",
    )


def _role(event: ErrorEvent) -> str:
    words = _ROLES.get(event.role, "")
    if event.handled:
        words = words or "logged; the program continued"
    if event.severity == "warning":
        words = words or "warning"
    return words


def _repeats(event: ErrorEvent) -> str:
    if not event.repeats:
        return ""
    times = "once" if event.repeats == 1 else f"{event.repeats:,} times"
    lines = ", ".join(map(str, event.repeat_lines[:5]))
    more = "" if len(event.repeat_lines[:5]) == event.repeats else " …"
    return f"repeated {times}, on line {lines}{more}" if lines else f"repeated {times}"


def _match(match: MatchedRecord) -> MatchView:
    record = match.record
    captures = [
        CapturedValue(
            each.name,
            visible(each.text[:MOST_VALUE]),
            each.length > min(len(each.text), MOST_VALUE),
        )
        for each in match.captures[:MOST_CAPTURES]
    ]
    values = {each.name: each.text for each in captures if not each.shortened}
    steps = range(len(record.solutions or ()))
    return MatchView(
        record=record,
        heading=message_segments(record, values),
        meaning=segments_of(match, "documentation") or _from_source(record),
        long_meaning=len(record.documentation or "") > _SENTENCES,
        example=segments_of(match, "example_fix") if record.example_fix else (),
        solutions=[segments_of(match, "solutions", step) for step in steps],
        captures=captures,
        evidence=[each.words for each in match.evidence if each.points > 0],
        against=[each.words for each in match.evidence if each.points < 0],
        raised_when=shortened(visible(record.raised_when or ""), 300),
        differences=[visible(each.words) for each in match.differences],
    )


def _spot(event: ErrorEvent, number: int, text: str) -> Spot:
    if event.matches:
        match = event.matches[0]
        captures = [(capture.place.start, capture.place.end) for capture in match.captures]
        return Spot(match.place.start, match.place.end, number, True, captures)
    start = event.message_offset
    end = text.find("\n", start)
    return Spot(start, len(text.rstrip("\n")) if end < 0 else end, number, False)


def _name(event: ErrorEvent) -> str:
    """The class, or a code that is more than a number."""
    code = event.error_code or ""
    return event.error_class or ("" if code.isdecimal() else code)


def _from_source(record: NamedRecord) -> list[Segment]:
    """What follows from the source of a record that nobody explained."""
    return [Segment(record.source_explanation)] if record.source_explanation else []
