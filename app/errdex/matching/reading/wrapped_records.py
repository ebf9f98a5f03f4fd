"""Records of logfmt or JSON that a width broke into lines: which lines are one record.

Only together they are one: an object in JSON, or pairs whose quotation, open at the end of a
line, is closed below. *Cost:* the length of each line, and of those that are as long as the
longest a closer look; in a short paste, which someone may have filled at words, of each.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from errdex import lazy_re as re
from errdex.matching.reading.logfmt import is_logfmt
from errdex.matching.reading.prefixes import strip_prefix

_MIN_WIDTH, _MAX_WIDTH, _MAX_FILLED = 40, 400, 132
_MAX_PARTS, _MAX_FILLED_PARTS, _SHORT = 50, 15, 2_000
_KEY = re.compile(r"[\w.@-]{1,40}=|\{\s{0,4}\"")
_COMPOSED = re.compile(r"[\w.@-]{1,80} {1,40}\| ?")


def find_wrapped_records(lines: Sequence[str]) -> tuple[dict[int, int], set[int]]:
    """Index of each line that begins a broken record → how many lines below belong to it, and
    the lines that a space stood behind."""
    width = max(map(len, lines))
    if not _MIN_WIDTH <= width <= _MAX_WIDTH:
        return {}, set()
    if len(lines) <= _SHORT and width <= _MAX_FILLED:
        breaks, spaced = _filled(lines, width)
        if any(len(lines[index]) < width for index in spaced):
            return breaks, spaced
    return _cut(lines, width), set()


def _cut(lines: Sequence[str], width: int) -> dict[int, int]:
    """Records cut at the width. A quotation that is open there shows a record of pairs; then
    those whose end is between pairs go on as well."""
    breaks: dict[int, int] = {}
    is_record, end = False, 0
    for index, line in enumerate(lines):
        if len(line) != width or index < end:
            continue
        found = _begin(line)
        if found is None:
            continue
        last = index
        while (
            len(lines[last]) == width
            and last + 1 < len(lines)
            and last - index < _MAX_PARTS
            and not _begins_another(lines[last + 1], *found)
        ):
            last += 1
        whole = "".join(lines[index : last + 1])[found[0] :]
        if last > index and _is_record(whole):
            is_record = is_record or whole.startswith("{") or _is_open(line[found[0] :])
            breaks[index] = last - index
            end = last + 1
    return breaks if is_record else {}


def _filled(lines: Sequence[str], width: int) -> tuple[dict[int, int], set[int]]:
    """Records broken at spaces, each line filled with as many words as fit."""
    breaks: dict[int, int] = {}
    spaced: set[int] = set()
    end = 0
    for index, line in enumerate(lines):
        found = _begin(line) if index >= end else None
        if found is None or not (line.startswith("{", found[0]) or _is_open(line[found[0] :])):
            continue
        whole, last = line[found[0] :], index
        while (
            not _is_record(whole)
            and last + 1 < len(lines)
            and last - index < _MAX_FILLED_PARTS
            and _goes_on(lines[last], lines[last + 1], width)
        ):
            last += 1
            whole += ("" if whole.endswith(" ") else " ") + lines[last]
        if last > index and _is_record(whole):
            breaks[index] = last - index
            spaced.update(at for at in range(index, last) if not lines[at].endswith(" "))
            end = last + 1
    return breaks, spaced


def _begin(line: str) -> tuple[int, str] | None:
    """Where a record begins in a line, and with what."""
    composed = _COMPOSED.match(line)
    start = composed.end() if composed else strip_prefix(line).end
    found = _KEY.match(line, start)
    if found is None or (line[start] != "{" and not is_logfmt(line[start:])):
        return None
    return start, found.group()


def _begins_another(line: str, start: int, key: str) -> bool:
    return not line or line.startswith("Traceback (") or key in line[: start + len(key) + 8]


def _goes_on(line: str, below: str, width: int) -> bool:
    """Whether the first word below did not fit any more."""
    words = below.split(None, 1)
    return bool(words) and len(line.rstrip()) + 1 + len(words[0]) > width and below[0] != " "


def _is_record(whole: str) -> bool:
    """Whether an object or a quotation that began is complete."""
    if not whole.startswith("{"):
        return not _is_open(whole)
    try:
        return isinstance(orjson.loads(whole), dict)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return False


def _is_open(text: str) -> bool:
    """Whether a quotation is not closed."""
    return text.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 1
