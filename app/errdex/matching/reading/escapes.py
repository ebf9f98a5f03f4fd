"""Text inside text: backslash escapes and HTML entities, undone with a map of where each
character came from."""

from __future__ import annotations

import html
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from errdex import lazy_re as re

ENTITY = re.compile(r"&(?:lt|gt|quot|amp|apos|nbsp|#\d{1,6}|#x[0-9A-Fa-f]{1,5});")
_PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(
    rf"\\(?:({_PAIR})|u([0-9a-fA-F]{{4}})|x([0-9a-fA-F]{{2}})|(033|0)(?=[\[;])|([nrtbf0e\"'\\/]))"
)
_JSON_ESCAPE = re.compile(rf"\\(?:({_PAIR})|u([0-9a-fA-F]{{4}})|()()([nrtbf\"\\/]))")
_SINGLE = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": "", "0": "", "e": "\x1b"}

_SIGNS = re.compile(
    r"Traceback \(most recent call last\):\s{0,4}\\+n"
    r"|File \\*\"[^\"\n]{1,300}\", line \d{1,9}[^\\\n]{0,200}\\+n"
    r"|\\+n(?:\\+t|\s){0,8}(?:at |from |Caused by: |File \\*\")"
    r"|\\+n#\d{1,3} (?:/|[A-Za-z]:\\|\[internal |\{main\})"
    r"|panicked at [^\n]{0,300}?\\+n|goroutine \d{1,9} \[[^\]\n]{1,60}\]:?\\+n|--- End of inner"
)
"""Seen in a line with escaped line breaks: it holds a whole stack."""

Runs = tuple[tuple[int, int], ...]
_FAR = 1 << 62


@dataclass(frozen=True, slots=True)
class Mapped:
    """A text and where it came from: `runs` are (offset in `text`, offset in the source),
    ascending; between two of them both go on alike."""

    text: str
    runs: Runs = ((0, 0),)

    def source(self, offset: int) -> int:
        """The offset in the source of the character at `offset`."""
        return run_source(self.runs, offset)


def run_source(runs: Runs, offset: int) -> int:
    """Look an offset up in runs as those of `Mapped`."""
    index = bisect_right(runs, (offset, _FAR))
    start, source = runs[index - 1] if index else (0, 0)
    return source + offset - start


def shifted_runs(runs: Runs, start: int, end: int) -> Runs:
    """The runs of a text's part."""
    first = bisect_right(runs, (start, _FAR))
    last = bisect_right(runs, (end, _FAR))
    return (
        (0, run_source(runs, start)),
        *((column - start, source) for column, source in runs[first:last]),
    )


def composed(mapped: Mapped, outer: Runs) -> Mapped:
    """A text that was made of one made by `outer`, with its own runs. The work grows with the
    runs of its part of that one alone: there may be as many parts as runs."""
    inner = mapped.runs
    points = {column: run_source(outer, source) for column, source in inner}
    first = bisect_right(outer, (inner[0][1], _FAR))
    last = bisect_right(outer, (mapped.source(len(mapped.text)), _FAR))
    position = 0
    for column, source in outer[first:last]:
        while position + 1 < len(inner) and inner[position + 1][1] <= column:
            position += 1
        start, from_source = inner[position]
        mine = column - from_source + start
        if mine >= start and (position + 1 == len(inner) or mine < inner[position + 1][0]):
            points.setdefault(mine, source)
    return Mapped(mapped.text, tuple(sorted(points.items())))


def holds_escaped_stack(text: str) -> bool:
    """Whether line breaks written as `\\n` hide a whole stack in this one line."""
    return "\\n" in text and _SIGNS.search(text) is not None


def unescape(text: str, base: int = 0) -> Mapped:
    """Undo one level of backslash escapes."""
    return _replace(text, _ESCAPE, _unescaped, base)


def unescape_json(text: str, base: int = 0) -> Mapped:
    """Undo the escapes of a JSON string."""
    return _replace(text, _JSON_ESCAPE, _unescaped_json, base)


def unescape_html(text: str, base: int = 0) -> Mapped:
    """Undo HTML's entities."""
    return _replace(text, ENTITY, lambda found: html.unescape(found.group()), base)


def _unescaped(found: re.Match[str]) -> str:
    pair, *codes, octal, single = found.groups()
    if pair:
        return chr(0x10000 + (int(pair[1:5], 16) - 0xD800) * 0x400 + int(pair[7:], 16) - 0xDC00)
    code = codes[0] or codes[1]
    if code:
        value = int(code, 16)
        return "\ufffd" if 0xD800 <= value < 0xE000 else chr(value)
    return "\x1b" if octal else _SINGLE.get(single, single)


def _unescaped_json(found: re.Match[str]) -> str:
    single = found.group(5)
    return {"b": "\b", "f": "\f"}.get(single) or _unescaped(found)


def _replace(
    text: str, regex: re.Pattern[str], new: Callable[[re.Match[str]], str], base: int
) -> Mapped:
    pieces: list[str] = []
    runs: list[tuple[int, int]] = [(0, base)]
    size = end = 0
    for found in regex.finditer(text):
        piece = text[end : found.start()]
        value = new(found)
        pieces += (piece, value)
        size += len(piece)
        if value:
            runs.append((size, base + found.start()))
        size += len(value)
        end = found.end()
        runs.append((size, base + end))
    pieces.append(text[end:])
    return Mapped("".join(pieces), tuple(runs))
