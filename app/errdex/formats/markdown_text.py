"""Untrusted text in GitHub-flavoured Markdown: it can neither mention people nor make links,
images or HTML."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.records.messages.filling import code_ranges

_SPECIAL = re.compile(r"[\\*_\[\]<>#|~!&]")
_MENTION = re.compile(r"([@#])(?=\w)")
_ADDRESS = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{0,20}://|\bwww\.)[^\s<>`]{0,2000}[^\s<>`.,;:!?)\]'\"]", re.IGNORECASE
)
"""What GitHub makes a link of."""
_TICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[\w+#.-]+")


def escaped(text: str) -> str:
    """The text outside of code. Addresses become code, which can be copied."""
    parts: list[str] = []
    place = 0
    for found in _ADDRESS.finditer(text):
        parts += [_escaped(text[place : found.start()]), inline_code(found[0])]
        place = found.end()
    return "".join([*parts, _escaped(text[place:])])


def _escaped(text: str) -> str:
    text = _SPECIAL.sub(lambda found: f"\\{found[0]}", text)
    return _MENTION.sub("\\1\u2060", text)  # a word joiner: it looks the same, and names no one


def escaped_prose(text: str) -> str:
    """A record's text: its code as it is, all else escaped."""
    parts: list[str] = []
    place = 0
    for start, end, _ in sorted(code_ranges(text)):
        parts += [escaped(text[place:start]), text[start:end]]
        place = end
    return "".join([*parts, escaped(text[place:])])


def inline_code(text: str) -> str:
    """The text on one line as code."""
    ticks = "`" * (max((len(each) for each in _TICKS.findall(text)), default=0) + 1)
    space = " " if len(ticks) > 1 else ""
    return f"{ticks}{space}{' '.join(text.split())}{space}{ticks}"


def fenced(text: str, language: str = "text") -> str:
    """The text as a block of code; a `language` that could end its line counts as text."""
    language = language if _LANGUAGE.fullmatch(language) else "text"
    fence = "`" * max(3, *(len(each) + 1 for each in _TICKS.findall(text)), 3)
    return f"{fence}{language}\n{text}\n{fence}"


def list_item(step: str) -> str:
    """A text of several lines, indented as the item of a list."""
    return step.replace("\n", "\n   ")
