"""What functions make of texts that others give them: `check(found, "…")` whose body throws
what it was given, and tables whose entries are reported.

The place of such an error is the call that brings the text: there its words stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from errdex import lazy_re as re
from errdex.harvest.messages.template import is_telling, normalized
from errdex.harvest.messages.wording import Wording, filled
from errdex.harvest.model import Fixed, Part, SourceHole
from errdex.harvest.trees.details import Details

_ENTRY = re.compile(r"[&*]?(\w+)\s*\[.*\](?:(?:\.|->)\w+(?:\(\))?)?", re.DOTALL)
_CALL = re.compile(r"(?:self\.|this\.)?(\w+)\((?:[^()]|\([^()]*\))*\)(?:\.\w+\(\))*", re.DOTALL)
_CALLED = re.compile(r"(?:\.(?:get|invoke|call|Invoke))?\(\)$")
_NOT_AN_ERROR = re.compile(
    r"debug|trace|info|verbose|warn|note|print|status|log$|usage", re.IGNORECASE
)
REPORTING = re.compile(
    r"err|fail|fatal|panic|die|abort|bail|throw|raise|report|reject|refuse|invalid|illegal|bad|wrong"
    r"|unexpected|unsupported|unknown|missing|mismatch|not_?found|exception|fault|problem|violat"
    r"|check|assert|requir|ensure|expect|verif|valid|must|weird",
    re.IGNORECASE,
)
MESSAGE = re.compile(
    r"^[$_]*(?:\w*_)?(?:\w*(?:msg|message|fmt|format|reason|text|detail|description|error|err|template)"
    r"|why|what|desc|problem|complaint)s?$",
    re.IGNORECASE,
)
MOST_NOTED = 60
"""Passings of one function of a file. One that calls itself makes them longer and longer."""


@dataclass(frozen=True, slots=True)
class Passing:
    """One place in a function that reports what a parameter holds."""

    parameters: tuple[str, ...]
    """The last is "" where more may follow."""
    parameter: str
    """The one that brings the text."""
    way: Wording
    """With a hole for the parameter."""
    details: Details
    """Of the place, as the finder knows them."""
    path: str = ""
    """The file of the function."""
    owner: str = ""
    """The class of the function, if it is in one."""
    may_lack: bool = False
    """Whether a call may leave out parameters behind the text."""
    is_sure: bool = False
    """Whether the function reports whenever it is called."""
    is_guess: bool = False
    """Whether only the name of a function that it calls says that it reports."""

    @property
    def brings_message(self) -> bool:
        """Whether the parameter brings the message: the function has no words of its own, or the
        parameter's name says so. Others may bring a value: `sell("apples")`."""
        has_words = is_telling(normalized(self.way.parts), None)
        return not has_words or MESSAGE.search(self.parameter) is not None

    def takes(self, count: int) -> bool:
        """Whether a call with so many arguments can be one of the function."""
        at = self.parameters.index(self.parameter)
        is_open = self.parameters[-1] == ""
        if count == len(self.parameters) or (is_open and count > at):
            return True
        return self.may_lack and at < count < len(self.parameters)


@dataclass(frozen=True, slots=True)
class Relay:
    """A call in a function that gives another one what the function itself is given."""

    function: str
    parameters: tuple[str, ...]
    callee: str
    arguments: tuple[tuple[Wording, ...], ...]
    path: str
    may_lack: bool = False
    is_sure: bool = False
    """Whether the function always comes by the call."""
    owner: str = ""
    """The class of `function`, if it is in one."""
    receiver: str = ""
    """The class that the call names: `NotFound` of `NotFound::create($id)`."""


@dataclass(slots=True)
class Passed:
    """All that a file passes on."""

    functions: dict[str, list[Passing]] = field(default_factory=dict)
    """By their simple names."""
    asked: set[str] = field(default_factory=set)
    """Tables and functions whose texts are whole messages."""
    relays: list[Relay] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    """Functions that the file gives a sentence, nothing of which was reported."""
    defined: set[str] = field(default_factory=set)
    """Functions of the file."""

    def note(self, function: str, passing: Passing) -> None:
        """Note what a place in a function says of one of the function's parameters."""
        known = self.functions.setdefault(function, [])
        if len(known) < MOST_NOTED and reports_errors(function, passing) and passing not in known:
            known.append(passing)

    def ask(self, way: Wording) -> None:
        """Note the table or function that a message is taken from as it is."""
        holes = [part for part in way.parts if isinstance(part, SourceHole)]
        if len(holes) == 1 and (
            found := _ENTRY.fullmatch(holes[0].expression) or _CALL.fullmatch(holes[0].expression)
        ):
            self.asked.add(found[1])


def called_on(passings: Sequence[Passing], receiver: str) -> Sequence[Passing]:
    """The passings of a name that a call which names a class may be: those of this class. It may
    inherit the function, so where none is of it, one class's functions, and those of none."""
    if not receiver:
        return passings
    own = [each for each in passings if each.owner == receiver]
    is_inherited = not own and len({each.owner for each in passings}) == 1
    return passings if is_inherited else own or [each for each in passings if not each.owner]


def is_reporter(function: str, passing: Passing) -> bool:
    """Whether a function is there to report: it always does, its name says so, or the name of the
    parameter. Others, such as `get(key)`, share their names with functions that do not."""
    return (
        passing.is_sure
        or REPORTING.search(function) is not None
        or MESSAGE.search(passing.parameter) is not None
    )


def reports_errors(function: str, passing: Passing) -> bool:
    """Whether what a function prints are errors, by its name; what it raises are."""
    return passing.details.kind != "log" or _NOT_AN_ERROR.search(function) is None


def passings(like: Passing, ways: Sequence[Wording]) -> list[Passing]:
    """A Passing for each parameter that a wording has a hole for."""
    found = []
    for way in ways:
        parts = tuple(_parameter_hole(part, like.parameters) for part in way.parts)
        found += [
            replace(like, parameter=part.expression, way=replace(way, parts=parts))
            for part in parts
            if isinstance(part, SourceHole) and part.expression in like.parameters
        ]
    return found


def _parameter_hole(part: Part, parameters: Sequence[str]) -> Part:
    """A hole for what a parameter gives when it is called, as one for the parameter."""
    if not isinstance(part, SourceHole) or not part.expression:
        return part
    name = _CALLED.sub("", part.expression)
    is_called = name != part.expression and name in parameters
    return SourceHole(name) if is_called else part


def passed_on(passing: Passing, arguments: Mapping[str, list[Wording]]) -> list[Wording]:
    """What the function says when it is given these arguments. Empty when it gets no text."""
    given = arguments.get(passing.parameter, [])
    if not any(isinstance(part, Fixed) and part.text.strip() for w in given for part in w.parts):
        return []
    return filled([passing.way], arguments)
