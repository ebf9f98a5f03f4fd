"""Conditions that cannot hold together, as their texts tell: `x` and `!x`, `k === 1` and `k !== 1`.

Texts say little: what is not plainly a contradiction is taken to be possible. A condition that
calls something may be true at one time and false at another; only calls that ask about a value
(`isset($x)`, `x.isEmpty()`) are taken to answer the same twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeVar

from errdex import lazy_re as re

MAX_LENGTH = 300
"""Characters of a condition that is read."""

_SIDE = r"[^=!<>&|?:]+"
_COMPARED = re.compile(rf"({_SIDE}?) ?(===?|!==?| is not | is ) ?({_SIDE})")
_NEGATED = re.compile(r"!(?![=~])\s*|not\s+(?!in\b)")
_WHOLE = re.compile(r"[$@\w.\[\]'\"]+(?:(?:->|::|\?\.)[\w.]+)*(?:\([^()]*\))?")
"""A name, a member or a call, to all of which a `!` before it belongs."""
_LITERAL = re.compile(r"-?\d+(?:\.\d+)?|\"[^\"\\]*\"|'[^'\\]*'")
_CALL = re.compile(r"([\w$]+)\(")
_ASKS = re.compile(
    r"(?:isset|empty|typeof|instanceof|isinstance|len|count|size|length|defined|strlen)"
    r"|(?:is|has|array_|in_|method_|property_|function_|class_)[_A-Z]?\w*|contains\w*",
)
_PASSING = re.compile(r"next|read|pop|shift|consume|accept|match|eat|peek", re.IGNORECASE)


class _Fact(NamedTuple):
    about: str
    value: str
    """What it is compared with; "" where it is only true or false."""
    is_true: bool


class _Conditional(Protocol):
    @property
    def when(self) -> tuple[str, ...]: ...


C = TypeVar("C", bound=_Conditional)


def are_contradictory(conditions: Iterable[str]) -> bool:
    """Whether two of the conditions cannot hold together."""
    known: dict[tuple[str, str], bool] = {}
    values: dict[str, str] = {}
    for condition in dict.fromkeys(conditions):
        fact = _fact(condition)
        if fact is None:
            continue
        if known.setdefault((fact.about, fact.value), fact.is_true) != fact.is_true:
            return True
        is_value = fact.is_true and _LITERAL.fullmatch(fact.value)
        if is_value and values.setdefault(fact.about, fact.value) != fact.value:
            return True
    return False


def possible(ways: Sequence[C], around: Sequence[str] = ()) -> list[C]:
    """Those that can be where the conditions around hold. All of them if none can: then it is the
    conditions that were not understood."""
    if len(ways) == 1:
        return list(ways)
    left = [way for way in ways if not way.when or not are_contradictory((*around, *way.when))]
    return left or list(ways)


@lru_cache(maxsize=4096)
def _fact(condition: str) -> _Fact | None:
    """What a condition says. None where it is more than one thing, or may change."""
    text, is_true = condition.strip(), True
    if len(text) > MAX_LENGTH or "&&" in text or "||" in text or re.search(r"\b(?:and|or)\b", text):
        return None
    while True:
        text = _bare(text)
        found = _NEGATED.match(text)
        if found is None:
            break
        rest = text[found.end() :].strip()
        is_whole = _WHOLE.fullmatch(rest) or _NEGATED.match(rest) or _bare(rest) != rest
        if not (is_whole or found[0].startswith("not")):
            return None
        text, is_true = rest, not is_true
    if any(not _ASKS.fullmatch(call) or _PASSING.search(call) for call in _CALL.findall(text)):
        return None
    compared = _COMPARED.fullmatch(text)
    if compared is None:
        return _Fact(text, "", is_true)
    is_equal = compared[2].strip() in {"==", "===", "is"}
    return _Fact(compared[1].strip(), compared[3].strip(), is_true == is_equal)


def _bare(text: str) -> str:
    """Without brackets around all of it."""
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for at, char in enumerate(text):
            depth += (char == "(") - (char == ")")
            if depth == 0 and at < len(text) - 1:
                return text
        text = text[1:-1].strip()
    return text
