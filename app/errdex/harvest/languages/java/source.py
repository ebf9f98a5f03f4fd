"""Java: exceptions that are made, checks, logs, and the messages of enums and annotations.

A stack trace names the line where the exception was made, so `new …Exception(…)` is the
place, thrown or not.
"""

from __future__ import annotations

from dataclasses import replace

import tree_sitter_java
from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.languages.java.guards import FUNCTIONS, JavaGuards
from errdex.harvest.languages.java.messages import JavaMessages
from errdex.harvest.languages.java.names import CLASSES, JavaBinder
from errdex.harvest.languages.jvm_classes import simple_name
from errdex.harvest.messages.statuses import parse_status
from errdex.harvest.model import Extraction
from errdex.harvest.trees.details import Details
from errdex.harvest.trees.reporters import Known
from errdex.harvest.trees.syntax import (
    Place,
    first_named,
    named,
    one_line,
    places_within,
    text_after,
    text_of,
)

_ERROR_CLASS = re.compile(r"(?:Exception|Error|Failure|Throwable|Fault)$")
_LOGGERS = re.compile(
    r"^(?:this\.)?(?:log|logger|_?\w*[lL]og(?:ger)?|LOG(?:GER)?|\w+_LOG(?:GER)?|getLogger\(.*\)|log\(\))$"
)
_LEVELS = {"error": "error", "severe": "error", "fatal": "fatal", "critical": "critical"}
_CHECKS = {
    "checkArgument": ("IllegalArgumentException", False),
    "checkState": ("IllegalStateException", False),
    "checkNotNull": ("NullPointerException", True),
    "requireNonNull": ("NullPointerException", True),
    "checkElementIndex": ("IndexOutOfBoundsException", None),
}
"""Functions that check their first argument: the class, and whether it must not be null."""
_SPRING = {
    "notNull": ("IllegalArgumentException", True),
    "isTrue": ("IllegalArgumentException", False),
    "state": ("IllegalStateException", False),
    "hasText": ("IllegalArgumentException", None),
    "hasLength": ("IllegalArgumentException", None),
    "notEmpty": ("IllegalArgumentException", None),
    "validState": ("IllegalStateException", False),
}
_THROWS = re.compile(
    r"@(?:throws|exception)\s+(?P<class>[\w.$]+)\s+(?P<text>.+?)(?=\n\s*@|\Z)", re.DOTALL
)
_TAGS = re.compile(r"\{@\w+\s+#?([^}]*)\}|</?\w+/?>")
_TABLES = re.compile(
    r"(?:Err(?:or)?|Exception|Fault|Failure|Problem|Code|Message)s?(?:Code|Type|Enum)?s?$"
)
_CONSTANTS = re.compile(r"(?:^|_)(?:ERR|ERROR|ERRORS|EXCEPTION|FAIL|FAILURE|INVALID)(?:_|$)")
_CODE = re.compile(r"[A-Z]+[-_]?\d{2,}")
_MAKES = re.compile(r"(?:from|of|create|make|new|build|wrap|with)(?:[A-Z]\w*)?$")
"""Methods of an exception's class that make one."""


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a Java file. Raises SourceUnreadable."""
    return JavaFinder(source, path).extract(known)


class JavaFinder(JavaBinder):
    """Reads one file."""

    grammar = Language(tree_sitter_java.language())
    found_at = frozenset(
        """
        object_creation_expression method_invocation assert_statement return_statement
        throw_statement
        explicit_constructor_invocation enum_constant element_value_pair variable_declarator
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )

    error_names = _ERROR_CLASS
    throws = _THROWS
    markup = _TAGS

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self.guards = JavaGuards()
        self.messages = JavaMessages(self.names, self.guards)

    def visit(self, place: Place) -> None:
        """Exceptions that are made, checks, logs and lists of messages."""
        match place.node.type:
            case "object_creation_expression":
                self._made(place)
            case "method_invocation":
                self._called(place)
            case "assert_statement":
                parts = named(place.node)
                if len(parts) == 2:
                    when = (self.guards.opposite(parts[0]),)
                    details = Details(
                        kind="assert", error_class="java.lang.AssertionError", when=when
                    )
                    self.say(place, place.of(parts[1]), details)
            case "explicit_constructor_invocation":
                self._super(place)
            case "return_statement":
                self._get_message(place)
            case _:
                self._listed(place)

    def _made(self, place: Place) -> None:
        name = one_line(place.node.child_by_field_name("type")).split("<")[0]
        if self.is_error(name) or self.is_thrown(place):
            self._made_of(place, name, self.messages.arguments(place))

    def _made_of(self, place: Place, name: str, arguments: list[Place]) -> None:
        """An exception that is made, by its constructor or by a method of its class."""
        status = next(filter(None, (parse_status(text_of(a.node)) for a in arguments)), None)
        details = Details(
            kind="raise", error_class=self.printed.full_name(name), http_status=status
        )
        details = replace(details, line=_line_of_call(place))
        made = self.message_made_by(simple_name(name), arguments)
        if any(way.has_text for way in made):
            self.report(place, made, details)
            return
        for at, argument in enumerate(arguments):
            text = self.messages.read_text(argument)
            if text is not None and _CODE.fullmatch(text) and argument is not arguments[-1]:
                details = replace(details, error_code=text)
            elif self.has_text(argument) and argument.node.type != "decimal_integer_literal":
                self.report(place, self.messages.with_values(arguments[at:]), details)
                return
        ways = [way for each in arguments for way in self.messages.read(each)]
        self.note_passing(place, ways, details)
        # A cause alone has no message of its own here, nor has anything else that is made.
        self.say(place, arguments[0] if len(arguments) > 1 else None, details)

    def visit_named(self, place: Place) -> None:
        """`throw error("…")`, where a method makes the exception."""
        super().visit_named(place)
        call = first_named(place.node) if place.node.type == "throw_statement" else None
        if call is not None and call.type == "method_invocation" and call.id not in self._reported:
            arguments = self.messages.arguments(place.of(call))
            text = next((each for each in arguments if self.is_sentence(each)), None)
            if text is not None:
                rest = arguments[arguments.index(text) :]
                self.report(place, self.messages.with_values(rest), Details(kind="raise"))

    def _called(self, place: Place) -> None:
        node = place.node
        receiver, name = (
            one_line(node.child_by_field_name("object")),
            text_of(node.child_by_field_name("name")),
        )
        arguments = self.messages.arguments(place)
        if not arguments:
            return
        if name in _CHECKS or (name in _SPRING and self._is_of_library(receiver)):
            self._checked(place, name, arguments)
        elif name in _LEVELS and _LOGGERS.search(receiver):
            self._logged(place, arguments, _LEVELS[name])
        elif name == "log" and ("SEVERE" in text_of(arguments[0].node) and len(arguments) > 1):
            self._logged(place, arguments[1:], "error")
        elif name == "log" and re.search(r"\bat(?:Error|Severe)\(\)", receiver):
            self._logged(place, arguments, "error")
        elif receiver == "System.err" and name in {"println", "printf", "format"}:
            if self.has_text(arguments[0]):
                self._logged(place, arguments, "error", is_printed=True)
            else:
                hole = self.messages.hole(arguments[0].node)
                self.note_passing(place, [hole], Details(kind="log", severity="error"))
        elif name in {"sendError", "body"}:
            self._answered(place, receiver, arguments)
        elif receiver[:1].isupper() and self.is_error(receiver) and _MAKES.match(name):
            self._made_of(place, receiver, arguments)

    def _is_of_library(self, receiver: str) -> bool:
        """Whether a class of checks is Spring's or one of Apache's, and not the project's own."""
        if receiver not in {"Assert", "Validate", "Asserts"}:
            return False
        known = self.printed.known.get(receiver)
        return known is None or known.startswith(("org.springframework.", "org.apache."))

    def _checked(self, place: Place, name: str, arguments: list[Place]) -> None:
        error_class, is_null = (_CHECKS | _SPRING)[name]
        if len(arguments) < 2 or not self.has_text(arguments[1]):
            return
        first = arguments[0].node
        when: tuple[str, ...] = ()
        if is_null is not None:
            when = (f"{one_line(first)} == null",) if is_null else (self.guards.opposite(first),)
        details = Details(kind="raise", error_class=f"java.lang.{error_class}", when=when)
        self.report(place, self.messages.with_values(arguments[1:]), details)

    def _logged(
        self, place: Place, arguments: list[Place], severity: str, *, is_printed: bool = False
    ) -> None:
        details = Details(kind="log", severity=severity, is_printed=is_printed)
        if self._exits_after(place):
            details = Details(kind="exit", severity="fatal")
        at = next((i for i, each in enumerate(arguments[:2]) if self.has_text(each)), None)
        if at is None:
            self.report(place, [], details)
        else:
            self.report(place, self.messages.with_values(arguments[at:]), details)

    def _exits_after(self, place: Place) -> bool:
        return text_after(place).startswith("System.exit(")

    def _answered(self, place: Place, receiver: str, arguments: list[Place]) -> None:
        """`response.sendError(404, "…")`, `ResponseEntity.status(…).body("…")`."""
        status = parse_status(text_of(arguments[0].node))
        if status is None and (found := re.search(r"\.status\(([^()]*)\)", receiver)):
            status = parse_status(found[1])
        if status is not None and self.has_text(arguments[-1]):
            details = Details(kind="raise", http_status=status)
            if not text_of(arguments[-1].node).isdecimal():
                self.say(place, arguments[-1], details)

    def _super(self, place: Place) -> None:
        around = place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        if not self.is_error(owner) or "super" not in text_of(place.node)[:6]:
            return
        arguments = self.messages.arguments(place)
        at = next((i for i, each in enumerate(arguments) if self.has_text(each)), None)
        if at is not None:
            details = Details(kind="table", error_class=self.printed.full_name(owner))
            self.report(place, self.messages.with_values(arguments[at:]), details)

    def _get_message(self, place: Place) -> None:
        method, around = place.up(FUNCTIONS), place.up(CLASSES)
        if method is None or around is None:
            return
        owner = text_of(around.node.child_by_field_name("name"))
        named_so = text_of(method.node.child_by_field_name("name")) == "getMessage"
        value = named(place.node)[:1]
        if named_so and value and self.is_error(owner) and self.has_text(place.of(*value)):
            details = Details(kind="table", error_class=self.printed.full_name(owner))
            self.say(place, place.of(*value), details)

    def _listed(self, place: Place) -> None:
        match place.node.type:
            case "enum_constant":
                self._enum_constant(place)
            case "element_value_pair":
                self._annotated(place)
            case _:
                value = place.node.child_by_field_name("value")
                name = text_of(place.node.child_by_field_name("name"))
                if value is not None and _CONSTANTS.search(name) and self._is_constant(place):
                    message = place.of(value)
                    if self.is_sentence(message):
                        self.say(place, message, Details(kind="table", is_listed=True))

    def _is_constant(self, place: Place) -> bool:
        return place.parent is not None and place.parent.type in {
            "field_declaration",
            "constant_declaration",
        }

    def _enum_constant(self, place: Place) -> None:
        around = place.up({"enum_declaration"})
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        if not _TABLES.search(owner):
            return
        arguments = self.messages.arguments(place)
        messages = [each for each in arguments if self.is_sentence(each)]
        if not messages:
            return
        texts = [self.messages.read_text(each) for each in arguments]
        details = Details(
            kind="table",
            is_listed=True,
            error_code=next((text for text in texts if text and _CODE.fullmatch(text)), None),
            http_status=next(
                filter(None, (parse_status(text_of(each.node)) for each in arguments)), None
            ),
        )
        self.say(place, messages[0], details)

    def _annotated(self, place: Place) -> None:
        """`@NotNull(message = "…")`, `@ResponseStatus(value = …, reason = "…")`."""
        key, value = (place.node.child_by_field_name(field) for field in ("key", "value"))
        if text_of(key) not in {"message", "reason"} or value is None:
            return
        message = place.of(value)
        if not self.is_sentence(message) or text_of(value).startswith('"{'):
            return
        self.say(
            place,
            message,
            Details(kind="table", is_listed=True, http_status=self._status_beside(place)),
        )

    def _status_beside(self, place: Place) -> int | None:
        pairs: list[Node] = named(place.parent)
        values = (text_of(pair.child_by_field_name("value") or pair) for pair in pairs)
        return next(filter(None, (parse_status(value) for value in values)), None)


def _line_of_call(place: Place) -> int:
    """The line that a stack trace names: javac gives the call of a constructor the line of the
    last call within its arguments, or of the `else` of the last `? :` there."""
    line = place.line
    for inner in places_within(place, {"method_invocation", "ternary_expression"}):
        if any(node.type in FUNCTIONS for node in inner.path[len(place.path) :]):
            continue
        at = inner.node.child_by_field_name("name")
        if inner.node.type == "ternary_expression":
            other = inner.node.child_by_field_name("alternative")
            at = other.child_by_field_name("operator") if other is not None else None
            at = at or other
        if at is not None:
            line = max(line, at.start_point[0] + 1)
    return line
