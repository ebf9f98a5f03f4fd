"""Reads Python with the standard library's own parser.

One walk over the statements, which notes the names bound and the conditions passed on
the way. Expressions are looked into only where an error is reported: a file without
errors costs little more than its parsing.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from errdex.harvest.documentation import given_to_their_raises
from errdex.harvest.languages.python.classes import ClassReader
from errdex.harvest.languages.python.documents import docstring_of, raises_entries
from errdex.harvest.languages.python.errors import ErrorReader
from errdex.harvest.languages.python.guards import Guard, Guards, guards_behind
from errdex.harvest.languages.python.messages import MessageReader
from errdex.harvest.languages.python.names import (
    ClassFacts,
    NameScope,
    Path,
    Scope,
    blocks_of,
    last_name,
    scope_of,
)
from errdex.harvest.languages.python.sites import Around, SiteMaker, may_report
from errdex.harvest.languages.python.tables import table_sites
from errdex.harvest.model import Extraction, SourceUnreadable

_COMPOUND = (
    ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match,
)  # fmt: skip


def extract(source: str, path: str) -> Extraction:
    """Find what a Python file raises and reports. Raises SourceUnreadable."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        return _FileWalk(source).run(tree)
    except (SyntaxError, ValueError) as error:
        raise SourceUnreadable(f"{path}: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise SourceUnreadable(f"{path}: nested too deep") from error


@dataclass(slots=True)
class _Inside:
    """Where the walk is."""

    names: tuple[str, ...]
    scope: Scope
    owner: ClassFacts | None
    raises: dict[str, tuple[str, ...]]
    docstring: str | None = None


class _SourceText:
    """The text of a file, to quote expressions from."""

    def __init__(self, source: str) -> None:
        self.lines = source.split("\n")
        self._is_ascii = source.isascii()

    def of(self, node: ast.expr) -> str:
        """The text of an expression on one line."""
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is None or last is None:
            return ast.unparse(node)
        lines = self.lines[first - 1 : last]
        if not lines:
            return ""
        start, end = node.col_offset, node.end_col_offset or 0
        if not self._is_ascii:
            start = len(lines[0].encode()[:start].decode())
            end = len(lines[-1].encode()[:end].decode())
        if first == last:
            return lines[0][start:end]
        if any("#" in line for line in lines):
            return ast.unparse(node)
        joined = " ".join(
            line.strip() for line in (lines[0][start:], *lines[1:-1], lines[-1][:end])
        )
        for loose, tight in (
            ("( ", "("),
            ("[ ", "["),
            (" )", ")"),
            (" ]", "]"),
            (",)", ")"),
            (",]", "]"),
        ):
            joined = joined.replace(loose, tight)
        return joined


class _FileWalk:
    def __init__(self, source: str) -> None:
        text = _SourceText(source)
        self._source_of = text.of
        self._reader = MessageReader(text.of)
        self._classes = ClassReader(self._reader)
        self._maker = SiteMaker(
            self._reader, ErrorReader(self._reader, self._classes), text.lines, Counter()
        )

    def run(self, tree: ast.Module) -> Extraction:
        module = self._reader.module = Scope(body=tree.body)
        self._note_classes(tree.body, ())
        inside = _Inside((), module, None, {})
        self._walk(tree.body, (), (), inside)
        maker = self._maker
        tables = table_sites(tree, self._reader, self._classes, maker)
        sites = sorted([*maker.sites, *tables], key=lambda site: (site.line, site.end_line))
        sites, unsaid = given_to_their_raises(sites, maker.unsaid)
        return Extraction(sites, maker.left_out, unsaid)

    def _note_classes(self, body: Sequence[ast.stmt], names: tuple[str, ...]) -> None:
        """Know all classes and functions of the file before any of its messages is read."""
        waiting = [(names, body)]
        while waiting:
            names, body = waiting.pop()
            for node in body:
                if isinstance(node, ast.ClassDef):
                    inner = (*names, node.name)
                    self._reader.classes.setdefault(node.name, _facts_of(node, ".".join(inner)))
                    waiting.append((inner, node.body))
                elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    self._reader.functions.setdefault(node.name, node)
                elif isinstance(node, ast.If | ast.Try):
                    waiting.extend((names, block) for _, block in blocks_of(node, ()))

    def _walk(self, body: Sequence[ast.stmt], path: Path, guards: Guards, inside: _Inside) -> None:
        first = True
        for node in body:
            if may_report(node):
                place = NameScope(inside.scope, path, inside.owner, node.lineno)
                around = Around(inside.names, inside.raises, place, guards, first)
                self._maker.read(node, around)
            elif isinstance(node, ast.If):
                guards += self._walk_if(node, path, guards, inside)
            elif isinstance(node, _COMPOUND):
                self._walk_compound(node, path, guards, inside)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._walk_function(node, inside)
            elif isinstance(node, ast.ClassDef):
                facts = self._reader.classes.get(node.name)
                if facts is None or facts.node is not node:
                    facts = _facts_of(node, ".".join((*inside.names, node.name)))
                names = (*inside.names, node.name)
                self._walk(node.body, (), (), replace(inside, names=names, owner=facts))
            first = False

    def _walk_if(self, node: ast.If, path: Path, guards: Guards, inside: _Inside) -> Guards:
        """Walk an `if` with its `elif`s, and say what holds behind it."""
        branches: list[tuple[ast.expr, list[ast.stmt]]] = []
        passed = guards
        rest: list[ast.stmt] = [node]
        while len(rest) == 1 and isinstance(one := rest[0], ast.If):
            place = (one.lineno << 12) + one.col_offset
            branches.append((one.test, one.body))
            held = (*passed, Guard(one.test.lineno, one.test))
            self._walk(one.body, (*path, (place, "body")), held, inside)
            passed = (*passed, Guard(one.test.lineno, one.test, negated=True))
            path = (*path, (place, "else"))
            rest = one.orelse
        self._walk(rest, path, passed, inside)
        return guards_behind(branches, rest)

    def _walk_compound(self, node: ast.stmt, path: Path, guards: Guards, inside: _Inside) -> None:
        heads = self._heads(node)
        for inner_path, block in blocks_of(node, path):
            branch = inner_path[-1][1] if len(inner_path) > len(path) else ""
            self._walk(block, inner_path, guards + heads.get(branch, ()), inside)

    def _heads(self, node: ast.stmt) -> dict[str, Guards]:
        """The conditions at the head of each branch of a compound statement."""
        if isinstance(node, ast.While):
            is_endless = isinstance(node.test, ast.Constant)
            return {} if is_endless else {"loop": (Guard(node.test.lineno, node.test),)}
        if isinstance(node, ast.Try | ast.TryStar):
            return {
                f"except {number}": (
                    Guard(handler.lineno, caught=f"except {self._source_of(handler.type)}"),
                )
                for number, handler in enumerate(node.handlers)
                if handler.type is not None
            }
        if isinstance(node, ast.Match):
            subject = self._source_of(node.subject)
            return {
                f"case {number}": _case_guards(subject, case)
                for number, case in enumerate(node.cases)
            }
        return {}

    def _walk_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, inside: _Inside) -> None:
        scope = scope_of(node, inside.scope)
        docstring = docstring_of(node)
        within = _Inside(
            (*inside.names, node.name),
            scope,
            inside.owner,
            raises_entries(docstring) or ({} if docstring else inside.raises),
        )
        self._walk(node.body, (), (), within)


def _case_guards(subject: str, case: ast.match_case) -> Guards:
    line = case.pattern.lineno
    guard = Guard(line, caught=f"match {subject}: case {ast.unparse(case.pattern)}")
    return (guard,) if case.guard is None else (guard, Guard(line, case.guard))


def _facts_of(node: ast.ClassDef, name: str) -> ClassFacts:
    heads = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    bases = tuple(base for expression in heads if (base := last_name(expression)))
    facts = ClassFacts(node, name, bases)
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name=method) | ast.AsyncFunctionDef(name=method):
                facts.methods.setdefault(method, statement)
            case ast.Assign(targets=targets, value=value):
                named = [target.id for target in targets if isinstance(target, ast.Name)]
                facts.attributes.update(dict.fromkeys(named, value))
            case ast.AnnAssign(target=ast.Name(id=attribute), value=ast.expr() as value):
                facts.attributes[attribute] = value
    return facts
