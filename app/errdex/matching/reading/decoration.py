"""What people put around the lines of a short paste: bold, code, quotation marks, list marks.

Marks that enclose a line, or its beginning (`**Error:** it failed`), are taken off; each line
keeps its place in the paste. Long pastes are logs, which nobody decorates by hand.
"""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.reading.paste import Paste

_MOST, _FEW = 50, 3
"""Lines with text of a paste in which marks are looked for, and in which those are that
programs write as well."""
_LONGEST, _BLOCK = 4_000, 30
_SPACES = 2
"""Between the words of a message in quotation marks; fewer words are a value."""
_PAIRS = {
    "`": "`", "``": "``", "```": "```", "**": "**", "***": "***", "__": "__", "\u201c": "\u201d",
    "\u201e": "\u201c", "\u00ab": "\u00bb", "\u2018": "\u2019", "<b>": "</b>", "<i>": "</i>",
    "<code>": "</code>", "<strong>": "</strong>", "<pre>": "</pre>", "<p>": "</p>", "<tt>": "</tt>",
    "<em>": "</em>", "<li>": "</li>", "<pre><code>": "</code></pre>",
}  # fmt: skip
_OPEN = re.compile(
    r"[ \t]*(?P<open>(?:<pre>)?<(?:b|i|code|strong|pre|p|tt|em|li)>|`{1,3}|\*{2,3}(?=[^\s*])"
    r"|__(?=[^\s_])"
    r"|[\u201c\u201e\u00ab\u2018])"
)
_TAIL = re.compile(r"[ \t]*[.,;:!]?[ \t]*\Z")
_PLAIN_PAIR = re.compile(
    r"[ \t]*(?P<open>[\"'])(?P<inner>(?:(?!(?P=open)).){6,})(?P=open)[ \t]*[.,;]?\Z"
)
_CELL = re.compile(r"[ \t]*\|[ \t]+(?P<inner>[^|]+?)[ \t]+\|[ \t]*\Z")
_LIST_MARK = re.compile(
    r"(?:[-*+\u2022\u25e6\u2023\u2013\u2014] |\d{1,2}[.)] |#{1,6} |\.\.\. ?"
    r"|\u2026 ?)[ \t]*(?=\S)"
)
_LED = re.compile(
    r"(?=[^:\n]{0,100}\b(?:[Ee]rrors?|ERROR|[Ee]xception|[Ff]atal|[Mm]essage|[Ww]arning|[Oo]utput|[Ff]ollowing"
    r"|[Tt]his|says?|said|gets?|got|with)\b[^:\n]{0,40}:)"
    r"(?P<lead>[^`*\u201c\n]{1,140}[:\]]) ?(?P<open>`{1,3}|\*\*|\u201c)"
)
"""Words before a message in marks: `Error: **it failed**`."""


def undecorate(paste: Paste) -> None:
    """Take the marks off the lines of a short paste."""
    if len(paste.texts) > 4 * _MOST:
        return
    filled = sum(1 for text in paste.texts if text.strip())
    if filled > _MOST:
        return
    few = filled <= _FEW
    _open_blocks(paste)
    for index, text in enumerate(paste.texts):
        read = index in paste.field_texts or index in paste.flat or index in paste.runs
        if text and not read and len(text) <= _LONGEST:
            spans = _kept(text, few)
            if spans != [(0, len(text))]:
                _keep(paste, index, text, spans)


def _open_blocks(paste: Paste) -> None:
    """Take off the marks of bold that begin on one line and end on another."""
    begin: int | None = None
    for index, text in enumerate(paste.texts):
        if index in paste.field_texts or index in paste.flat or index in paste.runs:
            continue
        if text.count("**") != 1:
            continue
        if begin is not None and text.rstrip().endswith("**") and index - begin <= _BLOCK:
            opened = paste.texts[begin]
            _keep(paste, begin, opened, [(opened.index("**") + 2, len(opened))])
            _keep(paste, index, text, [(0, text.rindex("**"))])
            begin = None
        elif text.lstrip().startswith("**") and text.strip() != "**":
            begin = index


def _kept(text: str, few: bool) -> list[tuple[int, int]]:
    """The parts of a line that are not marks: (begin, end) in it."""
    begin, end = 0, len(text)
    for _ in range(4):
        mark = _LIST_MARK.match(text, begin, end) if few else None
        if mark:
            begin = mark.end()
            continue
        found = _OPEN.match(text, begin, end)
        if found and found.group("open")[0] == "<" and (not few or "&" in text):
            break
        close = _PAIRS[found.group("open")] if found else ""
        at = text.find(close, found.end(), end) if found else -1
        if found and at > found.end():
            last = text.rfind(close, found.end(), end)
            if _TAIL.match(text, last + len(close), end) and close not in text[found.end() : last]:
                begin, end = found.end(), last
                continue
            if "*" in close or "_" in close or "<" in close:
                return [(found.end(), at), (at + len(close), end)]
            break
        plain = (
            (_PLAIN_PAIR.match(text, begin, end) or _CELL.match(text, begin, end)) if few else None
        )
        if plain is None or plain.group("inner").strip().count(" ") < _SPACES:
            break
        begin, end = plain.span("inner")
    led = _LED.match(text, begin, end) if few else None
    if led:
        close = _PAIRS[led.group("open")]
        at = text.find(close, led.end(), end)
        said = text[led.end() : max(at, led.end())]
        if said.strip().count(" ") >= _SPACES and _TAIL.match(text, at + len(close), end):
            return [(begin, led.start("open")), (led.end(), at)]
    return [(begin, end)]


def _keep(paste: Paste, index: int, text: str, spans: list[tuple[int, int]]) -> None:
    offset, runs, size = paste.offsets[index], [], 0
    for begin, end in spans:
        runs.append((size, offset + begin))
        size += end - begin
    paste.texts[index] = "".join(text[begin:end] for begin, end in spans)
    paste.offsets[index] = offset + spans[0][0]
    if len(spans) > 1:
        paste.runs[index] = tuple(runs)
