"""Which functions of a tree report what they are given: those that do it themselves, and those
that give it to one that does.

Names are all that calls and functions have in common. A name is used when most of the
functions that have it report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from errdex.harvest.messages.wording import filled
from errdex.harvest.trees.forwarding import (
    Passed,
    Passing,
    Relay,
    called_on,
    is_reporter,
    passed_on,
    passings,
    reports_errors,
)

MOST_STEPS = 6
"""Functions that a text goes through."""
MOST_PASSINGS = 12
"""Passings of one name that are followed."""

Known = Mapping[str, Sequence[Passing]]


@dataclass(slots=True)
class Reporters:
    """What is known of the functions of a tree's files, in the order of the files."""

    functions: dict[str, list[Passing]] = field(default_factory=dict)
    relays: list[Relay] = field(default_factory=list)
    defined: Counter[str] = field(default_factory=Counter)
    """How many files define a function of a name."""

    def add(self, passed: Passed) -> None:
        """Take in what one file passes on."""
        for name, found in passed.functions.items():
            if reporting := [each for each in found if is_reporter(name, each)]:
                self.functions.setdefault(name, []).extend(reporting)
        self.relays += passed.relays
        self.defined.update(passed.defined)

    def known(self) -> Known:
        """The functions that report, and what, by name."""
        found = {name: list(each) for name, each in self.functions.items()}
        recent = found
        for _ in range(MOST_STEPS):
            recent = self._relayed(found, recent)
            if not recent:
                break
            for name, each in recent.items():
                found.setdefault(name, []).extend(each)
        return {
            name: _known_rather_than_guessed(each)
            for name, each in found.items()
            if self._is_reporter(name, each)
        }

    def _relayed(
        self, found: Mapping[str, Sequence[Passing]], recent: Mapping[str, Sequence[Passing]]
    ) -> dict[str, list[Passing]]:
        """What functions report by giving it to those that are recent."""
        new: dict[str, list[Passing]] = {}
        for relay in self.relays:
            if not self._is_reporter(relay.callee, found.get(relay.callee, ())):
                continue
            for passing in called_on(recent.get(relay.callee, ()), relay.receiver):
                known = [*found.get(relay.function, ()), *new.get(relay.function, ())]
                for made in _through(relay, passing) if len(known) < MOST_PASSINGS else ():
                    if (
                        made not in known
                        and reports_errors(relay.function, made)
                        and is_reporter(relay.function, made)
                    ):
                        new.setdefault(relay.function, []).append(made)
        return new

    def _is_reporter(self, name: str, passings: Sequence[Passing]) -> bool:
        """Whether most files that define a function of this name have it report."""
        return 2 * len({each.path for each in passings}) >= self.defined[name]


def _known_rather_than_guessed(passings: Sequence[Passing]) -> list[Passing]:
    """Without what was guessed of a function of which more became known."""
    known = {(each.path, each.parameters) for each in passings if not each.is_guess}
    return [
        each for each in passings if not each.is_guess or (each.path, each.parameters) not in known
    ]


def _through(relay: Relay, passing: Passing) -> Iterable[Passing]:
    """What a function reports through a call."""
    if not passing.takes(len(relay.arguments)):
        return ()
    pairs = zip(passing.parameters, relay.arguments, strict=False)
    values = {name: list(ways) for name, ways in pairs if name}
    given = values.get(passing.parameter, [])
    holes = [way for way in given if not way.has_text]
    ways = passed_on(passing, values)
    if holes:
        ways += filled([passing.way], {**values, passing.parameter: holes})
    like = Passing(
        relay.parameters,
        "",
        passing.way,
        passing.details,
        relay.path,
        relay.owner,
        relay.may_lack,
    )
    at = passing.parameters.index(passing.parameter)
    texts = {part for way in relay.arguments[at] for part in way.parts}
    return [
        each
        for each in passings(like, ways)
        if any(getattr(part, "expression", None) == each.parameter for part in texts)
    ]
