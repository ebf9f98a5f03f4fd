"""C#'s expressions as messages."""

from __future__ import annotations

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.messages.escapes import unescape, unindented
from errdex.harvest.messages.formats import Arguments, braces, formatted
from errdex.harvest.messages.wording import Messages, Wording, combined
from errdex.harvest.model import SourceHole
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, named, one_line, text_of

_UNCHANGING = frozenset({"ToString", "Trim", "TrimEnd"})
_FORMATS = re.compile(r"(?:^|\.)(?:[sS]tring\.Format|SR\.Format|FormatInvariant|FormatWith)$")
_NAMED = re.compile(r"\{[@$]?[A-Za-z_]\w*(?P<rest>[,:][^{}]*)?\}")


class CSharpMessages(Messages):
    """All forms of strings, `+`, `string.Format`, `nameof`, names."""

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.forms = {
            "string_literal": self.string,
            "verbatim_string_literal": self.verbatim,
            "raw_string_literal": self.raw,
            "interpolated_string_expression": self.interpolated,
            "character_literal": self.string,
            "integer_literal": self.literal,
            "real_literal": self.literal,
            "binary_expression": self.binary_form,
            "conditional_expression": self.choice,
            "parenthesized_expression": self.inner,
            "postfix_unary_expression": self.inner,
            "argument": self.argument,
            "cast_expression": self.cast,
            "identifier": self.name,
            "member_access_expression": self.member,
            "invocation_expression": self.call,
            "arrow_expression_clause": self.inner,
        }

    def string(self, place: Place, step: int) -> list[Wording]:
        """`"…"` and `'x'`."""
        return self.fixed(unescape(text_of(place.node).removesuffix("u8")[1:-1]))

    def verbatim(self, place: Place, step: int) -> list[Wording]:
        """`@"…"`."""
        return self.fixed(text_of(place.node)[2:-1].replace('""', '"'))

    def raw(self, place: Place, step: int) -> list[Wording]:
        """`\"\"\"…\"\"\"`."""
        content = [child for child in place.node.children if child.type == "raw_string_content"]
        text = text_of(content[0]) if content else ""
        return self.fixed(unindented(text) if "\n" in text else text)

    def interpolated(self, place: Place, step: int) -> list[Wording]:
        """`$"…{x}…"` in all its forms."""
        start = "".join(text_of(each) for each in place.node.children if each.type in _STARTS)
        ways: list[list[Wording]] = []
        for child in place.node.named_children:
            if child.type == "interpolation":
                ways.append(self._interpolation(place, child, step))
            elif child.type not in _STARTS:
                ways.append(self.fixed(_content(text_of(child), start)))
        return combined(ways)

    def _interpolation(self, place: Place, node: Node, step: int) -> list[Wording]:
        inner = [each for each in named(node) if not each.type.startswith("interpolation_")]
        if not inner:
            return []
        formats = any(each.type.startswith("interpolation_f") for each in named(node))
        if formats or any(each.type.startswith("interpolation_a") for each in named(node)):
            return [Wording((SourceHole(one_line(inner[0])),))]
        return self.read(place.of(node, inner[0]), step)

    def binary_form(self, place: Place, step: int) -> list[Wording]:
        """`a + b`, and `a ?? b` where `b` stands in for `a`."""
        left, right = (place.node.child_by_field_name(side) for side in ("left", "right"))
        if "??" in [child.type for child in place.node.children] and left and right:
            return self.otherwise(place, left, right, step)
        return self.operation(place, step)

    def member(self, place: Place, step: int) -> list[Wording]:
        """`Errors.Missing`, `this.prefix`."""
        name = text_of(place.node)
        return self.named_value(name, place, step) or self.named_value(
            name.removeprefix("this."), place, step
        )

    def arguments(self, place: Place) -> list[Place]:
        """What a call or a constructor is given."""
        given = place.node.child_by_field_name("arguments")
        return [place.of(given, each) for each in named(given)] if given is not None else []

    def call(self, place: Place, step: int) -> list[Wording]:
        """`nameof`, `string.Format`, `string.Concat`, what does not change a text."""
        function = place.node.child_by_field_name("function")
        name, arguments = one_line(function), self.arguments(place)
        if function is not None and function.type == "member_access_expression":
            receiver = function.child_by_field_name("expression")
            method = text_of(function.child_by_field_name("name"))
            if receiver is not None and method in _UNCHANGING and not arguments:
                return self.read(place.of(function, receiver), step)
            if receiver is not None and method in _FORMATTED and arguments:
                return self.filled_format([place.of(function, receiver), *arguments], step)
        if not arguments:
            return []
        if name == "nameof":
            return self.fixed(one_line(arguments[0].node).rpartition(".")[2])
        if name in {"string.Concat", "String.Concat"}:
            return combined([self.read(each, step) for each in arguments])
        if name in {"FormattableString.Invariant", "string.Create", "Invariant"}:
            return self.read(arguments[-1], step)
        if _FORMATS.search(name):
            return self.filled_format(arguments, step)
        return self.made_by(name.rpartition(".")[2], arguments, step)

    def filled_format(self, arguments: list[Place], step: int = 0) -> list[Wording]:
        """`{0}` and the values for it, perhaps behind a culture."""
        if len(arguments) > 1 and not any(way.has_text for way in self.read(arguments[0], step)):
            is_culture = _CULTURE.match(one_line(arguments[0].node)) is not None
            if is_culture or any(way.has_text for way in self.read(arguments[1], step)):
                arguments = arguments[1:]
        values = [
            self.read(each, step)
            for each in arguments[1:]
            if not _CULTURE.match(one_line(each.node))
        ]
        return formatted(self.read(arguments[0], step), braces, values)

    def template(self, arguments: list[Place]) -> list[Wording]:
        """A logger's `{Name}`s and the values for them, in their order."""
        values = [self.read(each) for each in arguments[1:]]
        return formatted(self.read(arguments[0]), _by_order, values if values else None)


_CULTURE = re.compile(r"(?:\w+\.)*CultureInfo\.")
_FORMATTED = frozenset({"FormatWith", "FormatInvariant", "Fmt", "With", "Formatted"})
"""Extension methods that fill in the text that they are called on."""
_STARTS = frozenset({"interpolation_start", "interpolation_quote"})


def _content(text: str, start: str) -> str:
    if '"""' in start:
        return text
    text = text.replace("{{", "{").replace("}}", "}")
    return text.replace('""', '"') if "@" in start else unescape(text)


def _by_order(text: str, arguments: Arguments | None) -> list[Wording]:
    if arguments is None:
        return braces(text, None, {})
    return braces(_NAMED.sub(lambda found: f"{{{found['rest'] or ''}}}", text), arguments)
