"""Rust: panics, errors that are made, checks, logs, and the texts of error types.

Rust prints no class before an error's text.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile

import tree_sitter_rust
from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.languages.rust.documents import documented_errors
from errdex.harvest.languages.rust.guards import FUNCTIONS, RustGuards, opposite_of
from errdex.harvest.languages.rust.messages import (
    STRINGS,
    Argument,
    RustMessages,
    macro_arguments,
    source_of,
    statements_around,
)
from errdex.harvest.messages.statuses import parse_status
from errdex.harvest.messages.wording import Wording, combined
from errdex.harvest.model import Extraction
from errdex.harvest.trees.details import Details
from errdex.harvest.trees.finder import Finder
from errdex.harvest.trees.reporters import Known
from errdex.harvest.trees.syntax import (
    COMMENTS,
    Place,
    first_named,
    inner_nodes,
    named,
    one_line,
    text_after,
    text_of,
)

_PREFIXES = {
    "unreachable": "internal error: entered unreachable code: ",
    "todo": "not yet implemented: ",
    "unimplemented": "not implemented: ",
}
_CHECKS = {"assert": 1, "debug_assert": 1, "ensure": 1, "ensure_or": 1, "require": 1}
_CHECKS |= dict.fromkeys(("assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne"), 2)
"""How many arguments stand before the message."""
_LOGS = re.compile(r"^(?:error|fatal|crit|critical|eprintln|eprint)$")
_RAISES = re.compile(
    r"(?:^|_)(?:panic|bail|anyhow|eyre|err|error|fatal|abort|throw|whatever|unreachable|todo"
    r"|unimplemented)(?:_|$)"
)
_TEST = re.compile(r"(?<!not\()\btest\b")
_METHODS = re.compile(
    r"^(?:expect|expect_err|context|with_context|wrap_err|wrap_err_with|ok_or|ok_or_else|map_err"
    r"|change_context|attach_printable|whatever_context)$"
)
_ERROR_PATH = re.compile(
    r"(?:^|::)\w*(?:Error|Err|Exception|Failure|Fault)(?:Kind)?(?:::|$)|(?:^|::)Error[A-Z]\w+$"
)
_ERROR_TYPE = re.compile(
    r"(?:Error|Err|Exception|Failure|Fault)"
    r"(?:Kind|Code|Type|Inner|Impl|Repr|Category|Reason|Details?|Variant)?$"
)
_SERDE = {
    "invalid_type": ("invalid type: ", ", expected "),
    "invalid_value": ("invalid value: ", ", expected "),
    "invalid_length": ("invalid length ", ", expected "),
    "missing_field": ("missing field `", "`"),
    "duplicate_field": ("duplicate field `", "`"),
    "unknown_variant": ("unknown variant `", "`, expected "),
    "unknown_field": ("unknown field `", "`, expected "),
}
"""What stands before and behind the first argument of the makers of errors in serde's traits."""
_PANICS = re.compile(r"(?:\w+::)*(?:panic|(?:debug_)?assert\w*|unreachable|todo|unimplemented)$")
_REPORTS = re.compile(r"\b(?:eprint(?:ln)?|panic|bail|error|anyhow|format_err)!|\bErr\s*\(")
_TEXT_FIELDS = frozenset({"msg", "message", "reason", "detail", "details", "description", "error"})


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a Rust file. Raises SourceUnreadable."""
    return RustFinder(source, path).extract(known)


class RustFinder(Finder):
    """Reads one file."""

    grammar = Language(tree_sitter_rust.language())
    comments = frozenset({"line_comment", "block_comment"})
    functions = FUNCTIONS
    classes = frozenset({"impl_item", "trait_item", "mod_item", "enum_item", "struct_item"})
    separator = "::"
    found_at = frozenset(
        {"macro_invocation", "call_expression", "attribute_item", "struct_expression"}
        | {"tuple_expression", "match_arm", "const_item", "static_item"}
    )
    bound_at = frozenset(
        """
        const_item static_item let_declaration assignment_expression compound_assignment_expr
        parameter closure_parameters let_condition match_pattern for_expression impl_item
        macro_definition
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )
    messages: RustMessages

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self._error_types: set[str] = set()
        """Types for which the file implements `Error`."""
        self._own_macros: set[str] = set()
        """Macros of this file that make or report errors of what they are given."""
        self.guards = RustGuards()
        self.messages = RustMessages(self.names, self.guards)

    def name_of(self, place: Place) -> str | None:
        """What an `impl` is for."""
        if place.node.type == "impl_item":
            return _type_name(place.node) or None
        return super().name_of(place)

    def bind(self, place: Place) -> None:
        """Constants, `let`, assignments, what patterns bind."""
        node = place.node
        match node.type:
            case "const_item" | "static_item" | "let_declaration":
                self._bind_declared(place)
            case "assignment_expression" | "compound_assignment_expr":
                self._bind_assigned(place)
            case "impl_item":
                trait = one_line(node.child_by_field_name("trait")).rpartition("::")[2]
                if trait == "Error":
                    self._error_types.add(_type_name(node))
            case "macro_definition":
                if _REPORTS.search(text_of(node)):
                    self._own_macros.add(text_of(node.child_by_field_name("name")))
            case "closure_parameters" | "match_pattern":
                self._bind_all(place, node)
            case _:
                pattern = node.child_by_field_name("pattern")
                if pattern is not None:
                    self._bind_all(place, pattern)

    def _bind_declared(self, place: Place) -> None:
        node = place.node
        target = node.child_by_field_name("name") or node.child_by_field_name("pattern")
        value = node.child_by_field_name("value")
        if target is not None and target.type == "identifier":
            if value is not None:
                self.names.bind(text_of(target), place, place.of(value))
        elif target is not None:
            self._bind_all(place, target)

    def _bind_assigned(self, place: Place) -> None:
        left, right = (place.node.child_by_field_name(each) for each in ("left", "right"))
        operator = text_of(place.node.child_by_field_name("operator"))
        if left is not None and right is not None:
            value = place.of(right) if operator in {"", "+="} else None
            adds = place.node.type == "compound_assignment_expr"
            self.names.bind(one_line(left), place, value, adds=adds)

    def documented(self, place: Place, error_class: str | None) -> tuple[str, ...]:
        """What the documentation says on errors, or on panics, whatever their class."""
        panics = place.node.type == "macro_invocation" and bool(
            _PANICS.match(one_line(place.node.child_by_field_name("macro")))
        )
        return documented_errors(self.documentation_of(place), panics=panics)

    def visit(self, place: Place) -> None:
        """Macros, calls and attributes that make or report errors."""
        if _is_test(place):
            return
        match place.node.type:
            case "macro_invocation":
                self._macro(place)
            case "call_expression":
                self._called(place)
            case "attribute_item":
                self._attribute(place)
            case "tuple_expression":
                parts = named(place.node)
                status = parse_status(text_of(parts[0])) if len(parts) == 2 else None
                if status is not None and self.has_text(place.of(parts[1])):
                    self.say(place, place.of(parts[1]), Details(kind="raise", http_status=status))
            case "struct_expression":
                self._struct(place)
            case "match_arm":
                self._add_report(place)

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a function or a method."""
        function = place.node.child_by_field_name("function")
        if place.node.type != "call_expression" or function is None:
            return None
        if _is_test(place):
            return None
        name = re.split(r"::|\.", one_line(function))[-1]
        return name, self.messages.arguments(place), place.line

    def is_own_call(self, place: Place) -> bool:
        """Whether it is no method, or one of `self`."""
        function = place.node.child_by_field_name("function")
        is_method = function is not None and function.type == "field_expression"
        return not is_method or one_line(function).startswith("self.")

    def parameters_of(self, function: Node) -> list[str]:
        """Of a function, without `self`."""
        return [
            one_line(each.child_by_field_name("pattern"))
            for each in named(function.child_by_field_name("parameters"))
            if each.type == "parameter"
        ]

    def visit_asked(self, place: Place, asked: Collection[str]) -> None:
        """Tables of messages."""
        name, value = (place.node.child_by_field_name(field) for field in ("name", "value"))
        is_table = place.node.type in {"const_item", "static_item"} and text_of(name) in asked
        for text in inner_nodes(value, STRINGS) if is_table and value is not None else ():
            message = Place(text, (*place.path, place.node))
            if self.is_sentence(message):
                self.say(message, message, Details(kind="table"))

    def _add_report(self, place: Place) -> None:
        """`Kind::Rain => "…"` in a method of an error that tells its text."""
        value, around = place.node.child_by_field_name("value"), place.up(FUNCTIONS)
        owner = place.up({"impl_item"})
        if value is None or value.type not in STRINGS or around is None or owner is None:
            return
        name = _type_name(owner.node)
        is_error = name in self._error_types or _ERROR_TYPE.search(name) is not None
        tells = "str" in one_line(around.node.child_by_field_name("return_type")).lower()
        if is_error and (tells or self._is_display(place)) and self.is_sentence(place.of(value)):
            self.say(place.of(value), place.of(value), Details(kind="table"))

    def _bind_all(self, place: Place, pattern: Node) -> None:
        for each in inner_nodes(pattern, {"identifier", "shorthand_field_identifier"}):
            self.names.bind(text_of(each), place.of(each), None)

    def _macro(self, place: Place) -> None:
        name = one_line(place.node.child_by_field_name("macro")).rpartition("::")[2]
        arguments = macro_arguments(place.node)
        if name in {"write", "writeln"}:
            self._display(place, arguments)
        elif name in _CHECKS:
            self._checked(place, name, arguments)
        elif (
            name == "compile_error"
            or name in self._own_macros
            or _LOGS.match(name)
            or _RAISES.search(name)
        ):
            self._said(place, name, arguments)

    def _said(self, place: Place, name: str, arguments: list[Argument]) -> None:
        at = next((i for i, each in enumerate(arguments) if each.literal and not each.name), None)
        if arguments and (joined := self.messages.concatenated(place, arguments[0])):
            self.report(place, joined, Details(kind="raise"))
            return
        details = Details(kind="raise")
        if _LOGS.match(name):
            severity = "error" if name != "fatal" else "fatal"
            is_printed = name.startswith("eprint")
            details = Details(kind="log", severity=severity, is_printed=is_printed)
            if self._exits_after(place):
                details = Details(kind="exit", severity="fatal")
        if at is None:
            if not arguments or name.startswith("e") or _LOGS.match(name):
                return
            self.report(place, [], details)
            return
        ways = self.messages.formatted(place, arguments[at:])
        self.report(place, self._prefixed(_PREFIXES.get(name, ""), ways), details)

    def _prefixed(self, prefix: str, ways: list[Wording]) -> list[Wording]:
        return combined([self.messages.fixed(prefix), ways]) if prefix else ways

    def _checked(self, place: Place, name: str, arguments: list[Argument]) -> None:
        before = _CHECKS[name]
        if len(arguments) < before:
            return
        tested = [source_of(each.nodes) for each in arguments[:before]]
        kind = name.removeprefix("debug_")
        when = opposite_of(tested[0])
        if before == 2:
            when = f"{tested[0]} {'!=' if kind == 'assert_eq' else '=='} {tested[1]}"
        details = Details(kind="assert" if kind.startswith("assert") else "raise", when=(when,))
        rest = arguments[before:]
        if rest and rest[0].literal is not None:
            ways = self.messages.formatted(place, rest)
            if before == 2:
                operator = "==" if kind == "assert_eq" else "!="
                ways = self._prefixed(f"assertion `left {operator} right` failed: ", ways)
            self.report(place, ways, details)
        elif kind == "assert" and not rest:
            self.report(place, self.messages.fixed(f"assertion failed: {tested[0]}"), details)
        elif kind == "ensure" and not rest:
            self.report(place, self.messages.fixed(f"Condition failed: `{tested[0]}`"), details)

    def _exits_after(self, place: Place) -> bool:
        return "process::exit(" in text_after(place)

    def _display(self, place: Place, arguments: list[Argument]) -> None:
        """`write!(f, …)` in the `Display` of an error."""
        to_stderr = bool(arguments) and "stderr" in source_of(arguments[0].nodes)
        is_report = to_stderr or self._is_display(place)
        if not to_stderr and is_report:
            self._written(place)
        elif is_report and len(arguments) > 1 and arguments[1].literal is not None:
            ways = self.messages.formatted(place, arguments[1:])
            if any(way.has_text for way in ways):
                self.report(place, ways, Details(kind="log", severity="error", is_printed=True))

    def _written(self, place: Place) -> None:
        """What a `Display` writes, with what it writes right behind; that is told with the first
        of these places."""
        statements, at = statements_around(place)
        if at and self.messages.written(statements[at - 1]):
            return
        written = takewhile(bool, map(self.messages.written, statements[at:]))
        ways = combined(list(written))
        if any(way.has_text for way in ways):
            self.report(place, ways, Details(kind="table"))

    def _is_display(self, place: Place) -> bool:
        around = place.up({"impl_item"})
        if around is None:
            return False
        trait = one_line(around.node.child_by_field_name("trait")).rpartition("::")[2]
        name = _type_name(around.node)
        is_error = name in self._error_types or _ERROR_TYPE.search(name) is not None
        return is_error and (trait in {"Display", "Debug"} or trait == "Error")

    def _called(self, place: Place) -> None:
        function = place.node.child_by_field_name("function")
        arguments = self.messages.arguments(place)
        if function is None or not arguments:
            return
        details = Details(kind="raise")
        if function.type == "field_expression":
            method = text_of(function.child_by_field_name("field"))
            if method == "write_str" and self._is_display(place):
                self._written(place)
                return
            if not _METHODS.match(method):
                return
            if self.has_text(arguments[-1]) and self._is_own_text(arguments[-1]):
                self.say(place, arguments[-1], details)
            return
        name = one_line(function)
        maker = name.rpartition("::")[2]
        if maker in _SERDE and "::" in name:
            self._made_by_serde(place, maker, arguments)
        elif name == "Err" or _ERROR_PATH.search(name) or name.endswith("::custom"):
            text = next((each for each in arguments if self.has_text(each)), None)
            if text is not None and self._is_own_text(text):
                self.say(place, text, details)
            elif text is None:
                ways = [way for each in arguments for way in self.messages.read(each)]
                self.note_passing(place, ways, details)

    def _made_by_serde(self, place: Place, maker: str, arguments: list[Place]) -> None:
        """`Error::invalid_value(found, &"a port")`."""
        before, behind = _SERDE[maker]
        ways = [self.messages.fixed(before), self.messages.read(arguments[0])]
        ways.append(self.messages.fixed(behind))
        if behind.endswith("expected "):
            ways.extend(self.messages.read(each) for each in arguments[1:2])
        self.report(place, combined(ways), Details(kind="raise"))

    def _is_own_text(self, argument: Place) -> bool:
        """Whether an argument is the text itself, and not an error that is made on its own."""
        macros = {"anyhow", "eyre", "format_err"}
        node = argument.node
        while node.type in {"closure_expression", "block"}:
            inside = named(node)[-1:]
            if not inside:
                return False
            node = inside[0]
        return one_line(node.child_by_field_name("macro")).rpartition("::")[2] not in macros

    def _attribute(self, place: Place) -> None:
        """thiserror's `#[error("…")]`."""
        attribute = first_named(place.node)
        if attribute is None or text_of(attribute.children[0]) != "error":
            return
        arguments = macro_arguments(attribute)
        if arguments and arguments[0].literal is not None:
            inside = Place(attribute, (*place.path, place.node))
            ways = self.messages.formatted(inside, arguments)
            self.report(place, ways, Details(kind="table"))

    def _struct(self, place: Place) -> None:
        """`ParseError { message: "…".into() }`."""
        name = one_line(place.node.child_by_field_name("name"))
        body = place.node.child_by_field_name("body")
        if body is None or not _ERROR_PATH.search(name):
            return
        for field in named(body):
            key = field.child_by_field_name("field") or field.child_by_field_name("name")
            value = field.child_by_field_name("value")
            if value is not None and text_of(key) in _TEXT_FIELDS:
                text = place.of(body, field, value)
                if self.is_sentence(text):
                    self.say(place, text, Details(kind="raise"))
                    return
                self.note_passing(place, self.messages.read(text), Details(kind="raise"))
            elif value is None and text_of(key) in _TEXT_FIELDS:
                ways = [self.messages.hole(field)]
                self.note_passing(place, ways, Details(kind="raise"))


def _type_name(implementation: Node) -> str:
    """The type that an `impl` is for, without its path and parameters."""
    name = one_line(implementation.child_by_field_name("type"))
    return re.split(r"<", name.lstrip("&"))[0].rpartition("::")[2]


def _is_test(place: Place) -> bool:
    """Whether a place is in a test, which Rust has in the file of what it tests."""
    for node in place.path:
        before = node.prev_named_sibling if node.type in {"mod_item", "function_item"} else None
        while before is not None and before.type in {"attribute_item", *COMMENTS}:
            if before.type == "attribute_item" and _TEST.search(text_of(before)):
                return True
            before = before.prev_named_sibling
    return False
