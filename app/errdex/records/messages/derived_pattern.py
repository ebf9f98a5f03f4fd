"""From a message to the pattern that finds it, and from a pattern's groups to names.

Text is escaped as the reference documents escape it: only what is special in a
regular expression, and white space with a line break in it becomes one line break. Each hole
becomes one group. The pattern is not anchored: it is searched in a line or a message that may
go on before and behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from errdex import lazy_re as re
from errdex.records.messages.holes import Hole, LiteralText, Part, hole_names, parse_message

_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\]")
_BROKEN_BLANK = re.compile(r"[ \t\n\r\f\v]*[\t\n\r\f\v][ \t\n\r\f\v]*")
_WORD = re.compile(r"\w")
_PAIRS = {"'": "'", '"': '"', "`": "`", "(": ")", "[": "]", "{": "}", "<": ">", "“": "”", "‘": "’"}

_GROUP = re.compile(
    r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]"
    r"|\((?P<kind>\?(?:P?<(?P<name>\w+)>)?)?",
    re.DOTALL,
)


@lru_cache(maxsize=1024)  # an ingestion asks twice: to identify a record, then to read it
def derive_pattern(message: str) -> str:
    """The pattern of a record that gives none. Empty when the message is empty."""
    return pattern_of(parse_message(message.strip()))


def pattern_of(parts: Sequence[Part]) -> str:
    """The pattern of a message that is split into text and holes already."""
    return "".join(
        _escape_part(part) if isinstance(part, LiteralText) else _group(parts, place)
        for place, part in enumerate(parts)
    ).strip()


def group_names(pattern: str, message: str) -> list[str]:
    """One name for each capture group of a given pattern, to show captures under.

    A named group has its own name. The others are named after the message's holes when
    there are as many groups as holes, else by their number (`arg1`, `arg2`, …).
    """
    own_names = _own_group_names(pattern)
    of_holes = hole_names(message)
    if len(of_holes) != len(own_names):
        of_holes = [f"arg{number}" for number in range(1, len(own_names) + 1)]
    return [own or hole for own, hole in zip(own_names, of_holes, strict=True)]


def _own_group_names(pattern: str) -> list[str | None]:
    """The name, or None, of each capture group in order."""
    return [
        found["name"]
        for found in _GROUP.finditer(pattern)
        if found.group().startswith("(") and (found["kind"] is None or found["name"])
    ]


def _escape_part(part: LiteralText) -> str:
    if part.source != part.text:  # a doubled brace or percent sign
        escaped = _escape(part.text)
        return f"{escaped}{escaped}?"
    return _escape(_BROKEN_BLANK.sub(_one_blank, part.text))


def _one_blank(run: re.Match[str]) -> str:
    return "\n" if "\n" in run.group() else " "


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _group(parts: Sequence[Part], place: int) -> str:
    hole = parts[place]
    if not isinstance(hole, Hole):
        raise TypeError("a group is made of a hole")
    before = _text_of(parts, place - 1) + hole.lead
    after = _text_of(parts, place + 1)
    return _escape(hole.lead) + _group_for(hole, before, after, _is_last_word(parts, place))


def _group_for(hole: Hole, before: str, after: str, last: bool) -> str:
    if hole.digits:
        return r"([+-]?\d+)"
    if before and after and _PAIRS.get(before[-1]) == after[0]:
        return "(.*?)"  # what is quoted may be empty
    # Lazy, a value at the very end would be its first character, and one before the
    # full stop would end at its own first point.
    return "(.+)" if last else "(.+?)"


def _is_last_word(parts: Sequence[Part], place: int) -> bool:
    return all(
        isinstance(part, LiteralText) and not _WORD.search(part.text) for part in parts[place + 1 :]
    )


def _text_of(parts: Sequence[Part], place: int) -> str:
    part = parts[place] if 0 <= place < len(parts) else None
    return part.text if isinstance(part, LiteralText) else ""
