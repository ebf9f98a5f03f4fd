"""Which names a PHP file gives values, which classes it has and uses, and what its
exceptions make of their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from errdex.harvest.languages.php.guards import FUNCTIONS
from errdex.harvest.languages.php.messages import PhpMessages
from errdex.harvest.messages.formats import formatted, has_verbs, printf
from errdex.harvest.messages.wording import Wording
from errdex.harvest.model import Fixed
from errdex.harvest.trees.details import Brought
from errdex.harvest.trees.finder import Finder
from errdex.harvest.trees.syntax import Place, first_named, inner_nodes, named, one_line, text_of

CLASSES = frozenset(
    {"class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"}
)


class PhpBinder(Finder):
    """The part of the finder that follows names."""

    functions = FUNCTIONS
    classes = CLASSES
    separator = "::"
    bound_at = (
        frozenset(
            """
            namespace_definition namespace_use_declaration assignment_expression const_element
            augmented_assignment_expression simple_parameter foreach_statement catch_clause
            method_declaration property_element function_call_expression update_expression
            """.split()  # noqa: SIM905 - a list of words reads best as words
        )
        | CLASSES
    )
    returns = frozenset({"return_statement"})
    makes = frozenset({"encapsed_string", "binary_expression", "function_call_expression"})
    messages: PhpMessages
    may_lack = True

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self._namespace = ""
        self._used: dict[str, str] = {}
        """The full names of classes that are used by a shorter one."""

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a function or a method."""
        if not place.node.type.endswith("call_expression"):
            return None
        name = place.node.child_by_field_name("name") or place.node.child_by_field_name("function")
        if name is None:
            return None
        return one_line(name).rpartition("\\")[2], self.messages.arguments(place), place.line

    def is_own_call(self, place: Place) -> bool:
        """Whether it is no method, or one of `$this` or of the class around."""
        receiver = place.node.child_by_field_name("object")
        receiver = receiver or place.node.child_by_field_name("scope")
        return one_line(receiver) in {"", "$this", "self", "static", "parent"}

    def receiver_of(self, place: Place) -> str:
        """`NotFound` of `NotFound::create($id)`, the class around of `self::create($id)`."""
        scope = one_line(place.node.child_by_field_name("scope"))
        if scope in {"self", "static"}:
            return self._owner_of(place)
        return "" if scope == "parent" or "$" in scope else simple_name(scope)

    def parameters_of(self, function: Node) -> list[str]:
        """Of a function or a method."""
        return [
            "" if each.type == "variadic_parameter" else text_of(each.child_by_field_name("name"))
            for each in named(function.child_by_field_name("parameters"))
        ]

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """As `sprintf` does."""
        texts = [part.text for way in ways for part in way.parts if isinstance(part, Fixed)]
        if not values or not any(map(has_verbs, texts)):
            return ways
        return formatted(ways, printf, [self.messages.read(each) for each in values])

    def bind(self, place: Place) -> None:
        """Constants, assignments, parameters, classes."""
        node = place.node
        match node.type:
            case "namespace_definition":
                self._namespace = one_line(node.child_by_field_name("name"))
            case "namespace_use_declaration":
                self._note_used(node)
            case "assignment_expression" | "augmented_assignment_expression":
                self._bind_assigned(place)
            case "const_element" | "property_element":
                self._bind_member(place)
            case "function_call_expression":
                self._bind_defined(place)
            case "method_declaration":
                self._note_constructor(place)
            case "foreach_statement" | "catch_clause" | "update_expression":
                self._bind_others(place)
            case "simple_parameter":
                self.names.bind(text_of(node.child_by_field_name("name")), place, None)
            case _:
                self._note_class(place)

    def full_name(self, name: str) -> str:
        """A class as PHP prints it: with its namespace."""
        if name.startswith("\\"):
            return name[1:]
        first, separator, rest = name.partition("\\")
        if first in self._used:
            return self._used[first] + separator + rest
        return f"{self._namespace}\\{name}" if self._namespace else name

    def simple_name(self, name: str) -> str:
        """Without its namespace."""
        return simple_name(name)

    def _note_used(self, node: Node) -> None:
        group = node.child_by_field_name("body")
        prefix = f"{one_line(first_named(node))}\\" if group is not None else ""
        for clause in named(group if group is not None else node):
            if clause.type == "namespace_use_clause":
                alias = clause.child_by_field_name("alias")
                name = prefix + one_line(first_named(clause)).lstrip("\\")
                short = text_of(alias) or simple_name(name)
                self._used[short] = name

    def _bind_assigned(self, place: Place) -> None:
        left, right = (place.node.child_by_field_name(side) for side in ("left", "right"))
        adds = place.node.type == "augmented_assignment_expression"
        operator = text_of(place.node.child_by_field_name("operator"))
        if left is not None and right is not None:
            known = place.of(right) if not adds or operator == ".=" else None
            self.names.bind(one_line(left), place, known, adds=adds)

    def _bind_member(self, place: Place) -> None:
        parts = named(place.node)
        name = text_of(place.node.child_by_field_name("name") or (parts[0] if parts else None))
        around = place.up(CLASSES)
        if place.node.type == "property_element":
            default = place.node.child_by_field_name("default_value")
            if name == "$message" and default is not None and around is not None:
                owner = text_of(around.node.child_by_field_name("name"))
                self.brought.setdefault(owner, []).append(Brought([], place.of(default)))
            return
        value = place.of(parts[-1]) if len(parts) > 1 else None
        if around is None:
            self.names.bind(name, place, value)
            return
        owner = text_of(around.node.child_by_field_name("name"))
        self.names.bind(f"self::{name}", place, value)
        self.names.bind_file(f"{owner}::{name}", place, value)

    def _bind_defined(self, place: Place) -> None:
        """`define('X', '…')`."""
        if one_line(place.node.child_by_field_name("function")) != "define":
            return
        arguments = self.messages.arguments(place)
        name = self.messages.read_text(arguments[0]) if len(arguments) > 1 else None
        if name:
            self.names.bind_file(name, place, arguments[1])

    def _bind_others(self, place: Place) -> None:
        body = place.node.child_by_field_name("body")
        for each in inner_nodes(place.node, {"variable_name"}, limit=40):
            if body is None or each.start_byte < body.start_byte:
                inside = place if body is None else place.of(body)
                self.names.bind(text_of(each), inside, None)

    def _note_class(self, place: Place) -> None:
        name = text_of(place.node.child_by_field_name("name"))
        for child in place.node.children:
            above = first_named(child)
            if child.type == "base_clause" and above is not None:
                self.bases[name] = simple_name(one_line(above))

    def _note_constructor(self, place: Place) -> None:
        around, body = place.up(CLASSES), place.node.child_by_field_name("body")
        parameters = place.node.child_by_field_name("parameters")
        if around is None or text_of(place.node.child_by_field_name("name")) != "__construct":
            return
        names: list[tuple[str, Place | None]] = []
        for each in named(parameters):
            default = each.child_by_field_name("default_value")
            at = place.of(parameters, each, default) if parameters and default else None
            names.append((text_of(each.child_by_field_name("name")), at))
        for statement in named(body):
            call = first_named(statement)
            if body is None or call is None or call.type != "scoped_call_expression":
                continue
            if text_of(call).startswith("parent::__construct"):
                given = self.messages.arguments(place.of(body, statement, call))
                owner = text_of(around.node.child_by_field_name("name"))
                made = Brought(names, given[0] if given else None)
                self.brought.setdefault(owner, []).append(made)
                return


def simple_name(name: str) -> str:
    """A class without its namespace."""
    return name.rpartition("\\")[2]
