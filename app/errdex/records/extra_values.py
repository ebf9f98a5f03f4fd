"""Checks the keys that the table of fields does not know, and their values.

They are kept and served as they are, so they must be JSON, and nested so little that no later
reader runs out of stack.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Set
from typing import Any

from errdex.records.problems import Problem, printable, shown

MAX_DEPTH = 50
"""Objects and lists inside each other."""


def find_free_value_problems(value: Mapping[Any, object], known: Set[str]) -> Iterator[Problem]:
    """The problems of all keys that are not in `known`, and of their values."""
    for key in value.keys() - known:
        if not isinstance(key, str):
            yield Problem("", f"the key {shown(repr(key))} is not a string", "put it in quotes")
            continue
        name = printable(key[:60])
        if _is_torn(key):
            yield Problem(name, *_TORN)
        yield from _find_inside(name, value[key])


def _find_inside(field: str, value: object) -> Iterator[Problem]:
    waiting = [(value, 1)]
    while waiting:
        entry, depth = waiting.pop()
        problem = _entry_problem(entry)
        if problem is None and depth > MAX_DEPTH and isinstance(entry, list | dict):
            problem = (f"is nested more than {MAX_DEPTH} deep", "flatten it")
        if problem is not None:
            yield Problem(field, *problem)
            return
        if isinstance(entry, list):
            waiting.extend((item, depth + 1) for item in entry)
        elif isinstance(entry, dict):
            waiting.extend((item, depth + 1) for item in entry.values())


_TORN = ("holds half of a character pair", "write the character itself")


def _entry_problem(entry: object) -> tuple[str, str] | None:
    if isinstance(entry, str):
        return _TORN if _is_torn(entry) else None
    if isinstance(entry, float):
        if math.isfinite(entry):
            return None
        return "holds a number that is not finite", "write a finite number, null or a string"
    if isinstance(entry, dict):
        return _key_problem(entry)
    if entry is None or isinstance(entry, bool | int | list):
        return None
    return f"holds a {type(entry).__name__}, which JSON has no form for", "write it as a string"


def _key_problem(entry: Mapping[object, object]) -> tuple[str, str] | None:
    for key in entry:
        if not isinstance(key, str):
            return f"has the key {shown(repr(key))}, which is not a string", "put it in quotes"
        if _is_torn(key):
            return _TORN
    return None


def _is_torn(text: str) -> bool:
    """True when the text has a lone surrogate, which UTF-8 cannot write."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
