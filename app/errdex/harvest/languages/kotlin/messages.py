"""Kotlin's expressions as messages, and what its calls are made of."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.messages.escapes import unescape, unindented
from errdex.harvest.messages.formats import Arguments, formatted, has_verbs, printf, slots
from errdex.harvest.messages.wording import Messages, Wording, combined
from errdex.harvest.model import Fixed, SourceHole
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, named, one_line, text_of

_NAME = re.compile(r"\$(?P<name>[A-Za-z_]\w*|`[^`]+`)|\\u(?P<code>[0-9a-fA-F]{4})")
_UNCHANGING = frozenset({"trimIndent", "trimMargin", "trim", "toString", "trimEnd"})


@dataclass(frozen=True, slots=True)
class Call:
    """A call: what is called, as the source writes it, its arguments, and its last one when
    that is a lambda behind the parentheses."""

    name: str
    arguments: list[Place]
    block: Place | None


class KotlinMessages(Messages):
    """String templates, `+`, `if` and `?:` as expressions, formats, names."""

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.forms = {
            "string_literal": self.string,
            "multiline_string_literal": self.string,
            "character_literal": self.character,
            "number_literal": self.literal,
            "binary_expression": self.binary_form,
            "if_expression": self.branches,
            "parenthesized_expression": self.inner,
            "as_expression": self.inner,
            "value_argument": self.argument,
            "lambda_literal": self.block,
            "block": self.block,
            "identifier": self.name,
            "navigation_expression": self.name,
            "call_expression": self.called,
        }

    def string(self, place: Place, step: int) -> list[Wording]:
        """`"…"` and `\"\"\"…\"\"\"`, whose `$name` the grammar leaves in the text."""
        ways: list[list[Wording]] = []
        text = ""
        for child in place.node.named_children:
            if child.type == "string_content":
                text += text_of(child)
                continue
            ways += self._pieces(place, text, step)
            text = ""
            if child.type == "interpolation":
                inner = named(child)
                ways.append(self.read(place.of(child, inner[0]), step) if inner else [])
            else:
                ways.append(self.fixed(unescape(text_of(child))))
        ways += self._pieces(place, text, step)
        return combined([way for way in ways if way]) if ways else self.fixed("")

    def _pieces(self, place: Place, text: str, step: int) -> list[list[Wording]]:
        ways: list[list[Wording]] = []
        position = 0
        for found in _NAME.finditer(text):
            ways.append(self.fixed(text[position : found.start()]))
            position = found.end()
            if found["code"]:
                ways.append(self.fixed(chr(int(found["code"], 16))))
            else:
                hole = Wording((SourceHole(found["name"]),))
                ways.append(self.named_value(found["name"], place, step + 1, hole) or [hole])
        ways.append(self.fixed(text[position:]))
        return ways if text else []

    def character(self, place: Place, step: int) -> list[Wording]:
        """`'x'`."""
        return self.fixed(unescape(text_of(place.node)[1:-1]))

    def block(self, place: Place, step: int) -> list[Wording]:
        """A lambda or a block: its last expression, when it has only one."""
        inner = [each for each in named(place.node) if each.type != "lambda_parameters"]
        return self.read(place.of(inner[-1]), step) if len(inner) == 1 else []

    def binary_form(self, place: Place, step: int) -> list[Wording]:
        """`a + b`, and `a ?: b` where `b` stands in for `a`."""
        left, operator, right = self.operands(place.node)
        if text_of(operator) == "?:" and left is not None and right is not None:
            return self.otherwise(place, left, right, step)
        return self.operation(place, step)

    def branches(self, place: Place, step: int) -> list[Wording]:
        """`if (…) "…" else "…"`."""
        test, then = self.guards.test_of(place.node), self.guards.then_of(place.node)
        other = self.guards.else_of(place.node)
        if test is None or then is None or other is None:
            return []
        told = ((self.guards.text(test), then), (self.guards.opposite(test), other))
        return [
            Wording(way.parts, (condition, *way.when))
            for condition, node in told
            if not self.guards.leaves(node)
            for way in self.read(place.of(node), step)
        ]

    def called(self, place: Place, step: int) -> list[Wording]:
        """Formats, and what does not change a text."""
        call = call_of(place)
        receiver, _, name = call.name.rpartition(".")
        target = place.node.children[0]
        if target.type == "navigation_expression":
            if name in _UNCHANGING and not call.arguments:
                return _unindented(self.read(place.of(target, target.children[0]), step), name)
            if name == "format" and receiver != "String":
                values = [self.read(each, step) for each in call.arguments]
                text = self.read(place.of(target, target.children[0]), step)
                return formatted(text, _java_printf, values)
        if call.name == "String.format" and call.arguments:
            values = [self.read(each, step) for each in call.arguments[1:]]
            return formatted(self.read(call.arguments[0], step), _java_printf, values)
        return self.made_by(name, call.arguments, step)

    def with_values(self, arguments: list[Place]) -> list[Wording]:
        """A text and the values for its `{}` or `%s`."""
        return self.fill(self.read(arguments[0]), [self.read(each) for each in arguments[1:]])

    def fill(self, ways: list[Wording], values: Arguments) -> list[Wording]:
        """A text with the values for its `{}` or `%s` put in."""
        text = "".join(part.text for way in ways for part in way.parts if isinstance(part, Fixed))
        if values and "{}" in text:
            return formatted(ways, slots, values)
        return formatted(ways, _java_printf, values) if values and has_verbs(text) else ways


def call_of(place: Place) -> Call:
    """What a call is made of."""
    inside, block = place, None
    first = place.node.children[0]
    for child in place.node.children:
        if child.type == "annotated_lambda" and named(child):
            block = place.of(child, named(child)[-1])
    if block is not None and first.type == "call_expression":
        inside = place.of(first)
        first = first.children[0]
    given: Node | None = next(
        (child for child in inside.node.children if child.type == "value_arguments"), None
    )
    arguments = [inside.of(given, each) for each in named(given)] if given is not None else []
    return Call(one_line(first).replace("?.", "."), arguments, block)


def _java_printf(text: str, arguments: Arguments | None) -> list[Wording]:
    return printf(text, arguments, java=True)


def _unindented(ways: list[Wording], how: str) -> list[Wording]:
    if not how.startswith("trim") or how == "trim":
        return ways
    margin = r"\n[ \t]*\|" if how == "trimMargin" else r"\n[ \t]+"
    return [
        Wording(
            tuple(
                Fixed(
                    unindented(part.text)
                    if len(way.parts) == 1 and how == "trimIndent"
                    else re.sub(margin, "\n", part.text)
                )
                if isinstance(part, Fixed)
                else part
                for part in way.parts
            ),
            way.when,
        )
        for way in ways
    ]
