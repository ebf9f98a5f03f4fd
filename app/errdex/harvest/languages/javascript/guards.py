"""How JavaScript and TypeScript write conditions."""

from __future__ import annotations

from tree_sitter import Node

from errdex.harvest.trees.guards import Guards
from errdex.harvest.trees.syntax import named, one_line

FUNCTIONS = frozenset(
    """
    function_declaration generator_function_declaration function_expression generator_function
    arrow_function method_definition class_static_block
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


class JavaScriptGuards(Guards):
    """Those of the C family, with `===` in a `switch`."""

    functions = FUNCTIONS
    blocks = frozenset({"statement_block", "program", "switch_case", "switch_default"})
    cases = frozenset({"switch_case", "switch_default"})
    equal = ("===", "!==")
    atoms = frozenset(
        {"identifier", "member_expression", "call_expression", "subscript_expression"}
    )

    def is_exit_call(self, statement: Node) -> bool:
        """`process.exit()`."""
        function = statement.child_by_field_name("function")
        return function is not None and one_line(function) == "process.exit"

    def case_body(self, case: Node) -> list[Node]:
        """All behind the colon."""
        value = case.child_by_field_name("value")
        return [each for each in named(case) if value is None or each.id != value.id]
