""".NET exceptions: inner ones behind `--->`, whose frames come first; and its build's errors
are in `compilers`."""

from __future__ import annotations

import re

from app.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from app.matching.events.messages import STOP
from app.matching.model import Frame

TRIGGERS = (
    "   at ",
    "\nat ",
    "Unhandled exception. ",
    "Unhandled Exception: ",
    " ---> ",
    "xception: ",
)

FRAME = re.compile(
    r"\s*at (?P<call>[\w.`<>\[\],+|$&*-]{1,400}?)\((?P<args>[^()\n]{0,400})\)"
    r"(?: in (?P<file>[^\n]{1,400}?):line (?P<line>\d{1,9})| \[0x[^\n]{1,200})?\s*$"
)
_CLASS = (
    r"(?P<class>(?:[A-Z]\w{0,80}\.){0,10}[A-Z]\w{0,80}(?:Exception|Error|Failure|Fault)(?:`1)?)"
)
_HEADER = re.compile(
    r"\s*(?:Unhandled [Ee]xception[.:] |fail: |crit: )?(?:[^\n]{0,200}?: )??"
    + _CLASS
    + r"(?: \(0x[0-9A-Fa-f]+\))?(?:: (?P<message>.*)|\s*)$",
    re.DOTALL,
)
_INNER = re.compile(
    r"\s*(?:--->|\(Inner Exception #\d+\)) "
    + _CLASS
    + r"(?: \(0x[0-9A-Fa-f]+\))?(?:: (?P<message>.*)|\s*)$",
    re.DOTALL,
)
_END_INNER = re.compile(r"\s*--- End of inner ")
_PREVIOUS = re.compile(r"\s*--- End of stack trace from previous")
_LOOK = 40


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the exception that line `at` begins or whose first frame it is."""
    head = stream.head(at)
    if FRAME.match(head):
        begin = _header_before(stream, at)
        if begin is None:
            return None
        return _read(stream, begin)
    if _HEADER.match(head) and (
        _frame_ahead(stream, at) or head.startswith("Unhandled exception. ")
    ):
        return _read(stream, at)
    return None


def _header_before(stream: Stream, at: int) -> int | None:
    for position in range(at - 1, max(stream.consumed, at - _LOOK) - 1, -1):
        head = stream.head(position)
        if FRAME.match(head):
            return None
        if _HEADER.match(head) and not _INNER.match(head):
            return position
    return None


def _frame_ahead(stream: Stream, at: int) -> bool:
    for position in range(at + 1, min(at + _LOOK, len(stream))):
        if FRAME.match(stream.head(position)):
            return True
        if stream.interrupts(position, at) or STOP.match(stream.head(position)):
            return False
    return False


def _read(stream: Stream, begin: int) -> Parsed:
    drafts: list[Draft] = []
    _open(stream, begin, _HEADER.match(stream.head(begin)), drafts)
    level = len(drafts) - 1
    at = begin + 1
    framed = False
    while at < len(stream):
        head = stream.head(at)
        inner = _INNER.match(head)
        frame = FRAME.match(head)
        if inner and not framed:
            _open(stream, at, inner, drafts)
            level = len(drafts) - 1
        elif frame:
            framed = True
            if len(drafts[level].frames) < MAX_FRAMES:
                drafts[level].frames.append(_to_frame(frame))
        elif _END_INNER.match(head):
            level = max(0, level - 1)
        elif _PREVIOUS.match(head):
            pass
        elif framed or stream.interrupts(at, begin) or STOP.match(head) or at > begin + _LOOK:
            break
        elif head.strip() or _frame_ahead(stream, at):
            drafts[-1].message.add(at, 0, stream.texts[at].rstrip())
        else:
            break
        at += 1
    for draft in drafts:
        draft.frames.reverse()
        draft.last = at - 1
    return Parsed(drafts, at)


def _open(stream: Stream, at: int, found: re.Match[str] | None, drafts: list[Draft]) -> None:
    """Add a draft for a header, and for those that it holds behind `--->` on one line."""
    while found is not None:
        message = found.group("message") or ""
        column = found.start("message") if message else len(stream.head(at))
        cut = message.find(" ---> ")
        text = Text()
        text.add(at, column, message[:cut] if cut >= 0 else stream.texts[at][column:])
        draft = Draft("dotnet", found.group("class"), text, at, at)
        if drafts:
            drafts[-1].cause = draft
        drafts.append(draft)
        found = _INNER.match(stream.head(at), column + cut) if cut >= 0 else None


def _to_frame(found: re.Match[str]) -> Frame:
    call = found.group("call")
    line = found.group("line")
    parts = call.split(".")
    return Frame(
        found.group("file"), int(line) if line else None, call, ".".join(parts[:-2]) or None
    )
