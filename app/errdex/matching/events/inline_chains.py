"""Causes that stand in the message of an error: Spring's `…; nested exception is Class: …`, and
the lines in which pydantic shows what a validator raised."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Text

_NESTED = re.compile(
    r"; nested exception is (?P<class>[A-Za-z_$][\w$.]{0,300})(?:: (?P<message>(?:(?!; nested "
    r"exception is )[^\n]){0,4000}))?"
)
_CAUSE = re.compile(
    r"(?:: |\A)(?P<class>(?:[a-z_][\w$]{0,60}\.){2,10}[A-Z][\w$.]{0,100}(?:Exception|Error))"
    r"(?:: (?P<message>[^\n]{1,4000}))?$",
    re.MULTILINE,
)
"""What Java makes of a cause in its wrapper's message: `…: java.io.IOException: closed`."""
_ENVELOPE = re.compile(r"1 validation error for ")
_RAISED = re.compile(
    r"(?P<kind>Value error|Assertion failed), (?P<message>[^\n]{1,2000}?)"
    r"(?: \[type=\w+_error, [^\n]{0,2000}\])?\s*$",
    re.MULTILINE,
)
_CLASSES = {"Value error": "ValueError", "Assertion failed": "AssertionError"}
_MOST = 20


def inner_causes(draft: Draft) -> list[Draft]:
    """The causes in a draft's message, each linked to the one outside of it; none where the
    stack itself names causes."""
    if draft.cause is not None:
        return []
    message = str(draft.message)
    if "; nested exception is " in message:
        found = [
            _cause(draft, each.group("class"), *_span(each))
            for each in _some(_NESTED.finditer(message))
        ]
        for outer, inner in zip([draft, *found], found, strict=False):
            outer.cause = inner
        return found
    if draft.language in ("java", "") and "Exception" in (draft.error_class or ""):
        found = []
        rest, start = message.partition("\n")[0], 0
        while len(found) < _MOST and (cause := _CAUSE.search(rest, start)):
            text = cause.group("message") or ""
            begin = cause.start("message") if text else cause.end()
            found.append(_cause(draft, cause.group("class"), begin, text))
            start = begin - 2 if text else len(rest)
        for outer, inner in zip([draft, *found], found, strict=False):
            outer.cause = inner
        return found
    if _ENVELOPE.match(message) and ("Value error, " in message or "Assertion " in message):
        found = [
            _cause(draft, _CLASSES[each.group("kind")], *_span(each))
            for each in _some(_RAISED.finditer(message))
        ]
        draft.cause = found[0] if found else None
        return found[:1]
    return []


def _some(found: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    return (each for each, _ in zip(found, range(_MOST), strict=False))


def _span(found: re.Match[str]) -> tuple[int, str]:
    text = _balanced(found.group("message") or "")
    return (found.start("message") if text else found.end(), text)


def _balanced(text: str) -> str:
    """A text up to a bracket that it closes and does not open: `…; nested exception is A: b] with
    root cause`."""
    depth = 0
    for offset, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth < 0:
            return text[:offset]
    return text


def _cause(draft: Draft, name: str, start: int, message: str) -> Draft:
    """A cause whose message begins at an offset of the draft's."""
    pieces = draft.message.pieces
    at = bisect_right(pieces, start, key=lambda piece: piece[0]) - 1
    offset, position, column = pieces[max(0, at)]
    text = Text()
    text.add(position, column + start - offset, message)
    inner = Draft(draft.language, name, text, draft.first, draft.last, list(draft.frames))
    inner.handled = draft.handled
    return inner
