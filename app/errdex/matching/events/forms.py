"""Errors that stand on one line: a table of forms for each tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, single
from errdex.matching.model import Frame, Role


@dataclass(frozen=True, slots=True)
class Form:
    """One form of line. The regex must have a group `message`, and may have `class`, `code`,
    `file`, `line`, `function`, `level`. `tail` says which lines below belong to it:
    source that it quotes, and notes (group `note`)."""

    language: str
    regex: re.Pattern[str]
    role: Role | None = None
    severity: str = "error"
    quoted: re.Pattern[str] | None = None
    note: re.Pattern[str] | None = None
    more: re.Pattern[str] | None = None
    """Lines below that go on with the message (group `more`, or the whole line)."""


_MAX_TAIL = 60
_CARET = re.compile(r"\s*\^[~^ ]*$")


def form(language: str, regex: str, **more: object) -> Form:
    """A form whose regex may match across the head of a line only."""
    return Form(language, re.deferred(regex, re.DOTALL), **more)  # type: ignore[arg-type]


def parse_forms(forms: Sequence[Form], stream: Stream, at: int, *, start: int = 0) -> Parsed | None:
    """Parse line `at`, from column `start` on, by the first form that it has."""
    head = stream.head(at)
    for each in forms:
        found = each.regex.match(head, start)
        if found:
            return _to_parsed(each, stream, at, found)
    return None


def _to_parsed(each: Form, stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    groups = found.groupdict()
    frames = []
    if groups.get("file"):
        line = groups.get("line")
        frames.append(Frame(groups["file"], int(line) if line else None, groups.get("function")))
    level = (groups.get("level") or "").lower()
    severity = "fatal" if "fatal" in level else "warning" if "warn" in level else each.severity
    draft = single(
        stream,
        at,
        each.language,
        found.group("message"),
        found.start("message"),
        error_class=groups.get("class"),
        code=groups.get("code"),
        severity=severity,
        frames=frames,
        role=Role.ALONE if severity == "warning" else each.role,
    )
    parsed = Parsed([draft], at + 1)
    if each.quoted or each.note or each.more:
        _read_tail(each, stream, at, draft, parsed)
    return parsed


def _read_tail(each: Form, stream: Stream, at: int, draft: Draft, parsed: Parsed) -> None:
    position = at + 1
    while position < len(stream) and position <= at + _MAX_TAIL:
        head = stream.head(position)
        note = each.note.match(head) if each.note else None
        if note is None and stream.interrupts(position, at):
            break
        more = each.more.match(head) if each.more and not note else None
        if note:
            draft.notes.append(note[note.lastgroup or "note"].strip())
        elif more:
            column = more.start("more") if "more" in more.groupdict() else 0
            draft.message.add(position, column, stream.texts[position][column:].rstrip())
        elif (each.quoted and each.quoted.match(head)) or (
            each.quoted and _CARET.match(stream.head(position + 1))
        ):
            parsed.quoted.append(position)
        else:
            break
        position += 1
    draft.last = position - 1
    parsed.end = position
