"""Ruby's expressions as messages."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.messages.escapes import unescape
from errdex.harvest.messages.formats import Arguments, formatted, has_verbs, printf
from errdex.harvest.messages.wording import Messages, Wording, combined
from errdex.harvest.model import Fixed, Part
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, first_named, named, one_line, text_of

_UNCHANGING = frozenset(
    """
    freeze to_s to_str strip chomp squish dup html_safe lstrip rstrip itself strip_heredoc presence
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_WRAPPERS = frozenset({"_", "gettext", "String"})
_NAMED = re.compile(r"%\{(\w+)\}")


class RubyMessages(Messages):
    """Strings of all kinds, heredocs, `+`, `<<`, `%`, `format`, names."""

    binary = frozenset({"binary"})

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.heredocs: dict[int, Place] = {}
        """The body of each heredoc by the id of its beginning."""
        self.forms = {
            "string": self.string,
            "chained_string": self.chained,
            "heredoc_beginning": self.heredoc,
            "integer": self.literal,
            "float": self.literal,
            "simple_symbol": self.symbol,
            "binary": self.binary_form,
            "unary": self.unfrozen,
            "conditional": self.choice,
            "if": self.choice,
            "elsif": self.choice,
            "then": self.last,
            "else": self.last,
            "element_reference": self.name,
            "parenthesized_statements": self.inner,
            "identifier": self.name,
            "constant": self.name,
            "scope_resolution": self.name,
            "instance_variable": self.name,
            "call": self.call,
            "block": self.block,
            "do_block": self.block,
            "block_body": self.inner,
        }

    def string(self, place: Place, step: int) -> list[Wording]:
        """`"…"`, `'…'`, `%q(…)`, `%Q(…)`."""
        opening = text_of(place.node.children[0]) if place.node.children else '"'
        plain = opening.startswith(("'", "%q"))
        return self._joined(place, place.node.named_children, step, plain=plain)

    def _joined(
        self, place: Place, children: Iterable[Node], step: int, *, plain: bool = False
    ) -> list[Wording]:
        ways: list[list[Wording]] = []
        for child in children:
            if child.type == "interpolation":
                inner = first_named(child)
                ways.append(self.read(place.of(child, inner), step) if inner else [])
            elif plain:
                ways.append(self.fixed(re.sub(r"\\([\\'])", r"\1", text_of(child))))
            else:
                ways.append(self.fixed(unescape(text_of(child))))
        return combined([way for way in ways if way]) if ways else self.fixed("")

    def chained(self, place: Place, step: int) -> list[Wording]:
        """`"…" "…"`."""
        return combined([self.read(place.of(each), step) for each in named(place.node)])

    def heredoc(self, place: Place, step: int) -> list[Wording]:
        """`<<~END`, whose text stands on the lines behind."""
        body = self.heredocs.get(place.node.id)
        if body is None:
            return []
        opening = text_of(place.node)
        children = [each for each in body.node.named_children if each.type != "heredoc_end"]
        ways = self._joined(body, children, step, plain="'" in opening)
        return [Wording(_dedented(way.parts, squiggly="~" in opening), way.when) for way in ways]

    def unfrozen(self, place: Place, step: int) -> list[Wording]:
        """`+"…"`."""
        operand = place.node.child_by_field_name("operand")
        if operand is None or not text_of(place.node).startswith(("+", "-")):
            return []
        return self.read(place.of(operand), step) if is_text(operand) else []

    def last(self, place: Place, step: int) -> list[Wording]:
        """A branch that is one expression."""
        inner = named(place.node)
        return self.read(place.of(inner[0]), step) if len(inner) == 1 else []

    def symbol(self, place: Place, step: int) -> list[Wording]:
        """`:name`."""
        return self.fixed(text_of(place.node).lstrip(":"))

    def block(self, place: Place, step: int) -> list[Wording]:
        """A block that is one expression."""
        inner = first_named(place.node.child_by_field_name("body"))
        body = place.node.child_by_field_name("body")
        if body is None or inner is None or len(named(body)) != 1:
            return []
        return self.read(place.of(body, inner), step)

    def binary_form(self, place: Place, step: int) -> list[Wording]:
        """`+`, `<<`, `%`, `||`."""
        left, operator, right = self.operands(place.node)
        if left is None or right is None:
            return []
        match text_of(operator):
            case "%":
                return self._percent(place.of(left), place.of(right), step)
            case "<<":
                first = self.read(place.of(left), step)
                if any(way.has_text for way in first):
                    return combined([first, self.read(place.of(right), step)])
                return []
            case "||" | "or":
                return self.otherwise(place, left, right, step)
        return self.operation(place, step)

    def _percent(self, left: Place, right: Place, step: int) -> list[Wording]:
        formats = self.read(left, step)
        if not any(way.has_text for way in formats):
            return []
        if right.node.type == "array":
            values = [self.read(right.of(each), step) for each in named(right.node)]
            return formatted(formats, _ruby_printf, values)
        if right.node.type == "hash":
            return formatted(formats, _ruby_printf, None)
        return formatted(formats, _ruby_printf, [self.read(right, step)])

    def arguments(self, place: Place) -> list[Place]:
        """What a call is given."""
        given = place.node.child_by_field_name("arguments")
        return [place.of(given, each) for each in named(given)] if given is not None else []

    def call(self, place: Place, step: int) -> list[Wording]:
        """`format`, `.join`, `.concat`, what does not change a text."""
        node = place.node
        method = text_of(node.child_by_field_name("method"))
        receiver = node.child_by_field_name("receiver")
        arguments = self.arguments(place)
        if receiver is not None:
            target = place.of(receiver)
            if method in _UNCHANGING and not arguments:
                return self.read(target, step)
            if method == "concat":
                return combined([self.read(each, step) for each in (target, *arguments)])
            if method == "join" and receiver.type == "array":
                between = self.read(arguments[0], step) if arguments else self.fixed("")
                items = [self.read(target.of(each), step) for each in named(receiver)]
                return combined([way for item in items for way in (between, item)][1:])
        if method in {"format", "sprintf", "printf"} and arguments:
            values = [self.read(each, step) for each in arguments[1:]]
            has_names = any(each.node.type in {"pair", "hash"} for each in arguments[1:])
            given = None if has_names else values
            return formatted(self.read(arguments[0], step), _ruby_printf, given)
        if receiver is None and method in _WRAPPERS and arguments:
            return self.read(arguments[0], step)
        return self._translated(arguments, step) if method in {"t", "translate"} else []

    def fill(self, ways: list[Wording], values: Arguments) -> list[Wording]:
        """A text with the values for its `%s` put in."""
        texts = [part.text for way in ways for part in way.parts if isinstance(part, Fixed)]
        is_format = bool(values) and any(map(has_verbs, texts))
        return formatted(ways, _ruby_printf, values) if is_format else ways

    def _translated(self, arguments: list[Place], step: int) -> list[Wording]:
        """`I18n.t("a.key", default: "…")`."""
        for argument in arguments:
            key, value = (argument.node.child_by_field_name(side) for side in ("key", "value"))
            if text_of(key) == "default" and value is not None:
                return self.read(argument.of(value), step)
        return []


def _ruby_printf(text: str, arguments: Arguments | None) -> list[Wording]:
    return printf(_NAMED.sub(r"%<\1>s", text), arguments)


def _dedented(parts: tuple[Part, ...], *, squiggly: bool) -> tuple[Part, ...]:
    """Without the line break at the beginning and, for `<<~`, the margin of all lines."""
    text = "".join(part.text if isinstance(part, Fixed) else "x" for part in parts)
    lines = [line for line in text.split("\n")[1:] if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    cut = re.compile(rf"\n[ \t]{{0,{margin if squiggly else 0}}}")
    dedented = [
        Fixed(cut.sub("\n", part.text)) if isinstance(part, Fixed) else part for part in parts
    ]
    if dedented and isinstance(first := dedented[0], Fixed):
        dedented[0] = Fixed(first.text.removeprefix("\n"))
    return tuple(dedented)


def is_text(node: Node) -> bool:
    """Whether a node is a string by its form."""
    return node.type in {"string", "chained_string", "heredoc_beginning", "binary"} or (
        node.type == "call" and one_line(node).startswith(('"', "'", "<<", "format", "sprintf"))
    )
