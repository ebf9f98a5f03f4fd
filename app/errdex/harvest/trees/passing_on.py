"""The part of a finder that follows texts through functions: those of the file, and those of
other files of the tree, once it is known which of them report what they are given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import eq, ge, gt, le, lt, ne
from typing import ClassVar, Self, TypeAlias

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.messages.template import is_telling, normalized
from errdex.harvest.messages.wording import Messages, TextMaker, Wording
from errdex.harvest.model import SourceHole
from errdex.harvest.trees.details import Details
from errdex.harvest.trees.forwarding import (
    MESSAGE,
    REPORTING,
    Passed,
    Passing,
    Relay,
    called_on,
    is_reporter,
    passed_on,
    passings,
)
from errdex.harvest.trees.guards import Condition
from errdex.harvest.trees.reporters import Known
from errdex.harvest.trees.syntax import Place, first_named, named, one_line, text_of

_ARGUMENTS = frozenset({"argument", "value_argument"})
SIMPLE_NAME = re.compile(r"[.]|::|->")
_IDENTIFIER = re.compile(r"(?<![\w$.])\$?[^\W\d]\w*")
_CONSTANTS = frozenset("null nullptr NULL nil none None true false True False is not".split())  # noqa: SIM905
_TEXT = re.compile(r"[\"'`][^\"'`]*[^\W\d_]{2}")
_EMPTINESS = re.compile(
    r"!?(?P<name>[$\w]+)(?:(?P<empty>\.(?:isEmpty|isBlank|empty|is_empty)(?:\(\))?)"
    r"|\s*(?P<equal>===?)\s*(?:null|nullptr|NULL|undefined|\"\"|'')"
    r"|\s*(?P<unequal>!==?)\s*(?:null|nullptr|NULL|undefined|\"\"|''))?"
)
_NAMED_REPORTER = re.compile(
    r"^_*(?:report|throw|raise|fail|panic|die|abort)(?:[A-Z_]\w*)?$"
    r"|^(?!_*(?:write|print|on|is|has|get|set|clear|with|as|to|parse|handle)[A-Z_])"
    r"\w*(?:Error|Exception|Failure)$"
)
_NUMBERS = re.compile(r"(\d{1,9}) ?(==|!=|<=|>=|<|>) ?(\d{1,9})")
_COMPARED = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_LITERAL = re.compile(r"\"[^\"\\{$]*\"|'[^'\\]*'")
_SIMPLE = re.compile(r"[\w.$:>-]+(?:\([^()]*\)|\[[^\[\]]*\])?|[\"'][^\"']*[\"']")
_NO_DETAILS = Details(kind="raise")
MOST_READ = 1_000
"""Bytes of an argument that is looked at for a text or a parameter in it."""
MOST_RELAYS = 2_000
"""Relays of one file."""


Call: TypeAlias = tuple[str, list[Place], int]
"""The simple name of the function that is called, what it is given, and the line of the call."""


@dataclass(frozen=True, slots=True)
class _Signature:
    """A function's simple name and its parameters."""

    name: str
    parameters: tuple[str, ...]
    names: frozenset[str]
    """Of the parameters that have one."""
    is_named: bool
    """Whether its name says that it reports."""
    takes_message: bool
    """Whether the name of a parameter says that it is a message."""

    @classmethod
    def of(cls, name: str, parameters: tuple[str, ...]) -> Self:
        names = frozenset(filter(None, parameters))
        takes_message = any(map(MESSAGE.search, names))
        return cls(name, parameters, names, REPORTING.search(name) is not None, takes_message)


class PassingOn(ABC):
    """Reports calls whose functions report what they are given."""

    functions: ClassVar[frozenset[str]]
    classes: ClassVar[frozenset[str]]
    messages: Messages
    path: str

    returns: ClassVar[frozenset[str]] = frozenset()
    """Nodes that give what a function returns."""
    makes: ClassVar[frozenset[str]] = frozenset()
    """What is returned that may be a text made of the function's parameters."""
    may_lack: ClassVar[bool] = False
    """Whether a call may leave out parameters at the end."""

    def __init__(self) -> None:
        self.known: Known = {}
        """What functions of the whole tree report."""
        self.is_known = False
        """Whether all of the tree was read before."""
        self._passed = Passed()
        self._signatures: dict[int, _Signature] = {}
        """Of each function."""
        self._calls: dict[int, Call] = {}
        """Of nodes that call a function with something and were not reported at first sight."""
        self._by_name = False
        """Whether no more than names says now what reports."""
        self._reported: set[int] = set()
        """Nodes at which something was reported."""

    @abstractmethod
    def report(self, place: Place, wordings: Sequence[Wording], details: Details) -> None:
        """Report a message at a place."""

    @abstractmethod
    def name_of(self, place: Place) -> str | None:
        """What a node adds to the qualified names of what is in it."""

    @abstractmethod
    def is_sentence(self, place: Place) -> bool:
        """Whether an expression has fixed text of more than a word."""

    @abstractmethod
    def labelled(self, argument: Place) -> tuple[str, Place] | None:
        """The parameter that an argument names, and its value. None when it names none."""

    @abstractmethod
    def conditions_at(self, place: Place, details: Details) -> list[Condition]:
        """The conditions that lead to a place."""

    def call_at(self, place: Place) -> Call | None:
        """The call that a place is. None for a place that is no call."""
        return None

    def is_own_call(self, place: Place) -> bool:
        """Whether a call is one of a function of this file, where only the receiver says so."""
        return True

    def receiver_of(self, place: Place) -> str:
        """The simple name of the class that a call names: `NotFound::create($id)`. Empty for a
        call of a function, and for one of which the source does not say the class."""
        return ""

    def parameters_of(self, function: Node) -> list[str]:
        """The names of a function's parameters; the last is "" where more may follow."""
        return []

    def returned(self, place: Place) -> Place | None:
        """What a node of `returns` gives."""
        value = first_named(place.node)
        return place.of(value) if value is not None else None

    def fill(self, ways: list[Wording], values: Sequence[Place]) -> list[Wording]:
        """A format with its values put in."""
        return ways

    def note_call(self, place: Place) -> bool:
        """Note what a place calls that was not reported, and give whether it calls anything."""
        if place.node.id in self._reported:
            return False
        call = self.call_at(place)
        if call is None or not call[1]:
            return False
        self._calls[place.node.id] = call
        return True

    def visit_by_name(self, place: Place) -> None:
        """What `visit_named` does, as a guess."""
        self._by_name = True
        self.visit_named(place)
        self._by_name = False

    def visit_named(self, place: Place) -> None:
        """Report a call of a function of which no more is known than a name that says that it
        reports, with a sentence: `reportError("…")`, `throw failure("…")`."""
        if place.node.id in self._reported:
            return
        name, arguments, line = self._calls.get(place.node.id) or ("", [], 0)
        if _NAMED_REPORTER.search(name) and name not in self._passed.defined:
            text = next((each for each in arguments if self.is_sentence(each)), None)
            if text is not None:
                ways = self.messages.read(text)
                rest = arguments[arguments.index(text) + 1 :]
                self.report(place, self.fill(ways, rest), Details(kind="raise", line=line))

    def visit_asked(self, place: Place, asked: Collection[str]) -> None:  # noqa: B027 - need not
        """Report what a table or a function of one of these names holds: texts that the file
        reports as they are."""

    def note_function(self, place: Place) -> None:
        """Note a function that the file defines."""
        name = self.name_of(place)
        if name:
            self._passed.defined.add(SIMPLE_NAME.split(name)[-1])

    def note_return(self, place: Place) -> None:
        """Note what a function returns, which may be a text that it makes."""
        value = self.returned(place)
        if value is None or value.node.type not in self.makes:
            return
        around = place.up(self.functions)
        name = self.name_of(around) if around is not None else None
        if around is not None and name:
            maker = TextMaker(partial(self.parameters_of, around.node), value)
            self.messages.makers.setdefault(SIMPLE_NAME.split(name)[-1], []).append(maker)

    def note_passing(self, place: Place, ways: Sequence[Wording], details: Details) -> None:
        """Note a place that reports what its function is given, and tables it reports from."""
        for way in ways:
            if not is_telling(normalized(way.parts), None):
                self._passed.ask(way)
        has_holes = any(isinstance(part, SourceHole) for way in ways for part in way.parts)
        around = self._function_around(place) if has_holes else None
        if around is None:
            return
        name, parameters = around
        details = replace(details, line=None)
        owner = self._owner_of(place)
        like = Passing(parameters, "", Wording(()), details, self.path, owner, self.may_lack)
        found = passings(like, ways)
        if not found:
            return
        conditions = [each.text for each in self.conditions_at(place, details)]
        when = self._on_parameters(conditions, parameters)
        for each in found:
            made = replace(
                each,
                way=replace(each.way, when=(*each.way.when, *when)),
                details=replace(details, when=()),
                is_sure=not conditions and not each.way.when,
                is_guess=self._by_name,
            )
            if not is_telling(normalized(each.way.parts), None) or is_reporter(name, made):
                self._passed.note(name, made)

    def _function_around(self, place: Place) -> tuple[str, tuple[str, ...]] | None:
        """The simple name and the parameters of the innermost function that has both."""
        signature = self._signature_around(place)
        return (signature.name, signature.parameters) if signature is not None else None

    def _signature_around(self, place: Place) -> _Signature | None:
        for at in range(len(place.path) - 1, -1, -1):
            node = place.path[at]
            if node.type not in self.functions:
                continue
            signature = self._signatures.get(node.id)
            if signature is None:
                name = self.name_of(Place(node, place.path[:at])) or ""
                parameters = tuple(self.parameters_of(node)) if name else ()
                signature = _Signature.of(SIMPLE_NAME.split(name)[-1], parameters)
                self._signatures[node.id] = signature
            if signature.name:
                return signature if signature.parameters else None
        return None

    def _owner_of(self, place: Place) -> str:
        around = place.up(self.classes)
        name = self.name_of(around) if around is not None else None
        return SIMPLE_NAME.split(name)[-1] if name else ""

    def _on_parameters(
        self, conditions: Sequence[str], parameters: Collection[str]
    ) -> tuple[str, ...]:
        """The conditions that depend on a function's parameters alone."""
        known = _CONSTANTS | set(parameters)
        return tuple(text for text in conditions if set(_IDENTIFIER.findall(text)) <= known)

    def pass_on(self, place: Place) -> None:
        """Report a call of a function of this file that reports what it is given; note what may
        be one of another file."""
        if place.node.id in self._reported:
            return
        name, arguments, line = self._calls[place.node.id]
        if self.is_own_call(place):
            known = tuple(self._passed.functions.get(name, ()))  # a report may add to them
            for passing in called_on(known, self.receiver_of(place)):
                self._report_passed(place, name, passing, arguments, line)
        if place.node.id not in self._reported and not self.is_known:
            self._note_call(place, name, arguments)

    def pass_on_known(self, place: Place) -> None:
        """Report a call of a function anywhere in the tree that reports what it is given."""
        if place.node.id in self._reported:
            return
        name, arguments, line = self._calls[place.node.id]
        if not (known := self.known.get(name)):
            return
        for passing in called_on(known, self.receiver_of(place)):
            is_own = passing.path == self.path
            if is_own or name not in self._passed.defined or not self.is_own_call(place):
                self._report_passed(place, name, passing, arguments, line)

    def _report_passed(
        self, place: Place, name: str, passing: Passing, arguments: list[Place], line: int
    ) -> None:
        takes_all = arguments[-1].node.type == "lambda_literal" and passing.may_lack
        around = self._function_around(place)
        is_own = around == (name, passing.parameters) and passing.path == self.path
        if is_own or not (passing.takes(len(arguments)) or takes_all):
            return
        given = self.arguments_of(passing, arguments)
        message = given.get(passing.parameter)
        if message is None or not (passing.brings_message or self.is_sentence(message)):
            return
        values = {each: self.messages.read(where) for each, where in given.items()}
        ways = self.possible(passing, given, passed_on(passing, values))
        rest = arguments[passing.parameters.index(passing.parameter) + 1 :]
        if not ways:
            for way in values.get(passing.parameter, ()):
                self._passed.ask(way)
            return
        details = replace(passing.details, line=line, when=())
        self.report(place, self.fill(ways, rest), details)

    def possible(
        self, passing: Passing, given: Mapping[str, Place], ways: list[Wording]
    ) -> list[Wording]:
        """The wordings of a call that can be, with what is not known of a parameter that the call
        leaves out taken from their conditions. A text that is left out is taken to be empty."""
        texts = {name: one_line(_bare(each)) for name, each in given.items()}
        if any(way.has_text for way in self.messages.read(given[passing.parameter])):
            texts[passing.parameter] = '"text"'  # one is given, however it is made
        lacking = {name for name in passing.parameters if name} - set(given)
        found = []
        for way in ways:
            when = [text for text in way.when if _holds(text, texts, lacking) is None]
            if any(_holds(text, texts, lacking) is False for text in way.when):
                continue
            when = [text for text in when if lacking.isdisjoint(_IDENTIFIER.findall(text))]
            when = [self._given_in(text, given) for text in when]
            if not any(_holds(text, {}, ()) is False for text in when):
                left = tuple(text for text in when if _holds(text, {}, ()) is None)
                found.append(replace(way, when=left))
        return found

    def arguments_of(self, passing: Passing, given: Sequence[Place]) -> dict[str, Place]:
        """Which parameter gets which argument."""
        labelled = dict(filter(None, map(self.labelled, given)))
        plain = [each for each in given if self.labelled(each) is None]
        if plain and plain[-1].node.type == "lambda_literal":  # behind the parentheses
            labelled |= {passing.parameters[-1]: plain.pop()}
        found = {name: each for name, each in zip(passing.parameters, plain, strict=False) if name}
        return found | labelled

    def _given_in(self, condition: str, given: Mapping[str, Place]) -> str:
        """A condition on parameters, with what a call gives them."""
        inner = condition.removeprefix("!").removeprefix("not ")
        if inner in given:
            node = _bare(given[inner])
            guards = self.messages.guards
            return guards.text(node) if inner == condition else guards.opposite(node)

        def source(found: re.Match[str]) -> str:
            if found[0] not in given:
                return found[0]
            text = one_line(_bare(given[found[0]]))
            return text if _SIMPLE.fullmatch(text) else f"({text})"

        return _IDENTIFIER.sub(source, condition)

    def _note_call(self, place: Place, name: str, arguments: list[Place]) -> None:
        """Note a call that another file's function may report, and one that gives a function's
        parameters to another function."""
        signature = self._signature_around(place)
        relays = (
            signature is not None
            and (signature.is_named or signature.takes_message)
            and len(self._passed.relays) < MOST_RELAYS
        )
        is_reporting = REPORTING.search(name) is not None
        if not (relays or is_reporting or _may_have_text(arguments)):
            return
        nodes = [_bare(each) for each in arguments]
        texts = [text_of(n) if n.end_byte - n.start_byte <= MOST_READ else "" for n in nodes]
        bound = is_reporting and any(
            each.isidentifier() and self.messages.is_followed(each) for each in texts
        )
        if bound or any(map(_TEXT.search, texts)):
            self._passed.called.add(name)
        if signature is None or not relays:
            return
        names = signature.names
        if not bound and not any(set(_IDENTIFIER.findall(text)) & names for text in texts):
            return
        given = tuple(tuple(self.messages.read(each)) for each in arguments)
        holes = [part for ways in given for way in ways for part in way.parts]
        if not any(isinstance(part, SourceHole) and part.expression in names for part in holes):
            return
        is_sure = not signature.is_named and not self.conditions_at(place, _NO_DETAILS)
        self._passed.relays.append(
            Relay(
                signature.name,
                signature.parameters,
                name,
                given,
                self.path,
                self.may_lack,
                is_sure,
                self._owner_of(place),
                self.receiver_of(place),
            )
        )

    def visit_asked_for(self, place: Place) -> None:
        """Report tables whose entries the file reports."""
        self.visit_asked(place, self._passed.asked)


def _holds(condition: str, given: Mapping[str, str], lacking: Collection[str]) -> bool | None:
    """Whether a condition on one parameter is true of a text that is given for it, or of none. None
    when that is not known."""
    if (compared := _NUMBERS.fullmatch(condition)) is not None:
        return bool(_COMPARED[compared[2]](int(compared[1]), int(compared[3])))
    found = _EMPTINESS.fullmatch(condition)
    name = found["name"] if found is not None else ""
    is_text = _LITERAL.fullmatch(given.get(name, "")) is not None
    is_lacking = name in lacking and found is not None and bool(found["empty"])
    if found is None or not (is_text or is_lacking):
        return None
    is_empty = not is_text or len(given[name]) == 2
    asks_empty = bool(found["empty"] or found["equal"])
    return (is_empty == asks_empty) != condition.startswith("!")


def _may_have_text(arguments: Sequence[Place]) -> bool:
    """Whether there is a quotation mark among them, as far as that is seen at once."""
    around, last = arguments[0].parent, arguments[-1].parent
    if around is None or last is None or around.end_byte - around.start_byte > MOST_READ:
        return True
    if last.id != around.id:  # a lambda behind the parentheses
        return True
    source = around.text or b""
    return b'"' in source or b"'" in source or b"`" in source


def _bare(argument: Place) -> Node:
    """The expression that an argument is."""
    node = argument.node
    if node.type not in _ARGUMENTS:
        return node
    inner = named(node)
    return inner[0] if len(inner) == 1 else node
