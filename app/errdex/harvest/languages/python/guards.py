"""Under which conditions a Python statement is reached, in the words of the source.

What is said is always true there, and seldom all that is true: a condition is left
out when one of its names got another value in between, and of early exits only the
nearest are named.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from errdex.harvest.languages.python.names import Scope, dotted

MAX_NEGATED = 4
"""Conditions that did not hold (an `else`, an early exit), the nearest ones."""
MAX_GUARDS = 8
MAX_LENGTH = 500
"""Characters of one condition; a longer one is left out."""

_OPPOSITES: dict[type[ast.cmpop], str] = {
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)


class Guard(NamedTuple):
    """A condition on the way to a statement: `test` held, or did not. `caught` is the head
    of an `except` or a `case` instead."""

    line: int
    test: ast.expr | None = None
    negated: bool = False
    caught: str = ""


Guards = tuple[Guard, ...]


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing behind this block is reached through it."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, _LEAVING):
        return True
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    return isinstance(last, ast.With | ast.AsyncWith) and leaves(last.body)


def guards_behind(
    branches: Sequence[tuple[ast.expr, list[ast.stmt]]], rest: list[ast.stmt]
) -> Guards:
    """What holds behind an `if` with its `elif`s, where some of them leave."""
    guards: list[Guard] = []
    for test, body in branches:
        if not leaves(body):
            if len(branches) == 1 and leaves(rest):
                guards.append(Guard(test.lineno, test))
            break
        guards.append(Guard(test.lineno, test, negated=True))
    return tuple(guards)


def describe(
    guards: Guards, scope: Scope, line: int, source_of: Callable[[ast.expr], str]
) -> str | None:
    """The conditions of a statement on this line, joined by `and`, the outermost first; None
    when there are none."""
    said: dict[str, bool] = {}  # and whether it needs brackets beside another condition
    negations = 0
    for guard in reversed(guards):
        if len(said) == MAX_GUARDS:
            break
        negations += guard.negated
        if (guard.negated and negations > MAX_NEGATED) or _is_stale(guard, scope, line):
            continue
        text, loose = _said_of(guard, source_of)
        if text and len(text) <= MAX_LENGTH:
            said.setdefault(text, loose)
    if len(said) > 1:
        return " and ".join(
            f"({text})" if loose else text for text, loose in reversed(said.items())
        )
    return next(iter(said), None)


def _is_stale(guard: Guard, scope: Scope, line: int) -> bool:
    """Whether a name of the condition was bound again behind it."""
    if guard.test is None:
        return False
    return any(
        guard.line < binding.line < line
        for name in _names(guard.test)
        for binding in scope.bindings.get(name, ())
    )


def _names(test: ast.expr) -> Iterable[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Name | ast.Attribute):
            name = dotted(node)
            if name is not None:
                yield name


def _said_of(guard: Guard, source_of: Callable[[ast.expr], str]) -> tuple[str, bool]:
    test, negated = guard.test, guard.negated
    if test is None:
        return guard.caught, False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, not negated
    if not negated:
        is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
        return source_of(test), isinstance(test, _LOOSE) and not is_and
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        opposite = _OPPOSITES.get(type(test.ops[0]))
        if opposite is not None:
            return f"{source_of(test.left)} {opposite} {source_of(test.comparators[0])}", False
    text = source_of(test)
    is_simple = isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return (f"not {text}" if is_simple else f"not ({text})"), False
