"""Kotlin: exceptions that are made, `require` and its kin, logs, and lists of messages."""

from __future__ import annotations

from collections.abc import Sequence

import tree_sitter_kotlin
from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.languages.jvm_classes import PrintedClasses, simple_name
from errdex.harvest.languages.kotlin.guards import FUNCTIONS, KotlinGuards
from errdex.harvest.languages.kotlin.messages import Call, KotlinMessages, call_of
from errdex.harvest.messages.statuses import parse_status
from errdex.harvest.messages.wording import Wording, combined
from errdex.harvest.model import Extraction
from errdex.harvest.trees.details import Brought, Details
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

_CLASSES = frozenset({"class_declaration", "object_declaration"})
_ERROR_CLASS = re.compile(r"(?:Exception|Error|Failure|Throwable|Fault)$")
_CHECKS = {
    "require": ("java.lang.IllegalArgumentException", False),
    "requireNotNull": ("java.lang.IllegalArgumentException", True),
    "check": ("java.lang.IllegalStateException", False),
    "checkNotNull": ("java.lang.IllegalStateException", True),
    "assert": ("java.lang.AssertionError", False),
}
"""The class that a check throws, and whether it checks for null."""
_LOGGER = re.compile(r"^(?:this\.)?(?:log|logger|_?\w*[lL]og(?:ger)?|LOG(?:GER)?)(?:\(\))?$")
_LEVELS = {"error": "error", "severe": "error", "fatal": "fatal"}
_TABLES = re.compile(r"(?:Err(?:or)?|Exception|Fault|Failure|Problem)s?(?:Code|Type|Message)?s?$")
_CONSTANTS = re.compile(r"(?:^|_)(?:ERR|ERROR|ERRORS|EXCEPTION|FAIL|FAILURE|INVALID)(?:_|$)")
_THROWS = re.compile(
    r"@(?:throws|exception)\s+(?P<class>[\w.]+)\s+(?P<text>.+?)(?=\n\s*@|\Z)", re.DOTALL
)
_ANNOTATED_ACCESSOR = re.compile(
    r"^[ \t]*@[\w.:]+(?:\([^()\n]*\))?[ \t]*\n"
    r"(?=(?:[ \t]*@[\w.:]+(?:\([^()\n]*\))?[ \t]*\n)*"
    r"[ \t]*(?:(?:private|protected|internal|inline)[ \t]+)*(?:get|set)\b)",
    re.MULTILINE,
)
_GUARD = re.compile(
    r"(?<=[\w)>])[ \t]if\b(?![^\n]*\belse\b)"
    r"(?:[^\n\"{}=]*(?:[=!]=[^\n\"{}=]*)*|[ \t]*\((?:[^(){}\"]|\([^()]*\))*\))(?=[ \t]*->)"
)
_APPENDED = re.compile(r"(?:^|(?<=[{>]))[ \t]*\+(?=[\"\w(])", re.MULTILINE)
"""What the grammar does not know: the annotation of an accessor, the guard of a branch,
`is Column<*> if isEntity() ->`, and a statement that begins with a plus, as builders have them."""
_BUT_BREAKS = re.compile(r"[^\n]")


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a Kotlin file. Raises SourceUnreadable."""
    for newer in (_ANNOTATED_ACCESSOR, _GUARD, _APPENDED):
        source = newer.sub(lambda found: _BUT_BREAKS.sub(" ", found[0]), source)
    return KotlinFinder(source, path).extract(known)


class KotlinFinder(Finder):
    """Reads one file."""

    grammar = Language(tree_sitter_kotlin.language())
    comments = frozenset({"line_comment", "block_comment"})
    functions = FUNCTIONS
    classes = _CLASSES | {"companion_object"}
    found_at = frozenset(
        {"call_expression", "class_declaration", "enum_entry", "value_argument"}
        | {"property_declaration", "object_declaration", "throw_expression"}
    )
    bound_at = frozenset(
        """
        property_declaration assignment parameter variable_declaration catch_block
        class_declaration object_declaration package_header import
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )
    messages: KotlinMessages
    may_lack = True
    returns = frozenset({"function_body", "return_expression"})
    makes = frozenset({"string_literal", "binary_expression", "call_expression"})

    error_names = _ERROR_CLASS
    throws = _THROWS

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self.printed = PrintedClasses(is_kotlin=True)
        self.guards = KotlinGuards()
        self.messages = KotlinMessages(self.names, self.guards)

    def name_of(self, place: Place) -> str | None:
        """Functions, classes; constructors and initialisers as stack traces have them."""
        if place.node.type in {"secondary_constructor", "anonymous_initializer"}:
            return "<init>"
        if place.node.type == "property_declaration" and place.up(_CLASSES) is not None:
            return None if place.up(FUNCTIONS) is not None else _declared_name(place.node)
        return super().name_of(place)

    def full_name(self, name: str) -> str:
        """As a stack trace has it."""
        return self.printed.full_name(name)

    def simple_name(self, name: str) -> str:
        """Without its package and the classes around it."""
        return simple_name(name)

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a function or a method."""
        parent = place.parent
        if place.node.type != "call_expression" or (parent and parent.type == "call_expression"):
            return None
        call = call_of(place)
        given = [*call.arguments, *([call.block] if call.block is not None else [])]
        return call.name.rpartition(".")[2], given, place.line

    def is_own_call(self, place: Place) -> bool:
        """Whether it has no receiver but `this`."""
        return call_of(place).name.rpartition(".")[0] in {"", "this", "super"}

    def parameters_of(self, function: Node) -> list[str]:
        """Of a function."""
        given = [each for each in function.children if each.type == "function_value_parameters"]
        return [
            "" if "vararg" in text_of(each.prev_sibling) else _declared_name(each) or ""
            for each in named(given[0] if given else None)
            if each.type == "parameter"
        ]

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """A text with the values for its `{}` or `%s`."""
        return self.messages.fill(ways, [self.messages.read(each) for each in values])

    def bind(self, place: Place) -> None:
        """Declarations, assignments, parameters, classes, imports."""
        node = place.node
        match node.type:
            case "package_header":
                self.printed.package = one_line(first_named(node))
            case "import":
                if text_of(node).rstrip().endswith("*"):
                    self.printed.note_all(one_line(first_named(node)))
                else:
                    self.printed.note_import(one_line(first_named(node)))
            case "property_declaration":
                self._bind_declared(place)
            case "assignment":
                self._bind_assigned(place)
            case "variable_declaration":
                if place.parent is not None and place.parent.type != "property_declaration":
                    self.names.bind(one_line(first_named(node)), place, None)
            case "class_declaration" | "object_declaration":
                self._note_class(place)
            case _:
                self.names.bind(one_line(first_named(node)), place, None)

    def labelled(self, argument: Place) -> tuple[str, Place] | None:
        """`key = "…"`."""
        children = argument.node.children
        if len(children) < 3 or children[1].type != "=":
            return None
        return text_of(children[0]), argument.of(children[-1])

    def visit(self, place: Place) -> None:
        """Exceptions that are made, checks, logs and lists of messages."""
        match place.node.type:
            case "call_expression":
                parent = place.parent
                if parent is None or parent.type != "call_expression":
                    self._called(place, call_of(place))
            case "class_declaration" | "object_declaration":
                self._superclass(place)
            case "throw_expression":
                self._thrown(place)
            case "enum_entry":
                self._entry(place)
            case "value_argument":
                self._annotated(place)
            case _:
                self._property(place)

    def _bind_declared(self, place: Place) -> None:
        node, name = place.node, _declared_name(place.node)
        value = _value_of(node)
        if name is None or value is None:
            return
        is_local = place.up(FUNCTIONS) is not None
        constant = is_local or any(child.type == "val" for child in node.children)
        known = place.of(value) if constant else None
        self.names.bind(name, place, known)
        around = place.up(_CLASSES)
        if around is not None and not is_local:
            owner = text_of(around.node.child_by_field_name("name"))
            self.names.bind_file(f"{owner}.{name}", place, known)

    def _bind_assigned(self, place: Place) -> None:
        left, right = (place.node.child_by_field_name(side) for side in ("left", "right"))
        operator = place.node.children[1].type if len(place.node.children) > 2 else "="
        if left is not None and right is not None:
            value = place.of(right) if operator in {"=", "+="} else None
            self.names.bind(one_line(left), place, value, adds=operator != "=")

    def _note_class(self, place: Place) -> None:
        name = text_of(place.node.child_by_field_name("name"))
        outer = [text_of(n.child_by_field_name("name")) for n in place.path if n.type in _CLASSES]
        self.printed.note_class(outer, name)
        above, given = self._delegation(place)
        if above is None:
            return
        self.bases[name] = re.sub(r"<.*>", "", one_line(above)).rpartition(".")[2]
        parameters: list[tuple[str, Place | None]] = []
        for each in inner_nodes(place.node, {"class_parameter"}, limit=400):
            signs = [child for child in each.children if child.type == "="]
            default = Place(each.children[-1], (*place.path, place.node, each)) if signs else None
            parameters.append((_declared_name(each) or "", default))
        message = next((each for each in given if self.has_text(each)), None)
        if message is None:
            names = [name for name, _ in parameters]
            message = next(
                (a for a in given if text_of(a.node) in names and "essage" in text_of(a.node)), None
            )
        self.brought.setdefault(name, []).append(Brought(parameters, message))

    def _delegation(self, place: Place) -> tuple[Node | None, list[Place]]:
        """The class above, and what its constructor is given."""
        for child in place.node.children:
            if child.type != "delegation_specifiers":
                continue
            for specifier in named(child):
                made = first_named(specifier)
                if made is not None and made.type == "constructor_invocation":
                    parts = named(made)
                    given = parts[-1] if parts[-1].type == "value_arguments" else None
                    inside = place.of(child, specifier, made)
                    return parts[0], [inside.of(given, a) for a in named(given)] if given else []
        return None, []

    def _printed(self, place: Place, call: Call, details: Details) -> None:
        arguments = [each for each in call.arguments if self.has_text(each)]
        if arguments:
            rest = call.arguments[call.arguments.index(arguments[0]) :]
            self.report(place, self.messages.with_values(rest), details)

    def _called(self, place: Place, call: Call) -> None:
        receiver, _, name = call.name.rpartition(".")
        if call.name in _CHECKS:
            self._checked(place, call)
        elif call.name in {"error", "TODO"} and call.arguments:
            self._stops(place, call)
        elif name in _LEVELS and _LOGGER.search(receiver):
            self._logged(place, call, _LEVELS[name])
        elif call.name in {"Log.e", "Log.wtf"} and len(call.arguments) > 1:
            self.say(place, call.arguments[1], Details(kind="log", severity="error"))
        elif call.name == "Timber.e":
            self._printed(place, call, Details(kind="log", severity="error"))
        elif receiver == "System.err":
            is_last = text_after(place).startswith(("exitProcess(", "System.exit("))
            self._printed(place, call, Details.printed(is_last=is_last))
        elif name == "respond" and len(call.arguments) > 1:
            status = parse_status(text_of(call.arguments[0].node))
            if status is not None and self.has_text(call.arguments[1]):
                self.say(place, call.arguments[1], Details(kind="raise", http_status=status))
        elif name[:1].isupper() and (self.is_error(name) or self.is_thrown(place)):
            self._made(place, name, call.arguments)

    def _checked(self, place: Place, call: Call) -> None:
        error_class, is_null = _CHECKS[call.name]
        message = call.block or (call.arguments[1] if len(call.arguments) > 1 else None)
        if not call.arguments or message is None:
            return
        tested = first_named(call.arguments[0].node) or call.arguments[0].node
        opposite = f"{one_line(tested)} == null" if is_null else self.guards.opposite(tested)
        kind = "assert" if call.name == "assert" else "raise"
        details = Details(kind="raise", error_class=error_class, when=(opposite,))
        if kind == "assert":
            details = Details(kind="assert", error_class=error_class, when=(opposite,))
        self.say(place, message, details)

    def _stops(self, place: Place, call: Call) -> None:
        if call.name == "error":
            details = Details(kind="raise", error_class="java.lang.IllegalStateException")
            self.say(place, call.arguments[0], details)
            return
        prefix = self.messages.fixed("An operation is not implemented: ")
        ways = combined([prefix, self.messages.read(call.arguments[0])])
        self.report(place, ways, Details(kind="raise", error_class="kotlin.NotImplementedError"))

    def _logged(self, place: Place, call: Call, severity: str) -> None:
        details = Details(kind="log", severity=severity)
        if call.block is not None:
            self.say(place, call.block, details)
            return
        at = next((i for i, each in enumerate(call.arguments[:2]) if self.has_text(each)), None)
        ways = [] if at is None else self.messages.with_values(call.arguments[at:])
        self.report(place, ways, details)

    def _made(self, place: Place, name: str, arguments: list[Place]) -> None:
        status = next(filter(None, (parse_status(text_of(a.node)) for a in arguments)), None)
        printed = self.printed.full_name(name)
        details = Details(kind="raise", error_class=printed, http_status=status)
        made = self.message_made_by(name, arguments)
        if any(way.has_text for way in made):
            self.report(place, made, details)
            return
        labelled = [a for a in arguments if text_of(a.node).startswith("message ")]
        message = next(
            (
                each
                for each in [*labelled, *arguments]
                if self.has_text(each) and not text_of(each.node).isdecimal()
            ),
            None,
        )
        if message is None:
            ways = [way for each in arguments for way in self.messages.read(each)]
            self.note_passing(place, ways, details)
            message = arguments[0] if len(arguments) > 1 else None
        self.say(place, message, details)

    def _thrown(self, place: Place) -> None:
        """`throw Closed`, an object of this file that is an exception."""
        name = one_line(first_named(place.node)).rpartition(".")[2]
        if self.is_error(name) and (made := self.message_made_by(name, [])):
            details = Details(kind="raise", error_class=self.printed.full_name(name))
            self.report(place, made, details)

    def _superclass(self, place: Place) -> None:
        name = text_of(place.node.child_by_field_name("name"))
        _, given = self._delegation(place)
        message = next((each for each in given if self.has_text(each)), None)
        if message is not None and self.is_error(name):
            details = Details(kind="table", error_class=self.printed.full_name(name))
            self.say(message, message, details)

    def _entry(self, place: Place) -> None:
        around = place.up({"class_declaration"})
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        given = next((c for c in place.node.children if c.type == "value_arguments"), None)
        if given is None or not _TABLES.search(owner):
            return
        arguments = [place.of(given, each) for each in named(given)]
        message = next((each for each in arguments if self.is_sentence(each)), None)
        if message is not None:
            statuses = filter(None, (parse_status(text_of(each.node)) for each in arguments))
            self.say(
                place,
                message,
                Details(kind="table", is_listed=True, http_status=next(statuses, None)),
            )

    def _annotated(self, place: Place) -> None:
        """`@NotBlank(message = "…")`."""
        is_annotation = any(node.type == "annotation" for node in place.path[-3:])
        text = text_of(place.node)
        is_message = is_annotation and re.match(r"(?:message|reason)\s*=", text) is not None
        if is_message and self.is_sentence(place) and '"{' not in text:
            self.say(place, place, Details(kind="table", is_listed=True))

    def _property(self, place: Place) -> None:
        """`override val message get() = "…"` of an exception; constants that are messages."""
        name, value = _declared_name(place.node) or "", _value_of(place.node)
        around = place.up(_CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        if name == "message" and self.is_error(owner):
            getter = next((c for c in place.node.children if c.type == "getter"), None)
            body = first_named(getter)
            inner = first_named(body) if body is not None else None
            message = place.of(value) if value is not None else None
            if getter is not None and body is not None and inner is not None:
                message = place.of(getter, body, inner)
            if message is not None and self.has_text(message):
                details = Details(kind="table", error_class=self.printed.full_name(owner))
                self.say(message, message, details)
            return
        is_constant = _CONSTANTS.search(name) is not None and place.up(FUNCTIONS) is None
        if value is not None and is_constant and self.is_sentence(place.of(value)):
            self.say(place, place.of(value), Details(kind="table", is_listed=True))


def _declared_name(node: Node) -> str | None:
    """The name of a property or a parameter."""
    inner = next(
        (child for child in node.children if child.type in {"variable_declaration", "identifier"}),
        None,
    )
    if inner is not None and inner.type == "variable_declaration":
        inner = first_named(inner)
    return text_of(inner) or None


def _value_of(node: Node) -> Node | None:
    """What stands behind the `=` of a property."""
    signs = [at for at, child in enumerate(node.children) if child.type == "="]
    behind = [child for child in node.children[signs[0] + 1 :] if child.is_named] if signs else []
    return behind[0] if behind else None
