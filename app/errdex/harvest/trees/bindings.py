"""Which values a name may have where a message is made.

A name means what the innermost function, class or file around it that knows it says.
Inside of a function only what stands before counts: the last value that is given on
every way, and those given on some way since.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from errdex.harvest.trees.syntax import Place

MAX_VALUES = 10
"""Values of a name that are all followed."""
MOST_VALUES = 30
"""Values that are looked at."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One value that a name is given. `value` is None for one that is not followed (a
    parameter, a loop's item); `adds` is true for `+=`."""

    place: Place
    value: Place | None
    adds: bool = False


class Names:
    """The names of one file."""

    def __init__(self, functions: frozenset[str], classes: frozenset[str]) -> None:
        self._functions = functions
        self._scopes = functions | classes
        self._known: dict[tuple[int | None, str], list[Binding]] = {}
        self._followed: set[str] = set()
        self._given: dict[int | None, list[tuple[int, str]]] = {}
        """Where names get values in each scope, in order."""
        self._labels: dict[int | None, list[int]] = {}
        """Where a `goto` may come in, in each scope."""

    def bind(self, name: str, place: Place, value: Place | None, *, adds: bool = False) -> None:
        """Note that a name is given a value at a place, in the innermost scope there."""
        scope = self._scope_of(place)
        if value is not None:
            self._followed.add(name)
        insort(self._given.setdefault(scope, []), (place.node.start_byte, name))
        self._known.setdefault((scope, name), []).append(Binding(place, value, adds))

    def bind_file(self, name: str, place: Place, value: Place | None) -> None:
        """Note a name that the whole file knows (`Errors.NOT_FOUND`)."""
        self._known.setdefault((None, name), []).append(Binding(place, value))

    def is_followed(self, name: str) -> bool:
        """Whether a name gets a value that is followed, in any scope but that of the file."""
        return name in self._followed

    def note_label(self, place: Place) -> None:
        """Note a place at which the run may go on from anywhere in its function."""
        self._labels.setdefault(self._scope_of(place), []).append(place.node.start_byte)

    def entered_since(self, end: int, place: Place) -> bool:
        """Whether a label stands between the byte `end` and a place."""
        labels = self._labels.get(self._scope_of(place), ())
        return any(end <= label <= place.node.start_byte for label in labels)

    def given_since(self, text: str, end: int, place: Place) -> bool:
        """Whether a name in a piece of source got a value between the byte `end` and a place."""
        given = self._given.get(self._scope_of(place), [])
        for at in range(bisect_left(given, (end, "")), len(given)):
            start, name = given[at]
            if start >= place.node.start_byte:
                break
            if name in text and re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text):
                return True
        return False

    def _scope_of(self, place: Place) -> int | None:
        return next((node.id for node in reversed(place.path) if node.type in self._scopes), None)

    def find(self, name: str, place: Place) -> list[tuple[Binding, bool]]:
        """The values that a name may have at a place, in their order, each with whether it
        is given on every way. Empty when it is not known."""
        for index in range(len(place.path) - 1, -2, -1):
            node = place.path[index] if index >= 0 else None
            if node is not None and node.type not in self._scopes:
                continue
            known = self._known.get((node.id if node else None, name))
            if known is None:
                continue
            if node is not None and node.type in self._functions:
                return _reaching(known, place, self._labels.get(node.id, ()))
            return [(binding, len(known) == 1) for binding in known][:MOST_VALUES]
        return []


def _reaching(
    known: list[Binding], place: Place, labels: Iterable[int]
) -> list[tuple[Binding, bool]]:
    reaching: list[tuple[Binding, bool]] = []
    around = {node.id for node in place.path}
    start = place.node.start_byte
    entered = max((label for label in labels if label <= start), default=-1)
    for binding in reversed(known):
        parent = _holder(binding.place)
        if binding.place.node.start_byte >= start or binding.place.node.id in around:
            continue
        sure = parent is None or parent.id in around
        if binding.place.node.start_byte < entered:
            sure = False
        elif not sure and _exclusive(binding.place, place):
            continue
        reaching.append((binding, sure))
        if (sure and not binding.adds) or len(reaching) == MOST_VALUES:
            break
    return reaching[::-1]


def _holder(place: Place) -> Node | None:
    """The nearest node around a binding that may not be run or be run more than once."""
    for node in reversed(place.path):
        if not node.type.endswith(_PLAIN):
            return node
    return None


_PLAIN = (
    "expression_statement",
    "declaration",
    "declaration_statement",
    "declarator",
    "_list",
    "_spec",
    "assignment",
)
_ONE_CASE = frozenset(
    """
    case_statement default_statement switch_case switch_default switch_section
    switch_block_statement_group switch_rule expression_case type_case default_case
    communication_case when_entry match_arm else_clause
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Branches of which a run comes by all statements."""
_BRANCHES = ("if", "else", "switch", "case", "match", "when", "conditional", "ternary")


def _exclusive(one: Place, other: Place) -> bool:
    """Whether two places lie in different branches, so that no run comes by both."""
    last: Node | None = None
    for left, right in zip(one.path, other.path, strict=False):
        if left.id != right.id:
            break
        last = left
    if last is None or last.type in _ONE_CASE:
        return False
    return any(word in last.type for word in _BRANCHES)
