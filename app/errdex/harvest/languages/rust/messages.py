"""Rust's expressions as messages, and the arguments of its macros, which the grammar gives
as bare tokens."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.messages.escapes import unescape
from errdex.harvest.messages.formats import Arguments, braces, formatted
from errdex.harvest.messages.wording import Messages, Wording, combined
from errdex.harvest.model import SourceHole
from errdex.harvest.trees.bindings import Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, named, one_line, text_of

STRINGS = frozenset({"string_literal", "raw_string_literal"})
_UNCHANGING = frozenset(
    "into to_string to_owned as_str clone into_boxed_str trim as_ref to_string_lossy".split()  # noqa: SIM905
)
_MAKING = re.compile(
    r"(?:^|::)(?:String|Cow|Box|Arc|Rc|Text|SharedString)(?:<.*>)?::(?:from|new)$|^Some$"
)
_SHELLS = frozenset({"expression_statement", "try_expression"})
_FORMATTING = frozenset({"format", "format_args", "anyhow", "eyre", "formatdoc", "indoc"})
_CONTINUED = re.compile(r"(?<!\\)((?:\\\\)*)\\\r?\n\s*")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a macro: its tokens, and its name if it has one (`x = …`)."""

    nodes: list[Node]
    name: str | None = None

    @property
    def literal(self) -> Node | None:
        """The string literal that it is."""
        only = self.nodes[0] if len(self.nodes) == 1 else None
        return only if only is not None and only.type in STRINGS else None


class RustMessages(Messages):
    """String literals, `format!`, conversions, names."""

    def __init__(self, names: Names, guards: Guards) -> None:
        super().__init__(names, guards)
        self.forms = {
            "string_literal": self.string,
            "raw_string_literal": self.raw,
            "integer_literal": self.literal,
            "binary_expression": self.operation,
            "parenthesized_expression": self.inner,
            "reference_expression": self.reference,
            "identifier": self.name,
            "scoped_identifier": self.name,
            "macro_invocation": self.macro,
            "call_expression": self.call,
            "closure_expression": self.body,
            "block": self.block,
            "if_expression": self.branches,
        }

    def string(self, place: Place, step: int) -> list[Wording]:
        """`"…"`."""
        text = text_of(place.node)
        text = text[text.index('"') + 1 : -1]
        return self.fixed(unescape(_CONTINUED.sub(r"\1", text)))

    def raw(self, place: Place, step: int) -> list[Wording]:
        """`r#"…"#`."""
        inner = [child for child in place.node.children if child.type == "string_content"]
        return self.fixed(text_of(inner[0]) if inner else "")

    def reference(self, place: Place, step: int) -> list[Wording]:
        """`&…`."""
        value = place.node.child_by_field_name("value")
        return self.read(place.of(value), step) if value is not None else []

    def body(self, place: Place, step: int) -> list[Wording]:
        """`|| …`."""
        body = place.node.child_by_field_name("body")
        return self.read(place.of(body), step) if body is not None else []

    def block(self, place: Place, step: int) -> list[Wording]:
        """A block that is one expression."""
        inner = named(place.node)
        return self.read(place.of(inner[-1]), step) if len(inner) == 1 else []

    def branches(self, place: Place, step: int) -> list[Wording]:
        """`if … { "…" } else { "…" }`."""
        other = self.guards.else_of(place.node)
        test, then = self.guards.test_of(place.node), self.guards.then_of(place.node)
        if test is None or then is None or other is None:
            return []
        condition, opposite = self.guards.text(test), self.guards.opposite(test)
        return [
            Wording(way.parts, (said, *way.when))
            for said, node in ((condition, then), (opposite, other))
            for way in self.read(place.of(node), step)
        ]

    def call(self, place: Place, step: int) -> list[Wording]:
        """`"…".to_string()`, `String::from("…")`."""
        function = place.node.child_by_field_name("function")
        arguments = self.arguments(place)
        if function is None:
            return []
        if function.type == "field_expression" and not arguments:
            receiver = function.child_by_field_name("value")
            method = text_of(function.child_by_field_name("field"))
            if receiver is not None and method in _UNCHANGING:
                return self.read(place.of(function, receiver), step)
        if arguments and _MAKING.search(one_line(function)):
            return self.read(arguments[0], step)
        return []

    def arguments(self, place: Place) -> list[Place]:
        """What a call is given."""
        given = place.node.child_by_field_name("arguments")
        return [place.of(given, each) for each in named(given)] if given is not None else []

    def macro(self, place: Place, step: int) -> list[Wording]:
        """`format!(…)`, `concat!(…)`."""
        name = one_line(place.node.child_by_field_name("macro")).rpartition("::")[2]
        arguments = macro_arguments(place.node)
        if name == "concat":
            return combined([self._token(place, each) for each in arguments])
        if name in _FORMATTING and arguments and arguments[0].literal is not None:
            return self.formatted(place, arguments)
        return []

    def concatenated(self, place: Place, argument: Argument) -> list[Wording]:
        """`concat!(…)` as the argument of another macro, whose tokens are bare. Empty when the
        argument is none."""
        nodes = argument.nodes
        if [text_of(node) for node in nodes[:-1]] != ["concat", "!"]:
            return []
        texts = [node for node in nodes[-1].children if node.type in STRINGS]
        return combined([self.read(place.of(each)) for each in texts])

    def formatted(self, place: Place, arguments: list[Argument]) -> list[Wording]:
        """A format (the first argument) and what fills it."""
        literal = arguments[0].literal
        if literal is None:
            return []
        values = [self._token(place, each) for each in arguments[1:] if each.name is None]
        names = {each.name: self._token(place, each) for each in arguments[1:] if each.name}
        if not values:  # `{0}` of an error's own first field
            return formatted(self.read(place.of(literal)), lambda t, _: _numbered(t, names), None)
        return formatted(
            self.read(place.of(literal)), lambda text, given: braces(text, given, names), values
        )

    def written(self, statement: Place) -> list[Wording]:
        """What a statement writes: `write!(f, …)?;`, `f.write_str(…)`. Empty for any other."""
        place = statement
        while place.node.type in _SHELLS and (inner := named(place.node)):
            place = place.of(inner[0])
        macro = one_line(place.node.child_by_field_name("macro"))
        if macro in {"write", "writeln"}:
            arguments = macro_arguments(place.node)
            if len(arguments) < 2 or arguments[1].literal is None:
                return []
            ways = self.formatted(place, arguments[1:])
            return combined([ways, self.fixed("\n")]) if macro == "writeln" else ways
        function = place.node.child_by_field_name("function")
        given = self.arguments(place)
        if function is not None and given and one_line(function).endswith(".write_str"):
            return self.read(given[-1])
        return []

    def _token(self, place: Place, argument: Argument) -> list[Wording]:
        if argument.literal is not None:
            return self.read(place.of(argument.literal))
        return [Wording((SourceHole(source_of(argument.nodes)),))]


def statements_around(place: Place) -> tuple[list[Place], int]:
    """The statements of the block right around a place, and which of them it is in."""
    inner = place.node
    for at in range(len(place.path) - 1, -1, -1):
        block = place.path[at]
        if block.type == "block":
            statements = [Place(each, place.path[: at + 1]) for each in named(block)]
            return statements, [each.node.id for each in statements].index(inner.id)
        if block.type not in _SHELLS:
            break
        inner = block
    return [place], 0


def _numbered(text: str, names: dict[str, list[Wording]]) -> list[Wording]:
    numbers: Arguments = [[Wording((SourceHole(str(number)),))] for number in range(10)]
    has_unnamed = "{}" in text or "{:" in text
    return braces(text, None if has_unnamed else numbers, names)


def macro_arguments(node: Node) -> list[Argument]:
    """The arguments of a macro or an attribute, split at the commas."""
    tree = next((child for child in node.children if child.type == "token_tree"), None)
    if tree is None:
        return []
    arguments: list[Argument] = []
    waiting: list[Node] = []
    for token in [*tree.children[1:-1], None]:
        if token is not None and token.type not in {",", ";"}:
            if "comment" not in token.type:
                waiting.append(token)
            continue
        if waiting:
            is_named = len(waiting) > 2 and text_of(waiting[1]) == "="
            name = text_of(waiting[0]) if is_named else None
            arguments.append(Argument(waiting[2:] if is_named else waiting, name))
        waiting = []
    return arguments


def source_of(nodes: list[Node]) -> str:
    """Tokens as the source writes them."""
    if not nodes or nodes[0].parent is None:
        return ""
    around = nodes[0].parent
    begin = around.start_byte
    text = (around.text or b"")[nodes[0].start_byte - begin : nodes[-1].end_byte - begin]
    return " ".join(text.decode("utf-8", "replace").split())
