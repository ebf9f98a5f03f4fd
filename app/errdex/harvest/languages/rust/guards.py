"""How Rust writes conditions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from errdex import lazy_re as re
from errdex.harvest.trees.guards import MAX_EXITS, Condition, Guards
from errdex.harvest.trees.syntax import named, one_line

FUNCTIONS = frozenset({"function_item", "closure_expression"})
_LEAVING = re.compile(r"^(?:panic|bail|unreachable|todo|unimplemented|abort|throw)$")
_CATCH_ALL = re.compile(r"_|[a-z][a-z0-9_]*")
_COMPARISON = re.compile(r"(?P<left>[^=!<>&|]+?)\s*(?P<operator>==|!=)\s*(?P<right>[^=!<>&|]+)")
_ATOM = re.compile(r"[*&]?(?:[\w.:]|\([^()]*\)|\[[^\[\]]*\])+")


class RustGuards(Guards):
    """Everything is an expression; patterns are told with `matches!`."""

    functions = FUNCTIONS
    blocks = frozenset({"block"})
    ifs = frozenset({"if_expression"})
    choices = frozenset()
    loops = frozenset({"while_expression"})
    cases = frozenset({"match_arm"})
    heads = frozenset()
    exits = frozenset({"return_expression", "break_expression", "continue_expression"})
    atoms = frozenset(
        {
            "identifier",
            "call_expression",
            "field_expression",
            "index_expression",
            "macro_invocation",
        }
    )

    def is_exit_call(self, statement: Node) -> bool:
        """`panic!`, `bail!` and their kin, `std::process::exit`."""
        if statement.type == "macro_invocation":
            macro = one_line(statement.child_by_field_name("macro")).rpartition("::")[2]
            return _LEAVING.match(macro) is not None
        function = one_line(statement.child_by_field_name("function"))
        return function.endswith("process::exit")

    def on_the_way(self, parent: Node, child: Node) -> Iterator[Condition]:
        """`let … else { … }` besides."""
        yield from super().on_the_way(parent, child)
        if parent.type == "let_declaration" and self.is_else(parent, child):
            yield Condition(f"!{self._matches(parent)}")

    def text(self, node: Node) -> str:
        """A condition; `let` as `matches!`."""
        node = self.bare(node)
        return self._matches(node) if node.type == "let_condition" else super().text(node)

    def opposite(self, node: Node) -> str:
        """Its opposite."""
        node = self.bare(node)
        if node.type == "let_condition":
            return f"!{self._matches(node)}"
        return super().opposite(node)

    def chosen(self, switch: Node, case: Node) -> Iterator[Condition]:
        """The pattern of an arm, or those of the arms before it that were not taken."""
        match = switch.parent
        subject = one_line(match.child_by_field_name("value")) if match is not None else ""
        pattern = one_line(case.child_by_field_name("pattern"))
        if not _CATCH_ALL.fullmatch(pattern):
            yield Condition(f"matches!({subject}, {pattern})")
            return
        before = [
            one_line(arm.child_by_field_name("pattern"))
            for arm in named(switch)
            if arm.type == "match_arm" and arm.start_byte < case.start_byte
        ]
        if len(before) <= MAX_EXITS:
            yield from (Condition(f"!matches!({subject}, {each})") for each in before)

    def _matches(self, node: Node) -> str:
        value = one_line(node.child_by_field_name("value"))
        return f"matches!({value}, {one_line(node.child_by_field_name('pattern'))})"


def opposite_of(text: str) -> str:
    """The opposite of a condition within a macro, which the grammar does not read."""
    if (compared := _COMPARISON.fullmatch(text)) is not None:
        turned = "!=" if compared["operator"] == "==" else "=="
        return f"{compared['left']} {turned} {compared['right']}"
    if text.startswith("!") and _ATOM.fullmatch(text[1:]):
        return text[1:]
    return f"!{text}" if _ATOM.fullmatch(text) else f"!({text})"
