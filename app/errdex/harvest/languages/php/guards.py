"""How PHP writes conditions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.trees.guards import MAX_EXITS, Condition, Guards
from errdex.harvest.trees.syntax import first_named, named, one_line

FUNCTIONS = frozenset(
    """
    function_definition method_declaration anonymous_function arrow_function
    anonymous_function_creation_expression
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_NOT_COMING_BACK = re.compile(r"(?:die|exit|abort|wp_die|trigger_fatal)$")


class PhpGuards(Guards):
    """Those of the C family; `elseif` stands beside its `if`."""

    functions = FUNCTIONS
    blocks = frozenset(
        {"compound_statement", "program", "case_statement", "default_statement", "colon_block"}
    )
    choices = frozenset({"conditional_expression"})
    cases = frozenset({"case_statement", "default_statement"})
    exits = Guards.exits | {"exit_statement", "throw_expression", "goto_statement"}
    unary = frozenset({"unary_op_expression"})
    atoms = frozenset(
        """
        variable_name function_call_expression member_access_expression member_call_expression
        scoped_call_expression subscript_expression name class_constant_access_expression
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )

    def is_exit_call(self, statement: Node) -> bool:
        """`die()`, `exit()`, `abort()`."""
        function = one_line(statement.child_by_field_name("function"))
        return _NOT_COMING_BACK.match(function) is not None

    def then_of(self, node: Node) -> Node | None:
        """What is run when the condition holds."""
        return node.child_by_field_name("body")

    def on_the_way(self, parent: Node, child: Node) -> Iterator[Condition]:
        """`elseif`, `match` and `??` besides what all languages have."""
        yield from super().on_the_way(parent, child)
        if parent.type == "else_if_clause" and self._is(parent, "body", child):
            test = self.test_of(parent)
            yield from self.holds(test) if test is not None else ()
        elif child.type in {"match_conditional_expression", "match_default_expression"}:
            yield from self._matched(parent, child)
        elif parent.type == "binary_expression":
            left, operator, right = self._operands(parent)
            if one_line(operator) == "??" and right is not None and right.id == child.id:
                yield Condition(f"{one_line(left)} === null")

    def branch(self, parent: Node, child: Node) -> Iterator[Condition]:
        """In an `elseif` or the `else`, none of the conditions before it held."""
        if parent.type != "if_statement" or child.type not in {"else_if_clause", "else_clause"}:
            yield from super().branch(parent, child)
            return
        for node in (parent, *self._clauses(parent)):
            if node.id == child.id:
                break
            test = self.test_of(node)
            yield from self.holds(test, negated=True) if test is not None else ()

    def passed(self, statement: Node) -> Iterator[Condition]:
        """What is sure behind an `if` of which branches leave."""
        if statement.type != "if_statement":
            return
        for node in (statement, *self._clauses(statement)):
            test, then = self.test_of(node), self.then_of(node)
            if test is None or then is None:
                return
            if not self.leaves(then):
                clauses = self._clauses(statement)
                only = len(clauses) == 1 and clauses[0].type == "else_clause"
                if only and node.id == statement.id and self.leaves(clauses[0]):
                    yield Condition(self.text(test), left_before=True, end=test.end_byte)
                return
            yield Condition(self.opposite(test), left_before=True, end=test.end_byte)

    def is_shell(self, node: Node) -> bool:
        """Also the body of an `else`."""
        return super().is_shell(node) or node.type == "else_if_clause"

    def _clauses(self, statement: Node) -> list[Node]:
        return statement.children_by_field_name("alternative")

    def case_body(self, case: Node) -> list[Node]:
        """All behind the colon."""
        value = case.child_by_field_name("value")
        return [each for each in named(case) if value is None or each.id != value.id]

    def _matched(self, block: Node, arm: Node) -> Iterator[Condition]:
        match = block.parent
        subject = match.child_by_field_name("condition") if match is not None else None
        about = one_line(self.bare(subject)) if subject is not None else ""
        values = _values(arm)
        if values:
            tests = [self._equals(about, each) for each in values]
            yield Condition(f"({' || '.join(tests)})" if len(tests) > 1 else tests[0])
            return
        others = [value for each in named(block) for value in _values(each)]
        if len(others) <= MAX_EXITS + 1:
            yield from (Condition(self._equals(about, each, negated=True)) for each in others)

    def _equals(self, about: str, value: Node, *, negated: bool = False) -> str:
        if about == "true":
            return self.opposite(value) if negated else self.text(value)
        return f"{about} {'!==' if negated else '==='} {one_line(value)}"


def _values(arm: Node) -> list[Node]:
    if arm.type != "match_conditional_expression":
        return []
    conditions = arm.child_by_field_name("conditional_expressions") or first_named(arm)
    return named(conditions)
