"""What a Python expression says when it is a message: one list of parts for each way it may
come out.

Constants are followed by their names, within the function, the class and the module.
What is not followed becomes a hole with its expression.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from errdex.harvest.languages.python.formats import (
    NotAFormat,
    Parser,
    Slot,
    parse_format,
    parse_percent,
    spec_parts,
)
from errdex.harvest.languages.python.names import (
    ClassFacts,
    Function,
    NameScope,
    Scope,
    dotted,
    entries_of,
    last_name,
    owners_of,
    scope_of,
)
from errdex.harvest.model import Fixed, Part, SourceHole

Text = tuple[Part, ...]
Texts = list[Text]

MAX_TEXTS = 8
"""Ways for one message to come out; where there are more, its holes are left open."""
MAX_DEPTH = 8
"""Names and calls followed one into another."""
MAX_STEPS = 2_000
"""Expressions looked at for one message; what is behind stays open."""

_TRANSLATING = frozenset(
    """
    _ gettext lgettext ugettext gettext_lazy ugettext_lazy lazy_gettext gettext_noop N_ _N _lazy
    translate tr trans _t _l force_str force_text smart_str str text_type dedent cleandoc fill
    Markup mark_safe escape
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_CONTEXTUAL = frozenset({"pgettext", "pgettext_lazy", "lazy_pgettext", "npgettext"})
_PLURAL = frozenset({"ngettext", "ungettext", "ngettext_lazy", "ungettext_lazy", "lazy_ngettext"})
_SAME_TEXT = frozenset({"strip", "rstrip", "lstrip", "encode", "decode", "expandtabs"})
_DEBUG_CONVERSIONS = {-1: None, 97: "a", 114: "r", 115: "s"}


@dataclass(slots=True)
class MessageReader:
    """Reads the messages of one file."""

    source_of: Callable[[ast.expr], str]
    """The source text of an expression."""
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    module: Scope = field(default_factory=Scope)
    _steps: int = 0

    def messages(self, node: ast.expr, place: NameScope) -> Texts:
        """Every way the expression comes out as a text; a lone hole where nothing is known."""
        self._steps = 0
        texts = self._texts(node, place)
        return [self._hole(node)] if texts is None else texts[:MAX_TEXTS]

    def argument(self, node: ast.expr, place: NameScope) -> Texts:
        """As `messages`, of a value that a message has for a part."""
        self._steps = 0
        return self._inner(node, place)

    def format_with(self, node: ast.expr, arguments: Sequence[ast.expr], place: NameScope) -> Texts:
        """As `messages`, of a format that a logger fills with the arguments."""
        texts = self.messages(node, place)
        if not arguments:
            return texts
        return [filled for text in texts for filled in self._percent(text, arguments, place)]

    def _hole(self, node: ast.expr, conversion: str = "", *, digits: bool = False) -> Text:
        return (SourceHole(self.source_of(node), conversion, digits),)

    def _texts(self, node: ast.expr, place: NameScope) -> Texts | None:
        """None when the expression is not known to be a text."""
        self._steps += 1
        if place.depth > MAX_DEPTH or self._steps > MAX_STEPS:
            return None
        match node:
            case ast.Constant(value=str() as value):
                return [(Fixed(value),)]
            case ast.JoinedStr(values=values):
                return self._joined([self._field(value, place) for value in values])
            case ast.BinOp(op=ast.Add()):
                return self._sum(node, place)
            case ast.BinOp(op=ast.Mod(), left=left, right=right):
                return self._mod(left, right, place)
            case ast.Call():
                return self._call(node, place)
        return self._chosen(node, place)

    def _chosen(self, node: ast.expr, place: NameScope) -> Texts | None:
        match node:
            case ast.Name() | ast.Attribute():
                return self._named(node, place)
            case ast.IfExp(body=body, orelse=orelse):
                return self._either([body, orelse], place)
            case ast.BoolOp(op=ast.Or(), values=values):
                return self._either(values, place)
            case ast.Subscript(value=table, slice=key):
                return self._looked_up(table, key, place)
            case ast.NamedExpr(value=value):
                return self._texts(value, place)
        return None

    def _inner(self, node: ast.expr, place: NameScope) -> Texts:
        """Of a part of a message: its texts when all are known, else one hole."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return [(Fixed(str(node.value)),)]
        return self._as_part(node, self._texts(node, place))

    def _as_part(self, node: ast.expr, texts: Texts | None) -> Texts:
        if texts is None or any(
            isinstance(text[0], SourceHole) for text in texts if len(text) == 1
        ):
            return [self._hole(node)]
        return texts

    def _joined(self, pieces: Sequence[Texts]) -> Texts:
        """Every way to put the pieces one behind the other."""
        count = 1
        for piece in pieces:
            count *= len(piece)
        if count > MAX_TEXTS:
            pieces = [piece[:1] for piece in pieces]
        return [tuple(part for text in way for part in text) for way in product(*pieces)]

    def _field(self, node: ast.expr, place: NameScope) -> Texts:
        """One value of an f-string."""
        if not isinstance(node, ast.FormattedValue):
            return self._inner(node, place)
        spec = self.source_of_spec(node.format_spec)
        conversion, digits = spec_parts(_DEBUG_CONVERSIONS.get(node.conversion), spec)
        if not conversion and not digits:
            return self._inner(node.value, place)
        return [self._hole(node.value, conversion, digits=digits)]

    def source_of_spec(self, spec: ast.expr | None) -> str:
        """A format spec as it is written."""
        if not isinstance(spec, ast.JoinedStr):
            return ""
        return "".join(
            str(value.value)
            if isinstance(value, ast.Constant)
            else f"{{{self.source_of(value.value)}}}"
            for value in spec.values
            if isinstance(value, ast.Constant | ast.FormattedValue)
        )

    def _sum(self, node: ast.BinOp, place: NameScope) -> Texts | None:
        terms: list[ast.expr] = []
        rest: ast.expr = node
        while isinstance(rest, ast.BinOp) and isinstance(rest.op, ast.Add):
            terms.append(rest.right)
            rest = rest.left
        terms.append(rest)
        terms.reverse()
        texts = [self._texts(term, place) for term in terms]
        if not any(texts):
            return None
        return self._joined(
            [self._as_part(term, found) for term, found in zip(terms, texts, strict=True)]
        )

    def _either(self, nodes: Iterable[ast.expr], place: NameScope) -> Texts | None:
        found: Texts = []
        known = False
        for node in nodes:
            texts = self._texts(node, place)
            known = known or texts is not None
            if isinstance(node, ast.Constant) and not isinstance(node.value, str):
                continue
            found += [self._hole(node)] if texts is None else texts
        return _unique(found) if known else None

    def _mod(self, left: ast.expr, right: ast.expr, place: NameScope) -> Texts | None:
        formats = self._texts(left, place)
        if formats is None:
            return None
        arguments = right.elts if isinstance(right, ast.Tuple) else [right]
        return [filled for text in formats for filled in self._percent(text, arguments, place)]

    def _percent(self, text: Text, arguments: Sequence[ast.expr], place: NameScope) -> Texts:
        values: dict[int | str, ast.expr] = dict(enumerate(arguments))
        lone = ""
        if len(arguments) == 1:
            if isinstance(arguments[0], ast.Dict):
                values.update(entries_of(arguments[0]))
            else:
                lone = self.source_of(arguments[0])
        return self._fill(text, parse_percent, values, place, lone)

    def _fill(
        self,
        text: Text,
        parse: Parser,
        values: dict[int | str, ast.expr],
        place: NameScope,
        lone: str = "",
    ) -> Texts:
        """The text with its slots filled. `lone`: the source of a lone value, which is all of
        the values when there are several slots."""
        pieces: list[Texts] = []
        for part in text:
            if isinstance(part, SourceHole):
                pieces.append([(part,)])
                continue
            try:
                template = parse(part.text)
            except NotAFormat:
                return [text]
            if lone and sum(isinstance(piece, Slot) for piece in template) > 1:
                template = [_item_of(piece, lone) for piece in template]
            pieces += [self._slot(piece, values, place) for piece in template]
        return self._joined(pieces)

    def _slot(
        self, piece: Fixed | Slot, values: dict[int | str, ast.expr], place: NameScope
    ) -> Texts:
        if isinstance(piece, Fixed):
            return [(piece,)]
        value = values.get(piece.key)
        if value is None:
            return [(piece.as_hole(),)]
        if piece.is_plain:
            return self._inner(value, place)
        return [(SourceHole(self.source_of(value) + piece.access, piece.conversion, piece.digits),)]

    def _call(self, node: ast.Call, place: NameScope) -> Texts | None:
        name = last_name(node.func)
        arguments = node.args
        if isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if name in {"format", "format_map"}:
                return self._format(owner, node, place)
            if name in _SAME_TEXT:
                return self._texts(owner, place)
            if name == "join" and len(arguments) == 1:
                return self._join(owner, arguments[0], place)
            if name == "get" and len(arguments) in {1, 2}:
                return self._looked_up(owner, arguments[0], place)
        if name in _TRANSLATING and arguments:
            return self._texts(arguments[0], place)
        if name in _CONTEXTUAL and len(arguments) > 1:
            return self._texts(arguments[1], place)
        if name in _PLURAL and len(arguments) > 1:
            return self._either(arguments[:2], place)
        return self._returned(node, place)

    def _format(self, owner: ast.expr, call: ast.Call, place: NameScope) -> Texts | None:
        formats = self._texts(owner, place)
        if formats is None:
            return None
        values: dict[int | str, ast.expr] = dict(enumerate(call.args))
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            values = {}
        values.update({word.arg: word.value for word in call.keywords if word.arg})
        return [
            filled for text in formats for filled in self._fill(text, parse_format, values, place)
        ]

    def _join(self, owner: ast.expr, items: ast.expr, place: NameScope) -> Texts | None:
        """`" ".join(items)`, where the items are listed here or under a name."""
        separators = self._texts(owner, place)
        if separators is None:
            return None
        found: Texts = []
        for elements, where in _lists(items, place):
            if any(isinstance(element, ast.Starred) for element in elements):
                return None
            pieces: list[Texts] = []
            for element in elements:
                pieces += [separators[:1]] * bool(pieces) + [self._inner(element, where)]
            found += self._joined(pieces)
        return _unique(found) or None

    def _returned(self, call: ast.Call, place: NameScope) -> Texts | None:
        """What a function of the file gives back, when it is one expression."""
        name = last_name(call.func) or ""
        function = self.function_of(call.func, place)
        if function is None or name in place.called:
            return None
        if not isinstance(function.body[-1], ast.Return):
            return None
        value = function.body[-1].value
        if value is None or len(function.body) > 2:
            return None
        inside = place.following(scope_of(function, self.module))
        return self._texts(value, replace(inside, called=place.called | {name}))

    def function_of(self, called: ast.expr, place: NameScope) -> Function | None:
        """The function of the file, or the own method, that is called."""
        if isinstance(called, ast.Name):
            return self.functions.get(called.id)
        if isinstance(called, ast.Attribute) and dotted(called.value) in {"self", "cls"}:
            return place.owner.methods.get(called.attr) if place.owner is not None else None
        return None

    def _named(self, node: ast.Name | ast.Attribute, place: NameScope) -> Texts | None:
        name = dotted(node)
        if name is None:
            return None
        scope, bindings = place.scope.find(name, place.path, place.before)
        if not bindings:
            value = self.attribute_of(name, place)
            return None if value is None else self._texts(value, place.following(self.module))
        found: Texts = []
        opaque = True
        for binding, sure in bindings:
            where = place.following(scope, binding.path, binding.line)
            texts = self._value(name, binding.value, where)
            opaque = texts is None if sure and not binding.adds else opaque and texts is None
            new = [self._hole(node)]
            if binding.adds and binding.value is not None:
                new = self._joined([found or new, self._as_part(binding.value, texts)])
            elif texts is not None:
                new = texts
            found = new if sure else _unique(found + new)
        return None if opaque else _unique(found)[:MAX_TEXTS]

    def _value(self, name: str, value: ast.expr | None, place: NameScope) -> Texts | None:
        if value is None:
            return None
        if name.isupper() and isinstance(value, ast.Constant):
            return self._inner(value, place)
        return self._texts(value, place)

    def attribute_of(self, name: str, place: NameScope) -> ast.expr | None:
        """The class attribute that `self.x`, `cls.x` or `Class.x` reads, in the file."""
        attribute = name.rpartition(".")[2]
        owners = owners_of(name, place.owner, self.classes)
        return next(
            (one.attributes[attribute] for one in owners if attribute in one.attributes), None
        )

    def _looked_up(self, table: ast.expr, key: ast.expr, place: NameScope) -> Texts | None:
        """`TABLE["key"]`, where the table is a constant of the file."""
        entries = self._entries(table, place)
        if isinstance(key, ast.Constant):
            value = entries.get(key.value) if isinstance(key.value, str | int) else None
            return None if value is None else self._texts(value, place.following(self.module))
        if not 0 < len(entries) <= MAX_TEXTS:
            return None
        return self._either(entries.values(), place.following(self.module))

    def _entries(self, table: ast.expr, place: NameScope) -> dict[int | str, ast.expr]:
        name = dotted(table)
        if name is None:
            return entries_of(table)
        _, bindings = place.scope.find(name, place.path, place.before)
        if bindings:
            return entries_of(bindings[-1][0].value if len(bindings) == 1 else None)
        if name != "self.error_messages":
            return entries_of(self.attribute_of(name, place))
        # Django gathers the tables of a field's class and its bases under this name.
        entries: dict[int | str, ast.expr] = {}
        for owner in owners_of(name, place.owner, self.classes):
            for attribute in ("error_messages", "default_error_messages"):
                entries = entries_of(owner.attributes.get(attribute)) | entries
        return entries


def _lists(items: ast.expr, place: NameScope) -> Iterator[tuple[list[ast.expr], NameScope]]:
    """The lists that an expression or the name in it may be, as they were begun: what is
    appended later comes behind their text."""
    if isinstance(items, ast.List | ast.Tuple) and items.elts:
        yield items.elts, place
    elif isinstance(items, ast.Name) and place.depth < MAX_DEPTH:
        scope, bindings = place.scope.find(items.id, place.path, place.before)
        for binding, _ in bindings:
            if binding.value is not None and not binding.adds:
                where = place.following(scope, binding.path, binding.line)
                yield from _lists(binding.value, where)


def _item_of(piece: Fixed | Slot, values: str) -> Fixed | Slot:
    """A numbered slot as an item of the tuple `values`."""
    if isinstance(piece, Slot) and isinstance(piece.key, int):
        return replace(piece, key=f"{values}[{piece.key}]")
    return piece


def _unique(texts: Texts) -> Texts:
    return list(dict.fromkeys(texts))
