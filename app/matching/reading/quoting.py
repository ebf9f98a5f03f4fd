"""Marks of e-mail and Markdown around a paste: `> ` before its lines."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"(?:>[ \t]?){1,8}")
_NOT_A_QUOTE = re.compile(
    r">{1,3} (?:Task :|Configure |Transform |\S+@\d\S* |Run |\[)|>>> |> (?:node|tsc|vite"
    r"|next|webpack|jest)\b"
)
_MIN_RUN = 3
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


def _close(lines: list[str], run: list[int], marked: dict[int, int], filled: int) -> None:
    alone = len(run) == filled and not any(lines[index].startswith(_PYTEST) for index in run)
    if len(run) >= _MIN_RUN or (run and alone):
        for index in run:
            found = _QUOTED.match(lines[index])
            if found:
                marked[index] = found.end()
