"""A source file's syntax tree, as tree-sitter gives it, walked without recursion.

Source files come nested as deeply as they like, so nothing here or in what builds on it
descends by calling itself without a bound: the walk keeps its own path, and what lies
deeper than MAX_DEPTH is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tree_sitter import Language, Node, Parser

from errdex.harvest.model import SourceUnreadable

MAX_DEPTH = 400
"""Levels of the tree that are looked at; code that people write stays below 150."""

LEAST_UNDERSTOOD = 0.5
"""Share of a file in pieces that the grammar knows; what has less is another language."""

COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
"""What the grammars call them."""


@dataclass(slots=True)
class Place:
    """A node and all nodes around it, the root first. Not frozen, which would make it dear to make:
    there are many of each file."""

    node: Node
    path: tuple[Node, ...]

    @property
    def parent(self) -> Node | None:
        """The node right around it."""
        return self.path[-1] if self.path else None

    @property
    def line(self) -> int:
        """Where it begins, counted from 1."""
        return self.node.start_point[0] + 1

    def up(self, types: Collection[str]) -> Place | None:
        """The nearest node of these types around it."""
        for index in range(len(self.path) - 1, -1, -1):
            if self.path[index].type in types:
                return Place(self.path[index], self.path[:index])
        return None

    def of(self, *inner: Node) -> Place:
        """The place of the last of `inner`, each a child of the one before, the first of
        this node."""
        return Place(inner[-1], (*self.path, self.node, *inner[:-1]))


def parse_tree(language: Language, source: str) -> Node:
    """The root of the source's tree. Raises SourceUnreadable.

    The parser mends what it can: macros and syntax newer than the grammar spoil pieces, and one
    brace too many makes all that is left an error, in which the good parts stand whole. A file
    is read when at least LEAST_UNDERSTOOD of it was understood.
    """
    root = parse_source(language, source)
    check_understood(root)
    return root


def parse_source(language: Language, source: str) -> Node:
    """The root of the tree, however much of the source was understood."""
    return Parser(language).parse(source.encode("utf-8", "replace")).root_node


def check_understood(root: Node) -> None:
    """Raise SourceUnreadable where less than LEAST_UNDERSTOOD of a file was understood. In what
    is an error, only pieces of several lines are taken to be understood."""
    if not root.has_error:
        return
    understood = broken = 0
    waiting = [(child, root.type == "ERROR") for child in root.children]
    while waiting:
        node, is_within = waiting.pop()
        if node.type == "ERROR" and node.child_count:
            waiting += [(child, True) for child in node.children]
        elif node.type not in COMMENTS and not node.type.startswith(("import", "package")):
            length = node.end_byte - node.start_byte
            is_line = node.start_point[0] == node.end_point[0]
            is_broken = node.type == "ERROR" or (is_within and is_line)
            broken += length if is_broken else 0
            understood += 0 if is_broken else length
    if understood < LEAST_UNDERSTOOD * (understood + broken):
        raise SourceUnreadable


def walk(root: Node, wanted: frozenset[str]) -> Iterator[Place | Node]:
    """Every node of the wanted types in the order of the source, as a Place; a node at which
    the walk turned back because of the depth as a bare Node."""
    cursor = root.walk()
    path: list[Node] = []
    while True:
        node = cursor.node
        if node is None:
            return
        if node.type in wanted:
            yield Place(node, tuple(path))
        if len(path) >= MAX_DEPTH and node.child_count:
            yield node
        elif cursor.goto_first_child():
            path.append(node)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            path.pop()


def places_within(place: Place, types: Collection[str], limit: int = 4_000) -> Iterator[Place]:
    """Nodes of these types within a place, in order, with all nodes around them; of the first
    `limit` looked at."""
    waiting = [place]
    while waiting and limit:
        limit -= 1
        current = waiting.pop()
        if current.node.type in types and current is not place:
            yield current
        if len(current.path) < MAX_DEPTH:
            waiting.extend(current.of(child) for child in reversed(current.node.children))


def text_after(place: Place) -> str:
    """How the statement begins that comes behind the one that a place is, comments aside; ""
    when none does."""
    is_whole = place.parent is not None and place.parent.type == "expression_statement"
    after = (place.parent if is_whole and place.parent else place.node).next_named_sibling
    while after is not None and after.type in COMMENTS:
        after = after.next_named_sibling
    return text_of(after)[:40]


def text_of(node: Node | None) -> str:
    """As the source writes it; empty for None."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def one_line(node: Node | None) -> str:
    """As the source writes it, without comments, each run of white space made one blank."""
    text = text_of(node)
    if node is not None and node.child_count and ("//" in text or "/*" in text):
        text = _without_comments(node)
    return " ".join(text.split())


def _without_comments(node: Node) -> str:
    source, begin = node.text or b"", node.start_byte
    pieces: list[bytes] = []
    position = 0
    for comment in inner_nodes(node, {"comment", "line_comment", "block_comment"}):
        pieces.append(source[position : comment.start_byte - begin])
        position = comment.end_byte - begin
    return b" ".join([*pieces, source[position:]]).decode("utf-8", "replace")


def named(node: Node | None) -> list[Node]:
    """The node's named children without comments."""
    if node is None:
        return []
    return [child for child in node.named_children if not child.is_extra]


def first_named(node: Node | None) -> Node | None:
    """The first of the named children, None when there is none."""
    children = named(node)
    return children[0] if children else None


def inner_nodes(node: Node, types: Collection[str], limit: int = 2_000) -> Iterator[Node]:
    """Nodes of these types inside a node, itself included; of the first `limit` looked at."""
    waiting = [node]
    while waiting and limit:
        limit -= 1
        current = waiting.pop()
        if current.type in types:
            yield current
        waiting.extend(reversed(current.children))
