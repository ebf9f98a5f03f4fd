"""Is the text between two braces something a program fills in, or just prose?

`{cfg.topk!r:>4}` is a hole, `{None, 1}` and `{"a": 1}` are not. A replacement
field, in the sense of Python's `str.format` and f-strings (and of Rust's and
{fmt}'s `{:?}` and `{:>8.3}`), is: nothing, an index, a name with attributes and
items, or an expression, each with an optional `!r`, `=` and format spec. Read as a
field, prose fails on one of these:

- the expression does not parse as Python (`{foo bar}`);
- it names nothing, so that no program would fill it in (`{None, 1}`, `{"a": 1}`);
- it is a bare tuple, or alternatives with `|` (`{train, test}`, `{start|stop}`):
  legal in an f-string, but people write sets and usage lines like that;
- its format spec is none (`{key: value}`).

Where it stays in doubt it is a hole: a hole also matches the literal text, while a
literal never matches a filled hole.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from errdex import lazy_re as re

MAX_FIELD = 400
"""Characters between the braces; a longer text is prose."""

_STRUCTURE = re.compile(r"""[\[\](){}'"`:!\\]""")
_CLOSERS = {"[": "]", "(": ")", "{": "}"}
_PATH = re.compile(r"(?P<head>\d{1,3}|[^\W\d]\w*)?(?:\.[^\W\d]\w*|\[[^\[\]]+\])*", re.ASCII)
_CONSTANTS = frozenset({"None", "True", "False", "null", "nil", "undefined", "true", "false"})
_CONVERSION = re.compile(r"[rsa]\s*(?=:|$)")
_NESTED = r"\{[^{}]*\}"
_SPEC = re.compile(
    rf"(?:(?:.|{_NESTED})?[<>=^])?[-+]?z?\#?0?(?:\d+|\w+\$|{_NESTED})?[,_]?"
    rf"(?:\.(?:\d+|\*|\w+\$|{_NESTED}))?(?:{_NESTED}|\#?[xX]?\?|[bcdeEfFgGnopsxX%])?",
    re.DOTALL,
)
_DATE_SPEC = re.compile(r"(?:%[-#]?[A-Za-z%]|[-/:., T])+")
_ODD_NUMBER = re.compile(r"(?<!\w)\d[\d.]*[^\W\d]", re.ASCII)
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_NO_FIELD = (ast.Tuple, ast.Set, ast.Lambda, ast.NamedExpr, ast.Starred, ast.Yield, ast.YieldFrom)


@dataclass(frozen=True, slots=True)
class Braced:
    """A balanced `{…}`: where it ends, and where `:` and `!` stand in it, outside of
    all quotes and inner brackets."""

    end: int
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReplacementField:
    """A replacement field. `lead` is what an `=` prints before the value (`x=`)."""

    expression: str
    lead: str = ""


def find_braced(message: str, start: int) -> Braced | None:
    """Find the end of the `{` at `start`. None when it is not balanced or too long."""
    limit = start + MAX_FIELD + 2
    open_brackets: list[str] = []
    marks: list[int] = []
    position = start
    while found := _STRUCTURE.search(message, position, limit):
        char, position = found.group(), found.end()
        if char in _CLOSERS:
            open_brackets.append(_CLOSERS[char])
        elif char in "])}":
            if char != open_brackets.pop():
                return None
            if not open_brackets:
                return Braced(position, tuple(marks))
        elif char in ":!":
            if len(open_brackets) == 1:
                marks.append(found.start())
        elif char == "\\":
            position += 1
        else:
            position = _end_of_quote(message, position, limit, char)
            if position < 0:
                return None
    return None


def _end_of_quote(message: str, position: int, limit: int, quote: str) -> int:
    while (closing := message.find(quote, position, limit)) >= 0:
        before = message[position:closing]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            return closing + 1
        position = closing + 1
    return -1


def parse_field(message: str, start: int, braced: Braced) -> ReplacementField | None:
    """Read a balanced `{…}` as a replacement field. None when it is prose."""
    content_end = braced.end - 1
    split = _split_off_format(message, braced.marks, content_end)
    if split is None:
        return None
    source = message[start + 1 : split]
    expression = source.strip()
    if not expression:
        return None if source else ReplacementField("")
    if expression.endswith("=") and expression[-2:-1] not in {"=", "!", "<", ">", ":"}:
        named = expression[:-1].rstrip()
        return ReplacementField(named, source) if named and _is_expression(named) else None
    # A path may be a keyword (`{class}`), but only an expression has blanks around it.
    is_field = (source == expression and _is_path(source)) or _is_expression(expression)
    return ReplacementField(expression) if is_field else None


def _split_off_format(message: str, marks: tuple[int, ...], end: int) -> int | None:
    """Where the expression ends, or None when what stands behind it is no format."""
    for mark in marks:
        if message[mark] == ":":
            return mark if _is_spec(message[mark + 1 : end]) else None
        if conversion := _CONVERSION.match(message, mark + 1, end):
            behind = conversion.end()
            if behind == end or _is_spec(message[behind + 1 : end]):
                return mark
            return None
    return end


def _is_spec(spec: str) -> bool:
    return bool(_SPEC.fullmatch(spec) or ("%" in spec and _DATE_SPEC.fullmatch(spec)))


def _is_path(expression: str) -> bool:
    path = _PATH.fullmatch(expression)
    return path is not None and path["head"] not in _CONSTANTS


@lru_cache(maxsize=4096)
def _is_expression(expression: str) -> bool:
    # Escapes and odd numbers ("1st") would make the parser warn; neither decides anything.
    source = _ESCAPED.sub("__", expression)
    if _ODD_NUMBER.search(source):
        return False
    try:
        tree = ast.parse(f"({source}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if isinstance(tree, _NO_FIELD):
        return False
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitOr):
        return False
    return any(isinstance(node, ast.Name) and node.id not in _CONSTANTS for node in ast.walk(tree))
