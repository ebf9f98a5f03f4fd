"""How Ruby writes conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.trees.guards import MAX_EXITS, Condition, Guards
from errdex.harvest.trees.syntax import first_named, named, one_line

FUNCTIONS = frozenset({"method", "singleton_method", "lambda", "block", "do_block"})
_LEAVING = re.compile(r"^(?:raise|fail|abort|exit!?|throw|halt|retry|redo|error!)$")
_LITERALS = frozenset({"integer", "float", "string", "simple_symbol", "nil", "true", "false"})


class RubyGuards(Guards):
    """`if` and `unless` before and behind, `case`, `rescue`."""

    functions = FUNCTIONS
    blocks = frozenset(
        {"program", "body_statement", "then", "else", "do", "block_body", "begin", "ensure"}
    )
    ifs = frozenset({"if", "elsif", "unless", "if_modifier", "unless_modifier"})
    choices = frozenset({"conditional"})
    loops = frozenset({"while", "while_modifier"})
    cases = frozenset({"when"})
    heads = frozenset({"rescue"})
    exits = frozenset({"return", "break", "next"})
    binary = frozenset({"binary"})
    unary = frozenset({"unary"})
    wrappers = frozenset({"parenthesized_statements"})
    atoms = frozenset(
        {"identifier", "call", "element_reference", "instance_variable", "constant"}
        | {"global_variable", "class_variable", "scope_resolution"}
    )
    opposites: ClassVar[dict[str, str]] = {"==": "!=", "!=": "==", "=~": "!~", "!~": "=~"}

    def is_loose(self, node: Node) -> bool:
        """Also a call whose arguments have no parentheses: `&&` would be a part of the last."""
        given = node.child_by_field_name("arguments") if node.type == "call" else None
        return super().is_loose(node) or (given is not None and not one_line(given).startswith("("))

    def is_exit_call(self, statement: Node) -> bool:
        """`raise`, `abort`, `exit` and their kin."""
        method = statement.child_by_field_name("method")
        bare = statement if statement.type == "identifier" else method
        return bare is not None and _LEAVING.match(one_line(bare)) is not None

    def then_of(self, node: Node) -> Node | None:
        """What is run when the condition holds (for `unless`, when it does not)."""
        return node.child_by_field_name("consequence") or node.child_by_field_name("body")

    def test_text(self, statement: Node, test: Node, *, negated: bool = False) -> str:
        """The condition, turned round for `unless`."""
        turned = statement.type.startswith("unless") != negated
        return self.opposite(test) if turned else self.text(test)

    def on_the_way(self, parent: Node, child: Node) -> Iterator[Condition]:
        """The `else` of a `case` besides."""
        yield from super().on_the_way(parent, child)
        if parent.type == "case" and child.type == "else":
            subject = parent.child_by_field_name("value")
            before = [pattern for each in named(parent) for pattern in _patterns(each)]
            if len(before) <= MAX_EXITS + 1:
                for pattern in before:
                    yield Condition(self._test(subject, pattern, negated=True))

    def chosen(self, switch: Node, case: Node) -> Iterator[Condition]:
        """The patterns of a `when`."""
        subject = switch.child_by_field_name("value")
        tests = [self._test(subject, pattern) for pattern in _patterns(case)]
        if tests:
            yield Condition(f"({' || '.join(tests)})" if len(tests) > 1 else tests[0])

    def _test(self, subject: Node | None, pattern: Node, *, negated: bool = False) -> str:
        if subject is None:
            return self.opposite(pattern) if negated else self.text(pattern)
        if pattern.type in _LITERALS:
            return f"{one_line(subject)} {'!=' if negated else '=='} {one_line(pattern)}"
        text = f"{one_line(pattern)} === {one_line(subject)}"
        return f"!({text})" if negated else text


def _patterns(when: Node) -> list[Node]:
    if when.type != "when":
        return []
    wrapped = [each for each in when.children_by_field_name("pattern") if each.is_named]
    return [first_named(each) or each for each in wrapped]
