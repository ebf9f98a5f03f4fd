"""Which names a Java file gives values, which classes it has and knows, and what its
exceptions make of their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from errdex.harvest.languages.java.guards import FUNCTIONS
from errdex.harvest.languages.java.messages import JavaMessages
from errdex.harvest.languages.jvm_classes import PrintedClasses, simple_name
from errdex.harvest.messages.wording import Wording
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

CLASSES = frozenset(
    """
    class_declaration interface_declaration enum_declaration record_declaration
    annotation_type_declaration
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


class JavaBinder(Finder):
    """The part of the finder that follows names."""

    comments = frozenset({"line_comment", "block_comment"})
    functions = FUNCTIONS
    classes = CLASSES
    bound_at = (
        frozenset(
            """
            package_declaration import_declaration variable_declarator assignment_expression
            update_expression formal_parameter catch_formal_parameter lambda_expression
            enhanced_for_statement constructor_declaration resource method_declaration
            """.split()  # noqa: SIM905 - a list of words reads best as words
        )
        | CLASSES
    )
    messages: JavaMessages

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self.printed = PrintedClasses()

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a method."""
        if place.node.type != "method_invocation":
            return None
        name = place.node.child_by_field_name("name")
        if name is None:
            return None
        return text_of(name), self.messages.arguments(place), name.start_point[0] + 1

    def is_own_call(self, place: Place) -> bool:
        """Whether the receiver is of one of the classes around."""
        receiver = one_line(place.node.child_by_field_name("object")).rpartition(".")[2]
        own = {text_of(node.child_by_field_name("name")) for node in place.path}
        return receiver in {"", "this", "super"} | own

    def parameters_of(self, function: Node) -> list[str]:
        """Of a method or a constructor."""
        return [
            text_of(each.child_by_field_name("name"))
            for each in named(function.child_by_field_name("parameters"))
            if each.type != "receiver_parameter"
        ]

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """As `String.format`, SLF4J or `MessageFormat` do."""
        return self.messages.fill(ways, [self.messages.read(each) for each in values])

    def bind(self, place: Place) -> None:
        """Declarations, assignments, parameters, imports."""
        node = place.node
        match node.type:
            case "package_declaration":
                self.printed.package = one_line(first_named(node))
            case "import_declaration":
                self._note_import(node)
            case "variable_declarator":
                self._bind_declared(place)
            case "assignment_expression":
                self._bind_assigned(place)
            case "constructor_declaration":
                self._note_constructor(place)
            case "lambda_expression":
                parameters = node.child_by_field_name("parameters")
                for each in inner_nodes(parameters, {"identifier"}) if parameters else ():
                    self.names.bind(text_of(each), place.of(each), None)
            case "method_declaration":
                self._note_results(place)
            case _ if node.type in CLASSES:
                self._note_class(place)
            case _:  # an update, a parameter, the item of a loop
                target = node.child_by_field_name("name") or first_named(node)
                self.names.bind(one_line(target), place, None)

    def name_of(self, place: Place) -> str | None:
        """Constructors go by the name that stack traces give them."""
        name = super().name_of(place)
        return "<init>" if name and "constructor" in place.node.type else name

    def full_name(self, name: str) -> str:
        """As a stack trace has it."""
        return self.printed.full_name(name)

    def simple_name(self, name: str) -> str:
        """Without its package and the classes around it."""
        return simple_name(name)

    def _note_import(self, node: Node) -> None:
        name, kinds = one_line(first_named(node)), {child.type for child in node.children}
        if "asterisk" in kinds:
            self.printed.note_all(name)
        elif "static" not in kinds:
            self.printed.note_import(name)

    def _note_results(self, place: Place) -> None:
        """The texts that a method of the file returns, for those that it makes a message for."""
        if one_line(place.node.child_by_field_name("type")) != "String":
            return
        name = text_of(place.node.child_by_field_name("name"))
        count = len(named(place.node.child_by_field_name("parameters")))
        for returned in places_within(place, {"return_statement"}):
            value = first_named(returned.node)
            if value is not None:
                self.names.bind_file(f"{name}/{count}", returned, returned.of(value))

    def _bind_declared(self, place: Place) -> None:
        name, value = (place.node.child_by_field_name(field) for field in ("name", "value"))
        parent = place.parent
        field = parent is not None and parent.type in {"field_declaration", "constant_declaration"}
        known = place.of(value) if value is not None else None
        if value is None and (field or (parent is not None and "local" in parent.type)):
            return
        if field and parent is not None and parent.type == "field_declaration":
            modifiers = " ".join(text_of(each) for each in parent.children if "modif" in each.type)
            known = known if "final" in modifiers.split() else None
        self.names.bind(text_of(name), place, known)
        around = place.up(CLASSES)
        if field and around is not None:
            owner = text_of(around.node.child_by_field_name("name"))
            self.names.bind_file(f"{owner}.{text_of(name)}", place, known)

    def _bind_assigned(self, place: Place) -> None:
        left, right = (place.node.child_by_field_name(field) for field in ("left", "right"))
        operator = text_of(place.node.child_by_field_name("operator"))
        if left is not None and right is not None:
            value = place.of(right) if operator in {"=", "+="} else None
            self.names.bind(one_line(left), place, value, adds=operator != "=")

    def _note_class(self, place: Place) -> None:
        name = text_of(place.node.child_by_field_name("name"))
        outer = [
            text_of(node.child_by_field_name("name")) for node in place.path if node.type in CLASSES
        ]
        self.printed.note_class(outer, name)
        above = place.node.child_by_field_name("superclass")
        if above is not None:
            base = one_line(above).removeprefix("extends ").split("<")[0]
            self.bases[name] = base.rpartition(".")[2]

    def _note_constructor(self, place: Place) -> None:
        owner = text_of(place.node.child_by_field_name("name"))
        body = place.node.child_by_field_name("body")
        parameters = place.node.child_by_field_name("parameters")
        names: list[tuple[str, Place | None]] = [
            (text_of(each.child_by_field_name("name")), None) for each in named(parameters)
        ]
        first = named(body)[:1]
        if body is None or not first or first[0].type != "explicit_constructor_invocation":
            return
        call = place.of(body, first[0])
        if text_of(call.node.child_by_field_name("constructor")) == "super":
            message = next(
                (each for each in self.messages.arguments(call) if self._may_be_text(each, names)),
                None,
            )
            self.brought.setdefault(owner, []).append(Brought(names, message))

    def _may_be_text(self, place: Place, names: list[tuple[str, Place | None]]) -> bool:
        """Whether an argument can be the message: text, or a parameter of that kind."""
        if self.has_text(place):
            return True
        name = text_of(place.node)
        return any(name == each for each, _ in names) and not name.lower().endswith(
            ("cause", "throwable", "exception", "code", "status", "ex", "t", "e")
        )
