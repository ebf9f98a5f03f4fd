"""pytest's own way to show failures: `E   ` lines under quoted source, and its summary."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.events.languages.python.frames import CLASS_LIKE, EXCEPTION, package_of
from errdex.matching.events.languages.python.message_ends import ends_with_line
from errdex.matching.model import Frame

TRIGGERS = ("\nE   ", "\nFAILED ", "\nERROR ", "E       ")

_E_LINE = re.compile(r"E {3,11}(?P<text>.*)$|E\s*$", re.DOTALL)
_PLACE = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,300}):(?P<line>\d{1,7}): (?:in (?P<function>\S.*)"
    r"|(?:(?P<class>\w[\w.]*)(?:: .*)?)?)\s*$"
)
_SUMMARY = re.compile(
    r"(?:FAILED|ERROR) (?P<test>\S+(?:::\S.*?|\.py))(?: - (?P<text>.*))?$", re.DOTALL
)
_ARGUMENT = re.compile(r"[\w.*]{1,80} += ")
"""A function's argument, which the long style shows."""
_LINK = re.compile(
    r"The above exception was the direct cause|During handling of the above exception"
)
_LOOK_BACK = 200
_MAX_LINES, _MAX_CHAIN = 500, 50
_SHORT_COLUMN = 4
_REPORTED = 60
_ASSERT = re.compile(r"assert\b")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the failure that line `at` reports."""
    head = stream.head(at)
    summary = _SUMMARY.match(head)
    if summary:
        return _parse_summary(stream, at, summary)
    if _E_LINE.match(head):
        return _parse_lines(stream, at)
    return None


def _parse_lines(stream: Stream, at: int) -> Parsed | None:
    """The `E   ` lines at `at`, and those of the errors that were raised from it."""
    parsed = Parsed([], at)
    position: int | None = at
    while position is not None and len(parsed.drafts) < _MAX_CHAIN:
        draft = _parse_block(stream, position, parsed)
        if draft is None:
            break
        draft.cause = parsed.drafts[-1] if parsed.drafts else None
        parsed.drafts.append(draft)
        position = _next_in_chain(stream, parsed.end)
    return parsed if parsed.drafts else None


def _next_in_chain(stream: Stream, at: int) -> int | None:
    """The next block of `E   ` lines, behind a sentence that links the two."""
    linked = False
    for position in range(at, min(at + _LOOK_BACK, len(stream))):
        head = stream.head(position)
        if not linked:
            linked = _LINK.match(head) is not None
            if not linked and head.strip():
                return None
        elif _E_LINE.match(head):
            return position
        elif head.startswith("___"):
            return None
    return None


def _parse_block(stream: Stream, at: int, parsed: Parsed) -> Draft | None:
    first = _E_LINE.match(stream.head(at))
    if first is None or not first.group("text"):
        return None
    said = first.group("text")
    column = first.start("text")
    found = EXCEPTION.match(said)
    name = found.group("class") if found and not _ASSERT.match(said) else None
    text = Text()
    start = column + (found.end() if name and found else 0)
    text.add(at, start, stream.texts[at][start:])
    position = _add_lines(stream, at, column, text)
    draft = Draft("python", name, text, at, position - 1)
    quoted = _places(stream, at, parsed.end if parsed.drafts else stream.consumed, draft)
    parsed.quoted += quoted
    if name and ends_with_line(name, text.parts[0], _raising_source(stream, quoted)):
        draft.notes = [line.strip() for line in text.parts[1:] if line.strip()]
        text.cut()
    place, behind = _place_behind(stream, position)
    if place:
        draft.frames.append(_to_frame(place))
        draft.error_class = name or place.group("class")
        parsed.quoted.append(behind - 1)  # may say the message once more
        position = behind
    elif name is None and _ASSERT.match(said):
        draft.error_class = "AssertionError"
    draft.last = position - 1
    parsed.end = position
    return draft


def _add_lines(stream: Stream, at: int, column: int, text: Text) -> int:
    """Add the lines that the message goes on with: marked as its first one or, in the style of
    one line an error, only indented. Returns the position behind them."""
    position = at + 1
    while position < len(stream) and position < at + _MAX_LINES:
        head = stream.head(position)
        more = _E_LINE.match(head)
        if more:
            indent = len(head[1:]) - len(head[1:].lstrip()) + 1
            begin = min(column, indent) if more.group("text") is not None else len(head)
        elif column == _SHORT_COLUMN and head.startswith("    "):
            begin = column
        else:
            break
        text.add(position, begin, stream.texts[position][begin:].rstrip())
        position += 1
    return position


def _place_behind(stream: Stream, position: int) -> tuple[re.Match[str] | None, int]:
    """Where the error was raised, as it is said behind the message."""
    end = position
    while end < position + 2 and not stream.head(end).strip():
        end += 1
    place = _PLACE.match(stream.head(end))
    if place and place.group("function"):
        place = None
    return place, end + 1


def _places(stream: Stream, at: int, consumed: int, draft: Draft) -> list[int]:
    """Walk back over the quoted source, picking up the places between it."""
    quoted: list[int] = []
    for position in range(at - 1, max(consumed, at - _LOOK_BACK) - 1, -1):
        head = stream.head(position)
        place = _PLACE.match(head)
        if place:
            draft.frames.insert(0, _to_frame(place))
        elif head.startswith((">   ", "    ")):
            quoted.append(position)
        elif head.strip() and not head.startswith("_ _ ") and not _ARGUMENT.match(head):
            break
    return quoted


def _raising_source(stream: Stream, quoted: Sequence[int]) -> str:
    """The marked line of the quoted source, and those of the call below it."""
    last = max((line for line in quoted if stream.head(line).startswith(">")), default=None)
    if last is None:
        return ""
    lines = [stream.head(line)[1:].strip() for line in sorted(quoted) if line >= last]
    return "\n".join(line for line in lines if line.strip("^~ "))


def _to_frame(place: re.Match[str]) -> Frame:
    return Frame(
        place.group("file"),
        int(place.group("line")),
        place.group("function"),
        package_of(place.group("file")),
    )


def _parse_summary(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    """A line of the short summary: an error of its own only where the paste has no more."""
    said = found.group("text")
    if not said or _is_reported(stream, at, said):
        return Parsed([], at + 1, [at])
    named = EXCEPTION.match(said)
    text = Text()
    start = found.start("text") + (named.end() if named and not _ASSERT.match(said) else 0)
    text.add(at, start, stream.texts[at][start:])
    name = "AssertionError" if _ASSERT.match(said) else named.group("class") if named else None
    frame = Frame(found.group("test").split("::")[0], None, found.group("test").rpartition("::")[2])
    return Parsed([Draft("python", name, text, at, at, [frame])], at + 1)


def _reported_errors(stream: Stream, at: int) -> set[str]:
    reported: set[str] = set()
    for position in range(at):
        head = stream.head(position)
        text = (head[1:] if head.startswith("E ") else head).lstrip(" |+-")
        if head.startswith("E ") or CLASS_LIKE.match(text):
            reported.add(text[:_REPORTED].rstrip())
    return reported


def _is_reported(stream: Stream, at: int, said: str) -> bool:
    """Whether the paste above reported it already."""
    reported = stream.memo.get("pytest")
    if reported is None:
        reported = sorted(_reported_errors(stream, at))
        stream.memo["pytest"] = reported
    start = said.removesuffix("...")[:_REPORTED].rstrip()
    index = bisect_left(reported, start)  # a narrow terminal cuts the line anywhere
    return index < len(reported) and reported[index].startswith(start)
