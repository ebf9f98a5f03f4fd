"""How C and C++ write conditions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.trees.guards import Condition, Guards
from errdex.harvest.trees.syntax import named, one_line

FUNCTIONS = frozenset({"function_definition", "lambda_expression"})
_ALTERNATIVES = frozenset({"preproc_else", "preproc_elif", "preproc_elifdef"})
_NOT_COMING_BACK = re.compile(
    r"^(?:std::|::)?(?:_?exit|_Exit|quick_exit|abort|die|fatal|errx?|longjmp|panic|(?:[A-Z0-9]+_)*(?:THROW|RAISE)(?:_[A-Z0-9]+)*|unreachable"
    r"|__builtin_unreachable|Py_FatalError)$"
)


class CGuards(Guards):
    """Those that all of its family share."""

    functions = FUNCTIONS
    blocks = frozenset(
        """
        compound_statement case_statement translation_unit preproc_if preproc_ifdef preproc_else
        preproc_elif preproc_elifdef
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )
    cases = frozenset({"case_statement"})
    exits = Guards.exits | {"goto_statement"}
    wrappers = frozenset({"parenthesized_expression", "condition_clause"})
    atoms = frozenset(
        """
        identifier call_expression field_expression subscript_expression pointer_expression
        qualified_identifier
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )

    def on_the_way(self, parent: Node, child: Node) -> Iterator[Condition]:
        """What all of the family have, but nothing of the lines before an `#else`, which are not
        compiled together with those behind."""
        if child.type not in _ALTERNATIVES:
            yield from super().on_the_way(parent, child)

    def is_exit_call(self, statement: Node) -> bool:
        """`exit()`, `abort()` and their kin."""
        function = one_line(statement.child_by_field_name("function"))
        return _NOT_COMING_BACK.match(function) is not None

    def case_body(self, case: Node) -> list[Node]:
        """All behind the colon."""
        value = case.child_by_field_name("value")
        return [each for each in named(case) if value is None or each.id != value.id]

    def text(self, node: Node) -> str:
        """A condition, without the texts that explain it."""
        return super().text(self.tested(node) or node)

    def opposite(self, node: Node) -> str:
        """The opposite of a condition, without the texts that explain it."""
        return super().opposite(self.tested(node) or node)

    def tested(self, node: Node) -> Node | None:
        """What a condition tests: `x` of `x && "x is set"`. None where it is the same always, as
        `!"unreachable"` is."""
        node = self.bare(node)
        while node.type == "binary_expression":
            left, operator, right = self._operands(node)
            if one_line(operator) != "&&" or left is None or right is None:
                return node
            if self._is_constant(left):
                return None if one_line(left) in _NEVER else self.tested(right)
            if not self._is_constant(right):
                return node
            node = self.bare(left)
        inner = self.bare(node.children[-1]) if node.type in self.unary else node
        return None if self._is_constant(inner) else node

    def _is_constant(self, node: Node) -> bool:
        node = self.bare(node)
        return node.type in _TEXTS or one_line(node) in _NEVER | _ALWAYS


_TEXTS = frozenset({"string_literal", "concatenated_string", "raw_string_literal"})
_NEVER = frozenset({"0", "false"})
_ALWAYS = frozenset({"1", "true"})
