"""A pattern for texts that people typed again: letters in any case, quotation marks left out."""

from __future__ import annotations

from dataclasses import replace

from errdex.matching.patterns.regex.leniency import read_pattern
from errdex.matching.patterns.regex.syntax_tree import (
    Assertion,
    CharClass,
    Concat,
    Node,
    Repeat,
    Text,
    with_items,
)

MARKS = "'\"`\u00b4\u2018\u2019\u201c\u201d"
"""Quotation marks and apostrophes."""
_ENDS = frozenset({"^", "$", r"\A", r"\z"})
_WITHOUT = str.maketrans("", "", MARKS)


def read_respelled(source: str, *, anywhere: bool = False) -> Node:
    """The tree of a pattern for a text without marks (`without_marks`), which with `anywhere` may
    have words before and behind it. Raises PatternRefused as `read_pattern` does."""
    tree = _without_marks(read_pattern(f"(?i:{source})"))
    return _without_ends(tree) if anywhere else tree


def _without_ends(node: Node) -> Node:
    """A tree that asks for no beginning or end of a line."""
    match node:
        case Assertion(source) if source in _ENDS:
            return Concat([])
    return with_items(node, _without_ends)


def without_marks(text: str) -> tuple[str, list[int]]:
    """A text without its quotation marks, and the place in it of each character that is left."""
    places = [place for place, character in enumerate(text) if character not in MARKS]
    return "".join(map(text.__getitem__, places)), places


def _without_marks(node: Node) -> Node:
    match node:
        case Text(value):
            return replace(node, value=value.translate(_WITHOUT), any_initial=False)
        case CharClass(_, _, members) if members and all(each in MARKS for each in members):
            return Repeat(node, 0, 1, True)
        case Concat(items):
            without = map(_without_marks, items)
            # What is left of a closing mark does not say where the hole before it ends.
            return Concat([each for each in without if not _is_nothing(each)])
    return with_items(node, _without_marks)


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Text) and not node.value
