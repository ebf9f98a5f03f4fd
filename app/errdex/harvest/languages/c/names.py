"""Which names a C or C++ file gives values, and the classes of its exceptions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from errdex.harvest.languages.c.guards import FUNCTIONS
from errdex.harvest.languages.c.messages import PRINTS_INTO, CMessages
from errdex.harvest.messages.formats import formatted, printf
from errdex.harvest.messages.wording import Wording
from errdex.harvest.trees.finder import Finder
from errdex.harvest.trees.syntax import Place, first_named, inner_nodes, named, one_line, text_of

CLASSES = frozenset({"class_specifier", "struct_specifier", "namespace_definition"})


class CBinder(Finder):
    """The part of the finder that follows names."""

    functions = FUNCTIONS
    classes = CLASSES
    separator = "::"
    bound_at = frozenset(
        """
        init_declarator assignment_expression update_expression
        preproc_def parameter_declaration optional_parameter_declaration class_specifier
        struct_specifier expression_statement for_range_loop
        labeled_statement call_expression preproc_function_def
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )
    returns = frozenset({"return_statement"})
    makes = frozenset(
        {"binary_expression", "call_expression", "conditional_expression", "identifier"}
    )
    has_scopes = True
    messages: CMessages

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self._full_names: dict[str, str] = {}
        """The file's classes with their namespaces."""
        self.printing: set[str] = set()
        """Macros of this file that print to standard error."""

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a function by its name alone."""
        if place.node.type != "call_expression":
            return None
        function = place.node.child_by_field_name("function")
        if function is None or function.type not in {"identifier", "qualified_identifier"}:
            return None
        name = one_line(function).rpartition("::")[2]
        return name, self.messages.arguments(place), place.line

    def parameters_of(self, function: Node) -> list[str]:
        """Of a definition."""
        declarator = function.child_by_field_name("declarator")
        inside = list(inner_nodes(declarator, {"parameter_list"}, 30)) if declarator else []
        names = []
        for each in named(inside[0]) if inside else []:
            declared = each.child_by_field_name("declarator")
            found = list(inner_nodes(declared, {"identifier"}, 30)) if declared else []
            names.append(text_of(found[0]) if found else "")
        return names

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """As printf does."""
        given = [self.messages.read(each) for each in values]
        return formatted(ways, printf, given) if given else ways

    def name_of(self, place: Place) -> str | None:
        """Functions have their names inside of their declarators."""
        if place.node.type != "function_definition":
            return super().name_of(place)
        declarator = place.node.child_by_field_name("declarator")
        for _ in range(6):
            if declarator is None or declarator.type == "function_declarator":
                break
            declarator = declarator.child_by_field_name("declarator") or first_named(declarator)
        if declarator is None:
            return None
        name = one_line(declarator.child_by_field_name("declarator"))
        name = re.sub(r"<[^<>]*>", "", name).rpartition(" ")[2]
        return name if 0 < len(name) <= 100 else None

    def bind(self, place: Place) -> None:
        """Declarations, assignments, parameters, macros, what is put into streams."""
        node = place.node
        match node.type:
            case "init_declarator":
                name, value = (node.child_by_field_name(f) for f in ("declarator", "value"))
                self._bind_declared(place, name, value)
            case "assignment_expression":
                self._bind_assigned(place)
            case "preproc_def":
                text = node.child_by_field_name("value")
                if text is not None:
                    macro = text_of(node.child_by_field_name("name"))
                    self.names.bind_file(macro, place, place.of(text))
            case "expression_statement":
                self._bind_streamed(place)
            case "call_expression":
                self._bind_printed(place)
            case "class_specifier" | "struct_specifier":
                self._note_class(place)
            case _:
                self._bind_otherwise(place)

    def _bind_otherwise(self, place: Place) -> None:
        node = place.node
        if node.type == "labeled_statement":
            self.names.note_label(place)
        elif node.type == "preproc_function_def":
            if "stderr" in text_of(node.child_by_field_name("value")):
                self.printing.add(text_of(node.child_by_field_name("name")))
        else:
            declarator = node.child_by_field_name("declarator") or first_named(node)
            for each in inner_nodes(declarator, {"identifier"}) if declarator else ():
                self.names.bind(text_of(each), place, None)

    def _bind_declared(self, place: Place, declarator: Node | None, value: Node | None) -> None:
        if declarator is None or value is None:
            return
        for each in inner_nodes(declarator, {"identifier"}):
            outside = place.up(FUNCTIONS) is None
            constant = (
                not outside or "const" in text_of(place.parent) or declarator.type != "identifier"
            )
            known = value.type != "initializer_list" and constant
            self.names.bind(text_of(each), place, place.of(value) if known else None)
            return

    def _bind_assigned(self, place: Place) -> None:
        left, right = (place.node.child_by_field_name(side) for side in ("left", "right"))
        operator = text_of(place.node.child_by_field_name("operator"))
        if left is not None and right is not None:
            value = place.of(right) if operator in {"=", "+="} else None
            self.names.bind(one_line(left), place, value, adds=operator != "=")

    def _bind_printed(self, place: Place) -> None:
        """`snprintf(buffer, …)` gives the buffer its text."""
        if one_line(place.node.child_by_field_name("function")) in PRINTS_INTO:
            arguments = self.messages.arguments(place)
            if arguments:
                self.names.bind(one_line(arguments[0].node).lstrip("&"), place, place)

    def _bind_streamed(self, place: Place) -> None:
        inner = named(place.node)
        if not inner or inner[0].type != "binary_expression":
            return
        stream, _ = self.messages.streamed(place.of(inner[0]), step=99)
        if stream.type == "identifier":
            value = place.of(inner[0])
            self.names.bind(text_of(stream), place, value, adds=True)

    def full_name(self, name: str) -> str:
        """With its namespaces, where the class is of this file."""
        return self._full_names.get(name, name)

    def _note_class(self, place: Place) -> None:
        name = text_of(place.node.child_by_field_name("name"))
        around = [text_of(n.child_by_field_name("name")) for n in place.path if n.type in CLASSES]
        self._full_names[name] = "::".join(filter(None, [*around, name]))
        for clause in place.node.children:
            if name and clause.type == "base_class_clause":
                bases = [each for each in named(clause) if "specifier" not in each.type]
                if bases:
                    self.bases[name] = re.sub(r"<.*>", "", one_line(bases[0]))
