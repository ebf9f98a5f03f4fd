"""A pattern for a message whose end was cut off: what a text may say that breaks off between two
words of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from errdex.matching.patterns.regex.respelling import read_respelled
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
    with_items,
)

_MOST, _MOST_LETTERS = 80, 40
"""Words and holes of a pattern, and letters of a word, that are looked at; what comes behind them
is cut off."""


def read_beginning(source: str) -> Node:
    """The tree of a pattern for beginnings of what it matches, in texts `without_marks`. Its
    groups have the numbers of the pattern's own, and 0 where one was cut off or takes any text.
    Raises PatternRefused as `read_pattern` does."""
    begun = _begun(_parts(_with_holes(read_respelled(source))))
    end = Assertion(r"\z")
    return Concat([Group(begun), Space(True, True), end]) if begun else end


def group_numbers(node: Node) -> list[int]:
    """The numbers of a tree's groups, in the order of its text."""
    match node:
        case Group(item, index):
            return [*([] if index is None else [index]), *group_numbers(item)]
        case Repeat(item):
            return group_numbers(item)
        case Concat(items) | Alternate(items):
            return [number for item in items for number in group_numbers(item)]
    return []


def _with_holes(node: Node) -> Node:
    """A tree in which whatever takes any text is a group that takes as little as it can: the words
    behind it say where it ends."""
    match node:
        case Repeat(AnyChar() | CharClass() as item, low, high) if high != 1:
            return Group(Repeat(item, low, high, False), 0)
    return with_items(node, _with_holes)


def _parts(node: Node) -> list[Node]:
    """A tree as words, holes and white space in a row."""
    match node:
        case Concat(items):
            return [part for item in items for part in _parts(item)]
        case Group(Concat() | Text() as item, None):
            return _parts(item)
        case Text(value) if value.strip(" "):
            return _words(node, value.split(" "))
    return [node]


def _words(text: Text, words: Sequence[str]) -> list[Node]:
    parts: list[Node] = []
    for place, word in enumerate(words):
        if place:
            parts.append(Space(False, True))
        if word:
            parts.append(replace(text, value=word, any_initial=text.any_initial and not place))
    return parts


def _begun(parts: Sequence[Node]) -> Node | None:
    """What takes the first of some parts, and those behind it as far as there are any."""
    behind: Node | None = None
    for part in reversed(parts[:_MOST]):
        whole = part if behind is None else Concat([part, Repeat(Group(behind), 0, 1, True)])
        cut = _cut(part)
        behind = whole if cut is None else Alternate([whole, cut])
    return behind


def _cut(part: Node) -> Node | None:
    """What takes a part that breaks off within; None for one that cannot, or takes the same."""
    match part:
        case Group(item, index):
            cut = _cut(item)
            return None if cut is None else Group(cut, None if index is None else 0)
        case Concat():
            return _begun(_parts(part))
        case Alternate(branches):
            cuts = [_begun(_parts(branch)) for branch in branches]
            return Alternate([each for each in cuts if each is not None]) if any(cuts) else None
        case Text(value):
            return _word_cut(part, value)
        case Repeat(AnyChar() | CharClass() as item, low, high, greedy):
            return None if low <= 1 else Repeat(item, 1, high, greedy)
        case Repeat(item, _, high, greedy):
            begun = _begun(_parts(item))
            if begun is None or high == 1:
                return begun
            return Concat([Repeat(item, 0, high, greedy), Group(begun)])
    return None


def _word_cut(text: Text, word: str) -> Node | None:
    """What takes the first letters of a word, and not all of them."""
    behind: Node | None = None
    for letter in reversed(word[: min(len(word) - 1, _MOST_LETTERS)]):
        one = replace(text, value=letter, any_initial=False)
        behind = one if behind is None else Concat([one, Repeat(Group(behind), 0, 1, True)])
    return behind
