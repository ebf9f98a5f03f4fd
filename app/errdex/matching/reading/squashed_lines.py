"""Log records whose line breaks were lost on the way into a paste.

A form or a chat makes one line of many. Where the time that a line begins with comes back in it,
in the same form and with a level behind it, a record begins there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from errdex import lazy_re as re
from errdex.matching.reading.header_tokens import LEVEL_NAMES

_MOST_LINES, _SHORTEST, _LONGEST = 5, 100, 200_000
_LEAST = 2
"""Records on a line besides its first; a message may quote another record."""
_TIME = re.compile(r"\[?\d{4}[-/]\d\d[-/]\d\d[T ] ?\d{1,2}:\d\d:\d\d[\d.,]{0,10}Z?")
_RECORD = re.compile(
    rf"(?<=\s)(?P<time>{_TIME.pattern})\]?[^\n:]{{1,40}}?[\[( |]"
    rf"(?:{LEVEL_NAMES}|Note|System)[\]): |]"
)
_DIGITS = re.compile(r"\d+")


def split_records(
    numbers: Sequence[int], lines: list[str], offsets: Sequence[int]
) -> tuple[Sequence[int], list[str], Sequence[int]]:
    """Physical lines, those with several records of a log made a line for each; short pastes
    only."""
    if len(lines) > _MOST_LINES:
        return numbers, lines, offsets
    parts: list[tuple[int, str, int]] = []
    for number, line, offset in zip(numbers, lines, offsets, strict=False):
        begins = [0, *_begins(line), len(line)]
        parts += [
            (number, line[begin:end].rstrip(), offset + begin) for begin, end in pairwise(begins)
        ]
    if len(parts) == len(lines):
        return numbers, lines, offsets
    return [each[0] for each in parts], [each[1] for each in parts], [each[2] for each in parts]


def _begins(line: str) -> list[int]:
    """Where the records behind the first begin."""
    first = _TIME.match(line) if _SHORTEST <= len(line) <= _LONGEST else None
    if first is None:
        return []
    form = _form(first.group())
    found = [each.start() for each in _RECORD.finditer(line) if _form(each.group("time")) == form]
    return found if len(found) >= _LEAST else []


def _form(time: str) -> str:
    return _DIGITS.sub("0", time)
