"""Conditional compilation whose branches are no whole pieces of code by themselves."""

from __future__ import annotations

from tree_sitter import Language, Parser

from errdex import lazy_re as re

_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b")
_NEVER = re.compile(r"[ \t]*#[ \t]*if[ \t]+0\b")


def one_branch(source: str, grammar: Language) -> str:
    """The source, or where the grammar cannot read it whole, the source with the first branch
    of each conditional alone, its lines where they were. Two branches may open the same brace
    (`#ifdef W`, `if (a) {`, `#else`, `if (b) {`, `#endif`); the compiler sees one of them."""
    if not Parser(grammar).parse(source.encode("utf-8", "replace")).root_node.has_error:
        return source
    lines = source.split("\n")
    dropped: list[bool | None] = []
    """For each conditional around, whether its branch is over; None before it begins, in
    `#if 0`, which is never compiled."""
    for at, line in enumerate(lines):
        found = _DIRECTIVE.match(line)
        if found is None:
            if any(each is not False for each in dropped):
                lines[at] = ""
            continue
        match found[1]:
            case "else" | "elif" if dropped:
                dropped[-1] = dropped[-1] is not None
            case "endif" if dropped:
                dropped.pop()
            case "if" | "ifdef" | "ifndef":
                dropped.append(None if _NEVER.match(line) else False)
        lines[at] = ""
    return "\n".join(lines)
