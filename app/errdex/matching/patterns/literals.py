"""The literals that every match of a pattern must contain.

*No false negatives:* if a pattern matches a text, then each of its scannable clauses
has a literal that occurs in the text's scanned form. Whatever the analysis does not
understand contributes no clause; it never contributes a wrong one. A pattern
without scannable clauses has to be tried on every text.

The scanned form of a text has each run of white space replaced by one space and, for
clauses marked `folded`, ASCII letters in lower case. Both are done character by
character (and then within runs), so that a piece of a text, brought into this form, is a
piece of the scanned text. Hence a literal may contain spaces although the pattern
matches any white space there.

The analysis follows RE2's `Prefilter` (re2/prefilter.cc) and the literal sequences of
Rust's `regex-syntax` (hir/literal.rs): a node has either an exact, small set of the
strings that it can match, or a conjunction of clauses, each a disjunction of strings.

Cost: one walk over the tree, and sets bounded by MAX_EXACT and MAX_ALTERNATIVES.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from errdex.matching.patterns.regex.leniency import read_pattern
from errdex.matching.patterns.regex.syntax_tree import (
    ASCII_SPACES,
    Alternate,
    Assertion,
    CharClass,
    Concat,
    Group,
    Node,
    Repeat,
    Space,
    Text,
)

MAX_EXACT = 8
"""Strings in the exact set of one node."""
MAX_ALTERNATIVES = 256
"""Literals in one clause."""
MAX_REPEATED = 64
"""Characters to which a counted repeat is written out."""

_SPACED = bytes.maketrans(
    b"\t\n\v\f\r" + ascii_uppercase.encode(), b" " * 5 + ascii_lowercase.encode()
)
_LONG_S, _KELVIN = "\u017f", "\u212a"
_FOLDED_PAIRS = ((_LONG_S.encode(), b"s"), (_KELVIN.encode(), b"k"))


class Clause(NamedTuple):
    """At least one of these literals occurs in every match, in any case if `folded`."""

    literals: tuple[str, ...]
    folded: bool

    @property
    def scannable(self) -> bool:
        """False if other cases of letters beyond ASCII would have to be looked for."""
        return not self.folded or all(map(str.isascii, self.literals))


@dataclass(frozen=True, slots=True)
class Required:
    """All clauses of a pattern, each of which holds for every match."""

    clauses: tuple[Clause, ...]


def extract(source: str) -> Required:
    """The required literals of a pattern. Raises PatternRefused as `read_pattern` does."""
    return required_of(read_pattern(source))


def required_of(tree: Node) -> Required:
    """The required literals of a parsed pattern."""
    part = _part(tree)
    clauses = part.clauses if part.exact is None else _as_clauses(part.exact, part.folded)
    return Required(tuple(clauses))


def normalise(data: bytes) -> bytes:
    """An encoded text in scanned form: each run of white space is one space, and there is
    one at both ends whether the text has it or not."""
    return b" %b " % b" ".join(data.split())


def fold(data: bytes) -> bytes:
    """ASCII letters in lower case, and the two other characters that RE2 takes for them.

    May be shorter than `data`, since those two take more bytes than s and k.
    """
    for other, letter in _FOLDED_PAIRS:
        if other in data:
            data = data.replace(other, letter)
    return data.lower()


def lower_spaced(data: bytes) -> bytes:
    """ASCII letters in lower case, and spaces for other white space."""
    return data.translate(_SPACED)


@dataclass(slots=True)
class _Part:
    """What is known of a node: all strings it can match, or else clauses."""

    exact: tuple[str, ...] | None
    folded: bool = False
    clauses: Sequence[Clause] = ()


_UNKNOWN = _Part(None)


def _part(node: Node) -> _Part:
    match node:
        case Text(value, folded, any_quotes, any_initial):
            if any_quotes or any_initial:
                return _concat([node])
            return _text(value) if folded else _Part((value,))
        case Concat(items):
            return _concat(items)
        case Group(item, _, _):
            return _part(item)
        case Repeat():
            return _repeat(node)
        case CharClass(_, folded, members) if members is not None:
            return _Part(tuple(" " if m in ASCII_SPACES else m for m in members), folded)
        case Space(optional, _):
            return _Part(("", " ") if optional else (" ",))
        case Alternate(branches):
            return _alternate(branches)
        case Assertion():
            return _Part(("",))
        case _:
            return _UNKNOWN


def _parts(item: Node) -> Sequence[_Part]:
    """What is known of a node: of a text that may be spelled in several ways its pieces, with what
    may be anything between."""
    if not isinstance(item, Text) or not (item.any_quotes or item.any_initial):
        return (_part(item),)
    parts = [_UNKNOWN] if item.any_initial else []
    for piece in item.certain_pieces():
        parts += [_text(piece) if item.folded else _Part((piece,)), _UNKNOWN]
    return parts[:-1]


def _text(value: str) -> _Part:
    """Text in any case."""
    if value.isascii():
        return _Part((value.lower(),), folded=True)
    return _Part(None, clauses=[Clause((_lower(word),), True) for word in value.split()])


def _concat(items: list[Node]) -> _Part:
    clauses: list[Clause] = []
    current: tuple[str, ...] = ("",)
    folded, complete = False, True
    for part in chain.from_iterable(map(_parts, items)):
        if part.exact is not None and len(current) * len(part.exact) <= MAX_EXACT:
            if _is_blank(current):
                folded = part.folded
            if folded == part.folded or _is_blank(part.exact):
                current = _product(current, part.exact)
                continue
        complete = False
        clauses += _as_clauses(current, folded)
        clauses += part.clauses
        current, folded = part.exact or ("",), part.folded
    if complete:
        return _Part(current, folded)
    return _Part(None, clauses=[*clauses, *_as_clauses(current, folded)])


def _product(lefts: tuple[str, ...], rights: tuple[str, ...]) -> tuple[str, ...]:
    if lefts == ("",):
        return rights
    return tuple(_join(left, right) for left in lefts for right in rights)


def _is_blank(strings: tuple[str, ...]) -> bool:
    """No case to distinguish: white space, or nothing."""
    return strings == ("",) or not any(map(str.strip, strings))


def _join(left: str, right: str) -> str:
    return left + (right[1:] if left.endswith(" ") and right.startswith(" ") else right)


def _repeat(node: Repeat) -> _Part:
    if node.high == 0:
        return _Part(("",))
    part = _part(node.item)
    if node.low == 0:
        if node.high == 1 and part.exact is not None and len(part.exact) < MAX_EXACT:
            return _Part((*part.exact, ""), part.folded)
        return _UNKNOWN
    if part.exact is None:
        return part
    if node.low == node.high and len(part.exact) == 1:
        (once,) = part.exact
        if len(once) * node.low <= MAX_REPEATED:
            repeated = ""
            for _ in range(node.low):
                repeated = _join(repeated, once)
            return _Part((repeated,), part.folded)
    return _Part(None, clauses=_as_clauses(part.exact, part.folded))


def _alternate(branches: list[Node]) -> _Part:
    parts = [_part(branch) for branch in branches]
    folded = any(part.folded for part in parts)
    exact: dict[str, None] = {}
    for part in parts:
        if part.exact is None:
            break
        exact.update(dict.fromkeys(part.exact))
    else:
        if len(exact) <= MAX_EXACT:
            return _Part(tuple(exact), folded)
    best = [_most_telling(part) for part in parts]
    literals = tuple(dict.fromkeys(text for clause in best if clause for text in clause.literals))
    if None in best or len(literals) > MAX_ALTERNATIVES:
        return _UNKNOWN
    folded = any(clause.folded for clause in best if clause)
    return _Part(None, clauses=_as_clauses(literals, folded))


def _most_telling(part: _Part) -> Clause | None:
    clauses = part.clauses if part.exact is None else _as_clauses(part.exact, part.folded)
    return max(clauses, key=lambda clause: min(map(len, clause.literals)), default=None)


def _as_clauses(strings: tuple[str, ...], folded: bool) -> list[Clause]:
    """The set as a clause, or none if one of its strings says nothing."""
    if not all(string.strip() for string in strings):
        return []
    if folded:
        strings = tuple(dict.fromkeys(map(_lower, strings)))
    return [Clause(strings, folded)]


def _lower(string: str) -> str:
    """In lower case where that is sure to be what `fold` makes of the text."""
    return string.lower() if string.isascii() else string
