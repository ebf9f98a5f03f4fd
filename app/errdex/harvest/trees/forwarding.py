"""What a file's own functions make of texts that others give them: `check(found, "…")` whose
body throws what it was given, and tables whose entries are reported.

The place of such an error is the call that brings the text: there its words stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errdex import lazy_re as re
from errdex.harvest.messages.wording import Wording, filled
from errdex.harvest.model import Fixed, SourceHole
from errdex.harvest.trees.syntax import Place

if TYPE_CHECKING:
    from errdex.harvest.trees.details import Details

_ENTRY = re.compile(r"[&*]?(\w+)\s*\[.*\](?:(?:\.|->)\w+(?:\(\))?)?", re.DOTALL)
_CALL = re.compile(r"(?:self\.|this\.)?(\w+)\((?:[^()]|\([^()]*\))*\)(?:\.\w+\(\))*", re.DOTALL)
_NOT_AN_ERROR = re.compile(
    r"debug|trace|info|verbose|warn|note|print|status|log$|usage", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Passing:
    """One place in a function that reports what a parameter holds."""

    parameters: tuple[str, ...]
    parameter: str
    """The one that brings the text."""
    way: Wording
    """With a hole for the parameter."""
    details: Details
    """Of the place, as the finder knows them."""

    def takes(self, count: int) -> bool:
        """Whether a call with so many arguments can be one of the function."""
        at = self.parameters.index(self.parameter)
        is_open = self.parameters[-1] == ""
        return count == len(self.parameters) or (is_open and count > at)


@dataclass(slots=True)
class Passed:
    """All that a file passes on."""

    functions: dict[str, list[Passing]] = field(default_factory=dict)
    """By their simple names."""
    asked: set[str] = field(default_factory=set)
    """Tables and functions whose texts are whole messages."""

    def note(
        self,
        function: str,
        parameters: Sequence[str],
        ways: Sequence[Wording],
        details: Details,
        *,
        is_printed: bool,
    ) -> None:
        """Note what a place in a function says of the function's parameters. The last of the
        parameters is "" where more may follow."""
        if is_printed and _NOT_AN_ERROR.search(function):
            return
        for way in ways:
            for part in way.parts:
                if (
                    isinstance(part, SourceHole)
                    and part.expression in parameters
                    and part.expression
                ):
                    passing = Passing(tuple(parameters), part.expression, way, details)
                    self.functions.setdefault(function, []).append(passing)

    def ask(self, way: Wording) -> None:
        """Note the table or function that a message is taken from as it is."""
        holes = [part for part in way.parts if isinstance(part, SourceHole)]
        if len(holes) == 1 and (
            found := _ENTRY.fullmatch(holes[0].expression) or _CALL.fullmatch(holes[0].expression)
        ):
            self.asked.add(found[1])


def passed_on(passing: Passing, arguments: Mapping[str, list[Wording]]) -> list[Wording]:
    """What the function says when it is given these arguments. Empty when it gets no text."""
    given = arguments.get(passing.parameter, [])
    if not any(isinstance(part, Fixed) and part.text.strip() for w in given for part in w.parts):
        return []
    return filled([passing.way], arguments)


def arguments_of(passing: Passing, given: Sequence[Place]) -> dict[str, Place]:
    """Which parameter gets which argument."""
    return {name: place for name, place in zip(passing.parameters, given, strict=False) if name}
