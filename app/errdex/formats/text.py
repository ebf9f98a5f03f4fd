"""An answer as text: what `errdex match` prints and the API returns as text/plain.

Control characters of the paste and of records are shown visibly, so that they cannot steer a
terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from errdex.formats.answer import (
    CapturedText,
    ErrorEvent,
    FirstSteps,
    MatchedRecord,
    NamedRecord,
    PasteAnswer,
)
from errdex.formats.filled import segments_of
from errdex.formats.layout import Part, Row, Tone, code_rows, lay_out, prose_rows, split_lines
from errdex.formats.options import WriteOptions
from errdex.records.messages.filling import Segment, blank
from errdex.records.printable import on_one_line, printable

_MESSAGE = 300
_CAPTURE = 200
_WHY = 600
_STEPS = 5
_RAISED = 400
_OTHERS = 4
_REPEAT_LINES = 5
_NOTES = 3


def write_text(answer: PasteAnswer, options: WriteOptions) -> bytes:
    """The answer as plain text in UTF-8."""
    text = "".join(f"{row}\n" for row in lay_out(text_rows(answer, options)))
    return text.encode("utf-8", "backslashreplace")


def text_rows(answer: PasteAnswer, options: WriteOptions) -> Iterator[Row]:
    """The lines of an answer, the error to read first on top. A streamed answer has its errors
    only, without a summary."""
    numbers = answer.reading_order[: options.limit]
    if not options.streamed:
        yield _row(0, (_summary(answer), Tone.HEADING))
        for sentence in answer.limits_hit:
            yield _row(0, (f"Incomplete answer: {on_one_line(sentence)}", Tone.ERROR))
        if not answer.found and answer.lines == 1:  # more likely a question than a log
            yield _row(0, ("Words of your own are for a search: errdex search WORDS", Tone.DIM))
    for number in numbers:
        yield _row(0)
        first = number == numbers[0] and answer.root_cause is not None
        yield from _event(answer.events, number, options.site, first=first)
    if more := len(answer.reading_order) - len(numbers):
        yield _row(0)
        yield _row(0, (f"… and {_counted(more, 'more error')}", Tone.DIM))


def _row(indent: int, *parts: Part) -> Row:
    return Row(indent, parts, hang=2)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + " …"


def _summary(answer: PasteAnswer) -> str:
    events = answer.events
    if not answer.lines:
        return "The log is empty."
    lines = _counted(answer.lines, "line")
    if not events:
        return f"No errors found in {lines}."
    known = sum(event.known for event in events)
    known_words = f"{known:,} known" if known else "no match yet"
    return f"{_counted(len(events), 'error')} found in {lines}, {known_words}."


def _event(
    events: Sequence[ErrorEvent], number: int, site: str | None, *, first: bool
) -> Iterator[Row]:
    event = events[number]
    known = event.known
    yield _row(
        0,
        (_where(event), Tone.DIM),
        (_title(event), Tone.ERROR if known or first else Tone.PLAIN),
        ("  ← start here" if first else "", Tone.HEADING),
    )
    if remark := _remark(events, event):
        yield _row(2, (remark, Tone.DIM))
    for note in event.notes[:_NOTES]:
        yield _row(2, (_cut(on_one_line(f"note: {note}"), _MESSAGE), Tone.DIM))
    matches = event.matches
    if not matches:
        yield from _unknown(event, site)
        return
    yield from _match(matches[0], site)
    if event.first_steps:
        yield _row(2, ("If that does not help", Tone.HEADING))
        yield from _steps([[Segment(each)] for each in event.first_steps.steps])
    yield from _others(event, matches, site)


def _where(event: ErrorEvent) -> str:
    begin, end = event.first_line, event.last_line
    writer = f" from {on_one_line(event.writer)}" if event.writer else ""
    test = f" in {_cut(on_one_line(event.test), 80)}" if event.test else ""
    place = f"line {begin}" if begin == end else f"lines {begin}–{end}"
    return f"{place}{writer}{test}  "


def _title(event: ErrorEvent) -> str:
    named = [event.error_class or "", event.message]
    text = ": ".join(on_one_line(part) for part in named if part.strip())
    return _cut(text, _MESSAGE) or on_one_line(event.error_code or "error without a message")


def _remark(events: Sequence[ErrorEvent], event: ErrorEvent) -> str:
    remarks = []
    if event.cause is not None:
        cause = events[event.cause]
        remarks.append(f"caused by the error on line {cause.message_line}")
    if event.repeats:
        lines = ", ".join(str(line) for line in event.repeat_lines[:_REPEAT_LINES])
        more = ", …" if event.repeats > _REPEAT_LINES else ""
        remarks.append(f"repeated {_counted(event.repeats, 'time')}, on line {lines}{more}")
    return "; ".join(remarks)


def _unknown(event: ErrorEvent, site: str | None) -> Iterator[Row]:
    if event.role == "symptom":
        yield _row(2, ("Only reports that something failed, not what.", Tone.DIM))
        return
    yield _row(2, ("No matching record yet.", Tone.DIM))
    if event.first_steps:
        yield from _first_steps(event.first_steps, site)
    if event.near_misses:
        yield _row(2, ("Similar, but not a match:", Tone.DIM))
    for miss in event.near_misses:
        yield _row(4, (record_title(miss.record), Tone.PLAIN))
        yield _row(6, (on_one_line(miss.why), Tone.DIM))
        yield _row(6, (record_link(miss.record, site), Tone.DIM))


def _first_steps(first: FirstSteps, site: str | None) -> Iterator[Row]:
    """What the class and the stack say of an error without a record."""
    if first.explanation:
        yield _row(2, ("What its class says", Tone.HEADING))
        yield from _text_rows(4, "", [Segment(first.explanation)], _WHY)
    if first.steps:
        yield _row(2, ("What to try first", Tone.HEADING))
        yield from _steps([[Segment(each)] for each in first.steps])
    if first.cause_tag:
        yield _row(2, (_cause(first.cause_tag, site), Tone.DIM))


def _steps(steps: Sequence[Sequence[Segment]]) -> Iterator[Row]:
    """Steps with their numbers; a single one has none."""
    for number, step in enumerate(steps, 1):
        mark = f"{number}. " if len(steps) > 1 else ""
        yield from _text_rows(4, mark, step)


def _match(match: MatchedRecord, site: str | None) -> Iterator[Row]:
    record = match.record
    yield _row(2, (record_title(record), Tone.KNOWN))
    for capture in match.captures:
        yield _capture(capture)
    if record.documentation:
        yield _row(2, ("Why", Tone.HEADING))
        yield from _text_rows(4, "", segments_of(match, "documentation"), _WHY)
    elif record.source_explanation:
        yield _row(2, ("What the source says", Tone.HEADING))
        yield from _text_rows(4, "", [Segment(record.source_explanation)], _WHY)
    yield from _fix(match)
    if record.background_tag:
        yield _row(2, (_cause(record.background_tag, site), Tone.DIM))
    if raised := _raised(record):
        yield _row(2, (raised, Tone.DIM))
    for each in match.differences:
        yield _row(4, (f"but {on_one_line(each.words)}", Tone.DIM))
    words = "; ".join(on_one_line(each.words) for each in match.evidence)
    yield _row(2, (f"Matched by {words}", Tone.DIM))
    yield _row(2, (record_link(record, site), Tone.DIM))


def _cause(tag: str, site: str | None) -> str:
    """The cause that the error shares with others, and where it is explained."""
    where = f"errdex show {tag}" if site is None else f"{site}/causes/{quote(tag, safe='/~')}"
    return on_one_line(f"Cause: {tag.replace('-', ' ')} ({where})")


def _raised(record: NamedRecord) -> str:
    """The function, place and condition that raise a record's error, on one line."""
    line = f":{record.line_number}" if record.line_number else ""
    parts = (
        ("by", record.function),
        ("in", f"{record.file_path}{line}" if record.file_path else None),
        ("when", record.raised_when),
    )
    words = " ".join(f"{word} {on_one_line(text)}" for word, text in parts if text)
    others = (
        f", or in {_counted(record.other_places, 'other place')}" if record.other_places else ""
    )
    return _cut(f"Raised {words}", _RAISED) + others if words else ""


def _capture(capture: CapturedText) -> Row:
    text = on_one_line(capture.text)
    cut = " …" if len(text) > _CAPTURE or capture.length > len(capture.text) else ""
    return _row(
        4,
        (f"{on_one_line(capture.name)} = ", Tone.DIM),
        (f"{text[:_CAPTURE]}{cut}", Tone.CAPTURE),
    )


def _fix(match: MatchedRecord) -> Iterator[Row]:
    record = match.record
    steps = record.solutions or ()
    if not steps and not record.example_fix:
        return
    yield _row(2, ("Fix", Tone.HEADING))
    if not steps:
        yield from _text_rows(4, "", segments_of(match, "example_fix"), code=True)
    shown = range(min(len(steps), _STEPS))
    yield from _steps([segments_of(match, "solutions", number) for number in shown])
    if len(steps) > _STEPS:
        yield _row(4, (f"… and {_counted(len(steps) - _STEPS, 'more step')}", Tone.DIM))


def _text_rows(
    indent: int,
    mark: str,
    segments: Sequence[Segment],
    most: int | None = None,
    *,
    code: bool = False,
) -> Iterator[Row]:
    """The lines of a filled text behind a list's mark, and why values are not filled in."""
    parts: list[Part] = []
    room = most or sum(len(each.text) for each in segments)
    for place, each in enumerate(segments):
        text = each.text if each.hole is None or each.filled else blank(each.text)
        tone = Tone.PLAIN if each.hole is None else Tone.FILLED if each.filled else Tone.BLANK
        text = printable(text.lstrip() if not place else text)
        parts.append((text if most is None else _cut(text, max(room, 0)), tone))
        room -= len(text)
        if most is not None and room <= 0:
            break
    lines = split_lines(parts)
    if code:
        yield from code_rows(indent, lines)
    elif most is None:
        yield from prose_rows(indent, mark, lines)
    else:
        yield from prose_rows(indent, mark, (line for line in lines if _has_text(line)))
    refusals = {(each.text, each.refused) for each in segments if each.refused}
    for name, reason in sorted(refusals):
        said = on_one_line(f"{blank(name)} is not filled in: {reason}.")
        yield _row(indent + len(mark), (said, Tone.DIM))


def _has_text(line: Sequence[Part]) -> bool:
    return any(text.strip() for text, _ in line)


def _others(event: ErrorEvent, matches: Sequence[MatchedRecord], site: str | None) -> Iterator[Row]:
    """The matches after the first: those that fit as well, then the others."""
    same = [match for match in matches[1:] if match.group == matches[0].group]
    rest = [match for match in matches[1:] if match.group != matches[0].group]
    for title, group in (
        ("Equally likely:", same),
        ("Other possible matches:", rest),
    ):
        if group:
            yield _row(2, (title, Tone.HEADING))
        for match in group[:_OTHERS]:
            record = match.record
            yield _row(4, (record_title(record), Tone.PLAIN))
            yield _row(6, (record_link(record, site), Tone.DIM))
    left = max(0, len(same) - _OTHERS) + max(0, len(rest) - _OTHERS) + event.matches_left_out
    if left:
        yield _row(4, (f"… and {_counted(left, 'more record')}", Tone.DIM))


def record_title(record: NamedRecord) -> str:
    """What heads a record, and whose it is, on one line."""
    message = _cut(on_one_line(record.heading or record.id), _MESSAGE)
    kinds = [record.repo, record.error_class, record.severity]
    named = " · ".join(on_one_line(kind) for kind in kinds if kind)
    return f"{message}  ({named})" if named else message


def record_link(record: NamedRecord, site: str | None) -> str:
    """The command that shows a record, or the address of its page at a site."""
    return on_one_line(f"errdex show {record.id}" if site is None else site + record.path)
