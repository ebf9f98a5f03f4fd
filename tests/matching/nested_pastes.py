"""Pastes in which something is inside of itself, as deep as their size allows: one for each kind
of brackets, quotes and nesting that a parser of pastes may follow."""

from __future__ import annotations

from collections.abc import Callable

Maker = Callable[[int], str]
"""Makes a paste of about so many characters."""


def _repeated(unit: str, end: str = "") -> Maker:
    return lambda size: unit * (size // len(unit)) + end


def _around(opening: str, closing: str, core: str = "x", start: str = "", end: str = "") -> Maker:
    def make(size: int) -> str:
        count = size // (len(opening) + len(closing))
        return start + opening * count + core + closing * count + end

    return make


_FRAME = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    {}\n'
_BRACKETS = {"round": "()", "square": "[]", "curly": "{}", "angle": "<>", "typographic": "“”"}
_SOURCES = {
    "call": ("f(", ")"),
    "list": ("[", "]"),
    "unary": ("-", ""),
    "not": ("not ", ""),
    "attribute": ("", ".a"),
    "sum": ("a+", ""),
    "format": ("f'{", "}'"),
    "lambda": ("lambda: ", ""),
}
_INDENTED = "".join(f"{' ' * n}File x{n}.py\n" for n in range(300))

NESTED: dict[str, Maker] = {
    "syntax error of brackets": _repeated(
        '  File "<string>", line 1\n    ((((\n    ^\nSyntaxError: unexpected EOF\n'
    ),
    "traceback in a message": _repeated(_FRAME.format("g()") + "ValueError: an error:\n"),
    "frames in a message": _repeated('ValueError: x\n  File "a.py", line 1, in f\n'),
    "remote error": _repeated(
        'ray.exceptions.RayTaskError(E): \x1b[36mray::f()\x1b[39m\n  File "a.py", line 1, in f\n'
    ),
    "remote traceback": _repeated('"""\n' + _FRAME.format("g()") + 'ValueError: x\n"""\n\n'),
    "exception groups": lambda size: "".join(
        f"{'  ' * min(n, 40)}+-+---------------- 1 ----------------\n"
        f"{'  ' * min(n, 40)}  | ExceptionGroup: x (1 sub-exception)\n"
        for n in range(size // 150)
    ),
    "boxes of rich": _repeated(
        "╭─ Traceback (most recent call last) ─╮\n│ a.py:1 in f │\nE: an error:\n"
    ),
    "causes of Java": _repeated("Caused by: a.B: x\n\tat a.B.c(B.java:1)\n"),
    "causes in one line": _repeated("a.B: a.C: "),
    "wrapped errors of Go": _repeated("failed to x: "),
    "node causes": _repeated("Error: x {\n  [cause]: "),
    "node causes closed": _around("Error: x {\n  [cause]: ", "\n}"),
    "inner exceptions of .NET": _repeated(" ---> System.Exception: x\n"),
    "previous of PHP": _repeated("Next Exception: x in /a.php:1\nStack trace:\n#0 {main}\n\n"),
    "indented": lambda size: _INDENTED * max(1, size // len(_INDENTED)),
    "quotes of markdown": _repeated(">"),
    "quotes with spaces": _repeated("> ", "ValueError: x"),
    "prefixes": _repeated("[rank0]: ", "ValueError: x"),
    "escaped quotes": lambda size: "ValueError: " + "\\" * size + '"x"',
    "escaped lines": _repeated('\\n  File \\"a.py\\", line 1\\nValueError: x'),
    "json objects": _around('{"error":', "}", '"ValueError: x"'),
    "json lists": _around("[", "]", '{"message":"ValueError: x"}', '{"errors":', "}"),
    "json messages": _around('{"message":', "}", '"x"', '{"level":"error","message":', "}"),
    "json causes": _around('{"error":{"cause":', "}}", '{"message":"x"}'),
    "json unclosed": _repeated('{"errors":[{"error":'),
    "json over lines": _around("{\n", "}\n", '"message": "ValueError: x"'),
    "json in json": lambda size: '{"message":"' + '{\\"message\\":\\"' * (size // 15) + 'x"}',
    "printed objects": _around("{'a': ", "}", "1", "ValueError: "),
    "xml": _around("<error>", "</error>", "x"),
    "ansi": _repeated("\x1b[31m", "ValueError: x"),
    "groups of a workflow": _repeated("##[group]x\n::error::"),
    "diagnostics with notes": _repeated("a.c:1:1: error: x\n  note: in expansion of macro\n"),
    "included from": _repeated("In file included from a.h:1,\n                 from b.h:1,\n"),
    "repr of exceptions": _around("ValueError(", ")", "'x'"),
}
for _name, (_open, _close) in _BRACKETS.items():
    NESTED[f"{_name} brackets"] = _around(_open, _close, "x", "ValueError: ")
    NESTED[f"{_name} brackets unclosed"] = _repeated(_open, " failed")
    NESTED[f"{_name} brackets closed only"] = _repeated(_close, " failed")
    NESTED[f"{_name} brackets line by line"] = _around(f"{_open}\n", f"{_close}\n")
for _name, (_open, _close) in _SOURCES.items():
    _source = _around(_open, _close, "a", "raise E(", ")")
    NESTED[f"raise of {_name}"] = lambda size, source=_source: (  # type: ignore[misc]
        _FRAME.format(source(size)) + "E: an error said\nmore\n"
    )
    NESTED[f"short raises of {_name}"] = lambda size, source=_source: (  # type: ignore[misc]
        (_FRAME.format(source(1_900)) + "E: an error said\nmore\n") * (size // 2_000 + 1)
    )
