"""PowerShell: an error record with its position below (`At line:1 char:1`), and the short view
of version 7 (`Line |`). The message stands above the position, in as many lines as it needs."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Shifted, Stream, Text

TRIGGERS = (" char:", "\nLine |", "+ CategoryInfo")

_PREFIX = re.compile(r"(?:\[[\w.:@/ -]{1,40}\]:?|[\w.:@/-]{1,40}[:>|]) {1,2}(?=At |Line \|)")
"""What a host puts before each line of a record."""
_POSITION = re.compile(r"At (?:line|[^\n]{1,300}):\d{1,6} char:\d{1,6}\s*$")
_OTHER_POSITION = re.compile(r"[^\n]{1,80}: ?\d{1,6}\b[^\n]{0,20}: ?\d{1,6}\s*$")
"""The position in PowerShell's other languages."""
_CATEGORY = re.compile(r"\s*\+ CategoryInfo\s*: \S")
_TAIL = re.compile(r"\s*(?:[+-] |$)|\s{2,}\S")
_ID = re.compile(r"\s*[+-] FullyQualifiedErrorId\s*: (?P<id>[^\n,]{1,200})")
_COMMAND = re.compile(r"(?:[A-Za-z][\w.-]{0,80}|[.&]|[^\n]{1,300}\.psm?1)(?: : |: )(?=\S)")
_SPOKEN = re.compile(r"[^\s:]{1,200} : (?=\S)")
_PROMPT = re.compile(r"(?:PS [^\n>]{0,300}>|[$#>] )")
_VIEW = re.compile(r"Line \|\s*$")
_EXCERPT = re.compile(r"\s*\d{1,6} \||\s*\|\s*~+\s*$")
_SAID = re.compile(r"\s*\| ?(?P<message>\S.*)$")
_ABOVE, _BELOW = 8, 12
"""Lines of a record that are looked at on either side of the position."""


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the record whose position, or whose view, line `at` shows."""
    head = stream.head(at)
    if _POSITION.match(head):
        return _parse_record(stream, at)
    if _VIEW.match(head):
        return _parse_view(stream, at)
    if _CATEGORY.match(head):
        return _parse_unplaced(stream, at)
    return _parse_prefixed(stream, at)


def _parse_prefixed(stream: Stream, at: int) -> Parsed | None:
    """The same behind a prefix that each of its lines has."""
    found = _PREFIX.match(stream.head(at))
    if found is None:
        return None
    prefix, first = found.group(), at
    while first > max(0, at - _ABOVE) and stream.head(first - 1).startswith(prefix):
        first -= 1
    shifted = Shifted(stream, first, prefix, _ABOVE + _BELOW)
    parsed = parse(shifted, at - first)
    return shifted.back(parsed) if parsed else None


def _parse_unplaced(stream: Stream, at: int) -> Parsed:
    """A record whose position is in another language, or was not pasted: its category remains."""
    top = at
    while top > stream.consumed and stream.head(top - 1).lstrip().startswith("+ "):
        top -= 1
    if top > stream.consumed and _OTHER_POSITION.match(stream.head(top - 1)):
        top -= 1
    return _parse_record(stream, top)


def _parse_record(stream: Stream, at: int) -> Parsed:
    first = at
    while first > max(stream.consumed, at - _ABOVE) and _is_said(stream, first - 1):
        first -= 1
        if _SPOKEN.match(stream.head(first)):  # what is above it is the command that was typed
            break
    end = at + 1
    code = None
    while end < min(len(stream), at + _BELOW) and _TAIL.match(stream.head(end)):
        found = _ID.match(stream.head(end))
        end += 1
        if found:
            code = found.group("id").strip()
            break
    if first == at:  # the message was found by itself
        return Parsed([], end, list(range(at, end)))
    command = _COMMAND.match(stream.head(first))
    text, column = Text(), command.end() if command else 0
    for position in range(first, at):
        text.add(position, column, stream.texts[position][column:].rstrip())
        column = 0
    draft = Draft("tool:powershell", None, text, first, end - 1, code=code)
    return Parsed([draft], end, list(range(at, end)))


def _is_said(stream: Stream, position: int) -> bool:
    head = stream.head(position)
    return bool(head.strip()) and not _PROMPT.match(head)


def _parse_view(stream: Stream, at: int) -> Parsed | None:
    end, text = at + 1, Text()
    while end < min(len(stream), at + _BELOW):
        head = stream.head(end)
        said = _SAID.match(head)
        if said and not _EXCERPT.match(head):
            begin = said.start("message")
            text.add(end, begin, stream.texts[end][begin:].rstrip())
        elif not _EXCERPT.match(head):
            break
        end += 1
    if not text.parts:
        return None
    above = at - 1 if at > stream.consumed and _COMMAND.match(stream.head(at - 1)) else at
    return Parsed([Draft("tool:powershell", None, text, above, end - 1)], end)
