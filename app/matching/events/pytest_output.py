"""pytest's own way to show failures: `E   ` lines under quoted source, and its summary."""

from __future__ import annotations

import re

from app.matching.events.draft import Draft, Parsed, Stream, Text
from app.matching.events.python_frames import EXCEPTION, package_of
from app.matching.model import Frame

TRIGGERS = ("\nE   ", "\nFAILED ", "\nERROR ", "E       ")

_E_LINE = re.compile(r"E {3,11}(?P<text>.*)$|E\s*$", re.DOTALL)
_PLACE = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,300}):(?P<line>\d{1,7}): (?:in (?P<function>\S.*)|(?P<class>\w[\w.]*)?)\s*$"
)
_SUMMARY = re.compile(
    r"(?:FAILED|ERROR) (?P<test>\S+(?:::\S.*?|\.py))(?: - (?P<text>.*))?$", re.DOTALL
)
_RULE = re.compile(r"_{3,} |={3,} |_ _ _ _|-{5,} ")
_LOOK_BACK = 200
_TOLD = 60
_ASSERT = re.compile(r"assert\b")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the failure that line `at` tells of."""
    head = stream.head(at)
    summary = _SUMMARY.match(head)
    if summary:
        return _parse_summary(stream, at, summary)
    if _E_LINE.match(head):
        return _parse_lines(stream, at)
    return None


def _parse_lines(stream: Stream, at: int) -> Parsed | None:
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
    position = at + 1
    while more := _E_LINE.match(stream.head(position)):
        head = stream.head(position)
        indent = len(head[1:]) - len(head[1:].lstrip()) + 1
        begin = min(column, indent) if more.group("text") is not None else len(head)
        text.add(position, begin, stream.texts[position][begin:].rstrip())
        position += 1
    draft = Draft("python", name, text, at, position - 1)
    quoted = _places(stream, at, draft)
    end = position
    while end < position + 2 and not stream.head(end).strip():
        end += 1
    place = _PLACE.match(stream.head(end))
    if place and not place.group("function"):
        draft.frames.append(_to_frame(place))
        draft.error_class = name or place.group("class")
        position = end + 1
    elif name is None and _ASSERT.match(said):
        draft.error_class = "AssertionError"
    draft.last = position - 1
    return Parsed([draft], position, quoted)


def _places(stream: Stream, at: int, draft: Draft) -> list[int]:
    """Walk back over the quoted source, picking up the places between it."""
    quoted: list[int] = []
    for position in range(at - 1, max(stream.consumed, at - _LOOK_BACK) - 1, -1):
        head = stream.head(position)
        place = _PLACE.match(head)
        if place:
            draft.frames.insert(0, _to_frame(place))
        elif head.startswith((">   ", "    ")):
            quoted.append(position)
        elif head.strip() and not head.startswith("_ _ "):
            break
    return quoted


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
    if not said or _told(stream, at, said):
        return Parsed([], at + 1)
    named = EXCEPTION.match(said)
    text = Text()
    start = found.start("text") + (named.end() if named and not _ASSERT.match(said) else 0)
    text.add(at, start, stream.texts[at][start:])
    name = "AssertionError" if _ASSERT.match(said) else named.group("class") if named else None
    frame = Frame(found.group("test").split("::")[0], None, found.group("test").rpartition("::")[2])
    return Parsed([Draft("python", name, text, at, at, [frame])], at + 1)


def _told(stream: Stream, at: int, said: str) -> bool:
    """Whether an `E   ` line above told of it already."""
    told = stream.memo.get("pytest")
    if told is None:
        lines = (stream.head(position) for position in range(at))
        told = frozenset(head[1:].strip()[:_TOLD] for head in lines if head[:2] == "E ")
        stream.memo["pytest"] = told
    start = said.removesuffix("...")[:_TOLD]
    return start in told or (said.endswith("...") and any(one.startswith(start) for one in told))
