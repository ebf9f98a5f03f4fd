"""Text inside text: backslash escapes and HTML entities, undone with a map of where each
character came from."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

ENTITY = re.compile(r"&(?:lt|gt|quot|amp|apos|nbsp|#\d{1,6}|#x[0-9A-Fa-f]{1,5});")
_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(033|0)(?=[\[;])|([nrtbf0e\"'\\/]))"
)
_SINGLE = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": "", "0": "", "e": "\x1b"}

_SIGNS = re.compile(
    r"Traceback \(most|File \\*\"[^\"\n]{1,300}\", line \d|Caused by: |panicked at "
    r"|\\n\s{0,8}(?:\\t)?(?:at |from )|goroutine \d+ \[|--- End of inner"
)
"""Seen in a line with escaped line breaks: it holds a whole stack."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A text and where it came from: `runs` are (offset in `text`, offset in the source),
    ascending; between two of them both go on alike."""

    text: str
    runs: tuple[tuple[int, int], ...] = ((0, 0),)

    def source(self, offset: int) -> int:
        """The offset in the source of the character at `offset`."""
        return run_source(self.runs, offset)


def run_source(runs: tuple[tuple[int, int], ...], offset: int) -> int:
    """Look an offset up in runs as those of `Mapped`."""
    low, high = 0, len(runs)
    while low < high:
        middle = (low + high) // 2
        if runs[middle][0] <= offset:
            low = middle + 1
        else:
            high = middle
    start, source = runs[low - 1] if low else (0, 0)
    return source + offset - start


def holds_escaped_stack(text: str) -> bool:
    """Whether line breaks written as `\\n` hide a whole stack in this one line."""
    return "\\n" in text and _SIGNS.search(text) is not None


def unescape(text: str, base: int = 0) -> Mapped:
    """Undo one level of backslash escapes."""
    return _replace(text, _ESCAPE, _unescaped, base)


def unescape_html(text: str, base: int = 0) -> Mapped:
    """Undo HTML's entities."""
    return _replace(text, ENTITY, lambda found: html.unescape(found.group()), base)


def _unescaped(found: re.Match[str]) -> str:
    code = found.group(1) or found.group(2)
    if code:
        value = int(code, 16)
        return "\ufffd" if 0xD800 <= value < 0xE000 else chr(value)
    if found.group(3):
        return "\x1b"
    single = found.group(4)
    return _SINGLE.get(single, single)


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
