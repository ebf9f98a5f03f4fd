"""How Go writes conditions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from errdex.harvest.trees.guards import Condition, Guards
from errdex.harvest.trees.syntax import first_named, named, one_line

FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})
_CASES = frozenset({"expression_case", "default_case", "type_case", "communication_case"})


class GoGuards(Guards):
    """An `if` may begin with a statement; a `switch` does not fall through."""

    functions = FUNCTIONS
    blocks = frozenset({"block", "statement_list"})
    loops = frozenset()
    cases = _CASES
    falls_through = False
    heads = frozenset()
    exits = frozenset(
        {"return_statement", "break_statement", "continue_statement", "goto_statement"}
    )
    atoms = frozenset({"identifier", "selector_expression", "call_expression", "index_expression"})

    def is_exit_call(self, statement: Node) -> bool:
        """`panic()`, `os.Exit()`, `log.Fatal()`."""
        function = one_line(statement.child_by_field_name("function"))
        return function in {"panic", "os.Exit"} or ".Fatal" in function

    def test_text(self, statement: Node, test: Node, *, negated: bool = False) -> str:
        """`if err := f(); err != nil` with its first statement."""
        text = super().test_text(statement, test, negated=negated)
        before = statement.child_by_field_name("initializer")
        return f"{one_line(before)}; {text}" if before is not None else text

    def on_the_way(self, parent: Node, child: Node) -> Iterator[Condition]:
        """`for cond { … }` besides what all languages have."""
        yield from super().on_the_way(parent, child)
        if parent.type == "for_statement" and child.type == "block":
            test = first_named(parent)
            if test is not None and test.type == "for_clause":
                test = test.child_by_field_name("condition")
            if test is not None and test.type not in {"range_clause", "block"}:
                yield from self.holds(test)

    def subject(self, switch: Node) -> Node | None:
        """What is switched on; the whole `x.(type)` has `x`."""
        return switch.child_by_field_name("value")

    def chosen(self, switch: Node, case: Node) -> Iterator[Condition]:
        """Cases of `switch`; those of a type switch and of `select` by their own words."""
        if switch.type == "expression_switch_statement":
            yield from super().chosen(switch, case)
        elif case.type == "type_case":
            subject = one_line(switch.child_by_field_name("value"))
            types = [f"{subject}.({one_line(e)})" for e in self.case_types(case)]
            yield Condition(types[0] if len(types) == 1 else f"({' || '.join(types)})")

    def case_types(self, case: Node) -> list[Node]:
        """The types of a case, without the commas between them."""
        return [each for each in case.children_by_field_name("type") if each.is_named]

    def case_values(self, case: Node) -> list[Node]:
        """The expressions behind `case`."""
        return named(case.child_by_field_name("value"))
