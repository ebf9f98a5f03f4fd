"""Which names a JavaScript or TypeScript file gives values, and what its error classes make
of their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.languages.javascript.guards import FUNCTIONS
from errdex.harvest.languages.javascript.places import ERROR_CLASS, properties
from errdex.harvest.messages.formats import formatted, has_verbs, printf
from errdex.harvest.messages.wording import Wording
from errdex.harvest.model import Fixed
from errdex.harvest.trees.details import Brought
from errdex.harvest.trees.finder import Finder
from errdex.harvest.trees.syntax import (
    Place,
    first_named,
    inner_nodes,
    named,
    one_line,
    places_within,
    text_of,
)

CLASSES = frozenset({"class_declaration", "class", "abstract_class_declaration"})
TABLES = frozenset({"object", "call_expression", "as_expression", "satisfies_expression"})
"""Values whose members may be messages."""
_TEXTS = frozenset({"string", "template_string", "binary_expression"})
_CODE = re.compile(r"""(?P<mark>["'`])[A-Z][A-Z0-9_]{2,}(?P=mark)|\d+""")


class JavaScriptBinder(Finder):
    """The part of the finder that follows names."""

    functions = FUNCTIONS
    classes = CLASSES | {"internal_module", "enum_declaration"}
    bound_at = frozenset(
        """
        variable_declarator assignment_expression augmented_assignment_expression formal_parameters
        arrow_function public_field_definition field_definition enum_declaration class_declaration
        class abstract_class_declaration for_in_statement update_expression method_definition
        function_declaration
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )

    may_lack = True
    needs_no_arguments = True
    returns = frozenset({"return_statement"})
    makes = _TEXTS | {"identifier"}

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a function or a method."""
        if place.node.type != "call_expression":
            return None
        function = place.node.child_by_field_name("function")
        given = place.node.child_by_field_name("arguments")
        if function is None or given is None:
            return None
        name = function.child_by_field_name("property") or function
        return text_of(name), [place.of(given, each) for each in named(given)], place.line

    def is_own_call(self, place: Place) -> bool:
        """Whether it is no method, or one of `this`."""
        function = place.node.child_by_field_name("function")
        receiver = function.child_by_field_name("object") if function is not None else None
        return receiver is None or text_of(receiver) in {"this", "super", "self"}

    def parameters_of(self, function: Node) -> list[str]:
        """Of a function or a method."""
        single = function.child_by_field_name("parameter")
        given = function.child_by_field_name("parameters")
        patterns = [
            each.child_by_field_name("pattern") or each.child_by_field_name("left") or each
            for each in ([single] if single is not None else named(given))
        ]
        return ["" if each.type == "rest_pattern" else text_of(each) for each in patterns]

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """As `util.format` does."""
        texts = [part.text for way in ways for part in way.parts if isinstance(part, Fixed)]
        if not values or not any(map(has_verbs, texts)):
            return ways
        return formatted(ways, printf, [self.messages.read(each) for each in values])

    def bind(self, place: Place) -> None:
        """Declarations, assignments, parameters, the members of objects, classes and enums."""
        node = place.node
        match node.type:
            case "variable_declarator":
                self._bind_declared(place)
            case "assignment_expression" | "augmented_assignment_expression":
                self._bind_assigned(place)
            case "formal_parameters" | "arrow_function":
                self._bind_parameters(place)
            case "public_field_definition" | "field_definition":
                self._bind_field(place)
            case "enum_declaration":
                name = text_of(node.child_by_field_name("name"))
                for member, value in properties(place):
                    self.names.bind_file(f"{name}.{member}", value, value)
            case "method_definition" | "function_declaration":
                self._note_maker(place)
            case "for_in_statement" | "update_expression":
                target = node.child_by_field_name("left") or first_named(node)
                if target is not None:
                    self.names.bind(text_of(target), place, None)
            case _:
                self._note_class(place)

    def _bind_declared(self, place: Place) -> None:
        name, value = (place.node.child_by_field_name(field) for field in ("name", "value"))
        if name is None:
            return
        if name.type != "identifier":
            for each in _identifiers(name):
                self.names.bind(text_of(each), place, None)
            return
        constant = any(around.type in FUNCTIONS for around in place.path) or (
            place.parent is not None and text_of(place.parent).startswith("const")
        )
        if value is None:
            return
        self.names.bind(text_of(name), place, place.of(value) if constant else None)
        if value.type in TABLES and constant:
            for member, given in properties(place.of(value)):
                self.names.bind_file(f"{text_of(name)}.{member}", given, given)

    def _bind_assigned(self, place: Place) -> None:
        left, right = (place.node.child_by_field_name(field) for field in ("left", "right"))
        if left is None or right is None:
            return
        adds = place.node.type == "augmented_assignment_expression"
        value = None if adds and "+=" not in text_of(place.node) else place.of(right)
        self.names.bind(text_of(left), place, value, adds=adds)

    def _bind_parameters(self, place: Place) -> None:
        node = place.node
        if node.type == "arrow_function":
            single = node.child_by_field_name("parameter")
            if single is not None:
                self.names.bind(text_of(single), place.of(single), None)
            return
        for each in _identifiers(node):
            self.names.bind(text_of(each), place.of(each), None)

    def _bind_field(self, place: Place) -> None:
        name = place.node.child_by_field_name("name") or place.node.child_by_field_name("property")
        value = place.node.child_by_field_name("value")
        if name is None or value is None:
            return
        self.names.bind(text_of(name), place, place.of(value))
        around = place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        if owner and any(child.type == "static" for child in place.node.children):
            self.names.bind_file(f"{owner}.{text_of(name)}", place, place.of(value))

    def _note_class(self, place: Place) -> None:
        name = text_of(place.node.child_by_field_name("name"))
        for heritage in place.node.children:
            if name and heritage.type == "class_heritage":
                above = one_line(heritage).removeprefix("extends ").split("<")[0].split(" ")[0]
                self.bases[name] = above.rpartition(".")[2]

    def _note_maker(self, place: Place) -> None:
        if place.node.type == "function_declaration":
            self._note_function(place)
        else:
            self._note_constructor(place)

    def _note_constructor(self, place: Place) -> None:
        around = place.up(CLASSES)
        body = place.node.child_by_field_name("body")
        if around is None or body is None or text_of(place.node.children[0]) != "constructor":
            return
        parameters = place.node.child_by_field_name("parameters")
        for call in places_within(place, {"call_expression"}):
            function = call.node.child_by_field_name("function")
            given = call.node.child_by_field_name("arguments")
            if function is not None and function.type == "super" and given is not None:
                arguments = [call.of(given, each) for each in named(given)]
                owner = text_of(around.node.child_by_field_name("name"))
                message = message_among(arguments)
                made = Brought(_parameters(place, parameters), message, arguments)
                self.brought.setdefault(owner, []).append(made)
                return

    def _note_function(self, place: Place) -> None:
        """A function that makes errors, as before there were classes: `this.message = …`."""
        name, parameters, body = (
            place.node.child_by_field_name(field) for field in ("name", "parameters", "body")
        )
        if body is None or not ERROR_CLASS.search(text_of(name)):
            return
        for statement in named(body):
            given = first_named(statement) if statement.type == "expression_statement" else None
            left, right = (
                given.child_by_field_name(side) if given is not None else None
                for side in ("left", "right")
            )
            if given is not None and right is not None and text_of(left) == "this.message":
                message = place.of(body, statement, given, right)
                made = Brought(_parameters(place, parameters), message)
                self.brought.setdefault(text_of(name), []).append(made)
                return


def message_among(arguments: Sequence[Place]) -> Place | None:
    """Which of a constructor's arguments is the message: the first, or the one behind a code."""
    for at, argument in enumerate(arguments):
        rest = arguments[at + 1 : at + 2]
        is_code = _CODE.fullmatch(text_of(argument.node)) is not None
        if not (is_code and rest and rest[0].node.type in _TEXTS):
            return argument
    return None


def _identifiers(node: Node) -> list[Node]:
    types = {"identifier", "shorthand_property_identifier_pattern"}
    return list(inner_nodes(node, types))


def _parameters(place: Place, parameters: Node | None) -> list[tuple[str, Place | None]]:
    """Name and default of each parameter."""
    found: list[tuple[str, Place | None]] = []
    if parameters is None:
        return found
    for each in named(parameters):
        pattern = each.child_by_field_name("pattern") or each.child_by_field_name("left") or each
        default = each.child_by_field_name("value") or each.child_by_field_name("right")
        if default is None and each.type == "optional_parameter":
            found.append((text_of(pattern), place.of(parameters, each, pattern)))
            continue
        inside = place.of(parameters, each, default) if default is not None else None
        found.append((text_of(pattern), inside))
    return found
