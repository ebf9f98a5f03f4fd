"""The answer to a paste as text: what `errdex match` prints and what the API gives as text/plain.

Made from the JSON form of an answer, so that it is the same for an answer that another server
gave. Every text in it that others wrote is shown with its control characters visible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from errdex.records.printable import on_one_line, printable

Wire = Mapping[str, Any]

_MESSAGE = 300
_CAPTURE = 200
_WHY = 600
_STEPS = 5
_RAISED = 400
_OTHERS = 4
_REPEAT_LINES = 5
_NOTES = 3


class Tone(StrEnum):
    """How a part of a line is to be set off from the others, where that can be shown."""

    PLAIN = "plain"
    DIM = "dim"
    HEADING = "heading"
    ERROR = "error"
    KNOWN = "known"
    CAPTURE = "capture"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the text: how far it is indented, and its parts with their tones."""

    indent: int
    parts: tuple[tuple[str, Tone], ...]

    def __str__(self) -> str:
        return (" " * self.indent + "".join(text for text, _ in self.parts)).rstrip()


def render_match(answer: Wire, *, limit: int = 10, site: str | None = None) -> Iterator[Row]:
    """The rows of an answer, what to look at first on top; `limit` bounds the errors shown.
    A record is named by its address on `site`, or by the command that shows it.

    Raises LookupError, TypeError, ValueError or AttributeError when `answer` has another form.
    """
    yield _row(0, (_summary(answer), Tone.HEADING))
    for sentence in answer["limitsHit"]:
        yield _row(0, (f"Not the whole answer: {on_one_line(sentence)}", Tone.ERROR))
    order: Sequence[int] = answer["readingOrder"]
    yield from render_events(answer, order[:limit], site)
    if len(order) > limit:
        yield _row(0)
        yield _row(0, (f"… and {_counted(len(order) - limit, 'more error')}", Tone.DIM))


def render_events(answer: Wire, numbers: Sequence[int], site: str | None) -> Iterator[Row]:
    """The rows of those events of an answer, a blank one before each."""
    events: Sequence[Wire] = answer["events"]
    for number in numbers:
        yield _row(0)
        yield from _event(events, number, site, first=number == answer["rootCause"])


def match_text(answer: Wire, *, limit: int = 10, site: str | None = None) -> str:
    """The same as `render_match`, as one plain text."""
    return "".join(f"{row}\n" for row in render_match(answer, limit=limit, site=site))


def _row(indent: int, *parts: tuple[str, Tone]) -> Row:
    return Row(indent, parts)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + " …"


def _summary(answer: Wire) -> str:
    events = answer["events"]
    if not answer["lines"]:
        return "There is nothing in it to match."
    lines = _counted(answer["lines"], "line")
    if not events:
        return f"No error was found in {lines}."
    known = sum(event["outcome"] != "unknown" for event in events)
    return f"{_counted(len(events), 'error')} in {lines}, {known:,} of them known."


def _event(events: Sequence[Wire], number: int, site: str | None, *, first: bool) -> Iterator[Row]:
    event = events[number]
    known = event["outcome"] != "unknown"
    yield _row(
        0,
        (_where(event), Tone.DIM),
        (_title(event), Tone.ERROR if known or first else Tone.PLAIN),
        ("  ← look here first" if first else "", Tone.HEADING),
    )
    if remark := _remark(events, event):
        yield _row(2, (remark, Tone.DIM))
    for note in event["notes"][:_NOTES]:
        yield _row(2, (_cut(on_one_line(f"noted: {note}"), _MESSAGE), Tone.DIM))
    matches: Sequence[Wire] = event["matches"]
    if not matches:
        yield from _unknown(event, site)
        return
    yield from _match(matches[0], site)
    yield from _others(event, matches, site)


def _where(event: Wire) -> str:
    begin, end = event["firstLine"], event["lastLine"]
    writer = f" of {on_one_line(event['writer'])}" if event["writer"] else ""
    return f"line {begin}{writer}  " if begin == end else f"lines {begin}–{end}{writer}  "


def _title(event: Wire) -> str:
    named = [event["errorClass"] or "", event["message"]]
    text = ": ".join(on_one_line(part) for part in named if part.strip())
    return _cut(text, _MESSAGE) or on_one_line(event["errorCode"] or "an error without a message")


def _remark(events: Sequence[Wire], event: Wire) -> str:
    said = []
    if event["cause"] is not None:
        cause = events[cast(int, event["cause"])]
        said.append(f"caused by the error on line {cause['messageLine']}")
    if event["repeats"]:
        lines = ", ".join(str(int(line)) for line in event["repeatLines"][:_REPEAT_LINES])
        more = ", …" if event["repeats"] > _REPEAT_LINES else ""
        said.append(f"comes {_counted(event['repeats'], 'more time')}, on line {lines}{more}")
    return "; ".join(said)


def _unknown(event: Wire, site: str | None) -> Iterator[Row]:
    if event["role"] == "symptom":
        yield _row(2, ("Says only that something failed, not what.", Tone.DIM))
        return
    yield _row(2, ("Nothing is known of this error.", Tone.DIM))
    near: Sequence[Wire] = event["nearMisses"]
    if near:
        yield _row(2, ("Similar, but not the same:", Tone.DIM))
    for miss in near:
        yield _row(4, (_record_title(miss["record"]), Tone.PLAIN))
        yield _row(6, (on_one_line(miss["why"]), Tone.DIM))
        yield _row(6, (_link(miss["record"], site), Tone.DIM))


def _match(match: Wire, site: str | None) -> Iterator[Row]:
    record: Wire = match["record"]
    yield _row(2, (_record_title(record), Tone.KNOWN))
    for capture in match["captures"]:
        yield _capture(capture)
    if why := record.get("documentation"):
        yield _row(2, ("Why", Tone.HEADING))
        for line in _paragraphs(why):
            yield _row(4, (line, Tone.PLAIN))
    yield from _fix(record)
    if raised := _raised(record):
        yield _row(2, (raised, Tone.DIM))
    for each in match.get("differences", ()):
        yield _row(4, (f"but {on_one_line(each['words'])}", Tone.DIM))
    words = "; ".join(on_one_line(each["words"]) for each in match["evidence"])
    yield _row(2, (f"Matched by {words}", Tone.DIM))
    yield _row(2, (_link(record, site), Tone.DIM))


def _raised(record: Wire) -> str:
    """Who raises a record's error, where, and when, on one line."""
    line = f":{int(record['lineNumber'])}" if record.get("lineNumber") else ""
    parts = (
        ("by", record.get("function")),
        ("in", f"{record['filePath']}{line}" if record.get("filePath") else None),
        ("when", record.get("raisedWhen")),
    )
    said = " ".join(f"{word} {on_one_line(text)}" for word, text in parts if text)
    return _cut(f"Raised {said}", _RAISED) if said else ""


def _capture(capture: Wire) -> Row:
    text = on_one_line(capture["text"])
    cut = " …" if len(text) > _CAPTURE or capture["length"] > len(capture["text"]) else ""
    return _row(
        4,
        (f"{on_one_line(capture['name'])} = ", Tone.DIM),
        (f"{text[:_CAPTURE]}{cut}", Tone.CAPTURE),
    )


def _paragraphs(text: str) -> list[str]:
    cut = _cut(printable(text).strip(), _WHY)
    return [line.rstrip() for line in cut.split("\n") if line.strip()]


def _fix(record: Wire) -> Iterator[Row]:
    steps: Sequence[str] = record.get("solutions") or ()
    if not steps and not record.get("exampleFix"):
        return
    yield _row(2, ("Fix", Tone.HEADING))
    if not steps:
        for line in printable(record["exampleFix"]).strip().split("\n"):
            yield _row(4, (line, Tone.PLAIN))
    for number, step in enumerate(steps[:_STEPS], 1):
        mark = f"{number}. " if len(steps) > 1 else ""
        first, *more = printable(step).strip().split("\n")
        yield _row(4, (mark + first, Tone.PLAIN))
        for line in more:
            yield _row(4 + len(mark), (line, Tone.PLAIN))
    if len(steps) > _STEPS:
        yield _row(4, (f"… and {_counted(len(steps) - _STEPS, 'more way')}", Tone.DIM))


def _others(event: Wire, matches: Sequence[Wire], site: str | None) -> Iterator[Row]:
    """The matches behind the first: those that cannot be told apart from it, then the rest."""
    same = [match for match in matches[1:] if match["group"] == matches[0]["group"]]
    rest = [match for match in matches[1:] if match["group"] != matches[0]["group"]]
    for title, lot in (
        ("The paste does not tell it from:", same),
        ("Also matches:", rest),
    ):
        if lot:
            yield _row(2, (title, Tone.HEADING))
        for match in lot[:_OTHERS]:
            record = match["record"]
            yield _row(4, (_record_title(record), Tone.PLAIN))
            yield _row(6, (_link(record, site), Tone.DIM))
    left = max(0, len(same) - _OTHERS) + max(0, len(rest) - _OTHERS) + event["matchesLeftOut"]
    if left:
        yield _row(4, (f"… and {_counted(left, 'more record')}", Tone.DIM))


def _record_title(record: Wire) -> str:
    message = _cut(on_one_line(record.get("errorMessage") or record["id"]), _MESSAGE)
    kinds = [record.get("repo"), record.get("errorClass"), record.get("severity")]
    named = " · ".join(on_one_line(kind) for kind in kinds if kind)
    return f"{message}  ({named})" if named else message


def _link(record: Wire, site: str | None) -> str:
    return on_one_line(f"errdex show {record['id']}" if site is None else site + record["path"])
