"""C#: exceptions that are made, answers of web APIs, logs, and the messages of attributes."""

from __future__ import annotations

from dataclasses import replace

import tree_sitter_c_sharp
from tree_sitter import Language

from errdex import lazy_re as re
from errdex.harvest.languages.csharp.guards import CSharpGuards
from errdex.harvest.languages.csharp.messages import CSharpMessages
from errdex.harvest.languages.csharp.names import (
    CLASSES,
    CSharpBinder,
    arguments_handed,
    simple_name,
)
from errdex.harvest.messages.statuses import parse_status
from errdex.harvest.messages.wording import Wording, combined
from errdex.harvest.model import Extraction
from errdex.harvest.trees.details import Details
from errdex.harvest.trees.reporters import Known
from errdex.harvest.trees.syntax import Place, first_named, named, one_line, text_after, text_of

_ERROR_CLASS = re.compile(r"(?:Exception|Error|Failure|Fault)$")
_LOGS = {
    "LogError": "error",
    "LogCritical": "critical",
    "Error": "error",
    "Fatal": "fatal",
    "Critical": "critical",
    "TraceError": "error",
    "ErrorFormat": "error",
    "FatalFormat": "fatal",
}
_LOGGER = re.compile(
    r"(?:^|\.)_?(?:\w*[lL]og(?:ger)?|Log(?:ger)?|Trace|Debug)$|\.ForContext(?:<.*>)?\(.*\)$"
)
_ANSWERS = {
    "BadRequest": 400,
    "Unauthorized": 401,
    "Forbid": 403,
    "NotFound": 404,
    "Conflict": 409,
    "UnprocessableEntity": 422,
    "InternalServerError": 500,
}
_CHECKS = frozenset({"Debug.Assert", "Trace.Assert", "Contract.Requires", "Contract.Assert"})
_OWN_TEXTS = {
    "ArgumentNullException": ("Value cannot be null. (Parameter '", "')"),
    "ArgumentOutOfRangeException": (
        "Specified argument was out of the range of valid values. (Parameter '",
        "')",
    ),
    "ObjectDisposedException": ("Cannot access a disposed object.\nObject name: '", "'."),
}
"""What .NET says before and behind a parameter's name, of exceptions that take it first."""
_CODE = re.compile(r"[A-Z]+[-_]?\d{2,}")
_THROWS = re.compile(
    r'<exception cref="(?:T:)?(?P<class>[\w.]+)">(?P<text>.*?)</exception>', re.DOTALL
)
_TAG = re.compile(r'<(?:\w+) (?:cref|name|langword)="(?:\w:)?([^"]*)"\s*/>|</?\w+>')
_CONSTANTS = re.compile(r"Error|Exception|Invalid|^ERR|_ERR")
_ATTRIBUTES = frozenset({"ErrorMessage", "Description"})


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a C# file. Raises SourceUnreadable."""
    return CSharpFinder(source, path).extract(known)


class CSharpFinder(CSharpBinder):
    """Reads one file."""

    grammar = Language(tree_sitter_c_sharp.language())
    found_at = frozenset(
        """
        object_creation_expression invocation_expression attribute_argument
        constructor_initializer variable_declarator property_declaration base_list
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )

    error_names = _ERROR_CLASS
    throws = _THROWS
    markup = _TAG

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self.guards = CSharpGuards()
        self.messages = CSharpMessages(self.names, self.guards)

    def visit(self, place: Place) -> None:
        """Exceptions that are made, answers, logs and lists of messages."""
        match place.node.type:
            case "object_creation_expression":
                self._made(place)
            case "invocation_expression":
                self._called(place)
            case "constructor_initializer" | "base_list":
                self._base(place)
            case "property_declaration":
                self._message_property(place)
            case "attribute_argument":
                self._attribute(place)
            case _:
                self._constant(place)

    def _made(self, place: Place) -> None:
        name = re.sub(r"<.*>", "", one_line(place.node.child_by_field_name("type")))
        if not (self.is_error(name) or self.is_thrown(place)):
            return
        arguments = self.messages.arguments(place)
        status = next(filter(None, (parse_status(text_of(a.node)) for a in arguments)), None)
        details = Details(kind="raise", error_class=self.full_name(name), http_status=status)
        made = self.message_made_by(simple_name(name), arguments)
        if any(way.has_text for way in made):
            self.report(place, made, details)
            return
        texts = [self.messages.read_text(each) for each in arguments]
        code = next((text for text in texts if text and _CODE.fullmatch(text)), None)
        message = self._message_of(simple_name(name), arguments, code)
        if message is None and (own := self._own_text(simple_name(name), arguments)):
            self.report(place, own, details)
            return
        if message is None:
            ways = [way for each in arguments for way in self.messages.read(each)]
            self.note_passing(place, ways, details)
        if message is None and len(arguments) > 1 and not any(texts):
            message = arguments[0]
        self.say(place, message, replace(details, error_code=code))

    def _message_of(self, name: str, arguments: list[Place], code: str | None) -> Place | None:
        """The argument that is the message: the one so named, the first with a sentence, the
        first with text that is no parameter's name and no code."""
        for argument in arguments:
            label = argument.node.child_by_field_name("name")
            if label is not None and text_of(label) == "message":
                return argument
        sentence = next((each for each in arguments if self.is_sentence(each)), None)
        is_name = name == "ObjectDisposedException" and len(arguments) == 1
        if sentence is not None and not is_name:
            return sentence
        if name in _OWN_TEXTS:
            return None
        for argument in arguments:
            is_name = text_of(argument.node).startswith("nameof(")
            if (
                not is_name
                and self.has_text(argument)
                and self.messages.read_text(argument) != code
            ):
                return argument
        return None

    def _own_text(self, name: str, arguments: list[Place]) -> list[Wording]:
        """What .NET itself says where the exception is given a parameter's name alone."""
        text = _OWN_TEXTS.get(name)
        rest = arguments[1:]
        if text is None or not arguments or (rest and text_of(rest[-1].node) != "null"):
            return []
        before, behind = text
        named_ways = self.messages.read(arguments[0])
        return combined([self.messages.fixed(before), named_ways, self.messages.fixed(behind)])

    def _called(self, place: Place) -> None:
        function = one_line(place.node.child_by_field_name("function"))
        receiver, _, name = function.rpartition(".")
        arguments = self.messages.arguments(place)
        if not arguments:
            return
        if function in _CHECKS and len(arguments) > 1:
            tested = first_named(arguments[0].node)
            when = (self.guards.opposite(tested),) if tested is not None else ()
            self.say(place, arguments[1], Details(kind="assert", when=when))
        elif name in _LOGS and (_LOGGER.search(receiver) or name.startswith("Log")):
            self._logged(place, arguments, _LOGS[name])
        elif function.startswith("Console.Error.Write"):
            if self.has_text(arguments[0]):
                is_last = text_after(place).startswith("Environment.Exit(")
                details = Details.printed(is_last=is_last)
                self.report(place, self.messages.filled_format(arguments), details)
        elif function == "Environment.FailFast":
            self.say(place, arguments[0], Details(kind="exit", severity="fatal"))
        elif name == "AddModelError" and len(arguments) > 1:
            self.say(place, arguments[1], Details(kind="raise"))
        elif name in _ANSWERS or name in {"StatusCode", "Problem"}:
            self._answered(place, name, arguments)

    def visit_named(self, place: Place) -> None:
        """`throw ShopException.Create(reader, "…")`, `throw Errors.Closed("…")`."""
        is_call = place.node.type == "invocation_expression" and self.is_thrown(place)
        if not is_call or place.node.id in self._reported:
            return
        function = one_line(place.node.child_by_field_name("function"))
        receiver, arguments = function.rpartition(".")[0], self.messages.arguments(place)
        message = next((each for each in arguments if self.is_sentence(each)), None)
        if message is not None:
            error_class = self.full_name(receiver) if self.is_error(receiver) else None
            self.say(place, message, Details(kind="raise", error_class=error_class))

    def _logged(self, place: Place, arguments: list[Place], severity: str) -> None:
        details = Details(kind="log", severity=severity)
        at = next((i for i, each in enumerate(arguments[:3]) if self.has_text(each)), None)
        ways = [] if at is None else self.messages.template(arguments[at:])
        self.report(place, ways, details)

    def _answered(self, place: Place, name: str, arguments: list[Place]) -> None:
        """`return NotFound("…")`, `StatusCode(500, "…")`, `Problem("…", statusCode: 404)`."""
        given = next(filter(None, (parse_status(_plain(a)) for a in arguments)), None)
        status = _ANSWERS.get(name) or given
        details = Details(kind="raise", http_status=status)
        for argument in arguments:
            inner = named(argument.node)[-1:]
            if inner and inner[0].type == "anonymous_object_creation_expression":
                self._anonymous(place, argument.of(inner[0]), details)
                return
            if status is not None and self.is_sentence(argument):
                self.say(place, argument, details)
                return

    def _anonymous(self, place: Place, made: Place, details: Details) -> None:
        children = made.node.children
        for at, child in enumerate(children[:-2]):
            names_text = text_of(child) in {"error", "message", "Error", "Message", "detail"}
            if (
                names_text
                and children[at + 1].type == "="
                and self.has_text(made.of(children[at + 2]))
            ):
                self.say(place, made.of(children[at + 2]), details)
                return

    def _base(self, place: Place) -> None:
        around = place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        is_this = place.node.type != "base_list" and not text_of(place.node).startswith(": base")
        if not self.is_error(owner) or is_this:
            return
        arguments = arguments_handed(place)
        message = next((each for each in arguments if self.has_text(each)), None)
        if message is not None:
            details = Details(kind="table", error_class=self.full_name(owner))
            made = self.message_made_by(self.bases.get(owner, ""), arguments)
            told = any(way.has_text for way in made)
            self.report(place, made if told else self.messages.read(message), details)

    def _message_property(self, place: Place) -> None:
        """`public override string Message => …` of an exception."""
        around = place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        value = place.node.child_by_field_name("value")
        is_message = text_of(place.node.child_by_field_name("name")) == "Message"
        if (
            is_message
            and value is not None
            and self.is_error(owner)
            and self.has_text(place.of(value))
        ):
            details = Details(kind="table", error_class=self.full_name(owner))
            self.say(place, place.of(value), details)

    def _attribute(self, place: Place) -> None:
        """`[Required(ErrorMessage = "…")]`."""
        label = text_of(place.node.child_by_field_name("name"))
        value = named(place.node)[-1:]
        around = place.up({"enum_declaration"})
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        attribute = text_of(place.path[-2].child_by_field_name("name")) if place.path[1:] else ""
        is_entry = attribute in _ATTRIBUTES and re.search(r"Error|Fault|Failure", owner)
        if value and (label == "ErrorMessage" or is_entry) and self.is_sentence(place.of(*value)):
            self.say(place, place.of(*value), Details(kind="table", is_listed=True))

    def _constant(self, place: Place) -> None:
        holder = place.path[-2] if len(place.path) > 1 else None
        name = text_of(place.node.child_by_field_name("name"))
        around = place.up(CLASSES)
        owner = text_of(around.node.child_by_field_name("name")) if around else ""
        if holder is None or holder.type != "field_declaration" or "const" not in text_of(holder):
            return
        value = named(place.node)[-1]
        is_message = _CONSTANTS.search(name) or re.search(r"Errors?$|ErrorMessages?$", owner)
        if is_message and value.type != "identifier" and self.is_sentence(place.of(value)):
            self.say(place, place.of(value), Details(kind="table", is_listed=True))


def _plain(argument: Place) -> str:
    inner = named(argument.node)
    return text_of(inner[-1]) if inner else ""
