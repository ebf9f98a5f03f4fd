"""Marks of what a paste was copied from, before its lines: `> ` of e-mail and Markdown, the
indentation of a block of code, the line numbers of a viewer."""

from __future__ import annotations

import re

from app.matching.reading.prefixes import strip_prefix

_QUOTED = re.compile(r"(?:>[ \t]?){1,8}")
_NOT_A_QUOTE = re.compile(
    r">{1,3} (?:Task :|Configure |Transform |\S+@\d\S* |Run "
    r"|\[(?:internal|(?:[\w-]{1,40} +)?\d+/\d+)\])|>>> |> (?:node|tsc|vite"
    r"|next|webpack|jest)\b"
)
_NUMBERED = re.compile(r"\s{0,8}(\d{1,6})(?=\s|[:|.]\s|$)[:|.]?")
_CODE = ("    ", "\t")
_MIN_RUN, _MIN_BLOCK = 3, 6
_PYTEST = ">   "
"""The mark of the line that raised, which pytest shows once in an excerpt."""


def find_quotes(lines: list[str]) -> dict[int, int]:
    """Index of each quoted line → length of its quote mark. A mark counts when several
    lines in a row have one, or all lines do."""
    marked: dict[int, int] = {}
    run: list[int] = []
    filled = sum(1 for line in lines if line)
    for index, line in enumerate(lines):
        if line.startswith(">") and not _NOT_A_QUOTE.match(line):
            run.append(index)
            continue
        if line or not run:
            _close(lines, run, marked, filled)
            run = []
    _close(lines, run, marked, filled)
    return marked


def find_indentation(lines: list[str], composed: frozenset[str]) -> dict[int, int]:
    """The same for white space that all lines begin with, of which there are so many that it is
    no error's own; of few, one has to begin with a prefix behind it. `composed`: names known to
    stand before ` | `."""
    length = _common_indent(lines)
    if not length or (len(lines) < _MIN_BLOCK and not _has_prefix(lines, length, composed)):
        return {}
    return {index: min(length, len(line)) for index, line in enumerate(lines)}


def find_blocks(lines: list[str], composed: frozenset[str]) -> dict[int, int]:
    """The same for blocks of code of Markdown that are indented, where a line begins with a
    prefix behind that."""
    marks: dict[int, int] = {}
    begin: int | None = None
    if not any(line.startswith(_CODE) for line in lines):
        return marks
    for index, line in enumerate([*lines, "."]):
        if line.startswith(_CODE):
            if begin is None and not "".join(lines[max(0, index - 1) : index]).strip():
                begin = index
        elif line.strip() and begin is not None:
            block = lines[begin:index]
            length = _common_indent(block)
            ends = index == len(lines) or not lines[index - 1].strip()
            if ends and _has_prefix(block, length, composed):
                marks |= {at: min(length, len(lines[at])) for at in range(begin, index)}
            begin = None
    return marks


def _has_prefix(lines: list[str], start: int, composed: frozenset[str]) -> bool:
    return any(strip_prefix(line, composed, start).end for line in lines)


def _common_indent(lines: list[str]) -> int:
    common: str | None = None
    for line in lines:
        filled = line.lstrip(" \t")
        if not filled:
            continue
        indent = line[: len(line) - len(filled)]
        common = indent if common is None else common
        while not indent.startswith(common):
            common = common[:-1]
        if not common:
            break
    return len(common or "")


def find_numbers(lines: list[str]) -> dict[int, int]:
    """The same for numbers that count the lines, and the white space behind them."""
    ends: dict[int, int] = {}
    expected: int | None = None
    for index, line in enumerate(lines):
        found = _NUMBERED.match(line)
        if found is None:
            if line.strip():
                return {}
            continue
        number = int(found.group(1))
        if expected is not None and number != expected:
            return {}
        expected = number + 1
        ends[index] = found.end()
    if len(ends) < _MIN_RUN:
        return {}
    behind = _common_indent([lines[index][end:] for index, end in ends.items()])
    return {index: min(end + behind, len(lines[index])) for index, end in ends.items()}


def _close(lines: list[str], run: list[int], marked: dict[int, int], filled: int) -> None:
    alone = len(run) == filled and not any(lines[index].startswith(_PYTEST) for index in run)
    if len(run) >= _MIN_RUN or (run and alone):
        for index in run:
            found = _QUOTED.match(lines[index])
            if found:
                marked[index] = found.end()
