"""Log records and stacks whose line breaks were lost on the way into a paste.

A form or a chat makes one line of many. Where the time that a line begins with comes back in it,
in the same form and with a level behind it, a record begins there. Behind the name of an error
each entry of a stack, which gives its place in parentheses, is a line of its own, and so is
what comes behind the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from errdex import lazy_re as re
from errdex.matching.reading.header_tokens import LEVEL_NAMES

_MOST_LINES, _MOST_AROUND = 5, 50
"""Lines of a paste in which records of a log are looked for, and in which stacks are."""
_SHORTEST, _LONGEST = 100, 200_000
_LEAST = 2
"""Records on a line besides its first; a message may quote another record."""
_TIME = re.compile(r"\[?\d{4}[-/]\d\d[-/]\d\d[T ] ?\d{1,2}:\d\d:\d\d[\d.,]{0,10}Z?")
_RECORD = re.compile(
    rf"(?<=\s)(?P<time>{_TIME.pattern})\]?[^\n:]{{1,40}}?[\[( |]"
    rf"(?:{LEVEL_NAMES}|Note|System)[\]): |]"
)
_PLACE = (
    r"(?:[\w$]{1,80}\.(?:java|kt|scala|groovy):\d{1,6}|Native Method|Unknown Source"
    r"|[^\s()]{1,300}:\d{1,7}:\d{1,6}|<anonymous>|native)"
)
_ENTRY = re.compile(
    r"(?<=\s)(?:at (?:async )?(?:new )?[\w$.<>/@\[\]#-]{1,200}(?: \[as \w{1,80}\])? ?"
    rf"\({_PLACE}\)(?: ~?\[[^\]\n]{{1,120}}\])?"
    r"|at (?:async )?(?:file:|node:|https?:)?[^\s()]{1,300}:\d{1,7}:\d{1,6}(?=\s|$)"
    r"|at [\w.`<>+,\[\]]{1,200}\([^()\n]{0,200}\) in [^\n]{1,300}?:line \d{1,7}"
    r"|\.\.\. \d{1,5} (?:more|common frames omitted)"
    r"|#\d{1,4} (?:\{main\}|[^\s()]{1,300}\(\d{1,7}\): \S{1,200}?\([^()\n]{0,200}\)))"
)
"""An entry of a stack of Java, JavaScript, .NET or PHP, without the white space before it."""
_CAUSE = re.compile(r"(?<=\s)(?:Caused by: |Suppressed: |Stack trace: ?(?=#0))")
_ERROR = re.compile(r"(?:Error|Exception)\b")
_FILLED = re.compile(r"\S")
_LEAST_ENTRIES = 2
_DIGITS = re.compile(r"\d+")


def split_records(
    numbers: Sequence[int], lines: list[str], offsets: Sequence[int]
) -> tuple[Sequence[int], list[str], Sequence[int]]:
    """Physical lines, those with several records of a log made a line for each; short pastes
    only."""
    if len(lines) > _MOST_AROUND:
        return numbers, lines, offsets
    few = len(lines) <= _MOST_LINES
    parts: list[tuple[int, str, int]] = []
    for number, line, offset in zip(numbers, lines, offsets, strict=False):
        begins = [0, *((few and _begins(line)) or _entries(line)), len(line)]
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


def _entries(line: str) -> list[int]:
    """Where entries of a stack begin, a cause, and what comes behind an entry."""
    error = _ERROR.search(line, 0, _LONGEST) if " at " in line or " #0 " in line else None
    if error is None or "\\n" in line:  # line breaks that are escaped are not lost
        return []
    found = list(_ENTRY.finditer(line, error.end(), _LONGEST))
    if not found or (len(found) < _LEAST_ENTRIES and line[found[0].end() :].strip()):
        return []
    begins = {each.start() for each in (*found, *_CAUSE.finditer(line, error.end(), _LONGEST))}
    behind = (_FILLED.search(line, each.end()) for each in found)
    return sorted(begins | {each.start() for each in behind if each})


def _form(time: str) -> str:
    return _DIGITS.sub("0", time)
