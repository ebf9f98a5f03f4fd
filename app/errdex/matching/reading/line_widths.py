"""Lines that the width of a terminal broke or cut: joined again, or their mark taken off."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from errdex import lazy_re as re

_OPEN_FRAME = re.compile(r"File \"[^\"\n]{20,}(?:\"[, line\d]{0,20})?$", re.MULTILINE)
"""A frame that ends in its path or between that and its function."""
_WHOLE_FRAME = re.compile(r"File \"[^\"\n]{20,}\", line \d{1,7}(?:$|, in \S)")
_BEGINS_ANEW = re.compile(r"  |\t|Traceback \(|$")
_FRAME = re.compile(r"[ |]{2,40}File \"")
_OUTSIDE = re.compile(r"\s|$|[A-Za-z_][\w.]*(?::|$)|[\[(>]|The above|During ")
"""Begins no line that goes on with one of a stack."""
_REST_OF_NAME = re.compile(r"[a-z_]\w*>?")
_CONSOLES = frozenset({79, 80, 100, 119, 120, 132, 160})
_MOST_WRAPPED, _LEAST_CUT = 1_000, 2
_CUT, _CUT_REST = re.compile(r"[a-z\\/._-]$"), re.compile(r"[a-z.\\/_]\w*")
_BEGINS_LINE = re.compile(
    r"\s|(?:error|warning|note|at|from|File|Traceback|make|npm|PHP)\b|[A-Z]{4,}|\d{4}-\d\d|[\[#>$|+*]"
)
_REPORTS = re.compile(r"\b(?:error|fatal|warning|failed|undefined|exception)\b", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[a-z]+(?:\s|$)")
_SAME = 4
"""Characters that lines of one writer may have in common, which names it."""
_NEAR = 3
_MIN_WIDTH, _MAX_WIDTH = 40, 400
_MAX_PARTS = 50


def find_breaks(text: str, lines: list[str]) -> dict[int, int]:
    """Index of each line that a terminal broke → how many lines below belong to it. A frame
    broken before its function shows the width, a line of a stack that goes on without
    indentation, or words cut in two; then each line that has exactly this width goes on."""
    width = 0
    if 'File "' in text:
        width = _width_of_paths(lines) if _OPEN_FRAME.search(text) else 0
        width = width or _width_of_stacks(lines)
    width = width or _width_of_words(lines)
    if not width:
        return {}
    breaks: dict[int, int] = {}
    index = 0
    while index < len(lines):
        last = index
        while (
            len(lines[last]) == width
            and last + 1 < len(lines)
            and last - index < _MAX_PARTS
            and not _BEGINS_ANEW.match(lines[last + 1])
        ):
            last += 1
        if last > index:
            breaks[index] = last - index
        index = last + 1
    return breaks


def _width_of_paths(lines: list[str]) -> int:
    widths = Counter(
        len(line)
        for line, following in pairwise(lines)
        if _MIN_WIDTH <= len(line) <= _MAX_WIDTH
        and 'File "' in line
        and _OPEN_FRAME.search(line)
        and (frame := _WHOLE_FRAME.search(line + following[:400]))
        and frame.end() > len(line)
    )
    return widths.most_common(1)[0][0] if widths else 0


def _width_of_stacks(lines: list[str]) -> int:
    width = max(map(len, lines))
    if not _MIN_WIDTH <= width <= _MAX_WIDTH:
        return 0
    for index, line in enumerate(lines[:-1]):
        if len(line) != width or not line.startswith("  "):
            continue
        below = lines[index + 1]
        if not _OUTSIDE.match(below) or (_FRAME.match(line) and _REST_OF_NAME.fullmatch(below)):
            above = lines[max(0, index - _NEAR) : index + 1]
            if any(_FRAME.match(each) for each in above):
                return width
    return 0


def _width_of_words(lines: list[str]) -> int:
    """A console's width, where several lines have it or one that reports an error, at most of them
    a word was cut in two, and none that has it is followed by what begins a line."""
    width = max(map(len, lines)) if len(lines) <= _MOST_WRAPPED else 0
    if width not in _CONSOLES:
        return 0
    full = [(line, below) for line, below in pairwise(lines) if len(line) == width]
    cut = [
        1 for line, below in full if _CUT.search(line) and _CUT_REST.match(below) and below != line
    ]
    whole = all(below and not _BEGINS_LINE.match(below) for _, below in full)
    # One word cut in two shows the width where the line reports an error, and what goes on is no
    # whole word of plain language.
    shown = any(
        _REPORTS.search(line) and line[:_SAME] != below[:_SAME] and not _PLAIN_WORD.match(below)
        for line, below in full
    )
    least = 1 if shown else _LEAST_CUT
    return width if len(cut) >= least and 2 * len(cut) >= len(full) and whole else 0


def find_end_marks(text: str, lines: list[str]) -> set[int]:
    """The lines whose last character is a mark: `$` at the end of each line (`cat -A`), or `$`
    or `>` where a pager cut a line at the width of the screen."""
    shown = ("$\n", ">\n", "$\r", ">\r") if "\r" in text else ("$\n", ">\n")
    if not any(mark in text for mark in shown):
        return set()
    filled = [index for index, line in enumerate(lines) if line]
    dollars = {index for index in filled if lines[index][-1] == "$"}
    if len(dollars) > 1 and len(dollars) == len(filled):
        return dollars
    width = max(map(len, lines))
    if not _MIN_WIDTH <= width <= _MAX_WIDTH:
        return set()
    marked: set[int] = set()
    for mark in "$>":
        ends = {index for index in filled if lines[index][-1] == mark}
        if len(ends) > 1 and all(len(lines[index]) == width for index in ends):
            marked |= ends
    return marked
