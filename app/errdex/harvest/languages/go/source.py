"""Go: errors that are made, wrapped, logged, listed, and panics.

Go prints no class before an error's text. What is reported is where an error is made;
`return err` is not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import tree_sitter_go
from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.languages.go.guards import FUNCTIONS, GoGuards
from errdex.harvest.languages.go.messages import GoMessages
from errdex.harvest.messages.formats import formatted, listed, printf
from errdex.harvest.messages.statuses import parse_status
from errdex.harvest.messages.wording import Wording, combined
from errdex.harvest.model import Extraction
from errdex.harvest.trees.details import Details
from errdex.harvest.trees.finder import Finder
from errdex.harvest.trees.reporters import Known
from errdex.harvest.trees.syntax import (
    Place,
    first_named,
    inner_nodes,
    named,
    one_line,
    text_after,
    text_of,
)

_MAKING = re.compile(
    r"^(?:errors|xerrors|errs?|fmt|trace|cerrors|pkgerrors)\.(?:New|Errorf?|Newf)$"
)
_WRAPPING = re.compile(r"\.(?:Wrapf?|WithMessagef?|Annotatef?|WithStackf)$")
_GRPC = re.compile(r"(?:^|\.)(?:status|grpc)\.(?:Errorf?|New|Newf)$")
_LOGGERS = re.compile(
    r"(?:^|\.)(?:s?log|k?log|glog|logrus|zap|sugar|entry|\w*[lL]og(?:ger)?|l|S|L)(?:\(.*\))?\."
    r"(?:Error|Errorf|Errorln|Errorw|ErrorS|ErrorContext|Critical|Criticalf|Alertf?|Emergf?)$"
)
_ENDING = re.compile(r"\.(?:Fatal|Panic)(?:f|ln|w)?$")
_CHAINED = re.compile(r"\.(?:Error|Fatal|Panic|Err)\(")
_ERROR_FUNCTION = re.compile(r"(?:[eE]rr|[eE]rror|[fF]atal|[pP]anic|[dD]ie|[aA]bort)f?$")
_PRINTED = re.compile(r"^fmt\.Fprint(f|ln)?$")
_WRITTEN = re.compile(r"^os\.Stderr\.(?:WriteString|Write)$")
_TABLE_NAME = re.compile(
    r"^(?:err|Err)|(?:err|Err|error|Error)(?:s|Text|Texts|Msg|Message|Messages)?$"
)
_TEXT_FIELDS = re.compile(
    r"(?:^|\b)(?:msg|message|err|error|reason|detail|details|text|why|what)$", re.IGNORECASE
)
_LITERALS = frozenset({"interpreted_string_literal", "raw_string_literal"})


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a Go file. Raises SourceUnreadable."""
    return GoFinder(source, path).extract(known)


class GoFinder(Finder):
    """Reads one file."""

    grammar = Language(tree_sitter_go.language())
    functions = FUNCTIONS
    classes = frozenset()
    found_at = frozenset(
        {"call_expression", "composite_literal", "return_statement", "const_spec", "var_spec"}
    )
    bound_at = frozenset(
        """
        short_var_declaration assignment_statement var_spec const_spec parameter_declaration
        variadic_parameter_declaration range_clause inc_statement dec_statement
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )
    returns = frozenset({"return_statement"})
    makes = frozenset({"call_expression", "binary_expression"})
    messages: GoMessages

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self.guards = GoGuards()
        self.messages = GoMessages(self.names, self.guards)

    def name_of(self, place: Place) -> str | None:
        """Methods go by their receiver's type and their name."""
        name = super().name_of(place)
        receiver = place.node.child_by_field_name("receiver")
        if name and receiver is not None:
            types = list(inner_nodes(receiver, {"type_identifier"}))
            return f"{text_of(types[0])}.{name}" if types else name
        return name

    def bind(self, place: Place) -> None:
        """Declarations, assignments and parameters."""
        node = place.node
        if node.type.endswith("parameter_declaration"):
            for name in node.children_by_field_name("name"):
                self.names.bind(text_of(name), place, None)
            return
        if node.type in {"inc_statement", "dec_statement"}:
            self.names.bind(one_line(first_named(node)), place, None)
            return
        if node.type in {"var_spec", "const_spec"}:
            targets = node.children_by_field_name("name")
            right = node.child_by_field_name("value")
        else:
            targets = named(node.child_by_field_name("left"))
            right = node.child_by_field_name("right")
        values = named(right) if right is not None and node.type != "range_clause" else []
        operator = text_of(node.child_by_field_name("operator"))
        for at, target in enumerate(targets):
            value = None
            if right is not None and len(values) == len(targets) and operator in ("", "=", "+="):
                value = place.of(right, values[at])
            self.names.bind(one_line(target), place, value, adds=operator == "+=")

    def with_places(self, way: Wording) -> Wording:
        """As printf reads it."""
        return listed(way)

    def visit(self, place: Place) -> None:
        """Errors that are made, logged or listed."""
        match place.node.type:
            case "call_expression":
                self._called(place)
            case "composite_literal":
                self._built(place)
            case "return_statement":
                self._error_method(place)
            case _:
                self._listed(place)

    def documentation_on(self, place: Place) -> str | None:
        """The comment on an error that is a variable of its package (`var ErrX = …`)."""
        around = place.up({"var_spec"})
        if around is None or place.up(FUNCTIONS) is not None:
            return None
        name = text_of(around.node.child_by_field_name("name"))
        for node in (around.node, around.parent):
            comment = self.comment_above(node) if node is not None else ""
            if name and name in comment:
                return comment
        return None

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a function or a method."""
        if place.node.type != "call_expression":
            return None
        name = one_line(place.node.child_by_field_name("function")).rpartition(".")[2]
        return name, self.messages.arguments(place), place.line

    def parameters_of(self, function: Node) -> list[str]:
        """Of a declaration or a literal."""
        names: list[str] = []
        for each in named(function.child_by_field_name("parameters")):
            if each.type == "variadic_parameter_declaration":
                names.append("")
            names += [text_of(name) for name in each.children_by_field_name("name")]
        return names[: names.index("") + 1] if "" in names else names

    def returned(self, place: Place) -> Place | None:
        """The value of a `return` that has one."""
        values = first_named(place.node)
        inner = named(values)
        return place.of(values, inner[0]) if values is not None and len(inner) == 1 else None

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """As `fmt.Sprintf` does."""
        given = [self.messages.read(each) for each in values]
        return formatted(ways, partial(printf, go=True), given) if given else ways

    def visit_asked(self, place: Place, asked: Collection[str]) -> None:
        """Tables of messages."""
        name = text_of(place.node.child_by_field_name("name"))
        if place.node.type in {"var_spec", "const_spec"} and name in asked:
            self._list(place)

    def _called(self, place: Place) -> None:
        function = one_line(place.node.child_by_field_name("function"))
        arguments = self.messages.arguments(place)
        if not arguments:
            return
        last = function.rpartition(".")[2]
        if _MAKING.search(function):
            self._made(place, arguments, formats=last.endswith("f"))
        elif _GRPC.search(function) and len(arguments) > 1:
            self._grpc(place, arguments, formats=last.endswith("f"))
        elif _WRAPPING.search(function) and len(arguments) > 1:
            self._wrapped(place, arguments, formats=last.endswith("f"))
        elif function in {"panic", "throw", "fatal"}:
            if self.has_text(arguments[0]):
                self.say(place, arguments[0], Details(kind="raise"))
            else:
                self.note_passing(place, self.messages.read(arguments[0]), Details(kind="raise"))
        elif _ENDING.search(function):
            self._said(place, arguments, last, Details(kind="exit", severity="fatal"))
        elif _LOGGERS.search(function):
            self._said(place, arguments, last, Details(kind="log", severity="error"))
        else:
            self._called_otherwise(place, function, last, arguments)

    def _called_otherwise(
        self, place: Place, function: str, last: str, arguments: list[Place]
    ) -> None:
        status = next(filter(None, (parse_status(text_of(a.node)) for a in arguments)), None)
        if (printed := _PRINTED.match(function)) is not None:
            if text_of(arguments[0].node) == "os.Stderr" and len(arguments) > 1:
                self._said(place, arguments[1:], printed[1] or "", self._stderr(place))
        elif _WRITTEN.match(function):
            self._said(place, arguments, "", self._stderr(place))
        elif last in {"Msg", "Msgf", "Send"} and (level := _CHAINED.search(function)):
            fatal = level.group() in {".Fatal(", ".Panic("}
            details = Details(kind="log", severity="fatal" if fatal else "error")
            self._said(place, arguments, last, details)
        elif status is not None:
            self._answered(place, arguments, status)

    def visit_named(self, place: Place) -> None:
        """`parseErrorf("…")`, wherever it is."""
        name, arguments, _ = self._calls.get(place.node.id) or ("", [], 0)
        if place.node.id not in self._reported and _ERROR_FUNCTION.search(name):
            text = next((each for each in arguments if self.is_sentence(each)), None)
            if text is not None:
                rest = arguments[arguments.index(text) :]
                formats = name.endswith("f") or len(rest) > 1
                self._made(place, rest, formats=formats)

    def _made(self, place: Place, arguments: list[Place], *, formats: bool) -> None:
        self.report(place, self._ways(arguments, formats=formats), Details(kind="raise"))

    def _ways(self, arguments: list[Place], *, formats: bool) -> list[Wording]:
        return self.messages.formatted(arguments) if formats else self.messages.read(arguments[0])

    def _wrapped(self, place: Place, arguments: list[Place], *, formats: bool) -> None:
        ways = self._ways(arguments[1:], formats=formats)
        if any(way.has_text for way in ways):
            cause = self.messages.read(arguments[0])
            ways = combined([ways, self.messages.fixed(": "), cause])
        self.report(place, ways, Details(kind="raise"))

    def _grpc(self, place: Place, arguments: list[Place], *, formats: bool) -> None:
        code = text_of(arguments[0].node).rpartition(".")[2]
        ways = self._ways(arguments[1:], formats=formats)
        if re.fullmatch(r"[A-Z][A-Za-z]+", code) and any(way.has_text for way in ways):
            head = self.messages.fixed(f"rpc error: code = {code} desc = ")
            ways = combined([head, ways])
        self.report(place, ways, Details(kind="raise"))

    def _said(self, place: Place, arguments: list[Place], name: str, details: Details) -> None:
        """What a logger or a printing function says."""
        if name.endswith("S") and len(arguments) > 1:  # klog.ErrorS(err, "…")
            arguments = arguments[1:]
        if name.endswith("Context") and len(arguments) > 1:
            arguments = arguments[1:]
        if name.endswith("f"):
            self.report(place, self.messages.formatted(arguments), details)
        elif name.endswith("ln"):
            self.report(place, self.messages.printed(arguments, spaces=True), details)
        elif details.kind == "exit" or (details.kind == "log" and not name):
            self.report(place, self.messages.printed(arguments), details)
        elif self.has_text(arguments[0]):
            self.say(place, arguments[0], details)

    def _stderr(self, place: Place) -> Details:
        return Details.printed(is_last=text_after(place).startswith("os.Exit("))

    def _answered(self, place: Place, arguments: list[Place], status: int) -> None:
        """`http.Error(w, "…", 404)`, `echo.NewHTTPError(404, "…")`, `c.JSON(404, gin.H{…})`."""
        details = Details(kind="raise", http_status=status)
        for argument in arguments:
            if argument.node.type == "composite_literal":
                for element in inner_nodes(argument.node, {"keyed_element"}):
                    if re.match(r'"(?:error|message|msg|detail)"', text_of(element)):
                        value = named(element)[-1]
                        inside = Place(value, (*argument.path, argument.node, element))
                        inner = inside.of(named(value)[0]) if named(value) else inside
                        if self.has_text(inner):
                            self.say(place, inner, details)
            elif self.has_text(argument) and parse_status(text_of(argument.node)) is None:
                self.say(place, argument, details)
                return

    def _built(self, place: Place) -> None:
        """`&SyntaxError{Msg: "…"}`."""
        name = one_line(place.node.child_by_field_name("type"))
        body = place.node.child_by_field_name("body")
        if body is None or not re.search(r"Err(?:or)?$", name):
            return
        for element in named(body):
            parts = named(element)
            if element.type == "keyed_element" and not _TEXT_FIELDS.search(text_of(parts[0])):
                continue
            value = named(parts[-1])[:1] if element.type == "keyed_element" else parts[:1]
            way = [body, element, parts[-1]] if element.type == "keyed_element" else [body, element]
            if value and self.is_sentence(text := place.of(*way, *value)):
                self.say(place, text, Details(kind="raise"))
                return
            if value:
                ways = self.messages.read(place.of(*way, *value))
                self.note_passing(place, ways, Details(kind="raise"))

    def _error_method(self, place: Place) -> None:
        """`func (e *X) Error() string { return … }`."""
        around = place.up(FUNCTIONS)
        if around is None or text_of(around.node.child_by_field_name("name")) != "Error":
            return
        if text_of(around.node.child_by_field_name("result")) != "string":
            return
        values = named(place.node)
        expressions = named(values[0]) if values else []
        if len(expressions) == 1:
            message = place.of(values[0], expressions[0])
            ways = self.messages.read(message)
            if any(way.has_text for way in ways):
                self.report(place, ways, Details(kind="table"))

    def _listed(self, place: Place) -> None:
        """Constants, maps and slices of messages."""
        node = place.node
        name, values = text_of(node.child_by_field_name("name")), node.child_by_field_name("value")
        if values is not None and _TABLE_NAME.search(name):
            self._list(place)

    def _list(self, place: Place) -> None:
        node, values = place.node, place.node.child_by_field_name("value")
        if values is None:
            return
        for value in named(values):
            if value.type == "composite_literal":
                body = value.child_by_field_name("body")
                for element in named(body):
                    self._entry(place, values, value, element)
            elif node.type == "const_spec" and self.is_sentence(place.of(values, value)):
                self.say(place, place.of(values, value), Details(kind="table", is_listed=True))

    def _entry(self, place: Place, values: Node, table: Node, element: Node) -> None:
        body = table.child_by_field_name("body")
        last = named(element)[-1:] if element.type == "keyed_element" else [element]
        inner = named(last[0])[:1] if last else []
        if body is None or not inner or inner[0].type not in _LITERALS:
            return
        way = [values, table, body, element, *(last if last[0].id != element.id else []), *inner]
        message = place.of(*way)
        if self.is_sentence(message):
            self.say(place.of(*way[:4]), message, Details(kind="table", is_listed=True))
