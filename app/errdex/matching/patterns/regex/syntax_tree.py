"""The syntax tree of a pattern, and its RE2 source.

The tree is what the project means by a pattern: flags are resolved, quoting is
undone and runs of white space are nodes of their own. `to_re2` writes it back as
RE2 source, and `literals` reads it for the strings that every match contains;
since both read the same tree, they cannot disagree about what a pattern says.

    Node
    ├── Text        characters as they stand, and white space between them
    ├── Space       white space under a quantifier of its own
    ├── CharClass   one character out of a set: [a-f], \\d, \\pL
    ├── AnyChar     the dot
    ├── Assertion   ^ $ \\A \\z \\b \\B: takes no text
    ├── Repeat      a node several times
    ├── Group       parentheses, capturing or not
    ├── Concat      nodes in a row
    └── Alternate   one of several nodes
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from errdex import lazy_re as re

ASCII_SPACES = " \t\n\r\f\v"
INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069"
"""Characters without a width, as a regex's set writes them. Reading takes them out of a paste."""
QUOTES = str.maketrans("\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f", "'" * 4 + '"' * 4)
"""Typographic quotes, which editors and some compilers write, as plain ones."""
OTHER_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The white space that Unicode has beside ASCII's. In texts each is read as a plain
space (`text_bytes.encode`), so that RE2's programs stay small."""
_WHITE_SPACE = r"[\s\v]"

_QUOTE = re.compile("['\"`]")
_META = re.compile(r"[\\.^$*+?()\[\]{}|]")
_PREAMBLE = "(?ms)"


@dataclass(slots=True)
class Text:
    """Characters as they stand, and a space for each run of white space that must be
    there. `folded`: in any case. `any_quotes`: a quote may be another one. `any_initial`: its
    first letter may be in the other case at the beginning of a line."""

    value: str
    folded: bool
    any_quotes: bool = False
    any_initial: bool = False

    def certain_pieces(self) -> list[str]:
        """Its stretches that are in every match just so."""
        value = self.value[1:] if self.any_initial else self.value
        return _QUOTE.split(value) if self.any_quotes else [value]


@dataclass(slots=True)
class Space:
    """White space, any run of it: at least one character unless `optional`. `breaks`: the pattern
    writes a line break there, outside of any group."""

    optional: bool
    greedy: bool
    breaks: bool = False


@dataclass(slots=True)
class CharClass:
    """A set of characters as written. `members` lists them when they are few and
    certain (in lower case if `folded`); None means: could be anything."""

    source: str
    folded: bool
    members: tuple[str, ...] | None


@dataclass(slots=True)
class AnyChar:
    """The dot; `newline`: line breaks too."""

    newline: bool


@dataclass(slots=True)
class Assertion:
    """A condition on the place, written as in multi-line mode."""

    source: str


@dataclass(slots=True)
class Repeat:
    """`item` between `low` and `high` times; `high` None is unbounded."""

    item: Node
    low: int
    high: int | None
    greedy: bool


@dataclass(slots=True)
class Group:
    """Parentheses. `index` is the capture's number (1-based), None when not capturing."""

    item: Node
    index: int | None = None
    name: str | None = None


@dataclass(slots=True)
class Concat:
    """Nodes in a row, none for the empty pattern."""

    items: list[Node]


@dataclass(slots=True)
class Alternate:
    """One of several nodes, the first that fits."""

    branches: list[Node]


Node = Text | Space | CharClass | AnyChar | Assertion | Repeat | Group | Concat | Alternate


def to_re2(node: Node) -> str:
    """The tree as RE2 source that depends on no option but UTF-8."""
    return _PREAMBLE + _source(node)


def _source(node: Node) -> str:
    match node:
        case Text():
            return _text_source(node)
        case Space(optional, greedy):
            return _WHITE_SPACE + ("*" if optional else "+") + ("" if greedy else "?")
        case CharClass(source, folded):
            return _folded(source, folded)
        case AnyChar(newline):
            return "." if newline else r"[^\n]"
        case Assertion(source):
            return source
        case Repeat(item, low, high, greedy):
            return _operand(item) + _quantifier(low, high) + ("" if greedy else "?")
        case Group(item, index, name):
            opening = "(?:" if index is None else f"(?P<{name}>" if name else "("
            return f"{opening}{_source(item)})"
        case Concat(items):
            return "".join(map(_source, items))
        case Alternate(branches):
            return "|".join(map(_source, branches))


def _text_source(text: Text) -> str:
    escaped = _META.sub(r"\\\g<0>", text.value).replace(" ", f"{_WHITE_SPACE}+")
    if text.any_quotes:
        escaped = _QUOTE.sub("['\"`]", escaped)
    if text.any_initial:
        escaped = f"(?:{escaped[0]}|^{escaped[0].swapcase()}){escaped[1:]}"
    return _folded(escaped, text.folded)


def _folded(source: str, folded: bool) -> str:
    return f"(?i:{source})" if folded else source


def _operand(node: Node) -> str:
    source = _source(node)
    if isinstance(node, Group | CharClass | AnyChar) or (
        isinstance(node, Text) and len(node.value) == 1
    ):
        return source
    return f"(?:{source})"


def _quantifier(low: int, high: int | None) -> str:
    match low, high:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _, None:
            return f"{{{low},}}"
        case _:
            return f"{{{low}}}" if low == high else f"{{{low},{high}}}"


def shortest_match(node: Node) -> int:
    """A lower bound, in characters, on what the node takes; zero only if it may take nothing."""
    match node:
        case Text(value, _):
            return len(value)
        case Space(optional, _):
            return 0 if optional else 1
        case CharClass() | AnyChar():
            return 1
        case Assertion():
            return 0
        case Repeat(item, low, _, _):
            return low * shortest_match(item)
        case Group(item, _, _):
            return shortest_match(item)
        case Concat(items):
            return sum(map(shortest_match, items))
        case Alternate(branches):
            return min(map(shortest_match, branches))


def with_items(node: Node, change: Callable[[Node], Node]) -> Node:
    """The same node with each node directly within it changed."""
    match node:
        case Repeat(item) | Group(item):
            return replace(node, item=change(item))
        case Concat(items):
            return Concat(list(map(change, items)))
        case Alternate(branches):
            return Alternate(list(map(change, branches)))
    return node


def group_names(node: Node) -> tuple[str | None, ...]:
    """The name of each capture group in order, None for those without one."""
    found: dict[int, str | None] = {}
    _collect_groups(node, found)
    return tuple(found[index] for index in sorted(found))


def _collect_groups(node: Node, found: dict[int, str | None]) -> None:
    match node:
        case Group(item, index, name):
            if index is not None:
                found[index] = name
            _collect_groups(item, found)
        case Repeat(item, _, _, _):
            _collect_groups(item, found)
        case Concat(items) | Alternate(items):
            for item in items:
                _collect_groups(item, found)
        case _:
            pass
