"""The function itself of the names that runtimes give it: `Cart::take::{{closure}}`, `block in
total`, `Shop.Cart.<TotalAsync>d__4.MoveNext()`, `main.(*Stack[...]).Pop.func1`.

What stands in no function of its own (a closure, a block) is named by the function around it, as
it is in a record.
"""

from __future__ import annotations

from functools import lru_cache

from errdex import lazy_re as re
from errdex.matching.ranking.comparison import SEPARATOR

_RUBY_AROUND = re.compile(r"(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+")
_NODE_MARKS = re.compile(r"(?:(?:async|get|set|static) )+(?=\S)| \[as [^\]]*\]$")
_CLOSURES = re.compile(
    r"(?:::\{\{closure\}\}|::\{closure[#:]?\d*\}|::h[0-9a-f]{16}"  # Rust
    r"|\.(?:func|gowrap|deferwrap)?\d+|-fm|-range\d+)+$"  # Go
)
_LAMBDA = re.compile(r"::(?:\{lambda\(|'lambda\d*'|\$_\d+|\{unnamed type)")
"""C++: behind it stands the operator of the closure's own type."""
_COMPILED = re.compile(
    r"<(?P<around>\w+)>(?:b|d)__[\w|]*(?:\.MoveNext)?"
    r"|<\w+>g__(?P<local>\w+)\|[\d_]*|\.[gs]et_(?P<property>[A-Z]\w*)(?=\(|$)"  # .NET
    r"|\blambda\$(?P<java>\w+?)\$\d+$"
    r"|\$(?P<kotlin>[a-z]\w*)\$\d+\.invoke(?:Suspend)?$"
)
_GENERIC = re.compile(r"(?<=[\w:])<[^<>]*>|\[[^\[\]]*\]")
_OPERATOR = re.compile(r"\boperator ?(?:\(\)|\[\]|(?:<=>|->\*?|[^\w\s()\[\]]{1,3})(?=\())")
_ARGUMENTS = re.compile(r"(?<=[\w>\]}?!])\(")
"""Where a call's arguments begin; Go's receivers, `(*Server).Serve`, are a part of the name."""
_LONGEST = 2_000


@lru_cache(maxsize=4096)
def last_name(function: str | None) -> str:
    """The function itself of a qualified name, without its arguments; "" where none is named."""
    if not function:
        return ""
    name = function[:_LONGEST].strip()
    name = _RUBY_AROUND.sub("", _LAMBDA.split(name, maxsplit=1)[0], count=1)
    name = _NODE_MARKS.sub("", name)
    if name.startswith("new "):
        return "constructor"
    compiled = _COMPILED.search(name)
    if compiled and compiled.lastgroup:
        return compiled.group(compiled.lastgroup)
    operators = _OPERATOR.findall(name)
    if operators:
        return str(operators[-1])
    name = _without_generics(name)
    name = _ARGUMENTS.split(name, maxsplit=1)[0].strip()
    name = _CLOSURES.sub("", name).rstrip(":")
    return SEPARATOR.split(name.rsplit(" ", 1)[-1] if "::" in name else name)[-1]


def _without_generics(name: str) -> str:
    """The name without types in angle brackets or square ones, inner ones first."""
    for _ in range(20):
        shorter = _GENERIC.sub("", name)
        if shorter == name:
            break
        name = shorter
    return name
