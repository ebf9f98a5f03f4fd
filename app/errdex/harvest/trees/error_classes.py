"""The part of a finder that knows the classes of errors: those of the file, with those above them
and the messages that they make, and those of other files of the tree, once these are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from errdex import lazy_re as re
from errdex.harvest.messages.wording import Wording, filled
from errdex.harvest.trees.details import Brought, Details
from errdex.harvest.trees.forwarding import Passing, passed_on, passings
from errdex.harvest.trees.passing_on import SIMPLE_NAME, PassingOn
from errdex.harvest.trees.syntax import Place

MAX_BASES = 10
_NEVER = re.compile(r"(?!)()")
_MADE = "new "
"""Before the name of a class, among the names of functions."""


class ErrorClasses(PassingOn):
    """Knows what classes of errors are called, and what they say."""

    error_names: ClassVar[re.Pattern[str]] = _NEVER
    """What classes of errors are called."""
    has_scopes: ClassVar[bool] = False
    """Whether a class is printed with what only its own file says about it."""
    needs_no_arguments: ClassVar[bool] = False
    """Whether a call may leave out parameters that have no default."""

    def __init__(self) -> None:
        super().__init__()
        self.bases: dict[str, str] = {}
        """The class above each error class of this file."""
        self.brought: dict[str, list[Brought]] = {}
        """The messages that error classes of this file make themselves."""

    def simple_name(self, name: str) -> str:
        """A class as the file that declares it names it: without what qualifies it."""
        return name

    def full_name(self, name: str) -> str:
        """A class as the language prints it, as far as the file tells."""
        return name

    def is_error(self, name: str) -> bool:
        """Whether a class is one of errors, by its name or by those above it."""
        names = (self.simple_name(name), *self.bases_of(name))
        return any(self.error_names.search(each) for each in names)

    def bases_of(self, error_class: str | None) -> tuple[str, ...]:
        """The classes above one, nearest first, as far as the file tells."""
        found: list[str] = []
        current = self.simple_name(error_class) if error_class else None
        while current is not None and len(found) < MAX_BASES:
            current = self.bases.get(current)
            if current is None or current in found:
                break
            found.append(current)
        return tuple(found)

    def message_made_by(
        self, error_class: str, arguments: Sequence[Place], step: int = 0
    ) -> list[Wording]:
        """The message that a class of this file, or one above it, makes of these arguments. Empty
        when none is known to make one."""
        for brought in self.brought.get(error_class, []):
            least = sum(default is None for _, default in brought.parameters)
            least = 0 if self.needs_no_arguments else least
            if brought.message is None or not least <= len(arguments) <= len(brought.parameters):
                continue
            labelled = dict(filter(None, map(self.labelled, arguments)))
            plain = [each for each in arguments if self.labelled(each) is None]
            values: dict[str, list[Wording]] = {}
            for name, default in brought.parameters:
                given = labelled.get(name) or (plain.pop(0) if plain else default)
                if given is not None:
                    values[name] = self.messages.read(given)
            ways = self._made_above(error_class, brought.given, step)
            return filled(ways or self.messages.read(brought.message), values)
        is_own = step or error_class in self.brought or error_class in self.bases
        return [] if is_own else self._made_elsewhere(error_class, arguments)

    def _made_above(self, error_class: str, given: Sequence[Place], step: int) -> list[Wording]:
        above = self.bases.get(error_class)
        if above is None or not given or step == MAX_BASES:
            return []
        return [way for way in self.message_made_by(above, given, step + 1) if way.has_text]

    def note_classes(self) -> None:
        """Note for other files how the file's error classes are printed, and the messages that
        they make of what they are given."""
        for name in dict.fromkeys((*self.bases, *self.brought)):
            if not self.is_error(name):
                continue
            details = Details(kind="raise", error_class=self.full_name(name))
            like = Passing((), "", Wording(()), details, self.path, "", self.may_lack, is_sure=True)
            known = [replace(like, parameters=("",))] if self.has_scopes else []
            for brought in self.brought.get(name, ()):
                if brought.message is not None:
                    parameters = tuple(each for each, _ in brought.parameters)
                    ways = self._made_above(name, brought.given, 0)
                    ways = ways or self.messages.read(brought.message)
                    known += [
                        each
                        for each in passings(replace(like, parameters=parameters), ways)
                        if each.way.has_text or each.parameter != parameters[0]
                    ]
            if known:
                self._passed.functions[_MADE + name] = known

    def _made_elsewhere(self, error_class: str, arguments: Sequence[Place]) -> list[Wording]:
        """The message that a class of another file makes of these arguments. Empty when none is
        known to make one."""
        self._passed.called.add(_MADE + error_class)
        for passing in self.known.get(_MADE + error_class, ()):
            if not passing.parameter or not passing.takes(len(arguments)):
                continue
            given = self.arguments_of(passing, arguments)
            values = {each: self.messages.read(where) for each, where in given.items()}
            if ways := passed_on(passing, values):
                return self.possible(passing, given, ways)
        return []

    def as_printed(self, error_class: str | None) -> str | None:
        """A class with what its own file says about its name."""
        if error_class is None:
            return None
        key = _MADE + SIMPLE_NAME.split(error_class)[-1]
        self._passed.called.add(key)
        printed = {each.details.error_class or "" for each in self.known.get(key, ())}
        whole = next(iter(printed)) if len(printed) == 1 else error_class
        is_it = whole.endswith(error_class) and not whole[: -len(error_class)][-1:].isalnum()
        return whole if is_it else error_class
