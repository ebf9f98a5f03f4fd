"""Ruby: what is raised, aborted with, logged, added to errors and answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tree_sitter_ruby
from tree_sitter import Language, Node

from errdex import lazy_re as re
from errdex.harvest.languages.ruby.guards import FUNCTIONS, RubyGuards
from errdex.harvest.languages.ruby.messages import RubyMessages, is_text
from errdex.harvest.messages.statuses import parse_status
from errdex.harvest.messages.wording import Wording
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

_CLASSES = frozenset({"class", "module"})
_ERROR_CLASS = re.compile(r"(?:Error|Exception|Failure|Fault|Interrupt|NotFound|Invalid)$")
_LOGGER = re.compile(r"(?:^|\.|@)(?:\w*logger|log|Logger)$")
_LEVELS = {"error": "error", "fatal": "fatal", "unknown": "error"}
_RAISES = re.compile(
    r"@raise\s+\[(?P<class>[\w:]+)\]\s*(?P<text>.+?)(?=\n\s*@|\n\s*\n|\Z)", re.DOTALL
)
_NAMES = frozenset({"identifier", "constant", "instance_variable", "global_variable"})
_TABLES = re.compile(r"(?:^|_)(?:ERR|ERROR|ERRORS|FAILURE|FAILURES)(?:_|$)|ERROR_MESSAGES")


def extract(source: str, path: str, known: Known | None = None) -> Extraction:
    """The raise sites of a Ruby file. Raises SourceUnreadable."""
    return RubyFinder(source, path).extract(known)


_PRINTS = frozenset({"puts", "print", "write", "printf"})


class RubyFinder(Finder):
    """Reads one file."""

    grammar = Language(tree_sitter_ruby.language())
    functions = FUNCTIONS
    classes = _CLASSES
    separator = "::"
    found_at = frozenset({"call", "method", "assignment", "pair"})
    bound_at = frozenset(
        """
        assignment operator_assignment binary method_parameters block_parameters lambda_parameters
        class module method heredoc_beginning heredoc_body exception_variable
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )
    messages: RubyMessages
    may_lack = True

    error_names = _ERROR_CLASS
    throws = _RAISES

    def __init__(self, source: str, path: str) -> None:
        super().__init__(source, path)
        self._full_names: dict[str, str] = {}
        """The classes of the file with the modules around them."""
        self._heredocs: list[Node] = []
        self.guards = RubyGuards()
        self.messages = RubyMessages(self.names, self.guards)

    def function_of(self, place: Place) -> str | None:
        """`Module::Class#method`, `Module::Class.method`."""
        classes, methods = [], []
        for node in place.path:
            name = one_line(node.child_by_field_name("name"))
            if node.type in _CLASSES and name:
                classes.append(name)
            elif node.type in {"method", "singleton_method"} and name:
                methods.append(("." if node.type == "singleton_method" else "#") + name)
        if not methods:
            return "::".join(classes) or None
        return "::".join(classes) + methods[-1] if classes else methods[-1][1:]

    def simple_name(self, name: str) -> str:
        """Without its modules."""
        return name.rpartition("::")[2]

    def call_at(self, place: Place) -> tuple[str, list[Place], int] | None:
        """A call of a method."""
        if place.node.type != "call":
            return None
        name = text_of(place.node.child_by_field_name("method"))
        return name, self.messages.arguments(place), place.line

    def visit_named(self, place: Place) -> None:
        """Methods of Ruby itself are known better."""
        if text_of(place.node.child_by_field_name("method")) not in {"raise", "fail", "abort"}:
            super().visit_named(place)

    def is_own_call(self, place: Place) -> bool:
        """Whether it has no receiver but `self`."""
        return one_line(place.node.child_by_field_name("receiver")) in {"", "self", "self.class"}

    def parameters_of(self, function: Node) -> list[str]:
        """Of a method."""
        return [
            ""
            if each.type in {"splat_parameter", "hash_splat_parameter"}
            else text_of(each.child_by_field_name("name") or each)
            for each in named(function.child_by_field_name("parameters"))
            if each.type != "block_parameter"
        ]

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """As `format` does."""
        return self.messages.fill(ways, [self.messages.read(each) for each in values])

    def bind(self, place: Place) -> None:
        """Assignments, parameters, classes, heredocs."""
        node = place.node
        match node.type:
            case "assignment" | "operator_assignment":
                self._bind_assigned(place)
            case "binary":
                left = node.child_by_field_name("left")
                right = node.child_by_field_name("right")
                is_shift = text_of(node.child_by_field_name("operator")) == "<<"
                if is_shift and left is not None and left.type == "identifier" and right:
                    self.names.bind(text_of(left), place, place.of(right), adds=True)
            case "heredoc_beginning":
                self._heredocs.append(node)
            case "heredoc_body":
                if self._heredocs:
                    self.messages.heredocs[self._heredocs.pop(0).id] = place
            case "class" | "module":
                self._note_class(place)
            case "method":
                self._note_constructor(place)
            case _:
                for each in inner_nodes(node, {"identifier"}):
                    self.names.bind(text_of(each), place.of(each), None)

    def labelled(self, argument: Place) -> tuple[str, Place] | None:
        """`vault: name`."""
        key, value = (argument.node.child_by_field_name(side) for side in ("key", "value"))
        if argument.node.type != "pair" or value is None:
            return None
        return text_of(key).strip(":\"'"), argument.of(value)

    def visit(self, place: Place) -> None:
        """Calls that raise, log or answer, and messages of exceptions."""
        match place.node.type:
            case "call":
                self._called(place)
            case "method":
                self._message_method(place)
            case "pair":
                self._pair(place)
            case _:
                self._listed(place)

    def _bind_assigned(self, place: Place) -> None:
        left, right = (place.node.child_by_field_name(side) for side in ("left", "right"))
        if left is None or right is None:
            return
        if left.type not in _NAMES:
            for each in inner_nodes(left, {"identifier"}):
                self.names.bind(text_of(each), place, None)
            return
        adds = place.node.type == "operator_assignment"
        known = not adds or "+=" in text_of(place.node)
        self.names.bind(text_of(left), place, place.of(right) if known else None, adds=adds)
        if left.type == "constant":
            owners = [
                one_line(n.child_by_field_name("name")) for n in place.path if n.type in _CLASSES
            ]
            self.names.bind_file("::".join([*owners, text_of(left)]), place, place.of(right))
            for member, value in _members(place.of(right)):
                self.names.bind_file(f"{text_of(left)}[{member}]", value, value)
            made = one_line(right)
            if (above := re.match(r"Class\.new\(([\w:]+)\)", made)) is not None:
                self._note_base(text_of(left), above[1], owners)

    def _note_base(self, name: str, above: str, owners: list[str]) -> None:
        self.bases[name] = above.rpartition("::")[2]
        self._full_names[name] = "::".join([*owners, name])

    def _note_class(self, place: Place) -> None:
        name = one_line(place.node.child_by_field_name("name"))
        above = first_named(place.node.child_by_field_name("superclass"))
        owners = [one_line(n.child_by_field_name("name")) for n in place.path if n.type in _CLASSES]
        if above is not None and "::" not in name:
            self._note_base(name, one_line(above), owners)

    def _note_constructor(self, place: Place) -> None:
        around = place.up({"class"})
        if around is None or text_of(place.node.child_by_field_name("name")) != "initialize":
            return
        parameters = place.node.child_by_field_name("parameters")
        names: list[tuple[str, Place | None]] = []
        for each in named(parameters):
            default = each.child_by_field_name("value")
            at = place.of(parameters, each, default) if parameters and default else None
            names.append((text_of(each.child_by_field_name("name") or each), at))
        body = place.node.child_by_field_name("body")
        for statement in named(body):
            if body is not None and text_of(statement).startswith("super"):
                call = place.of(body, statement)
                given = self.messages.arguments(call)
                message = given[0] if given else None
                if statement.type == "super" and names:  # all parameters are passed on
                    message = names[0][1]
                owner = one_line(around.node.child_by_field_name("name"))
                self.brought.setdefault(owner, []).append(Brought(names, message))

    def _called(self, place: Place) -> None:
        method = text_of(place.node.child_by_field_name("method"))
        receiver = one_line(place.node.child_by_field_name("receiver"))
        arguments = self.messages.arguments(place)
        if method in {"raise", "fail"} and receiver in {"", "Kernel", "::Kernel"}:
            if arguments:
                self._raised(place, arguments)
        elif method == "new" and receiver[:1].isupper() and self.is_error(receiver):
            self._made(place, receiver, arguments)
        elif method in _LEVELS and _LOGGER.search(receiver):
            self._logged(place, arguments, _LEVELS[method])
        elif method == "abort" and not receiver and arguments:
            self.say(place, arguments[0], Details(kind="exit", severity="fatal"))
        elif method == "super":
            self._super(place, arguments)
        elif arguments:
            self._called_otherwise(place, receiver, method, arguments)

    def _called_otherwise(
        self, place: Place, receiver: str, method: str, arguments: list[Place]
    ) -> None:
        status = next(filter(None, (parse_status(text_of(a.node)) for a in arguments)), None)
        if method == "warn" and receiver in {"", "Kernel"}:
            if self.has_text(arguments[0]):
                self.say(place, arguments[0], Details(kind="log", severity="warning"))
        elif receiver in {"$stderr", "STDERR"} and method in _PRINTS:
            whole = place if method == "printf" else arguments[0]
            if self.has_text(arguments[0]):
                is_last = re.match(r"(?:Kernel\.)?(?:exit|abort)\b", text_after(place)) is not None
                details = Details.printed(is_last=is_last)
                self.report(place, self.messages.read(whole), details)
        elif method == "add" and receiver.endswith("errors") and len(arguments) > 1:
            if self.is_sentence(arguments[1]):
                self.say(place, arguments[1], Details(kind="raise"))
        elif method in {"halt", "error!"} and status is not None:
            text = next((each for each in arguments if self.is_sentence(each)), None)
            if text is not None:
                self.say(place, text, Details(kind="raise", http_status=status))
        elif method == "render":
            self._rendered(place, arguments)

    def _rendered(self, place: Place, arguments: list[Place]) -> None:
        """`render json: { error: "…" }, status: :not_found`."""
        pairs = {
            text_of(each.node.child_by_field_name("key")): each.node.child_by_field_name("value")
            for each in arguments
            if each.node.type == "pair"
        }
        status = parse_status(text_of(pairs.get("status")))
        if status is None:
            return
        for argument in arguments:
            for pair in inner_nodes(argument.node, {"pair"}, limit=60):
                key, value = (
                    text_of(pair.child_by_field_name("key")),
                    pair.child_by_field_name("value"),
                )
                if value is not None and key.strip(":'\"") in {"error", "message", "plain"}:
                    text = Place(value, (*argument.path, argument.node, pair))
                    if is_text(value) and self.is_sentence(text):
                        self.say(place, text, Details(kind="raise", http_status=status))
                        return

    def _raised(self, place: Place, arguments: list[Place]) -> None:
        first = arguments[0].node
        rest = [each for each in arguments[1:] if each.node.type not in {"pair", "hash"}]
        name = one_line(first)
        if first.type in {"constant", "scope_resolution"}:
            if not rest and self.has_text(arguments[0]):  # a constant that is a text
                self.say(place, arguments[0], Details(kind="raise", error_class="RuntimeError"))
            elif rest:
                self._with_message(place, name, rest[0])
            else:
                self._made(place, name, [])
        elif first.type == "call" and text_of(first.child_by_field_name("method")) == "new":
            owner = one_line(first.child_by_field_name("receiver"))
            inner = self.messages.arguments(arguments[0])
            if rest:
                self._with_message(place, owner, rest[0])
            else:
                self._made(place, owner, inner, line=place.line)
        elif rest and self.has_text(rest[0]):
            self.say(place, rest[0], Details(kind="raise"))
        elif is_text(first) or self.has_text(arguments[0]):
            self.say(place, arguments[0], Details(kind="raise", error_class="RuntimeError"))

    def _with_message(self, place: Place, name: str, message: Place) -> None:
        made = self.message_made_by(name.rpartition("::")[2], [message])
        details = Details(kind="raise", error_class=self._printed(name))
        if any(way.has_text for way in made):
            self.report(place, made, details)
        else:
            self.say(place, message, details)

    def _made(
        self, place: Place, name: str, arguments: list[Place], line: int | None = None
    ) -> None:
        details = Details(kind="raise", error_class=self._printed(name), line=line)
        made = self.message_made_by(name.rpartition("::")[2], arguments)
        if any(way.has_text for way in made):
            self.report(place, made, details)
            return
        text = next((each for each in arguments if self.has_text(each)), None)
        self.say(place, text, details)

    def _printed(self, name: str) -> str | None:
        if not name[:1].isupper():
            return None
        return self._full_names.get(name, name)

    def _logged(self, place: Place, arguments: list[Place], severity: str) -> None:
        details = Details(kind="log", severity=severity)
        block = place.node.child_by_field_name("block")
        text = next((each for each in arguments if self.has_text(each)), None)
        if text is None and block is not None:
            text = place.of(block)
        ways = self.messages.read(text) if text is not None else []
        self.report(place, ways, details)

    def _super(self, place: Place, arguments: list[Place]) -> None:
        around = place.up({"class"})
        owner = one_line(around.node.child_by_field_name("name")) if around else ""
        text = next((each for each in arguments if self.has_text(each)), None)
        if owner and self.is_error(owner) and text is not None:
            self.say(place, text, Details(kind="table", error_class=self._printed(owner)))

    def _message_method(self, place: Place) -> None:
        """`def message` of an exception."""
        around = place.up({"class"})
        owner = one_line(around.node.child_by_field_name("name")) if around else ""
        body = place.node.child_by_field_name("body")
        is_message = text_of(place.node.child_by_field_name("name")) in {"message", "to_s"}
        if is_message and body is not None and self.is_error(owner) and len(named(body)) == 1:
            message = place.of(body, named(body)[0])
            if self.has_text(message):
                self.say(message, message, Details(kind="table", error_class=self._printed(owner)))

    def _pair(self, place: Place) -> None:
        """`validates :name, format: { message: "…" }`."""
        key, value = (place.node.child_by_field_name(side) for side in ("key", "value"))
        if text_of(key) != "message" or value is None or not is_text(value):
            return
        calls = [node for node in place.path if node.type == "call"]
        if calls and text_of(calls[-1].child_by_field_name("method")).startswith("validates"):
            self.say(place, place.of(value), Details(kind="table", is_listed=True))

    def _listed(self, place: Place) -> None:
        """Constants that are messages, and hashes of them."""
        left, right = (place.node.child_by_field_name(side) for side in ("left", "right"))
        if left is None or right is None or left.type != "constant":
            return
        if not _TABLES.search(text_of(left)):
            return
        members = list(_members(place.of(right)))
        for _, message in members:
            if is_text(message.node) and self.is_sentence(message):
                pair = Place(message.path[-1], message.path[:-1])
                self.say(pair, message, Details(kind="table", is_listed=True))
        if not members and self.is_sentence(place.of(right)):
            self.say(place, place.of(right), Details(kind="table", is_listed=True))


def _members(table: Place) -> Iterator[tuple[str, Place]]:
    """Key, as it is asked for, and value of each pair of a hash, frozen or not."""
    receiver = table.node.child_by_field_name("receiver")
    if table.node.type == "call" and receiver is not None:
        table = table.of(receiver)
    for pair in named(table.node) if table.node.type == "hash" else ():
        key, value = (pair.child_by_field_name(side) for side in ("key", "value"))
        if key is not None and value is not None:
            mark = ":" if key.type == "hash_key_symbol" else ""
            yield mark + text_of(key), table.of(pair, value)
