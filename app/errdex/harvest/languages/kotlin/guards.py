"""How Kotlin writes conditions. Its grammar names few of its children."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.trees.guards import MAX_EXITS, Condition, Guards
from errdex.harvest.trees.syntax import first_named, named, one_line

FUNCTIONS = frozenset(
    """
    function_declaration secondary_constructor anonymous_initializer getter setter lambda_literal
    anonymous_function
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_NOT_COMING_BACK = re.compile(
    r"(?:exitProcess|error|TODO)\(.*|(?:break|continue)(?:@\w+)?", re.DOTALL
)
_TURNED = {"is": "!is", "!is": "is", "in": "!in", "!in": "in"}


class KotlinGuards(Guards):
    """`if`, `when`, `?:`, `is` and `in`."""

    functions = FUNCTIONS
    blocks = frozenset({"block", "source_file", "lambda_literal"})
    ifs = frozenset({"if_expression"})
    choices = frozenset()
    cases = frozenset({"when_entry"})
    heads = frozenset()
    exits = frozenset({"return_expression", "throw_expression"})
    either = Guards.either | {"?:"}
    atoms = frozenset(
        {"identifier", "call_expression", "navigation_expression", "index_expression"}
    )

    def is_exit_call(self, statement: Node) -> bool:
        """`exitProcess()`, `error()`, and `continue`, which looks like a name."""
        kinds = {"call_expression", "identifier", "labeled_expression"}
        return (
            statement.type in kinds and _NOT_COMING_BACK.fullmatch(one_line(statement)) is not None
        )

    def then_of(self, node: Node) -> Node | None:
        """What stands behind the condition."""
        test = self.test_of(node)
        behind = [each for each in named(node) if test and each.start_byte > test.end_byte]
        return behind[0] if behind else None

    def else_of(self, node: Node) -> Node | None:
        """What stands behind `else`."""
        words = [child for child in node.children if child.type == "else"]
        behind = [each for each in named(node) if words and each.start_byte > words[0].start_byte]
        return behind[0] if behind else None

    def is_else(self, parent: Node, child: Node) -> bool:
        """Whether a child is the other branch."""
        other = self.else_of(parent)
        return other is not None and other.id == child.id

    def on_the_way(self, parent: Node, child: Node) -> Iterator[Condition]:
        """`x ?: throw …`, `catch`, and `while`, besides what all languages have."""
        yield from super().on_the_way(parent, child)
        if parent.type == "catch_block" and child.type == "block":
            yield Condition(one_line(parent).partition(" {")[0])
        elif parent.type == "while_statement" and child.type == "block":
            test = parent.child_by_field_name("condition")
            yield from self.holds(test) if test is not None else ()
        elif parent.type == "binary_expression":
            left, operator, right = self._operands(parent)
            if one_line(operator) == "?:" and right is not None and right.id == child.id:
                yield Condition(f"{one_line(left)} == null")

    def opposite(self, node: Node) -> str:
        """Also `!is` for `is`."""
        bare = self.bare(node)
        if bare.type in {"is_expression", "in_expression"} and len(bare.children) == 3:
            left, operator, right = bare.children
            return f"{one_line(left)} {_TURNED.get(operator.type, '!is')} {one_line(right)}"
        return super().opposite(node)

    def chosen(self, switch: Node, case: Node) -> Iterator[Condition]:
        """The conditions of an entry of `when`, or those before its `else`."""
        subject = next((each for each in named(switch) if each.type == "when_subject"), None)
        about = one_line(first_named(subject))
        conditions = _conditions(case)
        if conditions:
            tests = [self._test(about, each) for each in conditions]
            yield Condition(f"({' || '.join(tests)})" if len(tests) > 1 else tests[0])
            return
        before = [
            condition
            for each in named(switch)
            if each.type == "when_entry" and each.start_byte < case.start_byte
            for condition in _conditions(each)
        ]
        if len(before) <= MAX_EXITS + 1:
            yield from (Condition(self._test(about, each, negated=True)) for each in before)

    def _test(self, about: str, condition: Node, *, negated: bool = False) -> str:
        if not about:
            return self.opposite(condition) if negated else self.text(condition)
        text = one_line(condition)
        if condition.type in {"type_test", "range_test"}:
            operator, _, rest = text.partition(" ")
            return f"{about} {_TURNED[operator] if negated else operator} {rest}"
        return f"{about} {'!=' if negated else '=='} {text}"


def _conditions(entry: Node) -> list[Node]:
    return [each for each in entry.children_by_field_name("condition") if each.is_named]
