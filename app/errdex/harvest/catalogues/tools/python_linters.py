"""The linters and type checkers of Python: ruff, Pylint, mypy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import CatalogueError, Tool, ToolMessage, listed
from errdex.harvest.catalogues.tools.programs import ask, find_program, read_file, version_of
from errdex.harvest.model import Fixed, SourceHole

_RUFF_PAGE = "https://docs.astral.sh/ruff/rules/{name}/"
_RUFF_EXAMPLE = re.compile(r"Use instead:\s*```\w*\n(.*?)```", re.DOTALL)
_PYLINT = re.compile(
    r"^:(?P<name>[a-z0-9-]+) \((?P<code>[A-Z]\d{4})\): \*(?P<message>.*?)\*$\n"
    r"(?P<about>(?:  .*\n?)*)",
    re.MULTILINE,
)
_REPR = re.compile(r"%(?=[ra]\b)[ra]")
_PYLINT_SEVERITIES = {"F": "fatal", "E": "error"}
_SHEBANG = re.compile(rb"#!(/[^\s]+)(?: -[A-Za-z]+)*\n")
_MYPY_PAGE = "https://mypy.readthedocs.io/en/stable/error_code_list.html"
LEAST_WORDS = 3
"""Of a message of mypy: shorter ones are the beginnings of others."""
_MYPY = """
import json, mypy.errorcodes as codes, mypy.message_registry as messages, mypy.version as version
kept = []
for name, value in sorted(vars(messages).items()):
    if isinstance(value, messages.ErrorMessage):
        kept.append([value.value, value.code.code if value.code else None])
named = {code.code: [code.description, code.category] for code in codes.error_codes.values()}
print(json.dumps({"version": version.__version__, "messages": kept, "codes": named}))
"""


def read_ruff(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The rules of `ruff rule --all`."""
    program = find_program("ruff", where)
    tool = Tool(name="ruff", repo="astral-sh/ruff", version=version_of(program), language="python")
    rules = json.loads(ask(program, "rule", "--all", "--output-format", "json"))
    return tool, _ruff_entries(rules)


def _ruff_entries(rules: list[dict[str, object]]) -> Iterator[ToolMessage]:
    for rule in rules:
        code, name = str(rule["code"]), str(rule["name"])
        explanation = str(rule.get("explanation") or "")
        example = _RUFF_EXAMPLE.search(explanation)
        formats = rule.get("message_formats") or [rule.get("summary") or name]
        for text in formats if isinstance(formats, list) else []:
            yield listed(
                str(text),
                code=code,
                severity="warning",
                title=f"{code} ({name})",
                documentation=explanation,
                example_fix=example[1].rstrip() if example else None,
                reference=_RUFF_PAGE.format(name=name),
            )


def read_pylint(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The messages of `pylint --list-msgs`."""
    program = find_program("pylint", where)
    tool = Tool(
        name="pylint", repo="pylint-dev/pylint", version=version_of(program), language="python"
    )
    return tool, _pylint_entries(ask(program, "--list-msgs"))


def _pylint_entries(text: str) -> Iterator[ToolMessage]:
    for found in _PYLINT.finditer(text):
        yield listed(
            _REPR.sub("%s", found["message"]),
            code=found["code"],
            severity=_PYLINT_SEVERITIES.get(found["code"][0], "warning"),
            title=f"{found['code']} ({found['name']})",
            documentation=" ".join(found["about"].split()),
        )


def read_mypy(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The messages that mypy keeps in its registry, and its codes."""
    program = find_program("mypy", where)
    shebang = _SHEBANG.match(read_file(program)[:500])
    if shebang is None:
        raise CatalogueError(f"{program} does not say which Python it runs with.")
    kept = json.loads(ask(Path(shebang[1].decode()), "-I", "-c", _MYPY))
    tool = Tool(name="mypy", repo="python/mypy", version=str(kept["version"]), language="python")
    return tool, _mypy_entries(kept["messages"], kept["codes"])


def _mypy_entries(
    messages: list[tuple[str, str | None]], codes: dict[str, tuple[str, str]]
) -> Iterator[ToolMessage]:
    for message, code in messages:
        if len(message.split()) >= LEAST_WORDS:
            about = codes.get(code or "", ("", ""))[0]
            yield listed(message, code=code, documentation=about or None)
    for code, (about, category) in codes.items():
        yield ToolMessage(
            message=f"[{code}] {about}",
            parts=(SourceHole("message"), Fixed(f"  [{code}]")),
            code=code,
            title=f"mypy: {about} [{code}]",
            documentation=f"{about}. mypy counts it among “{category}”.",
            reference=_MYPY_PAGE,
        )
