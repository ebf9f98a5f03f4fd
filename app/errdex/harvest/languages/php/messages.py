"""PHP's expressions as messages."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.messages.escapes import unescape
from errdex.harvest.messages.formats import formatted, printf
from errdex.harvest.messages.wording import Messages, Wording, combined
from errdex.harvest.model import Fixed, Part, SourceHole
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, first_named, named, one_line, text_of

_WRAPPERS = frozenset(
    """
    __ _ gettext _e esc_html__ esc_attr__ esc_html_e trim rtrim strval ltrim wordwrap nl2br trans
    translate t _x esc_html htmlspecialchars
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_OWN = re.compile(r"^(?:self|static)::")


class PhpMessages(Messages):
    """Strings of all kinds, `.`, `sprintf`, constants and variables."""

    joining = frozenset({"."})

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.forms = {
            "string": self.single,
            "encapsed_string": self.double,
            "heredoc": self.heredoc,
            "nowdoc": self.heredoc,
            "integer": self.literal,
            "float": self.literal,
            "binary_expression": self.binary_form,
            "conditional_expression": self.ternary,
            "parenthesized_expression": self.inner,
            "argument": self.argument,
            "cast_expression": self.cast,
            "name": self.name,
            "variable_name": self.name,
            "dynamic_variable_name": self.braced,
            "class_constant_access_expression": self.name,
            "scoped_property_access_expression": self.name,
            "member_access_expression": self.name,
            "function_call_expression": self.call,
            "member_call_expression": self.method,
            "scoped_call_expression": self.method,
        }

    def single(self, place: Place, step: int) -> list[Wording]:
        """`'…'`."""
        text = text_of(place.node)
        return self.fixed(re.sub(r"\\([\\'])", r"\1", text[text.index("'") + 1 : -1]))

    def double(self, place: Place, step: int) -> list[Wording]:
        """`"…"` with variables in it."""
        return self._joined(place, place.node.named_children, step)

    def _joined(self, place: Place, children: Iterable[Node], step: int) -> list[Wording]:
        ways: list[list[Wording]] = []
        for child in children:
            if child.type in {"string_content", "escape_sequence", "nowdoc_string"}:
                text = text_of(child)
                ways.append(self.fixed(text if child.type[0] == "n" else unescape(text)))
            else:
                ways.append(self.read(place.of(child), step))
        return combined(ways) if ways else self.fixed("")

    def braced(self, place: Place, step: int) -> list[Wording]:
        """`${name}`, as `$name` was written as well."""
        name = f"${text_of(first_named(place.node))}"
        return self.named_value(name, place, step) or [Wording((SourceHole(name),))]

    def heredoc(self, place: Place, step: int) -> list[Wording]:
        """`<<<END`, without the margin that its end has."""
        body = place.node.child_by_field_name("value")
        end = place.node.child_by_field_name("end_tag")
        if body is None:
            return []
        margin = end.start_point[1] if end is not None else 0
        cut = re.compile(rf"\n[ \t]{{0,{margin}}}")
        ways: list[list[Wording]] = [self.fixed("\n")]
        position = body.start_byte
        for child in body.children:
            gap = (body.text or b"")[
                position - body.start_byte : child.start_byte - body.start_byte
            ]
            if gap.strip() == b"" and gap:  # the line breaks belong to no node
                ways.append(self.fixed(gap.decode()))
            if child.is_named:
                ways.append(self._joined(place.of(body), [child], step))
            position = child.end_byte
        return [Wording(_cut(way.parts, cut), way.when) for way in combined([w for w in ways if w])]

    def binary_form(self, place: Place, step: int) -> list[Wording]:
        """`a . b`, and `a ?? b` where `b` stands in for `a`."""
        left, operator, right = self.operands(place.node)
        if text_of(operator) == "??" and left is not None and right is not None:
            return self.otherwise(place, left, right, step)
        return self.operation(place, step)

    def ternary(self, place: Place, step: int) -> list[Wording]:
        """`a ? b : c` and `a ?: b`."""
        test, other = (place.node.child_by_field_name(f) for f in ("condition", "alternative"))
        if place.node.child_by_field_name("body") is None and test and other:
            return self.otherwise(place, test, other, step)
        return self.choice(place, step)

    def name(self, place: Place, step: int) -> list[Wording]:
        """Variables and constants; `self::X` by the class around it."""
        name = text_of(place.node)
        return self.named_value(_OWN.sub("self::", name), place, step)

    def arguments(self, place: Place) -> list[Place]:
        """What a call or a constructor is given."""
        given = place.node.child_by_field_name("arguments") or next(
            (child for child in place.node.children if child.type == "arguments"), None
        )
        return [place.of(given, each) for each in named(given)] if given is not None else []

    def call(self, place: Place, step: int) -> list[Wording]:
        """`sprintf`, `implode`, translations."""
        name = one_line(place.node.child_by_field_name("function")).lstrip("\\")
        arguments = self.arguments(place)
        if not arguments:
            return []
        if name in {"sprintf", "vsprintf"}:
            return self.formatted(arguments, step, spread=name == "vsprintf")
        if name in {"implode", "join"} and len(arguments) == 2:
            return self._imploded(arguments, step)
        if name in _WRAPPERS:
            return self.read(arguments[0], step)
        return self.made_by(name.rpartition("\\")[2], arguments, step)

    def method(self, place: Place, step: int) -> list[Wording]:
        """A method of the class around that makes a text."""
        receiver = place.node.child_by_field_name("object")
        receiver = receiver or place.node.child_by_field_name("scope")
        if one_line(receiver) not in {"$this", "self", "static"}:
            return []
        name = text_of(place.node.child_by_field_name("name"))
        return self.made_by(name, self.arguments(place), step)

    def formatted(
        self, arguments: list[Place], step: int = 0, *, spread: bool = False
    ) -> list[Wording]:
        """A format and its values."""
        values = [self.read(each, step) for each in arguments[1:]]
        return formatted(self.read(arguments[0], step), printf, None if spread else values)

    def _imploded(self, arguments: list[Place], step: int) -> list[Wording]:
        inner = named(arguments[1].node)
        if not inner or inner[0].type != "array_creation_expression":
            return []
        array = arguments[1].of(inner[0])
        between = self.read(arguments[0], step)
        items = [
            self.read(array.of(element, named(element)[-1]), step)
            for element in named(array.node)
            if named(element)
        ]
        return combined([way for item in items for way in (between, item)][1:])


def _cut(parts: tuple[Part, ...], margin: re.Pattern[str]) -> tuple[Part, ...]:
    """Without the margin of each line and the line break at the beginning."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, Fixed) and isinstance(last, Fixed):
            joined[-1] = Fixed(last.text + part.text)
        else:
            joined.append(part)
    cut = [Fixed(margin.sub("\n", p.text)) if isinstance(p, Fixed) else p for p in joined]
    if cut and isinstance(first := cut[0], Fixed):
        cut[0] = Fixed(first.text.lstrip("\n"))
    return tuple(cut)
