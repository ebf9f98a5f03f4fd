"""Under which conditions the program gets to a place, in the source's own words.

From the function inwards, each statement around the place says something: an `if` its
condition (turned round in the `else`), a `switch` the case, a loop its condition. And
in each block, what stands before the place may have left it (`if (ready) return;`),
which says the opposite of its condition. Only what is sure is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.trees.syntax import Place, named, one_line

MAX_CONDITIONS = 8
MAX_EXITS = 3
"""So many conditions are told, and so many of them from statements that left before;
the nearest ones."""
MAX_LENGTH = 300
"""Characters of all conditions together; the nearest ones are kept."""
LONGEST = 1_000
"""Characters of the last one."""

_COMPARED = re.compile(r"([^=!<>&|?:]+?) (===?|!==?) ([^=!<>&|?:]+)")
_PLAIN = re.compile(r"[$@\w.]+(?:(?:->|::|\?\.)[\w.]+)*(?:\([^()]*\))?")
"""A name, a member or a call."""
_ALWAYS = frozenset({"true", "1"})
"""Conditions of endless loops, which say nothing."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition. `left_before` is true when it holds because a statement before the
    place would have left otherwise. `end` is the byte at which it was tested: when one of
    its names has got another value since, it may not hold any more."""

    text: str
    left_before: bool = False
    end: int | None = None


class Guards:
    """How a language's grammar writes conditions. The defaults are those of most."""

    functions: ClassVar[frozenset[str]]
    """Nodes at which the way begins."""
    blocks: ClassVar[frozenset[str]]
    """Lists of statements."""
    ifs: ClassVar[frozenset[str]] = frozenset({"if_statement"})
    """Statements with a condition and one or two branches."""
    choices: ClassVar[frozenset[str]] = frozenset({"ternary_expression", "conditional_expression"})
    """Expressions of that form."""
    loops: ClassVar[frozenset[str]] = frozenset({"while_statement"})
    cases: ClassVar[frozenset[str]] = frozenset()
    """The branches of a `switch`."""
    falls_through: ClassVar[bool] = True
    """Whether a case that is not left goes on with the next."""
    equal: ClassVar[tuple[str, str]] = ("==", "!=")
    heads: ClassVar[frozenset[str]] = frozenset({"catch_clause"})
    """Statements whose own first words are the condition: `catch (IOException e)`."""
    exits: ClassVar[frozenset[str]] = frozenset(
        {"return_statement", "throw_statement", "break_statement", "continue_statement"}
    )
    binary: ClassVar[frozenset[str]] = frozenset({"binary_expression"})
    unary: ClassVar[frozenset[str]] = frozenset({"unary_expression"})
    atoms: ClassVar[frozenset[str]] = frozenset()
    """Expressions before which a `!` needs no parentheses."""
    wrappers: ClassVar[frozenset[str]] = frozenset({"parenthesized_expression"})
    opposites: ClassVar[dict[str, str]] = {"==": "!=", "===": "!==", "!=": "==", "!==": "==="}
    either: ClassVar[frozenset[str]] = frozenset({"||", "??", "or"})
    conjunction: ClassVar[str] = " && "
    negation: ClassVar[str] = "!"

    def conditions(self, place: Place) -> list[Condition]:
        """All that is sure on the way from the function to the place, outermost first."""
        way = [*place.path, place.node]
        start = 0
        for index in range(len(way) - 1):
            if way[index].type in self.functions:
                start = index
        found: list[Condition] = []
        for parent, child in pairwise(way[start:]):
            found += self.on_the_way(parent, child)
        return found

    def joined(self, conditions: list[Condition]) -> str | None:
        """The conditions as a record has them. None when there are none."""
        exits = [condition for condition in conditions if condition.left_before]
        dropped = exits[: max(0, len(exits) - MAX_EXITS)]
        kept = list(
            dict.fromkeys(
                condition.text
                for condition in conditions
                if condition.text not in _ALWAYS
                if not any(condition is each for each in dropped)
            )
        )[-MAX_CONDITIONS:]
        while len(kept) > 1 and len(self.conjunction.join(kept)) > MAX_LENGTH:
            del kept[0]
        if kept and len(kept[0]) > LONGEST:
            return None
        return _without_brackets(kept[0]) if len(kept) == 1 else self.conjunction.join(kept) or None

    def on_the_way(self, parent: Node, child: Node) -> Iterator[Condition]:
        """What a node says about its child being run."""
        if child.type in self.cases:
            yield from self.chosen(parent, child)
        if parent.type in self.ifs or parent.type in self.choices:
            yield from self.branch(parent, child)
        elif parent.type in self.loops:
            if self._is(parent, "body", child) and (
                test := parent.child_by_field_name("condition")
            ):
                yield from self.holds(test)
        elif parent.type in self.blocks:
            for statement in named(parent):
                if statement.start_byte >= child.start_byte:
                    break
                yield from self.passed(statement)
        elif parent.type in self.binary:
            yield from self._short_circuit(parent, child)
        elif parent.type in self.heads and self._is(parent, "body", child):
            size = child.start_byte - parent.start_byte
            head = " ".join((parent.text or b"")[:size].decode("utf-8", "replace").split())
            yield Condition(head.rstrip("{: "))

    def branch(self, parent: Node, child: Node) -> Iterator[Condition]:
        """What an `if` says about one of its branches."""
        test = self.test_of(parent)
        if test is None:
            return
        if self.is_then(parent, child):
            yield Condition(self.test_text(parent, test), end=test.end_byte)
        elif self.is_else(parent, child):
            yield Condition(self.test_text(parent, test, negated=True), end=test.end_byte)

    def chosen(self, switch: Node, case: Node) -> Iterator[Condition]:
        """What a `switch` (or the body of one) says about one of its cases."""
        cases = [each for each in switch.children if each.type in self.cases]
        at = next(index for index, each in enumerate(cases) if each.id == case.id)
        taken = [case]
        while at and self.falls_through:
            at -= 1
            body = self.case_body(cases[at])
            if body:
                if not self.leaves(body[-1]):
                    return
                break
            taken.append(cases[at])
        values = [self.case_values(each) for each in reversed(taken)]
        if [] in values:
            others = [self.case_values(each) for each in cases if each not in taken]
            yield from self._none_of(self.subject(switch), [v for each in others for v in each])
        else:
            yield from self._one_of(self.subject(switch), [v for each in values for v in each])

    def _one_of(self, subject: Node | None, values: list[Node]) -> Iterator[Condition]:
        if len(values) > MAX_CONDITIONS:
            return
        if subject is None:
            tests = [self.text(value) for value in values]
        else:
            about = self.compared(subject)
            tests = [f"{about} {self.equal[0]} {one_line(each)}" for each in values]
        end = max((each.end_byte for each in (subject, *values) if each), default=None)
        yield Condition(f"({' || '.join(tests)})" if len(tests) > 1 else tests[0], end=end)

    def _none_of(self, subject: Node | None, values: list[Node]) -> Iterator[Condition]:
        if len(values) > MAX_EXITS + 1:
            return
        for value in values:
            if subject is None:
                yield from self.holds(value, negated=True)
            else:
                text = f"{self.compared(subject)} {self.equal[1]} {one_line(value)}"
                yield Condition(text, end=subject.end_byte)

    def subject(self, switch: Node) -> Node | None:
        """What a `switch` looks at. None when its cases are conditions."""
        around = switch if switch.child_by_field_name("body") else switch.parent
        if around is None:
            return None
        found = around.child_by_field_name("value") or around.child_by_field_name("condition")
        return self.bare(found) if found is not None else None

    def compared(self, subject: Node) -> str:
        """What a `switch` looks at, so that it can stand before a `==`."""
        text = one_line(subject)
        return f"({text})" if subject.type in self.binary or self.is_loose(subject) else text

    def case_values(self, case: Node) -> list[Node]:
        """The values of a case; empty for the one that is taken when no other is."""
        return case.children_by_field_name("value")

    def case_body(self, case: Node) -> list[Node]:
        """The statements of a case."""
        return case.children_by_field_name("body")

    def passed(self, statement: Node) -> Iterator[Condition]:
        """What is sure behind a statement because it would have left otherwise."""
        current: Node | None = self.unwrapped_statement(statement)
        while current is not None and current.type in self.ifs:
            test, then, other = self.test_of(current), self.then_of(current), self.else_of(current)
            if test is None or then is None:
                return
            if not self.leaves(then):
                if other is not None and other.type not in self.ifs and self.leaves(other):
                    yield Condition(self.test_text(current, test), True, test.end_byte)
                return
            yield Condition(self.test_text(current, test, negated=True), True, test.end_byte)
            current = other

    def leaves(self, statement: Node) -> bool:
        """Whether a statement, whatever it does, never goes on to the next."""
        for _ in range(20):
            if statement.type in self.exits or self.is_exit_call(statement):
                return True
            inner = named(statement)
            if not inner or not (statement.type in self.blocks or self.is_shell(statement)):
                return False
            statement = inner[-1]
        return False

    def is_shell(self, node: Node) -> bool:
        """Whether a node only holds one other."""
        return node.type in {"expression_statement", "else_clause", "parenthesized_expression"}

    def is_exit_call(self, statement: Node) -> bool:
        """Whether a statement is a call that does not come back."""
        return False

    def unwrapped_statement(self, statement: Node) -> Node:
        """The statement itself where the grammar puts a node around it."""
        if statement.type == "expression_statement" and len(inner := named(statement)) == 1:
            return inner[0]
        return statement

    def test_of(self, node: Node) -> Node | None:
        """The condition of an `if`."""
        return node.child_by_field_name("condition")

    def then_of(self, node: Node) -> Node | None:
        """What is run when it holds."""
        return node.child_by_field_name("consequence")

    def else_of(self, node: Node) -> Node | None:
        """What is run when it does not hold, without a node that only says `else`."""
        other = node.child_by_field_name("alternative")
        if other is not None and other.type == "else_clause" and (inner := named(other)):
            return inner[-1]
        return other

    def is_then(self, parent: Node, child: Node) -> bool:
        """Whether a child is the branch taken when the condition holds."""
        return (then := self.then_of(parent)) is not None and then.id == child.id

    def is_else(self, parent: Node, child: Node) -> bool:
        """Whether a child is (or holds) the other branch."""
        other = parent.child_by_field_name("alternative")
        return other is not None and other.id == child.id

    def test_text(self, statement: Node, test: Node, *, negated: bool = False) -> str:
        """The condition of a statement in words, or its opposite."""
        return self.opposite(test) if negated else self.text(test)

    def holds(self, test: Node, *, negated: bool = False) -> Iterator[Condition]:
        """A condition, or its opposite."""
        yield Condition(self.opposite(test) if negated else self.text(test), end=test.end_byte)

    def text(self, node: Node) -> str:
        """A condition in words, so that it can stand in a conjunction."""
        node = self.bare(node)
        while (inner := self._negated(node)) is not None and (
            twice := self._negated(self.bare(inner))
        ) is not None:
            node = self.bare(twice)  # `!!x`
        return f"({one_line(node)})" if self.is_loose(node) else one_line(node)

    def _negated(self, node: Node) -> Node | None:
        """What a `!` stands before. None for anything else."""
        if node.type not in self.unary or not node.children:
            return None
        operator = node.child_by_field_name("operator") or node.children[0]
        return node.children[-1] if one_line(operator) in {"!", "not"} else None

    def opposite(self, node: Node) -> str:
        """The opposite of a condition in words."""
        node = self.bare(node)
        if (inner := self._negated(node)) is not None:
            return self.text(inner)
        if node.type in self.binary:
            left, operator_, right = self._operands(node)
            turned = self.opposites.get(one_line(operator_))
            if left is not None and right is not None and turned is not None:
                return f"{one_line(left)} {turned} {one_line(right)}"
        if node.type in self.atoms:
            return self.negation + one_line(node)
        return f"{self.negation}({one_line(node)})"

    def turned(self, text: str) -> str:
        """The opposite of a condition of which only the words are known."""
        bare = _without_brackets(text)
        compared = _COMPARED.fullmatch(bare)
        if compared is not None and (turned := self.opposites.get(compared[2])) is not None:
            return f"{compared[1]} {turned} {compared[3]}"
        inner = bare.removeprefix(self.negation)
        if inner != bare and (_PLAIN.fullmatch(inner) or _without_brackets(inner) != inner):
            return inner if _PLAIN.fullmatch(inner) else text.removeprefix(self.negation)
        plain = _PLAIN.fullmatch(bare) is not None
        return self.negation + (bare if plain else f"({bare})")

    def bare(self, node: Node) -> Node:
        """A condition without the parentheses around it."""
        while node.type in self.wrappers and len(inner := named(node)) == 1:
            node = inner[0]
        return node

    def is_loose(self, node: Node) -> bool:
        """Whether a condition needs parentheses in a conjunction."""
        if node.type in self.binary:
            return one_line(self._operands(node)[1]) in self.either
        return node.type in self.choices or "assignment" in node.type

    def _operands(self, node: Node) -> tuple[Node | None, Node | None, Node | None]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if (left is None or operator is None) and len(node.children) == 3:
            left, operator, right = node.children
        return left, operator, right

    def _short_circuit(self, parent: Node, child: Node) -> Iterator[Condition]:
        left, operator, right = self._operands(parent)
        if left is None or right is None or right.id != child.id:
            return
        if one_line(operator) in {"&&", "and"}:
            yield from self.holds(left)
        elif one_line(operator) in {"||", "or"}:
            yield from self.holds(left, negated=True)

    def _is(self, parent: Node, field: str, child: Node) -> bool:
        found = parent.child_by_field_name(field)
        return found is not None and found.id == child.id


def _without_brackets(text: str) -> str:
    """A condition that stands alone, without brackets around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and at < len(text) - 1:
            return text
    return text[1:-1]
