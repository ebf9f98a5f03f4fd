"""From a statement that raises or reports an error to its sites."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from errdex.harvest.languages.python.calls import (
    PARSER_EXITS,
    ErrorCall,
    find_parser_report,
    find_report,
)
from errdex.harvest.languages.python.documents import comment_above, docstring_of, first_paragraph
from errdex.harvest.languages.python.errors import ErrorReader, Raised
from errdex.harvest.languages.python.formats import with_named_fields
from errdex.harvest.languages.python.guards import Guard, Guards, describe
from errdex.harvest.languages.python.messages import MessageReader, Text, Texts
from errdex.harvest.languages.python.names import NameScope
from errdex.harvest.messages.template import is_telling, normalized, tells_trouble
from errdex.harvest.model import NO_FIXED_TEXT, NO_MESSAGE, Kind, RaiseSite, SourceHole

_EXITS = frozenset({"SystemExit"})
_SETTERS = frozenset({"set_exception", "throw", "reject", "set_error"})


class Around(NamedTuple):
    """What surrounds a statement."""

    names: tuple[str, ...]
    raises: dict[str, tuple[str, ...]]
    """The docstring's words on each class."""
    place: NameScope
    guards: Guards
    is_first: bool
    """Whether the statement is the first of its block."""


def may_report(node: ast.stmt) -> bool:
    """Whether a statement is worth a look. Most are not."""
    if isinstance(node, ast.Expr | ast.Return):
        value = node.value
        return isinstance(value, ast.Call | ast.Await | ast.Yield | ast.YieldFrom)
    if isinstance(node, ast.Assign):
        return isinstance(node.value, ast.Call) and not isinstance(node.targets[0], ast.Name)
    return isinstance(node, ast.Raise | ast.Assert)


class SiteMaker:
    """Makes the sites of one file, in the order of the statements given."""

    def __init__(
        self,
        reader: MessageReader,
        errors: ErrorReader,
        lines: Sequence[str],
        left_out: Counter[str],
    ) -> None:
        self.sites: list[RaiseSite] = []
        self.unsaid: list[RaiseSite] = []
        self.left_out = left_out
        self._reader = reader
        self._errors = errors
        self.lines = lines

    def read(self, node: ast.stmt, around: Around) -> None:
        """Note the sites of a simple statement."""
        match node:
            case ast.Raise(exc=ast.expr() as error):
                self._raise(error, node, around)
            case ast.Assert(msg=ast.expr() as message):
                texts = self._reader.messages(message, around.place)
                raised = Raised("AssertionError", texts)
                self._note(node, around, "assert", raised, unless=node.test)
            case ast.Expr(value=value) | ast.Return(value=ast.expr() as value):
                self._call(value, node, around)
            case ast.Assign(value=value, targets=[ast.Attribute() | ast.Subscript()]):
                if self._errors.is_error(value):
                    self._raise(value, node, around)

    def _raise(self, error: ast.expr, node: ast.stmt, around: Around) -> None:
        for raised in self._errors.errors(error, around.place):
            if raised.error_class in _EXITS:
                exit_ = Raised(None, raised.texts)
                self._note(node, around, "exit", exit_)
            elif raised.texts:
                self._note(node, around, "raise", raised)
            else:
                self.left_out[NO_MESSAGE] += 1
                self._note_unsaid(node, around, raised)

    def _call(self, value: ast.expr, node: ast.stmt, around: Around) -> None:
        if isinstance(value, ast.Await | ast.YieldFrom) or (
            isinstance(value, ast.Yield) and value.value is not None
        ):
            value = value.value or value
        if not isinstance(value, ast.Call):
            return
        if isinstance(node, ast.Return) and self._errors.is_error(value):
            self._raise(value, node, around)
            return
        report = find_report(value, around.place.owner) or self._of_parser(value, around.place)
        if report is not None:
            self._report(report, node, around)
            return
        function = value.func
        if isinstance(function, ast.Attribute) and function.attr in _SETTERS:
            for argument in value.args:
                if self._errors.is_error(argument):
                    self._raise(argument, node, around)
            return
        for raised in self._errors.helped(value, around.place):
            telling = [text for text in raised.texts if is_telling(text, raised.error_class)]
            if telling:
                self._note(node, around, "raise", replace(raised, texts=telling))

    def _of_parser(self, call: ast.Call, place: NameScope) -> ErrorCall | None:
        function = call.func
        if not (isinstance(function, ast.Attribute) and function.attr in PARSER_EXITS):
            return None
        if not isinstance(function.value, ast.Name):
            return None
        _, bindings = place.scope.find(function.value.id, place.path, place.before)
        reports = (find_parser_report(call, binding.value) for binding, _ in bindings)
        return next(filter(None, reports), None)

    def _report(self, report: ErrorCall, node: ast.stmt, around: Around) -> None:
        texts = self._reader.format_with(report.message, report.arguments, around.place)
        if report.needs_error_word:
            texts = [text for text in texts if tells_trouble(text)]
        elif report.kind == "exit":
            texts = [
                text for text in texts if not (len(text) == 1 and isinstance(text[0], SourceHole))
            ]
        if texts:
            raised = Raised(report.error_class, texts, (), report.http_status)
            self._note(node, around, report.kind, raised, severity=report.severity)

    def _note(
        self,
        node: ast.stmt,
        around: Around,
        kind: Kind,
        raised: Raised,
        *,
        severity: str | None = None,
        unless: ast.expr | None = None,
    ) -> None:
        telling = list(self.telling(raised.texts, raised.error_class))
        if not telling:
            if kind == "raise":
                self._note_unsaid(node, around, raised)
            return
        guards = around.guards
        if unless is not None:
            guards = (*guards, Guard(unless.lineno, unless, negated=True))
        site = self._site(node, around._replace(guards=guards), kind, raised, severity)
        self.sites += [replace(site, parts=parts) for parts in telling]

    def _note_unsaid(self, node: ast.stmt, around: Around, raised: Raised) -> None:
        """Note an error of a class that may have its message in another file."""
        if raised.error_class is not None and not hasattr(builtins, raised.error_class):
            self.unsaid.append(self._site(node, around, "raise", raised, None))

    def _site(
        self, node: ast.stmt, around: Around, kind: Kind, raised: Raised, severity: str | None
    ) -> RaiseSite:
        """All but the message."""
        return RaiseSite(
            parts=(),
            line=node.lineno,
            end_line=node.end_lineno or node.lineno,
            kind=kind,
            error_class=raised.error_class,
            function=".".join(around.names) or None,
            raised_when=describe(
                around.guards, around.place.scope, node.lineno, self._reader.source_of
            ),
            comment=self._comment(node.lineno, around),
            documentation_source=self._words_on(raised),
            documented=around.raises.get(raised.error_class or "", ()),
            base_classes=raised.bases,
            error_code=raised.error_code,
            http_status=raised.http_status,
            severity=severity,
        )

    def telling(self, texts: Texts, error_class: str | None) -> Iterator[Text]:
        """Those texts that are worth a record, in their standard form; the others are counted."""
        seen = set()
        for text in texts:
            parts = tuple(normalized(with_named_fields(text)))
            if not is_telling(parts, error_class):
                self.left_out[NO_FIXED_TEXT] += 1
            elif parts not in seen:
                seen.add(parts)
                yield parts

    def _comment(self, line: int, around: Around) -> str | None:
        found = comment_above(self.lines, line)
        if found is None and around.is_first and around.guards:
            found = comment_above(self.lines, around.guards[-1].line)
        return found

    def _words_on(self, raised: Raised) -> str | None:
        """What the class says of itself."""
        facts = self._reader.classes.get(raised.error_class or "")
        return first_paragraph(docstring_of(facts.node)) if facts is not None else None
