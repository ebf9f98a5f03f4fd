"""JavaScript and TypeScript, with JSX.

V8 names the line where the error was made, so `new Error(…)` is the place, whether it is
thrown, given to `reject` or handed to a callback.
"""

from __future__ import annotations

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.languages.javascript.guards import FUNCTIONS, JavaScriptGuards
from errdex.harvest.languages.javascript.messages import JavaScriptMessages
from errdex.harvest.languages.javascript.names import (
    CLASSES,
    TABLES,
    JavaScriptBinder,
    message_among,
)
from errdex.harvest.languages.javascript.places import (
    ASSERTIONS,
    ERROR_CLASS,
    IS_TABLE,
    LOGGERS,
    SEVERITIES,
    function_name,
    properties,
)
from errdex.harvest.messages.formats import printf
from errdex.harvest.messages.statuses import parse_status
from errdex.harvest.messages.wording import MAX_WORDINGS, combined
from errdex.harvest.model import Extraction
from errdex.harvest.trees.details import Details
from errdex.harvest.trees.forwarding import MESSAGE
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

_JAVASCRIPT = Language(tree_sitter_javascript.language())
_TYPESCRIPT = Language(tree_sitter_typescript.language_typescript())
_TSX = Language(tree_sitter_typescript.language_tsx())
_GRAMMARS = {".ts": _TYPESCRIPT, ".mts": _TYPESCRIPT, ".cts": _TYPESCRIPT, ".tsx": _TSX}

_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:[-_/][a-z]+)+")
_RAISES = re.compile(
    r"@(?:throws|exception)\s+\{(?P<class>[\w.$]+)\}\s*-?\s*(?P<text>.+?)(?=\n\s*@|\Z)", re.DOTALL
)
_STATUS_FUNCTIONS = frozenset({"createError", "createHttpError", "error", "httpError", "throw"})
_FAILING = frozenset({"fail", "assertNever"})
_COMPARING = frozenset(
    """
    equal strictEqual deepEqual deepStrictEqual notEqual notStrictEqual notDeepEqual match
    notDeepStrictEqual doesNotMatch throws rejects
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_ONLY_CODE = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_CODE_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_MAKES_ERRORS = re.compile(r"(?:create|make|define|declare|register|new)\w*(?:Error|Exception)s?$")
_TEXTS = frozenset({"string", "template_string", "binary_expression"})


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a JavaScript or TypeScript file. Raises SourceUnreadable."""
    return JavaScriptFinder(source, path).extract(known)


class JavaScriptFinder(JavaScriptBinder):
    """Reads one file."""

    messages: JavaScriptMessages

    grammar = _JAVASCRIPT
    found_at = frozenset(
        {"throw_statement", "new_expression", "call_expression", "variable_declarator"}
        | {"enum_declaration"}
    )

    throws = _RAISES

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self.grammar = _GRAMMARS.get(path[path.rfind(".") :].lower(), _JAVASCRIPT)
        self.guards = JavaScriptGuards()
        self.messages = JavaScriptMessages(self.names, self.guards)

    def name_of(self, place: Place) -> str | None:
        """Functions go by the name that they are given to, too."""
        if place.node.type not in FUNCTIONS or place.node.type == "method_definition":
            return super().name_of(place)
        return super().name_of(place) or function_name(place)

    def visit(self, place: Place) -> None:
        """Errors that are made, thrown, logged, asserted or listed."""
        match place.node.type:
            case "throw_statement":
                self._thrown(place)
            case "new_expression":
                self._made(place, place.node.child_by_field_name("constructor"))
            case "call_expression":
                self._called(place)
            case _:
                self._listed(place)

    def is_error(self, name: str) -> bool:
        """Whether a class is one of errors, by its name or by those above it."""
        last = name.rpartition(".")[2]
        return any(ERROR_CLASS.search(each) for each in (last, *self.bases_of(last)))

    def _thrown(self, place: Place) -> None:
        thrown = next(iter(named(place.node)), None)
        if thrown is None:
            return
        if thrown.type in _TEXTS:
            self.say(place, place.of(thrown), Details(kind="raise"))
        elif thrown.type == "object":
            self._object(place, place.of(thrown), Details(kind="raise"))

    def _object(self, place: Place, thrown: Place, details: Details) -> bool:
        """An object with a `message`. False when it has none."""
        members = dict(properties(thrown))
        message = members.get("message") or members.get("msg") or members.get("error")
        if message is None:
            return False
        code = self.messages.read_text(members["code"]) if "code" in members else None
        status = next(
            (text_of(members[key].node) for key in ("status", "statusCode") if key in members), ""
        )
        self.say(
            place,
            message,
            Details(
                kind=details.kind,
                error_class=details.error_class,
                error_code=code or details.error_code,
                http_status=details.http_status or parse_status(status),
            ),
        )
        return True

    def _made(self, place: Place, constructor: Node | None) -> None:
        name = one_line(constructor).rpartition(".")[2]
        if not (self.is_error(name) or self.is_thrown(place)):
            return
        arguments = _arguments(place)
        status = next(filter(None, (parse_status(text_of(a.node)) for a in arguments)), None)
        details = Details(
            kind="raise", error_class=name, http_status=status, error_code=self._code(place)
        )
        if made := self.message_made_by(name, arguments):
            self.report(place, made, details)
            return
        if not arguments:
            self.say(place, None, details)
            return
        if arguments[0].node.type == "object" and self._object(place, arguments[0], details):
            return
        self._first_text(place, arguments, details)

    def _first_text(self, place: Place, arguments: list[Place], details: Details) -> None:
        """The argument that is the message: the first that has text, a code before it put
        where codes belong."""
        code = details.error_code
        for argument in arguments:
            text = self.messages.read_text(argument)
            if text is not None and _CODE.fullmatch(text) and argument is not arguments[-1]:
                code = code or text
                continue
            if text is not None and _ONLY_CODE.fullmatch(text) and details.error_class != "Error":
                continue
            if any(way.has_text for way in self.messages.read(argument)):
                self.say(
                    place,
                    argument,
                    Details(
                        kind=details.kind,
                        error_class=details.error_class,
                        http_status=details.http_status,
                        error_code=code,
                        when=details.when,
                        severity=details.severity,
                    ),
                )
                return
        texts = [each for each in arguments if MESSAGE.search(text_of(each.node))]
        ways = [way for each in texts for way in self.messages.read(each)]
        self.note_passing(place, ways, details)
        said = arguments and self.messages.read_text(arguments[0]) is None
        self.say(place, arguments[0] if said else None, details)

    def _code(self, place: Place) -> str | None:
        """The code of `Object.assign(new Error(…), { code: 'X' })`."""
        around = place.path[-2] if len(place.path) > 1 else None
        function = around.child_by_field_name("function") if around is not None else None
        if one_line(function) != "Object.assign" or place.parent is None:
            return None
        above = Place(place.path[-1], place.path[:-1])
        for given in named(place.parent)[1:]:
            code = dict(properties(above.of(given))).get("code")
            if code is not None:
                return self.messages.read_text(code)
        return None

    def _called(self, place: Place) -> None:
        function = place.node.child_by_field_name("function")
        name = one_line(function)
        last = name.rpartition(".")[2]
        arguments = _arguments(place)
        if function is None or not arguments:
            return
        if function.type == "super":
            self._super(place, arguments)
        elif function.type == "identifier" and last[:1].isupper() and self.is_error(last):
            self._made(place, function)
        elif LOGGERS.search(name):
            self._logged(place, name, arguments)
        elif last in _STATUS_FUNCTIONS and (status := parse_status(text_of(arguments[0].node))):
            details = Details(kind="raise", http_status=status)
            self._first_text(place, arguments[1:], details)
        elif ASSERTIONS.search(name):
            self._asserted(place, name, arguments)
        elif name == "process.stderr.write":
            if self.has_text(arguments[0]):
                details = Details.printed(is_last=self._exits_after(place))
                self.report(place, self.messages.read(arguments[0]), details)
        else:
            self._called_otherwise(place, last, arguments)

    def _called_otherwise(self, place: Place, last: str, arguments: list[Place]) -> None:
        if last in {"json", "send", "end"}:
            self._answered(place, arguments)
        elif last == "reject":
            if arguments[0].node.type in _TEXTS:
                self.say(place, arguments[0], Details(kind="raise"))
        elif len(arguments) > 1 and (last == "E" or _MAKES_ERRORS.search(last)):
            code = self.messages.read_text(arguments[0])
            if code is not None and _CODE_NAME.fullmatch(code):
                self._coded(place, code, arguments)

    def _super(self, place: Place, arguments: list[Place]) -> None:
        around = place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        message = message_among(arguments)
        if message is not None and self.is_error(owner) and self.has_text(message):
            made = self.message_made_by(self.bases.get(owner, ""), arguments)
            details = Details(kind="table", error_class=owner)
            self.report(place, made or self.messages.read(message), details)

    def _logged(self, place: Place, name: str, arguments: list[Place]) -> None:
        level = name.rpartition(".")[2]
        details = Details(kind="log", severity=SEVERITIES.get(level, "error"))
        if self._exits_after(place):
            details = Details(kind="exit", severity="fatal")
        texts = [any(way.has_text for way in self.messages.read(each)) for each in arguments]
        if name.startswith("console.") and any(texts):
            self.report(place, self.messages.formatted(arguments), details)
        elif any(texts):
            at = texts.index(True)
            text = self.messages.read_text(arguments[at])
            values = [self.messages.read(each) for each in arguments[at + 1 :]]
            ways = printf(text, values) if text and "%" in text and values else None
            self.report(place, ways or self.messages.read(arguments[at]), details)
        elif not self._made_here(arguments):
            self.report(place, [], details)

    def _made_here(self, arguments: list[Place]) -> bool:
        return any(argument.node.type == "new_expression" for argument in arguments)

    def _exits_after(self, place: Place) -> bool:
        return text_after(place).startswith("process.exit(")

    def _asserted(self, place: Place, name: str, arguments: list[Place]) -> None:
        head = name.rpartition(".")[2]
        at = 0 if head in _FAILING else 2 if head in _COMPARING else 1
        if len(arguments) <= at:
            return
        ways = self.messages.read(arguments[at])
        if not any(way.has_text for way in ways):
            return
        if name == "console.assert":
            ways = combined([self.messages.fixed("Assertion failed: "), ways])
        when = (self.guards.opposite(arguments[0].node),) if at == 1 else ()
        error_class = "AssertionError" if name.startswith("assert") else None
        self.report(place, ways, Details(kind="assert", error_class=error_class, when=when))

    def _answered(self, place: Place, arguments: list[Place]) -> None:
        """`res.status(404).json({ error: '…' })`."""
        function = place.node.child_by_field_name("function")
        called = function.child_by_field_name("object") if function else None
        inner = called.child_by_field_name("function") if called else None
        if called is None or not one_line(inner).endswith((".status", ".code", ".sendStatus")):
            return
        given = named(called.child_by_field_name("arguments"))
        status = parse_status(text_of(given[0])) if given else None
        if status is None:
            return
        details = Details(kind="raise", http_status=status)
        if arguments[0].node.type == "object":
            self._object(place, arguments[0], details)
        elif arguments[0].node.type in _TEXTS:
            self.say(place, arguments[0], details)

    def _coded(self, place: Place, code: str, arguments: list[Place]) -> None:
        """`E('ERR_X', 'message %s', TypeError)`, as Node.js lists its own errors, and the like:
        `createError('FST_ERR_X', 'message %s', 500)`."""
        given = [text_of(each.node) for each in arguments[2:]]
        named_class = next((each for each in given if ERROR_CLASS.search(each)), None)
        error_class = named_class or ("Error" if code.startswith("ERR_") else None)
        status = next(filter(None, map(parse_status, given)), None)
        details = Details(
            kind="table", error_class=error_class, error_code=code, http_status=status
        )
        message = _result_of(arguments[1])
        if message.node.type == "statement_block":
            returned = places_within(message, {"return_statement"})
            results = [each.of(value) for each in returned if (value := first_named(each.node))]
            ways = [way for each in results for way in self.messages.read(each) if way.has_text]
            self.report(place, ways[:MAX_WORDINGS], details)
            return
        text = self.messages.read_text(message)
        ways = printf(text, None) if text is not None else self.messages.read(message)
        if any(way.has_text for way in ways):
            self.report(place, ways, details)

    def _listed(self, place: Place) -> None:
        """A constant object or an enum of messages."""
        node = place.node
        name, value = text_of(node.child_by_field_name("name")), node.child_by_field_name("value")
        if not IS_TABLE.search(name):
            return
        table = place if node.type == "enum_declaration" else None
        if value is not None and value.type in TABLES:
            table = place.of(value)
        for _, message in properties(table, deep=True) if table is not None else ():
            text = _result_of(message)
            ways = self.messages.read(text) if " " in text_of(text.node) else []
            if any(way.has_text for way in ways):
                self.report(Place(message.path[-1], message.path[:-1]), ways, _TABLE)


_TABLE = Details(kind="table", is_listed=True)


def _result_of(message: Place) -> Place:
    """What an arrow function that is one expression gives; the message itself otherwise."""
    body = message.node.child_by_field_name("body")
    is_function = message.node.type in {"arrow_function", "function_expression"}
    return message.of(body) if is_function and body is not None else message


def _arguments(place: Place) -> list[Place]:
    given = place.node.child_by_field_name("arguments")
    if given is None or given.type == "template_string":
        return []
    return [place.of(given, argument) for argument in named(given)]
