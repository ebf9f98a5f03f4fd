"""Which names a C# file gives values, which classes it has, and what its exceptions make of
their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from errdex.harvest.languages.csharp.guards import FUNCTIONS
from errdex.harvest.languages.csharp.messages import CSharpMessages
from errdex.harvest.messages.formats import braces, formatted
from errdex.harvest.messages.wording import Wording
from errdex.harvest.trees.details import Brought
from errdex.harvest.trees.finder import Finder
from errdex.harvest.trees.syntax import Place, first_named, named, one_line, text_of

CLASSES = frozenset(
    """
    class_declaration struct_declaration record_declaration interface_declaration
    enum_declaration
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_NAMESPACES = frozenset({"namespace_declaration", "file_scoped_namespace_declaration"})
_SYSTEM = {
    name: f"{namespace}.{name}"
    for namespace, names in {
        "System": """
            AccessViolationException AggregateException ApplicationException ArgumentException
            ArgumentNullException ArgumentOutOfRangeException ArithmeticException
            BadImageFormatException DivideByZeroException Exception FormatException
            IndexOutOfRangeException InvalidCastException InvalidOperationException
            InvalidProgramException MissingMethodException NotImplementedException
            NotSupportedException NullReferenceException ObjectDisposedException
            OperationCanceledException OutOfMemoryException OverflowException
            PlatformNotSupportedException RankException StackOverflowException SystemException
            TimeoutException TypeInitializationException TypeLoadException
            UnauthorizedAccessException UriFormatException
            """,
        "System.Collections.Generic": "KeyNotFoundException",
        "System.ComponentModel": "InvalidEnumArgumentException Win32Exception",
        "System.Diagnostics": "UnreachableException",
        "System.IO": """
            DirectoryNotFoundException EndOfStreamException FileNotFoundException IOException
            InvalidDataException PathTooLongException
            """,
        "System.Net.Http": "HttpRequestException",
        "System.Net.Sockets": "SocketException",
        "System.Reflection": """
            AmbiguousMatchException ReflectionTypeLoadException TargetInvocationException
            """,
        "System.Runtime.Serialization": "SerializationException",
        "System.Security": "SecurityException",
        "System.Security.Authentication": "AuthenticationException",
        "System.Text.Json": "JsonException",
        "System.Threading.Tasks": "TaskCanceledException",
        "System.Xml": "XmlException",
    }.items()
    for name in names.split()
}
"""What .NET has, as it is printed."""


class CSharpBinder(Finder):
    """The part of the finder that follows names."""

    functions = FUNCTIONS
    classes = CLASSES
    bound_at = (
        frozenset(
            """
            variable_declarator assignment_expression parameter foreach_statement
            catch_declaration constructor_declaration property_declaration
            postfix_unary_expression file_scoped_namespace_declaration
            """.split()  # noqa: SIM905 - a list of words reads best as words
        )
        | CLASSES
    )
    returns = frozenset({"return_statement", "arrow_expression_clause"})
    makes = frozenset(
        {"interpolated_string_expression", "binary_expression", "invocation_expression"}
    )
    messages: CSharpMessages

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self._namespace = ""
        self._full_names: dict[str, str] = {}
        """How a class of the file is printed."""

    may_lack = True
    has_scopes = True

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a method."""
        if place.node.type != "invocation_expression":
            return None
        function = one_line(place.node.child_by_field_name("function"))
        name = re.sub(r"<.*>", "", function).rpartition(".")[2]
        return name, self.messages.arguments(place), place.line

    def is_own_call(self, place: Place) -> bool:
        """Whether the receiver is `this` or of one of the classes around."""
        function = one_line(place.node.child_by_field_name("function"))
        receiver = function.rpartition(".")[0].rpartition(".")[2]
        own = {text_of(node.child_by_field_name("name")) for node in place.path}
        return receiver in {"", "this", "base"} | own

    def parameters_of(self, function: Node) -> list[str]:
        """Of a method or a constructor."""
        given = function.child_by_field_name("parameters")
        names: list[str] = []
        for each in given.children if given is not None else ():
            if each.type == "params":
                return [*names, ""]
            if each.type == "parameter":
                names.append(text_of(each.child_by_field_name("name")))
        return names

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """As `string.Format` does."""
        return formatted(ways, braces, [self.messages.read(e) for e in values]) if values else ways

    def name_of(self, place: Place) -> str | None:
        """Members with a name, accessors by their property, constructors as traces have them."""
        node = place.node
        if node.type == "constructor_declaration":
            return ".ctor"
        if node.type == "property_declaration":
            return text_of(node.child_by_field_name("name"))
        return super().name_of(place) if node.type != "accessor_declaration" else None

    def bind(self, place: Place) -> None:
        """Declarations, assignments, parameters, classes."""
        node = place.node
        match node.type:
            case "variable_declarator" | "property_declaration":
                self._bind_declared(place)
            case "assignment_expression":
                self._bind_assigned(place)
            case "constructor_declaration":
                self._note_constructor(place)
            case "postfix_unary_expression":
                if text_of(node).endswith(("++", "--")):
                    self.names.bind(one_line(first_named(node)), place, None)
            case "file_scoped_namespace_declaration":
                self._namespace = one_line(node.child_by_field_name("name"))
            case "foreach_statement":
                self.names.bind(one_line(node.child_by_field_name("left")), place, None)
            case _ if node.type in CLASSES:
                self._note_class(place)
            case _:
                self.names.bind(text_of(node.child_by_field_name("name")), place, None)

    def full_name(self, name: str) -> str:
        """A class as a stack trace prints it, where the file tells its namespace."""
        if "." in name:
            return name
        return self._full_names.get(name) or _SYSTEM.get(name, name)

    def simple_name(self, name: str) -> str:
        """Without its namespace and the classes around it."""
        return simple_name(name)

    def _bind_declared(self, place: Place) -> None:
        node = place.node
        name = text_of(node.child_by_field_name("name"))
        value = _value_of(node)
        holder = place.path[-2] if len(place.path) > 1 else None
        field = holder is not None and holder.type == "field_declaration"
        if value is None:
            return
        if node.type == "property_declaration":
            self.names.bind(name, place, place.of(value) if "set" not in text_of(node) else None)
            return
        declared = text_of(holder).partition("=")[0] if holder is not None else ""
        known = place.of(value) if not field or re.search(r"const|readonly", declared) else None
        self.names.bind(name, place, known)
        around = place.up(CLASSES)
        if field and around is not None:
            owner = text_of(around.node.child_by_field_name("name"))
            self.names.bind_file(f"{owner}.{name}", place, known)

    def _bind_assigned(self, place: Place) -> None:
        left, right = (place.node.child_by_field_name(side) for side in ("left", "right"))
        if left is None or right is None:
            return
        operator = place.node.children[1].type if len(place.node.children) > 2 else "="
        value = place.of(right) if operator in {"=", "+="} else None
        self.names.bind(one_line(left), place, value, adds=operator != "=")

    def _note_class(self, place: Place) -> None:
        name = text_of(place.node.child_by_field_name("name"))
        outer = [text_of(n.child_by_field_name("name")) for n in place.path if n.type in CLASSES]
        spaces = [
            one_line(n.child_by_field_name("name")) for n in place.path if n.type in _NAMESPACES
        ]
        namespace = ".".join(filter(None, [self._namespace, *spaces]))
        if spaces[:1] == [self._namespace]:
            namespace = ".".join(spaces)
        self._full_names[name] = ".".join(filter(None, [namespace, "+".join([*outer, name])]))
        for child in place.node.children:
            if child.type == "base_list" and named(child):
                base = re.sub(r"[<(].*", "", one_line(named(child)[0]))
                self.bases[name] = base.rpartition(".")[2]
                if arguments_handed(place.of(child)):
                    heads = [each for each in place.node.children if each.type == "parameter_list"]
                    self._note_brought(place, heads[0] if heads else None, place.of(child))

    def _note_constructor(self, place: Place) -> None:
        for child in place.node.children:
            if child.type == "constructor_initializer" and text_of(child).startswith(": base"):
                parameters = place.node.child_by_field_name("parameters")
                self._note_brought(place, parameters, place.of(child))

    def _note_brought(self, place: Place, parameters: Node | None, handed: Place) -> None:
        """What a constructor, or the head of a class, hands to the class above."""
        owner = text_of(place.node.child_by_field_name("name"))
        names: list[tuple[str, Place | None]] = []
        for each in named(parameters):
            default = _value_of(each)
            at = place.of(parameters, each, default) if parameters and default else None
            names.append((text_of(each.child_by_field_name("name")), at))
        given = arguments_handed(handed)
        message = next((each for each in given if self._may_be_text(each, names)), None)
        self.brought.setdefault(owner, []).append(Brought(names, message, given))

    def _may_be_text(self, place: Place, names: list[tuple[str, Place | None]]) -> bool:
        if self.has_text(place):
            return True
        name = text_of(place.node)
        return any(name == each for each, _ in names) and not re.search(
            r"inner|exception|cause|code|status|^e$|^ex$|param", name, re.IGNORECASE
        )


def arguments_handed(place: Place) -> list[Place]:
    """What `: base(…)` of a constructor, or `: Above(…)` of a class, is given."""
    for child in named(place.node):
        if child.type == "argument_list":
            return [place.of(child, each) for each in named(child)]
    return []


def simple_name(name: str) -> str:
    """A class without its namespace and the classes around it."""
    return name.replace("+", ".").rpartition(".")[2]


def _value_of(node: Node) -> Node | None:
    """What stands behind the `=` (or the `=>` of a property)."""
    value = node.child_by_field_name("value")
    if value is not None:
        return value
    children = node.children
    signs = [at for at, child in enumerate(children) if child.type == "="]
    behind = [child for child in children[signs[0] + 1 :] if child.is_named] if signs else []
    if behind and behind[0].type == "equals_value_clause":
        return first_named(behind[0])
    return behind[0] if behind else None
