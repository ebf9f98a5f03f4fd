"""PHP: exceptions that are made, triggered errors, `die`, logs and answers."""

from __future__ import annotations

from dataclasses import replace

import tree_sitter_php
from tree_sitter import Language

from errdex import lazy_re as re
from errdex.harvest.languages.php.guards import FUNCTIONS, PhpGuards
from errdex.harvest.languages.php.messages import PhpMessages
from errdex.harvest.languages.php.names import CLASSES, PhpBinder, simple_name
from errdex.harvest.messages.formats import Arguments, braces, formatted
from errdex.harvest.messages.statuses import parse_status
from errdex.harvest.messages.wording import Wording
from errdex.harvest.model import Extraction, Fixed, Part
from errdex.harvest.trees.details import Details
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

_ERROR_CLASS = re.compile(r"(?:Exception|Error|Failure|Fault)$")
_LEVELS = {
    "error": "error",
    "critical": "critical",
    "alert": "critical",
    "emergency": "critical",
    "fatal": "fatal",
}
_LOGGER = re.compile(r"(?:^|->|::|\\|\$)(?:\w*[lL]og(?:ger)?|Log|io|output|console)(?:\(\))?$")
_TRIGGERED = {
    "E_USER_ERROR": "error",
    "E_USER_WARNING": "warning",
    "E_USER_NOTICE": "notice",
    "E_USER_DEPRECATED": "warning",
}
_ABORTS = {"abort": 0, "abort_if": 1, "abort_unless": 1}
"""How many arguments stand before the status."""
_THROWS = re.compile(
    r"@throws\s+(?P<class>[\w\\]+)\s+(?P<text>[^@\s].*?)(?=\n\s*@|\n\s*\n|\Z)", re.DOTALL
)
_CODE = re.compile(r"[a-z]+(?:[_-][a-z]+)+|[A-Z]+[-_]?\d{2,}")
_CONSTANTS = re.compile(r"(?:^|_)(?:ERR|ERROR|ERRORS|EXCEPTION|FAIL|FAILURE|INVALID)(?:_|$)")
_CONSOLE_TAG = re.compile(r"</?(?:error|warning|info|comment|question|fg=[^>]*|bg=[^>]*)?>")
_PLACEHOLDER = re.compile(r"\{\w+\}")
_KEYS = frozenset({"error", "message", "errors", "msg", "detail"})


def _placeholders(text: str, arguments: Arguments | None) -> list[Wording]:
    """`{name}` of a PSR-3 logger."""
    return braces(text, arguments, {}) if _PLACEHOLDER.search(text) else [Wording((Fixed(text),))]


def _without_tags(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(
        Fixed(_CONSOLE_TAG.sub("", part.text)) if isinstance(part, Fixed) else part
        for part in parts
    )


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a PHP file. Raises SourceUnreadable."""
    return PhpFinder(source, path).extract(known)


class PhpFinder(PhpBinder):
    """Reads one file."""

    grammar = Language(tree_sitter_php.language_php())
    found_at = frozenset(
        """
        object_creation_expression function_call_expression member_call_expression
        nullsafe_member_call_expression scoped_call_expression exit_statement const_element
        return_statement property_element argument enum_case
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )

    error_names = _ERROR_CLASS
    throws = _THROWS
    has_colon_places = True

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self.guards = PhpGuards()
        self.messages = PhpMessages(self.names, self.guards)

    def labelled(self, argument: Place) -> tuple[str, Place] | None:
        """`key: "…"`, which is `$key` within."""
        found = super().labelled(argument)
        return None if found is None else (f"${found[0]}", found[1])

    def visit(self, place: Place) -> None:
        """Exceptions that are made, calls that report, and lists of messages."""
        match place.node.type:
            case "object_creation_expression":
                self._made(place)
            case "function_call_expression":
                self._called(place)
            case "scoped_call_expression":
                self._scoped(place)
            case "exit_statement":
                inner = first_named(place.node)
                if inner is not None:
                    self._exits(place, place.of(inner))
            case "return_statement":
                self._get_message(place)
            case "argument":
                self._attribute(place)
            case "const_element" | "property_element" | "enum_case":
                self._listed(place)
            case _:
                self._method(place)

    def _made(self, place: Place) -> None:
        made = first_named(place.node)
        name = one_line(made)
        arguments = self.messages.arguments(place)
        if made is None or made.type not in {"name", "qualified_name"}:
            return
        if name.endswith("Response"):
            self._answered(place, arguments)
            return
        if name in {"self", "static"}:
            around = place.up(CLASSES)
            name = text_of(around.node.child_by_field_name("name")) if around else ""
        if not (self.is_error(name) or self.is_thrown(place)):
            return
        status = next(filter(None, (parse_status(text_of(a.node)) for a in arguments)), None)
        printed = None if name.endswith("WP_Error") else self.full_name(name)
        details = Details(kind="raise", error_class=printed, http_status=status)
        own = self.message_made_by(simple_name(name), arguments)
        if any(way.has_text for way in own):
            self.report(place, own, details)
            return
        self._first_text(place, arguments, details)

    def _first_text(self, place: Place, arguments: list[Place], details: Details) -> None:
        code = None
        for argument in arguments:
            text = self.messages.read_text(argument)
            if text is not None and argument is not arguments[-1] and _CODE.fullmatch(text):
                code = text
                continue
            if self.has_text(argument) and not text_of(argument.node).isdecimal():
                said = Details(
                    kind="raise",
                    error_class=details.error_class,
                    http_status=details.http_status,
                    error_code=code,
                )
                self.say(place, argument, said)
                return
        ways = [way for each in arguments for way in self.messages.read(each)]
        self.note_passing(place, ways, details)
        self.say(place, arguments[0] if len(arguments) > 1 else None, details)

    def _called(self, place: Place) -> None:
        name = one_line(place.node.child_by_field_name("function")).lstrip("\\")
        arguments = self.messages.arguments(place)
        if not arguments:
            return
        if name in {"trigger_error", "user_error"}:
            level = text_of(arguments[1].node) if len(arguments) > 1 else "E_USER_NOTICE"
            severity = next((s for each, s in _TRIGGERED.items() if each in level), "notice")
            self.say(place, arguments[0], Details(kind="log", severity=severity))
        elif name in {"die", "exit", "wp_die"}:
            self._exits(place, arguments[0])
        elif name == "error_log":
            self.say(place, arguments[0], Details(kind="log", severity="error"))
        elif name in {"fwrite", "fprintf", "fputs"} and len(arguments) > 1:
            if text_of(arguments[0].node).lstrip("\\") == "STDERR":
                ways = self.messages.formatted(arguments[1:])
                is_last = re.match(r"(?:exit|die)\b", text_after(place)) is not None
                self.report(place, ways, Details.printed(is_last=is_last))
        elif name == "assert" and len(arguments) > 1:
            self._asserted(place, arguments)
        elif name in _ABORTS:
            self._aborted(place, name, arguments)

    def _exits(self, place: Place, message: Place) -> None:
        if self.has_text(message) and not text_of(message.node).isdecimal():
            self.say(place, message, Details(kind="exit", severity="fatal"))

    def _asserted(self, place: Place, arguments: list[Place]) -> None:
        tested = first_named(arguments[0].node)
        when = (self.guards.opposite(tested),) if tested is not None else ()
        if "new " not in text_of(arguments[1].node):
            details = Details(kind="assert", error_class="AssertionError", when=when)
            self.say(place, arguments[1], details)

    def _aborted(self, place: Place, name: str, arguments: list[Place]) -> None:
        before = _ABORTS[name]
        rest = arguments[before:]
        status = parse_status(text_of(rest[0].node)) if rest else None
        tested = first_named(arguments[0].node) if before else None
        when: tuple[str, ...] = ()
        if tested is not None:
            is_if = name == "abort_if"
            when = (self.guards.text(tested) if is_if else self.guards.opposite(tested),)
        if len(rest) > 1:
            self.say(place, rest[1], Details(kind="raise", http_status=status, when=when))

    def _scoped(self, place: Place) -> None:
        scope = one_line(place.node.child_by_field_name("scope"))
        name = text_of(place.node.child_by_field_name("name"))
        arguments = self.messages.arguments(place)
        if scope == "parent" and name == "__construct":
            self._parent(place, arguments)
        elif name in _LEVELS and _LOGGER.search(scope) and arguments:
            self._logged(place, arguments, _LEVELS[name])

    def _parent(self, place: Place, arguments: list[Place]) -> None:
        around = place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        text = next((each for each in arguments[:2] if self.has_text(each)), None)
        if self.is_error(owner) and text is not None and not text_of(text.node).isdecimal():
            self.say(place, text, Details(kind="table", error_class=self.full_name(owner)))

    def _method(self, place: Place) -> None:
        receiver = one_line(place.node.child_by_field_name("object"))
        name = text_of(place.node.child_by_field_name("name"))
        arguments = self.messages.arguments(place)
        if not arguments:
            return
        if name in _LEVELS and (_LOGGER.search(receiver) or receiver == "$this"):
            if receiver != "$this" or self.is_sentence(arguments[0]):
                self._logged(place, arguments, _LEVELS[name])
        elif name == "json":
            self._answered(place, arguments)
        elif name.startswith("write"):
            self._written(place, name, arguments)
        elif name == "createNotFoundException":
            self.say(place, arguments[0], Details(kind="raise", http_status=404))

    def _logged(self, place: Place, arguments: list[Place], severity: str) -> None:
        details = Details(kind="log", severity=severity)
        ways = self.messages.read(arguments[0]) if self.has_text(arguments[0]) else []
        self.report(place, formatted(ways, _placeholders, None), details)

    def _written(self, place: Place, name: str, arguments: list[Place]) -> None:
        """`$io->writeError('<error>…</error>')`: Symfony's console takes the tags out."""
        ways = self.messages.read(arguments[0])
        parts = [part for way in ways for part in way.parts[:1] if isinstance(part, Fixed)]
        is_error = any(part.text.lstrip().startswith("<error>") for part in parts)
        if is_error or (name.lower().startswith("writeerror") and parts):
            self.report(
                place,
                [replace(way, parts=_without_tags(way.parts)) for way in ways],
                Details(kind="log", severity="error", is_printed=not is_error),
            )

    def _answered(self, place: Place, arguments: list[Place]) -> None:
        """`response()->json(['error' => '…'], 404)`, `new JsonResponse([…], 404)`."""
        status = next(filter(None, (parse_status(text_of(a.node)) for a in arguments)), None)
        if status is None:
            return
        for element in inner_nodes(arguments[0].node, {"array_element_initializer"}, limit=60):
            parts = named(element)
            if len(parts) == 2 and text_of(parts[0]).strip("'\"") in _KEYS:
                text = Place(parts[1], (*arguments[0].path, arguments[0].node, element))
                if self.is_sentence(text):
                    self.say(place, text, Details(kind="raise", http_status=status))
                    return

    def _get_message(self, place: Place) -> None:
        """What `getMessage`-like methods of an exception return."""
        method, around = place.up(FUNCTIONS), place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        name = text_of(method.node.child_by_field_name("name")) if method is not None else ""
        value = named(place.node)[:1]
        is_message = name in {"getMessage", "getReason", "getName"} and self.is_error(owner)
        if value and is_message and self.is_sentence(place.of(*value)):
            details = Details(kind="table", error_class=self.full_name(owner))
            self.say(place, place.of(*value), details)

    def _attribute(self, place: Place) -> None:
        """`#[Assert\\NotBlank(message: '…')]`."""
        label = text_of(place.node.child_by_field_name("name"))
        is_attribute = any(node.type == "attribute" for node in place.path[-2:])
        if is_attribute and "essage" in label and self.is_sentence(place):
            self.say(place, place, Details(kind="table", is_listed=True))

    def _listed(self, place: Place) -> None:
        """Constants and enums of messages, and `$message` of an exception."""
        parts = named(place.node)
        around = place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        name = text_of(parts[0]) if parts else ""
        if len(parts) > 1 and place.node.type == "const_element" and _CONSTANTS.search(name):
            self._entries(place.of(parts[-1]))
        if len(parts) < 2 or not self.is_sentence(message := place.of(parts[-1])):
            return
        if name == "$message" and self.is_error(owner):
            details = Details(kind="table", error_class=self.full_name(owner))
            self.say(place, message, details)
            return
        is_case = place.node.type == "enum_case" and re.search(r"Error|Failure|Problem", owner)
        is_constant = place.node.type == "const_element" and _CONSTANTS.search(name)
        if is_case or is_constant:
            self.say(place, message, Details(kind="table", is_listed=True))

    def _entries(self, table: Place) -> None:
        """`const ERRORS = ['size' => 'The mail is too large'];`"""
        if table.node.type != "array_creation_expression":
            return
        for entry in named(table.node):
            values = named(entry)
            if values and self.is_sentence(message := table.of(entry, values[-1])):
                self.say(table.of(entry), message, Details(kind="table", is_listed=True))
