"""What is said of an error in a few lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from errdex.formats.answer import ErrorEvent, NamedRecord, PasteAnswer
from errdex.records.printable import on_one_line, printable

_TITLE = 200
_WHY = 600
_STEP = 600
_STEPS = 5
LEVELS = {"warning": "warning"}
"""The level of a severity; `error` for all others."""


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """The answer to one log of several."""

    log: str
    """The name of the log."""
    answer: PasteAnswer


def reported(answer: PasteAnswer) -> list[ErrorEvent]:
    """The errors in reading order. Lines that only report a failure are left out where there are
    others."""
    events = [answer.events[index] for index in answer.reading_order]
    telling = [event for event in events if event.known or event.role != "symptom"]
    return telling or events


def level_of(event: ErrorEvent) -> str:
    """`error` or `warning`."""
    return LEVELS.get(event.severity, "error")


def title_of(event: ErrorEvent) -> str:
    """The class and the message on one line."""
    name = event.error_class or event.error_code or ""
    message = event.message[: 2 * _TITLE]
    text = on_one_line(f"{name}: {message}" if name and name not in message else message)
    return cut(text, _TITLE) or "error without a message"


def record_of(event: ErrorEvent) -> NamedRecord | None:
    """The record that matches best."""
    return event.matches[0].record if event.matches else None


def heading_of(record: NamedRecord) -> str:
    """The record's heading and project on one line."""
    return f"{cut(on_one_line(record.heading or record.id), _TITLE)} ({on_one_line(record.repo)})"


def url_of(record: NamedRecord, site: str) -> str:
    """The address of the record's page."""
    return f"{site}{quote(record.path, safe='/~', errors='replace')}"


def link_of(record: NamedRecord, site: str | None) -> str:
    """The address of the record's page, or the command that shows it."""
    return on_one_line(f"errdex show {record.id}") if site is None else url_of(record, site)


def explained(event: ErrorEvent, site: str | None) -> list[str]:
    """What the error means and how to fix it, a paragraph an item."""
    record = record_of(event)
    return ["No matching record yet."] if record is None else list(_record(record, site))


def steps_of(record: NamedRecord) -> list[str]:
    """The first steps of the fix."""
    steps = [cut(printable(step).strip(), _STEP) for step in record.solutions or ()]
    return [step for step in steps if step][:_STEPS]


def why_of(record: NamedRecord) -> str:
    """Why the error happens."""
    why = record.documentation or record.source_explanation or ""
    return cut(printable(why).strip(), _WHY)


def _record(record: NamedRecord, site: str | None) -> Iterator[str]:
    yield heading_of(record)
    if why := why_of(record):
        yield why
    steps = steps_of(record)
    if len(steps) == 1:
        yield f"Fix: {steps[0]}"
    elif steps:
        yield "\n".join(["Fix:", *(f"{n}. {step}" for n, step in enumerate(steps, 1))])
    yield link_of(record, site)


def summary_of(answers: Sequence[LogAnswer]) -> str:
    """How many errors were found."""
    events = [event for each in answers for event in reported(each.answer)]
    known = sum(event.known for event in events)
    errors = "1 error" if len(events) == 1 else f"{len(events):,} errors"
    return f"{errors} found, {known:,} known" if events else "No errors found"


def cut(text: str, most: int) -> str:
    """The text, shortened visibly."""
    return text if len(text) <= most else text[:most].rstrip() + " …"


def unlinked(text: str) -> str:
    """The text without a link `[text](address)`, which some viewers make even of plain text."""
    return text.replace("](", "]\u2060(")
