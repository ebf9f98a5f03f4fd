"""Dart and Flutter: unhandled exceptions with frames, and the boxes of Flutter's libraries."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.model import Frame

TRIGGERS = (
    "EXCEPTION CAUGHT BY", "xception caught by", "Another exception was thrown: ",
    "Unhandled Exception:", "Unhandled exception:",
)  # fmt: skip

_BOX = re.compile(
    r"[═=\s╡]{0,60}(?:EXCEPTION CAUGHT BY|Exception caught by) [A-Za-z' ]{3,60}[═=\s╞]*$"
)
_THROWN = re.compile(
    r"The following (?:(?P<class>_?[A-Z][\w.]{1,80}?)(?: object)?|assertion|message)"
    r" was thrown[^\n]{0,300}$"
)
_MOST_THROWN = 6
"""Lines over which what was thrown, and where, is said before a colon."""
_ANOTHER = re.compile(r"Another exception was thrown: (?P<message>\S.*)$", re.DOTALL)
_UNHANDLED = re.compile(
    r"(?:\[[A-Z]+:flutter[^\]\n]{0,200}\] )?Unhandled [Ee]xception:\s*(?P<message>.*)$", re.DOTALL
)
_CLASS = re.compile(r"(?P<class>_?[A-Z]\w{0,80}(?:Exception|Error)): (?=\S)")
_FRAME = re.compile(
    r"#\d{1,5} +(?P<function>\S[^\n]{0,300}?) "
    r"\((?P<file>(?:package:|file:|dart:|\.{0,2}/)[^)\n]{1,400}?)"
    r"(?::(?P<line>\d{1,7}))?(?::\d{1,6})?\)\s*$"
)
_GAP = re.compile(r"<asynchronous suspension>|\(elided \d+ frames?")
_STACK = re.compile(r"When the exception was thrown, this was the stack")
_MOST_LINES, _LOOK = 30, 60


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    if _BOX.match(head):
        return _parse_box(stream, at)
    another = _ANOTHER.match(head)
    if another:
        text = Text()
        column = another.start("message")
        text.add(at, column, stream.texts[at][column:].rstrip())
        return _draft(stream, at, text, None, at + 1)
    found = _UNHANDLED.match(head)
    if found is None:
        return None
    begin, column = (at, found.start("message")) if found.group("message").strip() else (at + 1, 0)
    text, position = Text(), begin
    while position < begin + _MOST_LINES and position < len(stream):
        line = stream.head(position)
        if _FRAME.match(line) or not line.strip() or stream.interrupts(position, at):
            break
        text.add(position, column, stream.texts[position][column:].rstrip())
        column, position = 0, position + 1
    if not text.pieces or not _FRAME.match(stream.head(position)):
        return None
    return _draft(stream, at, text, None, position)


def _parse_box(stream: Stream, at: int) -> Parsed | None:
    """Flutter's box: what was thrown, its message, an explanation, the stack."""
    first = _filled(stream, at + 1)
    thrown = _THROWN.match(stream.head(first))
    if thrown is None:
        return None
    position, said = first, stream.head(first).rstrip()
    while not said.endswith(":") or said.count("(") > said.count(")"):
        position += 1
        if position == first + _MOST_THROWN:
            return None
        said += " " + stream.head(position).rstrip()
    text, position = Text(), _filled(stream, position + 1)
    while position < first + _MOST_LINES and stream.head(position).strip():
        text.add(position, 0, stream.texts[position].rstrip())
        position += 1
    if not text.pieces:
        return None
    for below in range(position, min(len(stream), position + _LOOK)):
        if _BOX.match(stream.head(below)):
            break
        if _STACK.match(stream.head(below)):
            position = below + 1
            break
    return _draft(stream, at, text, thrown.group("class"), position)


def _filled(stream: Stream, position: int) -> int:
    """The position, or the next one where a blank line stands there."""
    return position if stream.head(position).strip() else position + 1


def _draft(stream: Stream, at: int, text: Text, name: str | None, position: int) -> Parsed:
    named = _CLASS.match(text.parts[0])
    if named and name is None:
        name = named.group("class")
        offset, line, column = text.pieces[0]
        text.parts[0] = text.parts[0][named.end() :]
        text.pieces[0] = (offset, line, column + named.end())
        text.pieces[1:] = [
            (start - named.end(), line, column) for start, line, column in text.pieces[1:]
        ]
    draft = Draft("dart", name, text, at, position - 1)
    while position < len(stream):
        head = stream.head(position)
        frame = _FRAME.match(head)
        if frame and len(draft.frames) < MAX_FRAMES:
            number = frame.group("line")
            file, function = frame.group("file"), frame.group("function")
            draft.frames.append(Frame(file, int(number) if number else None, function))
        elif not _GAP.match(head):
            break
        position += 1
    draft.frames.reverse()
    draft.last = max(draft.first, position - 1)
    return Parsed([draft], position)
