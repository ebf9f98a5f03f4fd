"""Untrusted text in GitHub-flavoured Markdown: it can neither mention people nor make links,
images or HTML."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.records.messages.filling import code_ranges

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~!&$]")
_MENTION = re.compile(r"([@#]|\bGH-)(?=\w)", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{0,20}://|www\.)[^\s<>`]{0,2000}[^\s<>`.,;:!?)\]'\"]", re.IGNORECASE
)
"""What GitHub makes a link of. It need not begin a word."""
_BREAK = re.compile(r"\s*[\n\r]\s*")
_TICKS = re.compile(r"`+")
_FENCE_INDENT = 3
"""The most spaces before a fence: with more of them it may be none."""
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
    """A record's text: its code as code, all else escaped. Code is written again, since GitHub may
    see less code in the text than we do: a span ends at a blank line, a block with its list."""
    parts: list[str] = []
    place = 0
    for code in code_ranges(text):
        inside = text[code.start : code.end]
        parts.append(escaped(text[place : code.outer_start]))
        if code.fenced:
            fence = text[code.outer_start : code.start]
            parts.append(_block(inside, code.language, len(fence) - len(fence.lstrip(" "))))
        else:
            parts.append(inline_code(inside))
        place = code.outer_end
    return "".join([*parts, escaped(text[place:])])


def _block(code: str, language: str, indent: int) -> str:
    """A block of code, all of whose lines are indented as far as its fence: one that is indented
    less would end the list that they are in."""
    lines = [
        line[min(indent, len(line) - len(line.lstrip(" "))) :]
        for line in code.strip("\n").split("\n")
    ]
    block = fenced("\n".join(lines), language)
    before = " " * min(indent, _FENCE_INDENT)
    return "\n".join(before + line for line in block.split("\n"))


def inline_code(text: str) -> str:
    """The text on one line as code."""
    ticks = "`" * (max((len(each) for each in _TICKS.findall(text)), default=0) + 1)
    space = " " if len(ticks) > 1 else ""
    return f"{ticks}{space}{_BREAK.sub(' ', text).strip()}{space}{ticks}"


def fenced(text: str, language: str = "text") -> str:
    """The text as a block of code; a `language` that could end its line counts as text."""
    language = language if _LANGUAGE.fullmatch(language) else "text"
    fence = "`" * max(3, *(len(each) + 1 for each in _TICKS.findall(text)), 3)
    return f"{fence}{language}\n{text}\n{fence}"


def list_item(step: str) -> str:
    """A text of several lines, indented as the item of a list."""
    return step.replace("\n", "\n   ")
