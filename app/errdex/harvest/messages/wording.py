"""What an expression says when it is a message: fixed text and holes, perhaps in several ways.

A language says which of its node types are what (`forms`); the rest, and whatever is
not understood, is a hole that bears its expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.messages.contradictions import are_contradictory, possible
from errdex.harvest.model import Fixed, Part, SourceHole
from errdex.harvest.trees.bindings import MAX_VALUES, MOST_VALUES, Binding, Names
from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import Place, named, one_line, text_of

MAX_WORDINGS = 10
"""A message with more alternatives has holes in their place."""
MAX_STEPS = 12
"""Names, calls and alternatives that are followed into one another."""
MAX_RETURNS = 4
"""Places at which a function returns a text."""
MAX_OPERANDS = 400
_LOOP = re.compile(r"(?:enhanced_)?(?:for|while|do|until|loop)(?:_|each|$)")
_MEMBER = re.compile(r"\.|->|^@")
"""In names that live on when a function is left."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way in which a message can read, and the conditions that make it read so."""

    parts: tuple[Part, ...]
    when: tuple[str, ...] = ()

    @property
    def has_text(self) -> bool:
        """Whether any of it is fixed."""
        return any(isinstance(part, Fixed) and part.text for part in self.parts)

    @property
    def has_sentence(self) -> bool:
        """Whether any of it is more than a word."""
        return any(isinstance(part, Fixed) and " " in part.text for part in self.parts)

    @property
    def is_fixed(self) -> bool:
        """Whether all of it is, be it nothing."""
        return all(isinstance(part, Fixed) for part in self.parts)


@dataclass(frozen=True, slots=True)
class TextMaker:
    """What a function returns at one place."""

    parameters: Callable[[], Sequence[str]]
    """Their names, read when they are asked for."""
    value: Place


Form = Callable[[Place, int], list[Wording]]


class Messages:
    """Reads a file's expressions as messages."""

    binary: ClassVar[frozenset[str]] = frozenset({"binary_expression"})
    joining: ClassVar[frozenset[str]] = frozenset({"+"})
    """Operators that join texts."""

    def __init__(self, names: Names, guards: Guards) -> None:
        self.names = names
        self.guards = guards
        self.forms: Mapping[str, Form] = {}
        self.makers: dict[str, list[TextMaker]] = {}
        """What functions of the file return, by their simple names."""

    def read(self, place: Place, step: int = 0) -> list[Wording]:
        """All ways in which the expression can read, at least one."""
        form = self.forms.get(place.node.type)
        if form is None or step > MAX_STEPS:
            return [self.hole(place.node)]
        return form(place, step + 1) or [self.hole(place.node)]

    def is_followed(self, name: str) -> bool:
        """Whether the file gives a name a value somewhere that is followed."""
        return self.names.is_followed(name)

    def made_by(self, function: str, arguments: Sequence[Place], step: int) -> list[Wording]:
        """The text that a function of the file makes of these arguments. Empty when it is not
        known to make one."""
        makers = [
            (maker, names)
            for maker in self.makers.get(function, ())[:MOST_VALUES]
            if len(names := maker.parameters()) == len(arguments)
        ]
        if not 0 < len(makers) <= MAX_RETURNS:
            return []
        ways: list[Wording] = []
        for maker, names in makers:
            values = {
                name: self.read(each, step) for name, each in zip(names, arguments, strict=True)
            }
            made = self.read(maker.value, step)
            if any(way.has_text for way in made):
                ways += filled(made, values)
        return ways

    def read_text(self, place: Place) -> str | None:
        """The expression's text when it reads in one way and without holes."""
        wordings = self.read(place)
        if len(wordings) == 1 and all(isinstance(part, Fixed) for part in wordings[0].parts):
            return "".join(part.text for part in wordings[0].parts if isinstance(part, Fixed))
        return None

    def hole(self, node: Node) -> Wording:
        """An expression that is not followed."""
        return Wording((SourceHole(one_line(node)),))

    def fixed(self, text: str) -> list[Wording]:
        """A text."""
        return [Wording((Fixed(text),))]

    def literal(self, place: Place, step: int) -> list[Wording]:
        """A number or the like: it prints as it is written."""
        return self.fixed(text_of(place.node))

    def inner(self, place: Place, step: int) -> list[Wording]:
        """What holds just one expression: parentheses, a cast."""
        inner = named(place.node)
        return self.read(place.of(inner[0]), step) if inner else []

    def operation(self, place: Place, step: int) -> list[Wording]:
        """Joined texts."""
        operands = self._operands(place)
        if len(operands) < 2:
            return []
        ways = [self.read(operand, step) for operand in operands]
        first = next((at for at, way in enumerate(ways) if self.is_text(operands[at], way)), None)
        if first is None:
            return []
        if first > 1:  # what stands before the first text is reckoned, not joined
            begin, end = operands[0].node.start_byte, operands[first - 1].node.end_byte
            source = text_of(place.node).encode()[
                begin - place.node.start_byte : end - place.node.start_byte
            ]
            ways[:first] = [[Wording((SourceHole(" ".join(source.decode().split())),))]]
        elif first == 1 and operands[0].node.type in _NUMBERS:
            ways[0] = self.fixed(text_of(operands[0].node))
        return combined(ways)

    def is_text(self, operand: Place, way: list[Wording]) -> bool:
        """Whether an operand makes the `+` join."""
        return operand.node.type not in _NUMBERS and any(each.has_text for each in way)

    def argument(self, place: Place, step: int) -> list[Wording]:
        """An argument, perhaps with its parameter's name."""
        inner = named(place.node)
        return self.read(place.of(inner[-1]), step) if inner else []

    def cast(self, place: Place, step: int) -> list[Wording]:
        """`(String) x`."""
        value = place.node.child_by_field_name("value")
        return self.read(place.of(value), step) if value is not None else []

    def choice(self, place: Place, step: int) -> list[Wording]:
        """`test ? this : that`."""
        node = place.node
        test, then = self.guards.test_of(node), self.guards.then_of(node)
        other = node.child_by_field_name("alternative")
        if test is None or then is None or other is None:
            return []
        taken = [
            replace(way, when=(self.guards.text(test), *way.when))
            for way in self.read(place.of(then), step)
        ]
        return taken + [
            replace(way, when=(self.guards.opposite(test), *way.when))
            for way in self.read(place.of(other), step)
        ]

    def otherwise(self, place: Place, left: Node, right: Node, step: int) -> list[Wording]:
        """`this || that`: the text that stands in when there is no other."""
        ways = self.read(place.of(left), step)
        return ways + [way for way in self.read(place.of(right), step) if way.has_text]

    def name(self, place: Place, step: int) -> list[Wording]:
        """A name, followed to its values in this file."""
        return self.named_value(text_of(place.node), place, step)

    def named_value(
        self, name: str, place: Place, step: int, unread: Wording | None = None
    ) -> list[Wording]:
        """The values of a name at a place; `unread` where one is not known, which is the hole of
        the place if not given. Empty when none is known."""
        found = self.names.find(name, place)
        if len(found) > MAX_VALUES:
            return self._roughly(found, place, step)
        ways: list[Wording] = []
        unknown = self._was_given_before(name, found)
        is_given = False
        for binding, sure in found:
            is_given = is_given or (sure and not binding.adds)
            if binding.value is None:
                unknown, ways = True, ([] if sure else ways)
                continue
            given = self._given(name, binding.value, place, sure, step)
            if binding.adds and _is_repeated(binding.place, place):
                given = [Wording((SourceHole(""),))]
            if binding.adds:
                hole = unread or self.hole(place.node)
                begun = ways or [hole if unknown else Wording(())]
                longer = combined([begun, given])
                if not sure:
                    left = self._unadded(ways, binding, place)
                    # A value that is not known here may be left as it was.
                    unknown = unknown or (bool(ways) and not (left or is_given))
                    longer = left + longer
                ways = longer
                unknown = unknown and not sure
            else:
                ways = given if sure else ways + given
                unknown = unknown and not sure
        telling = [way for way in ways if way.has_text]
        if self._was_given_before(name, found) and not any(way.has_sentence for way in ways):
            return []  # a value among others, not a message
        if telling:  # an empty text is a value like any other
            telling = [way for way in ways if way.has_text or way.is_fixed]
        if telling and (unknown or len(telling) < len(ways)):
            telling.append(unread or self.hole(place.node))
        ways = telling
        return ways if len(ways) <= MAX_WORDINGS else self._roughly(found, place, step)

    def _was_given_before(self, name: str, found: Sequence[tuple[Binding, bool]]) -> bool:
        """Whether a name may have the value that it had before its function was called."""
        if _MEMBER.search(name) is None or any(sure and not b.adds for b, sure in found):
            return False
        return any(binding.place.up(self.guards.functions) for binding, _ in found)

    def _roughly(self, found: list[tuple[Binding, bool]], place: Place, step: int) -> list[Wording]:
        """What is surely put together, with holes for what may stand between."""
        parts: list[Part] = []
        for binding, sure in found:
            if not binding.adds and not sure:
                return []
            ways = self.read(binding.value, step) if binding.value is not None and sure else []
            known = _in_common(ways) if ways and all(way.has_text for way in ways) else ()
            if not binding.adds and not known:
                return []
            if known:
                parts += known
            elif parts[-1:] != [SourceHole("")]:
                parts.append(SourceHole(""))
        whole = Wording(tuple(parts))
        return [whole] if whole.has_text else []

    def _given(self, name: str, value: Place, place: Place, sure: bool, step: int) -> list[Wording]:
        ways = [_without_old(way, name) for way in self.read(value, step)]
        when = () if sure else self._when_given(value, place)
        return [replace(way, when=(*when, *way.when)) for way in ways] if when else ways

    def _when_given(self, value: Place, place: Place) -> tuple[str, ...]:
        """The conditions of a value that are not those of the place where it is used."""
        if value.up(self.guards.functions) != place.up(self.guards.functions):
            return ()
        here = {condition.text for condition in self.guards.conditions(place)}
        return tuple(
            condition.text
            for condition in self.guards.conditions(value)
            if condition.text not in here and not condition.left_before
        )

    def _unadded(self, ways: list[Wording], binding: Binding, place: Place) -> list[Wording]:
        """Wordings to which something is added under a condition, where it is not."""
        if binding.value is None or _is_repeated(binding.place, place):
            return ways
        when = self._when_given(binding.value, place)
        if len(when) != 1:
            return ways
        turned = self.guards.turned(when[0])
        left = [replace(way, when=(*way.when, turned)) for way in ways]
        return [way for way in left if not are_contradictory(way.when)]

    def _operands(self, place: Place) -> list[Place]:
        """The operands of a chain of `+`, in order: `a + b + c` nests to the left."""
        operands: list[Place] = []
        waiting = [place]
        while waiting:
            current = waiting.pop()
            node = current.node
            left, operator, right = self.operands(node)
            joins = node.type in self.binary and one_line(operator) in self.joining
            if not joins or left is None or right is None:
                operands.append(current)
            else:
                waiting += [Place(right, place.path), Place(left, place.path)]
            if len(operands) > MAX_OPERANDS:
                return []
        return operands

    def operands(self, node: Node) -> tuple[Node | None, Node | None, Node | None]:
        """Left side, operator and right side of an operation."""
        operator = node.child_by_field_name("operator")
        if operator is None and len(node.children) == 3:
            operator = node.children[1]
        return node.child_by_field_name("left"), operator, node.child_by_field_name("right")


_NUMBERS = frozenset(
    """
    number int_literal float_literal decimal_integer_literal decimal_floating_point_literal
    integer_literal real_literal integer float number_literal
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


def combined(ways: Sequence[list[Wording]]) -> list[Wording]:
    """Each way of the first followed by each of the second, and so on; where that were too
    many, those with the most alternatives become holes."""
    ways = list(ways)
    while _count(ways) > MAX_WORDINGS:
        most = max(range(len(ways)), key=lambda at: len(ways[at]))
        ways[most] = [Wording((SourceHole(""),))]
    return possible(
        [
            Wording(
                tuple(part for way in choice for part in way.parts),
                tuple(dict.fromkeys(condition for way in choice for condition in way.when)),
            )
            for choice in product(*ways)
        ]
    )


def _without_old(way: Wording, name: str) -> Wording:
    """A wording that a name gets, without conditions on what the name was before."""
    if not any(name in condition for condition in way.when):
        return way
    old = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    return replace(way, when=tuple(each for each in way.when if not old.search(each)))


def _is_repeated(binding: Place, place: Place) -> bool:
    """Whether a value is given in a loop that the place is behind."""
    around = {node.id for node in place.path}
    return any(_LOOP.match(node.type) and node.id not in around for node in binding.path)


def _in_common(ways: Sequence[Wording]) -> tuple[Part, ...]:
    """How all ways begin and end, with a hole between where they differ."""
    first, *others = (way.parts for way in ways)
    least = min(map(len, (first, *others)))
    begin = next(
        (at for at in range(least) if any(each[at] != first[at] for each in others)), least
    )
    if begin == len(first) and all(len(each) == begin for each in others):
        return first
    end = next(
        (
            at
            for at in range(least - begin)
            if any(each[-1 - at] != first[-1 - at] for each in others)
        ),
        least - begin,
    )
    return (*first[:begin], SourceHole(""), *first[len(first) - end :])


def filled(ways: list[Wording], values: Mapping[str, list[Wording]]) -> list[Wording]:
    """The wordings with what is known of the names in their holes put in."""
    found = [
        replace(longer, when=(*way.when, *longer.when))
        for way in ways
        for longer in combined(
            [
                values.get(part.expression, [Wording((part,))])
                if isinstance(part, SourceHole)
                else [Wording((part,))]
                for part in way.parts
            ]
        )
    ]
    return possible(found)[:MAX_WORDINGS]


def _count(ways: Sequence[list[Wording]]) -> int:
    count = 1
    for way in ways:
        count *= max(1, len(way))
        if count > MAX_WORDINGS:
            break
    return count
