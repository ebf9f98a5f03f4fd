"""How much a pattern's text says: the measure behind "weak" and "too general"."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.patterns.regex.syntax_tree import (
    Alternate,
    AnyChar,
    Assertion,
    CharClass,
    Concat,
    Group,
    Node,
    Repeat,
    Space,
    Text,
)

WEAK_BELOW = 4.5
"""A pattern of less weight counts as a match only with other evidence."""
COMMON = 0.25
"""What a letter of a word counts that any log may contain."""

_GAP = "\n"
_MOST_REPEATED = 64
_WORD = re.compile(r"[^\W_]+")
_CLASS_ENDINGS = ("error", "errors", "exception", "exceptions", "warning", "warnings")

COMMON_WORDS = frozenset(
    """
    a all an and any are as at be been but by can can't cannot could did do does done for from
    has have if in into is isn't it its may must no not of off on one or should some than that
    the then there this to too up was were when while will with without would you your
    abort aborted argument arguments attempt bad before after be because call called can code
    command config could count data debug end error errors exception exit expected fail failed
    failing fails failure fatal file files found get given got have id info input invalid key
    length line list load loaded loading log message method missing model must name need new none
    null number object only open option options output parameter parse path please process
    program provided read reason received request required requires response result return
    returned run running see service set size start started state status stop stopped string
    success supported task test time timeout trace try trying type types unable unexpected
    unknown unsupported update use used user using valid value values version wait warn warning
    while write wrong true false
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Words of ordinary log lines, in lower case."""


def certain_text(node: Node) -> str:
    """What every match has in common, a line break wherever something may come between.

    Of alternatives, the one that says least; of a class, one of its members.
    """
    match node:
        case Text(value, _):
            return value
        case Space(optional, _):
            return _GAP if optional else " "
        case CharClass(_, _, members):
            return members[0] if members else _GAP
        case AnyChar():
            return _GAP
        case Assertion():
            return ""
        case Repeat(item, low, high, _):
            once = certain_text(item) if low else ""
            return once * min(low, _MOST_REPEATED) + ("" if low == high else _GAP)
        case Group(item, _, _):
            return certain_text(item)
        case Concat(items):
            return "".join(map(certain_text, items))
        case Alternate(branches):
            return min(map(certain_text, branches), key=weigh)


def count_characters(text: str) -> int:
    """Characters that are not white space."""
    return sum(map(len, text.split()))


def weigh(text: str) -> float:
    """Letters and digits of a text, those of common words and of names like `ValueError`
    counted a quarter."""
    total = 0.0
    for word in _WORD.findall(text.lower()):
        plain = word in COMMON_WORDS or word.endswith(_CLASS_ENDINGS)
        total += len(word) * (COMMON if plain else 1.0)
    return total
