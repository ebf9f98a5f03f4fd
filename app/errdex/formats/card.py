"""A known error in three lines: its title, the first step of its fix, and where to read on.

For places where an error is shown already. A line is never wrapped and begins with a word of
ours, so that no text of a record begins a line, which some readers take for a command.
"""

from __future__ import annotations

from collections.abc import Sequence

from errdex.formats.answer import ErrorEvent, MatchedRecord, PasteAnswer
from errdex.formats.filled import segments_of
from errdex.formats.text import record_link, record_title
from errdex.records.messages.filling import blank
from errdex.records.printable import on_one_line

_FIX = 500
"""Characters of the first step."""


def find_known(answer: PasteAnswer) -> ErrorEvent | None:
    """The first known error, in the order to read them."""
    events = (answer.events[number] for number in answer.reading_order)
    return next((event for event in events if event.matches), None)


def card_lines(event: ErrorEvent, site: str | None = None) -> Sequence[str]:
    """The lines of a known error, without line breaks; none for an unknown one."""
    if not event.matches:
        return []
    best = event.matches[0]
    lines = [f"Known error: {record_title(best.record)}"]
    if fix := first_fix(best):
        lines.append(f"Fix: {fix}")
    lines.append(f"More: {best.record.url or record_link(best.record, site)}")
    return lines


def first_fix(match: MatchedRecord) -> str:
    """The first step of the fix on one line, with the values of the paste; "" without one."""
    if not match.record.solutions:
        return ""
    text = "".join(
        each.text if each.hole is None or each.filled else blank(each.text)
        for each in segments_of(match, "solutions", 0)
    )
    line = on_one_line(text)
    return line if len(line) <= _FIX else line[:_FIX].rstrip() + " …"
