"""How Java writes conditions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from errdex.harvest.trees.guards import MAX_EXITS, Condition, Guards
from errdex.harvest.trees.syntax import first_named, named, one_line

FUNCTIONS = frozenset(
    """
    method_declaration constructor_declaration compact_constructor_declaration lambda_expression
    static_initializer
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_GROUPS = frozenset({"switch_block_statement_group", "switch_rule"})
_OF_PATTERNS = frozenset({"pattern", "guard"})


class JavaGuards(Guards):
    """Those of the C family, with both forms of `switch`."""

    functions = FUNCTIONS
    blocks = frozenset(
        {"block", "constructor_body", "program", "switch_block_statement_group", "switch_rule"}
    )
    cases = _GROUPS
    exits = Guards.exits | {"yield_statement"}
    atoms = frozenset({"identifier", "method_invocation", "field_access", "array_access"})

    def is_exit_call(self, statement: Node) -> bool:
        """`System.exit()`."""
        return statement.type == "method_invocation" and one_line(statement).startswith(
            "System.exit("
        )

    def chosen(self, switch: Node, case: Node) -> Iterator[Condition]:
        """Cases with values, and with patterns, none of which falls through to the next."""
        cases = [each for each in switch.children if each.type in _GROUPS]
        if not any(value.type in _OF_PATTERNS for each in cases for value in self._labels(each)):
            yield from super().chosen(switch, case)
            return
        subject = one_line(self.subject(switch))
        if self.case_values(case):
            test = _with_guard(subject, self._labels(case))
            if test is not None:
                yield Condition(test)
            return
        others = [value for each in cases for value in self._labels(each)]
        if len(others) <= MAX_EXITS + 1 and not any(each.type == "guard" for each in others):
            yield from (Condition(_test(subject, each, negated=True)) for each in others)

    def case_values(self, case: Node) -> list[Node]:
        """The values of all labels."""
        if case.type not in _GROUPS:
            return []
        return [value for value in self._labels(case) if value.type != "guard"]

    def case_body(self, case: Node) -> list[Node]:
        """What stands behind the labels. A rule is always left behind its body."""
        return [each for each in named(case) if each.type != "switch_label"]

    def _labels(self, case: Node) -> list[Node]:
        """Values, patterns and the guards behind them."""
        labels = [each for each in named(case) if each.type == "switch_label"]
        return [value for label in labels for value in named(label)]

    def leaves(self, statement: Node) -> bool:
        """Also a rule's body, as nothing falls through from it."""
        parent = statement.parent
        return super().leaves(statement) or (parent is not None and parent.type == "switch_rule")


def _test(subject: str, label: Node, *, negated: bool = False) -> str:
    if label.type != "pattern":
        return f"{subject} {'!=' if negated else '=='} {one_line(label)}"
    text = f"{subject} instanceof {one_line(label)}"
    return f"!({text})" if negated else text


def _with_guard(subject: str, labels: list[Node]) -> str | None:
    """What the labels of a case say; a guard belongs to the only pattern. None for too many."""
    tests = [_test(subject, each) for each in labels if each.type != "guard"]
    guards = [one_line(first_named(each)) for each in labels if each.type == "guard"]
    if len(tests) > MAX_EXITS + 1 or (guards and len(tests) > 1):
        return None
    if guards:
        return f"{tests[0]} && {guards[0]}"
    return f"({' || '.join(tests)})" if len(tests) > 1 else tests[0]
