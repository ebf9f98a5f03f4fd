"""Character classes `[...]` of RE2: where one ends, and which few characters it means."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.patterns.refusal import PatternRefused

MAX_MEMBERS = 8
"""Above so many characters a class says nothing about the literals around it."""

_SIMPLE = re.compile(r"\[([^\\\[\]^][^\\\[\]]*)\]")
_POSIX = re.compile(r"\[:\^?\w*:\]")


def find_class_end(source: str, start: int) -> int:
    """The place behind the class that opens at `start`. Raises PatternRefused."""
    pos = start + 1
    if source.startswith("^", pos):
        pos += 1
    if source.startswith("]", pos):
        pos += 1
    while pos < len(source):
        char = source[pos]
        if char == "]":
            return pos + 1
        if char == "\\":
            pos += 2
        elif char == "[" and (posix := _POSIX.match(source, pos)):
            pos = posix.end()
        elif source.startswith("&&", pos):
            raise PatternRefused(
                "&&",
                "RE2 has no intersection of classes",
                "list the characters that are left, or write \\& for the character",
            )
        else:
            pos += 1
    raise PatternRefused(
        source[start : start + 20],
        "this class is never closed",
        "close it with ], or write \\[ for a bracket in the message",
    )


def class_members(source: str, folded: bool) -> tuple[str, ...] | None:
    """The characters of a class when they are few and certain, else None.

    Folded classes give lower case, and None when a member is not ASCII: the other
    cases of such a character may not be where `literals` looks for them.
    """
    simple = _SIMPLE.fullmatch(source)
    if simple is None:
        return None
    inside = simple.group(1)
    members: list[str] = []
    pos = 0
    while pos < len(inside):
        low = high = inside[pos]
        if inside[pos + 1 : pos + 2] == "-" and pos + 2 < len(inside):
            high = inside[pos + 2]
            pos += 2
        pos += 1
        if not low <= high or len(members) + ord(high) - ord(low) >= MAX_MEMBERS * 2:
            return None
        members += map(chr, range(ord(low), ord(high) + 1))
    if folded:
        if not all(map(str.isascii, members)):
            return None
        members = [member.lower() for member in members]
    distinct = tuple(dict.fromkeys(members))
    return distinct if len(distinct) <= MAX_MEMBERS else None
