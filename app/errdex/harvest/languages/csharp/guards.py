"""How C# writes conditions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from errdex.harvest.trees.guards import MAX_EXITS, Condition, Guards
from errdex.harvest.trees.syntax import first_named, named, one_line

FUNCTIONS = frozenset(
    """
    method_declaration constructor_declaration local_function_statement lambda_expression
    anonymous_method_expression accessor_declaration operator_declaration destructor_declaration
    conversion_operator_declaration
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_CASES = frozenset({"switch_section", "switch_expression_arm"})


class CSharpGuards(Guards):
    """Those of the C family, with patterns and `??`."""

    functions = FUNCTIONS
    blocks = frozenset({"block", "switch_section", "compilation_unit"})
    cases = _CASES
    exits = Guards.exits | {"goto_statement"}
    unary = frozenset({"prefix_unary_expression"})
    atoms = frozenset(
        """
        identifier invocation_expression member_access_expression element_access_expression
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )

    def is_exit_call(self, statement: Node) -> bool:
        """`Environment.Exit()`, `Environment.FailFast()`."""
        function = one_line(statement.child_by_field_name("function"))
        return function in {"Environment.Exit", "Environment.FailFast"}

    def on_the_way(self, parent: Node, child: Node) -> Iterator[Condition]:
        """`x ?? throw …` besides what all languages have."""
        yield from super().on_the_way(parent, child)
        if parent.type == "binary_expression" and self._is(parent, "right", child):
            left = parent.child_by_field_name("left")
            if left is not None and "??" in [each.type for each in parent.children]:
                yield Condition(f"{one_line(left)} == null", end=left.end_byte)

    def opposite(self, node: Node) -> str:
        """`x is not null` for `x is null`, and the other way round."""
        bare = self.bare(node)
        if bare.type != "is_pattern_expression":
            return super().opposite(node)
        left, pattern = (bare.child_by_field_name(each) for each in ("expression", "pattern"))
        if pattern is not None and pattern.type == "negated_pattern":
            return f"{one_line(left)} is {one_line(first_named(pattern))}"
        return f"{one_line(left)} is not {_denied(pattern)}"

    def chosen(self, switch: Node, case: Node) -> Iterator[Condition]:
        """Cases with constants, and with patterns."""
        around = switch if switch.type == "switch_expression" else switch.parent
        if around is None:
            return
        subject = around.child_by_field_name("value") or first_named(around)
        cases = [each for each in named(switch) if each.type in _CASES]
        taken = self._with_fallthrough(cases, case)
        tests = [test for each in taken for test in self._tests(subject, each)]
        if any(not self._patterns(each) for each in taken):
            rest = [each for each in cases if each not in taken and not _guard_of(each)]
            others = [pattern for each in rest for pattern in self._patterns(each)]
            if len(others) <= MAX_EXITS + 1:
                yield from (Condition(self._test(subject, each, negated=True)) for each in others)
        elif tests:
            yield Condition(f"({' || '.join(tests)})" if len(tests) > 1 else tests[0])

    def _with_fallthrough(self, cases: list[Node], case: Node) -> list[Node]:
        """The case with those right before it that have no body."""
        at = next(index for index, each in enumerate(cases) if each.id == case.id)
        taken = [case]
        while at and case.type == "switch_section" and not self.case_body(cases[at - 1]):
            at -= 1
            taken.insert(0, cases[at])
        return taken

    def case_body(self, case: Node) -> list[Node]:
        """The statements of a section."""
        return [each for each in named(case) if each.type.endswith(("statement", "block"))]

    def _patterns(self, case: Node) -> list[Node]:
        return [each for each in named(case) if each.type.endswith("pattern")]

    def _tests(self, subject: Node | None, case: Node) -> list[str]:
        """What each pattern of a case says, with the guard behind it."""
        guard = _guard_of(case)
        behind = f" && {self.text(guard)}" if guard is not None else ""
        return [self._test(subject, each) + behind for each in self._patterns(case)]

    def _test(self, subject: Node | None, pattern: Node, *, negated: bool = False) -> str:
        if pattern.type == "constant_pattern":
            return f"{one_line(subject)} {'!=' if negated else '=='} {one_line(pattern)}"
        if negated:
            return f"{one_line(subject)} is not {_denied(pattern)}"
        return f"{one_line(subject)} is {one_line(pattern)}"


def _denied(pattern: Node | None) -> str:
    """A pattern behind `not`, which takes only the first of several."""
    text = one_line(pattern)
    is_several = pattern is not None and pattern.type in {"or_pattern", "and_pattern"}
    return f"({text})" if is_several else text


def _guard_of(case: Node) -> Node | None:
    """The condition behind `when`."""
    clause = next((each for each in case.children if each.type == "when_clause"), None)
    return first_named(clause)
