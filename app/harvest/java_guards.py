"""How Java writes conditions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from app.harvest.guards import Condition, Guards
from app.harvest.syntax import named, one_line

FUNCTIONS = frozenset(
    """
    method_declaration constructor_declaration compact_constructor_declaration lambda_expression
    static_initializer
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_GROUPS = frozenset({"switch_block_statement_group", "switch_rule"})


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
        """Cases with values; those with patterns say more than a comparison."""
        labels = [value for each in switch.children for value in self.case_values(each)]
        if any("pattern" in value.type for value in labels):
            return
        yield from super().chosen(switch, case)

    def case_values(self, case: Node) -> list[Node]:
        """The values of all labels."""
        if case.type not in _GROUPS:
            return []
        labels = [each for each in named(case) if each.type == "switch_label"]
        return [value for label in labels for value in named(label)]

    def case_body(self, case: Node) -> list[Node]:
        """What stands behind the labels. A rule is always left behind its body."""
        return [each for each in named(case) if each.type != "switch_label"]

    def leaves(self, statement: Node) -> bool:
        """Also a rule's body, as nothing falls through from it."""
        parent = statement.parent
        return super().leaves(statement) or (parent is not None and parent.type == "switch_rule")
