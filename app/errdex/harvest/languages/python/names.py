"""Which values a name may hold where a message is made: bindings, and the places they hold at.

A place is a path of branches: the statements around it, each with the branch taken.
So a binding can be told to hold for sure (its path leads to the place), perhaps (it
stands in a branch beside), or never (in the other branch of the same `if`).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef

Path = tuple[tuple[int, str], ...]
"""Line and column (as one number) of each statement around a place, and its branch."""

EXCLUSIVE = ("body", "else", "case", "except")


class NameBinding(NamedTuple):
    """One assignment. `value` is None for a name bound to what is not followed (a loop's
    item, an import, a parameter); `adds` is true for `+=`."""

    line: int
    path: Path
    value: ast.expr | None
    adds: bool = False


class Scope:
    """The names of a module or a function, read when the first of them is asked for: most
    functions raise nothing."""

    __slots__ = ("_arguments", "_bindings", "_body", "parent")

    def __init__(
        self,
        parent: Scope | None = None,
        body: Sequence[ast.stmt] = (),
        arguments: ast.arguments | None = None,
    ) -> None:
        self.parent = parent
        self._body = body
        self._arguments = arguments
        self._bindings: dict[str, list[NameBinding]] | None = None

    @property
    def bindings(self) -> dict[str, list[NameBinding]]:
        """All assignments to each name, in the order of their lines."""
        if self._bindings is None:
            self._bindings = {}
            if self._arguments is not None:
                bind_parameters(self, self._arguments)
            bind_body(self, self._body)
            for found in self._bindings.values():
                found.sort(key=lambda binding: binding.line)
        return self._bindings

    def bind(self, name: str, binding: NameBinding) -> None:
        """Note one more assignment."""
        self.bindings.setdefault(name, []).append(binding)

    def find(
        self, name: str, path: Path, before: int
    ) -> tuple[Scope, list[tuple[NameBinding, bool]]]:
        """The scope that knows the name, and the bindings above the line `before` that may
        hold at the path, in order, each with whether it surely holds."""
        scope: Scope | None = self
        while scope is not None:
            known = scope.bindings.get(name)
            if known is not None:
                if scope is not self:
                    path, before = (), sys.maxsize
                return scope, list(_possible(known, path, before))
            scope = scope.parent
        return self, []


def _possible(
    bindings: list[NameBinding], path: Path, before: int
) -> Iterator[tuple[NameBinding, bool]]:
    for binding in bindings:
        sure = binding.path == path[: len(binding.path)]
        if binding.line < before and (sure or not _excluded(binding.path, path)):
            yield binding, sure


def _excluded(one: Path, other: Path) -> bool:
    for (place, branch), (other_place, other_branch) in zip(one, other, strict=False):
        if place != other_place:
            return False
        if branch != other_branch:
            return branch.startswith(EXCLUSIVE) and other_branch.startswith(EXCLUSIVE)
    return False


@dataclass(slots=True)
class ClassFacts:
    """What a class of the file says about itself."""

    node: ast.ClassDef
    name: str
    """Qualified."""
    bases: tuple[str, ...]
    attributes: dict[str, ast.expr] = field(default_factory=dict)
    methods: dict[str, Function] = field(default_factory=dict)


def owners_of(
    name: str, inside: ClassFacts | None, classes: Mapping[str, ClassFacts]
) -> Iterator[ClassFacts]:
    """The classes of the file that `self.x` (in the class `inside`), `cls.x` or `Class.x` is
    looked for in, nearest first."""
    owner_name = name.rpartition(".")[0]
    if owner_name in {"self", "cls", "self.__class__"}:
        owner = inside
    else:
        owner = classes.get(owner_name.rpartition(".")[2])
    seen: set[str] = set()
    while owner is not None and owner.name not in seen:
        seen.add(owner.name)
        yield owner
        owner = next((classes[base] for base in owner.bases if base in classes), None)


def entries_of(table: ast.expr | None) -> dict[int | str, ast.expr]:
    """The values of a literal dictionary by their keys, so far as those are literals."""
    if not isinstance(table, ast.Dict):
        return {}
    return {
        key.value: value
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str | int)
    }


def scope_of(function: Function, parent: Scope) -> Scope:
    """The scope of a function."""
    return Scope(parent, function.body, function.args)


def bind_targets(scope: Scope, target: ast.AST, line: int, path: Path) -> None:
    """Note names that get a value which is not followed."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            scope.bind(node.id, NameBinding(line, path, None))


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` of a name or attributes of one, else None."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    names.append(node.id)
    return ".".join(reversed(names))


def last_name(node: ast.AST) -> str | None:
    """`c` of `a.b.c`, whatever stands before it."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def bind_statement(scope: Scope, node: ast.stmt, path: Path) -> None:
    """Note what a simple statement binds."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                _bind_one(scope, target, NameBinding(node.lineno, path, value))
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            _bind_one(scope, target, NameBinding(node.lineno, path, value))
        case ast.AugAssign(target=target, op=op, value=value):
            name = dotted(target)
            if name is not None:
                added = value if isinstance(op, ast.Add) else None
                scope.bind(name, NameBinding(node.lineno, path, added, adds=True))
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                scope.bind(name, NameBinding(node.lineno, path, None))


def _bind_one(scope: Scope, target: ast.expr, binding: NameBinding) -> None:
    name = dotted(target)
    if name is not None:
        scope.bind(name, binding)
    elif isinstance(target, ast.Tuple | ast.List):
        value = binding.value
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        if len(values) == len(target.elts) and not any(
            isinstance(part, ast.Starred) for part in [*values, *target.elts]
        ):
            for part, part_value in zip(target.elts, values, strict=True):
                _bind_one(scope, part, binding._replace(value=part_value))
        else:
            bind_targets(scope, target, binding.line, binding.path)


def _holds_text(default: ast.expr | None) -> bool:
    return (
        isinstance(default, ast.Constant) and isinstance(default.value, str) and default.value > ""
    )


def bind_parameters(scope: Scope, arguments: ast.arguments) -> None:
    """Note a function's parameters; one with a text or a name for a default may hold that."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    named = [*positional, *arguments.kwonlyargs]
    for parameter, default in zip(
        named, [*defaults, *arguments.defaults, *arguments.kw_defaults], strict=True
    ):
        scope.bind(parameter.arg, NameBinding(0, (), None))
        if _holds_text(default) or isinstance(default, ast.Name | ast.Attribute):
            scope.bind(parameter.arg, NameBinding(0, ((0, "default"),), default))
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            scope.bind(rest.arg, NameBinding(0, (), None))


_BRANCHES: dict[type[ast.stmt], tuple[tuple[str, str], ...]] = {
    ast.If: (("body", "body"), ("orelse", "else")),
    ast.For: (("body", "loop"), ("orelse", "no break")),
    ast.AsyncFor: (("body", "loop"), ("orelse", "no break")),
    ast.While: (("body", "loop"), ("orelse", "no break")),
    ast.Try: (("body", "try"), ("orelse", "try"), ("finalbody", "finally")),
    ast.TryStar: (("body", "try"), ("orelse", "try"), ("finalbody", "finally")),
    ast.With: (("body", ""),),
    ast.AsyncWith: (("body", ""),),
}


def blocks_of(node: ast.stmt, path: Path) -> Iterator[tuple[Path, list[ast.stmt]]]:
    """The blocks inside a compound statement (no class or function), each with its path."""
    place = (node.lineno << 12) + node.col_offset
    for attribute, branch in _BRANCHES.get(type(node), ()):
        block = getattr(node, attribute)
        if block:
            yield ((*path, (place, branch)) if branch else path), block
    if isinstance(node, ast.Try | ast.TryStar):
        for number, handler in enumerate(node.handlers):
            yield (*path, (place, f"except {number}")), handler.body
    elif isinstance(node, ast.Match):
        for number, case in enumerate(node.cases):
            yield (*path, (place, f"case {number}")), case.body


def bind_heads(scope: Scope, node: ast.stmt, path: Path) -> None:
    """Note the names that a compound statement binds by itself."""
    match node:
        case ast.For() | ast.AsyncFor():
            bind_targets(scope, node.target, node.lineno, path)
        case ast.With() | ast.AsyncWith():
            for item in node.items:
                if item.optional_vars is not None:
                    bind_targets(scope, item.optional_vars, node.lineno, path)
        case ast.Try() | ast.TryStar():
            for handler in node.handlers:
                if handler.name:
                    scope.bind(handler.name, NameBinding(node.lineno, path, None))


def bind_body(scope: Scope, body: Sequence[ast.stmt], path: Path = ()) -> None:
    """Note all that a block binds, without the functions and classes in it."""
    waiting: list[tuple[Path, Sequence[ast.stmt]]] = [(path, body)]
    while waiting:
        path, body = waiting.pop()
        for node in body:
            bind_statement(scope, node, path)
            bind_heads(scope, node, path)
            waiting.extend(blocks_of(node, path))


@dataclass(frozen=True, slots=True)
class NameScope:
    """Where an expression stands: what its names mean."""

    scope: Scope
    path: Path = ()
    owner: ClassFacts | None = None
    before: int = sys.maxsize
    """Only bindings above this line count."""
    depth: int = 0
    called: frozenset[str] = frozenset()
    """Functions that were followed to come here."""

    def following(self, scope: Scope, path: Path = (), before: int = sys.maxsize) -> NameScope:
        """The place of what was followed from here."""
        return replace(self, scope=scope, path=path, before=before, depth=self.depth + 1)
