"""The checkers of TypeScript, JavaScript and Python that come as npm packages: TypeScript itself,
pyright, ESLint. `where` is the folder of the package, such as `node_modules/typescript`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import CatalogueError, Tool, ToolMessage, listed
from errdex.harvest.catalogues.tools.programs import ask, existing, find_program, read_file

_DIAGNOSTIC = re.compile(r'\bdiag\((\d+), (\d) /\* \w+ \*/, "[^"]*", ("(?:[^"\\]|\\.)*")')
_SEVERITIES = {"0": "warning", "1": "error"}
_PYRIGHT_STRINGS = re.compile(r"JSON\.parse\('((?:[^'\\]|\\.)*\"Diagnostic\":(?:[^'\\]|\\.)*)'\)")
_ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}
_ESLINT_RULES = """
const { builtinRules } = require(process.argv[1] + '/lib/unsupported-api.js');
const rules = {};
for (const [name, rule] of builtinRules) {
  if (rule.meta && !rule.meta.deprecated)
    rules[name] = {
      messages: rule.meta.messages || {}, docs: rule.meta.docs || {}, type: rule.meta.type,
    };
}
process.stdout.write(JSON.stringify(rules));
"""


def read_typescript(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The diagnostics of the compiler."""
    folder = _package("typescript", "tsc", where)
    source = existing([folder / "lib" / "typescript.js"], "TypeScript's lib/typescript.js")
    tool = Tool(
        name="typescript", repo="microsoft/TypeScript", version=_version(folder),
        language="typescript",
    )  # fmt: skip
    return tool, _typescript_entries(read_file(source).decode("utf-8", "replace"))


def _typescript_entries(source: str) -> Iterator[ToolMessage]:
    for number, category, quoted in _DIAGNOSTIC.findall(source):
        severity = _SEVERITIES.get(category)
        if severity is not None:
            yield listed(json.loads(quoted), code=f"TS{number}", severity=severity)


def read_pyright(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The English diagnostics of pyright."""
    folder = _package("pyright", "pyright", where)
    source = existing(
        [folder / "dist" / "pyright-internal.js", folder / "localize" / "en.json"],
        "pyright's dist/pyright-internal.js",
    )
    tool = Tool(
        name="pyright", repo="microsoft/pyright", version=_version(folder), language="python"
    )
    return tool, _pyright_entries(read_file(source).decode("utf-8", "replace"))


def _pyright_entries(source: str) -> Iterator[ToolMessage]:
    tables = [json.loads(_unescaped(found[1])) for found in _PYRIGHT_STRINGS.finditer(source)]
    diagnostics = [table["Diagnostic"] for table in tables if "Diagnostic" in table]
    if not diagnostics and source.startswith("{"):
        diagnostics = [json.loads(source).get("Diagnostic", {})]
    if not diagnostics:
        raise CatalogueError("This version of pyright keeps its messages in another form.")
    # English has the fewest letters that are not ASCII.
    english = min(diagnostics, key=lambda table: sum(not c.isascii() for c in str(table)))
    for text in english.values():
        yield listed(str(text.get("message", "") if isinstance(text, dict) else text))


def _unescaped(literal: str) -> str:
    """What a string of JavaScript between single quotes stands for."""
    return _ESCAPED.sub(
        lambda found: (
            chr(int(found[1] or found[2], 16))
            if found[1] or found[2]
            else _LETTERS.get(found[3], found[3])
        ),
        literal,
    )


def read_eslint(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The messages of ESLint's own rules."""
    folder = _package("eslint", "eslint", where)
    printed = ask(find_program("node"), "-e", _ESLINT_RULES, str(folder))
    tool = Tool(
        name="eslint", repo="eslint/eslint", version=_version(folder), language="javascript"
    )
    return tool, _eslint_entries(json.loads(printed))


def _eslint_entries(rules: dict[str, dict[str, dict[str, str]]]) -> Iterator[ToolMessage]:
    for name, rule in rules.items():
        for text in rule["messages"].values():
            yield listed(
                text,
                code=name,
                severity="warning",
                documentation=rule["docs"].get("description"),
                reference=rule["docs"].get("url"),
            )


def _package(name: str, program: str, where: Path | None) -> Path:
    """The package's folder: the one that is named, or that of the program on PATH."""
    if where is not None:
        if not (where / "package.json").is_file():
            raise CatalogueError(f"{where} is no npm package: it has no package.json.")
        return where.resolve()
    start = find_program(program).resolve()
    for folder in start.parents:
        if folder.name == name and (folder / "package.json").is_file():
            return folder
    raise CatalogueError(
        f"The package of {start} was not found. Say where it is: --catalogue {name}=FOLDER."
    )


def _version(folder: Path) -> str:
    try:
        return str(json.loads(read_file(folder / "package.json")).get("version", ""))
    except ValueError:
        return ""
