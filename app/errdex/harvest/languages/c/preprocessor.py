"""Conditional compilation whose branches are no whole pieces of code by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.trees.syntax import check_understood, parse_source

_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
_NEVER = re.compile(r"[ \t]*#[ \t]*if[ \t]+0\b")
_NO_CODE = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'|//.*|/\*.*?\*/")
_LONE_MACRO = re.compile(
    r"^[ \t]*[A-Z][A-Z0-9_]{3,}(?:\([\w ,:<>*&.]*\))?[ \t]*$(?=\s*(?:[A-Za-z_~#\[}]|/[/*]))",
    re.MULTILINE,
)
"""`CLI11_ERROR_DEF(Error, NotFound)` in a class."""
MOST_BROKEN = 0.1
"""Share of a source that may be lost before its conditionals are cut."""


@dataclass(slots=True)
class _Branch:
    """Lines of one branch, without those of its directives."""

    start: int
    end: int = 0
    is_compiled: bool = True


@dataclass(slots=True)
class _Conditional:
    directives: list[int] = field(default_factory=list)
    branches: list[_Branch] = field(default_factory=list)


def parse_branches(language: Language, source: str) -> Node:
    """The root of the source's tree, in a form that the grammar reads nearly whole; lines stay
    where they were. Raises SourceUnreadable.

    Two branches may open the same brace (`#ifdef W`, `if (a) {`, `#else`, `if (b) {`, `#endif`);
    the compiler sees one of them. Where that spoils much of the file, such conditionals are cut
    to their first branch; where that does not help, all of them are. Macros that stand on lines
    of their own, without a semicolon, are left out where that helps."""
    root = parse_source(language, source)
    if root.has_error and _LONE_MACRO.search(source):
        without = _LONE_MACRO.sub(lambda found: " " * len(found[0]), source)
        bare = parse_source(language, without)
        if _broken(bare) < _broken(root):
            root, source = bare, without
    if _broken(root) > MOST_BROKEN and ("#el" in source or "# el" in source):
        lines = source.split("\n")
        for of_all in (False, True):
            cut = parse_source(language, _one_branch(lines, of_all=of_all))
            if _broken(cut) <= MOST_BROKEN:
                return cut
    check_understood(root)
    return root


def _broken(root: Node) -> float:
    """The share of a source that the grammar does not understand."""
    broken, waiting = 0, [root] if root.has_error else []
    while waiting:
        for node in waiting.pop().children:
            if node.type == "ERROR":
                broken += node.end_byte - node.start_byte
            elif node.has_error:
                waiting.append(node)
    return broken / max(1, root.end_byte - root.start_byte)


def _one_branch(lines: Sequence[str], *, of_all: bool) -> str:
    """The source with one branch of its conditionals: of all, or of those whose branches do not
    close what they open."""
    left = list(lines)
    for conditional in _conditionals(lines):
        branches = conditional.branches
        if not of_all and all(_is_balanced(left[each.start : each.end]) for each in branches):
            continue
        kept = next((each for each in branches if each.is_compiled), branches[0])
        for each in branches:
            if each is not kept:
                left[each.start : each.end] = [""] * (each.end - each.start)
        for at in conditional.directives:
            left[at] = ""
    return "\n".join(left)


def _conditionals(lines: Sequence[str]) -> Iterator[_Conditional]:
    """Each conditional that ends, the inner ones first."""
    open_ones: list[_Conditional] = []
    for at, line in enumerate(lines):
        found = _DIRECTIVE.match(line)
        if found is None:
            continue
        if found[1] in {"if", "ifdef", "ifndef"}:
            open_ones.append(_Conditional())
        elif not open_ones:
            continue
        else:
            open_ones[-1].branches[-1].end = at
        open_ones[-1].directives.append(at)
        if found[1] == "endif":
            yield open_ones.pop()
        else:
            branch = _Branch(at + 1, is_compiled=_NEVER.match(line) is None)
            open_ones[-1].branches.append(branch)


def _is_balanced(lines: Sequence[str]) -> bool:
    """Whether no brace is opened or closed that is not closed or opened there."""
    depth = 0
    for line in lines:
        for brace in _NO_CODE.sub("", line):
            depth += (brace == "{") - (brace == "}")
            if depth < 0:
                return False
    return depth == 0
