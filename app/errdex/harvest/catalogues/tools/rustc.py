"""`rustc --explain`: what the compiler says of each of its codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import CatalogueError, Tool, ToolMessage
from errdex.harvest.catalogues.tools.programs import ask, find_program, version_of

CODES = range(1, 10_000)
MOST_ABSENT = 60
"""Codes in a row that the compiler does not know, after which the list is at its end."""
_PAGE = "https://doc.rust-lang.org/error_codes/{code}.html"
_NOTE = re.compile(r"^#### (?:Note: )?", re.MULTILINE)
_CODE_BLOCK = re.compile(r"```.*?```", re.DOTALL)


def read(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The codes of the compiler at `where`, or of the one on PATH."""
    program = find_program("rustc", where)
    tool = Tool(name="rustc", repo="rust-lang/rust", version=version_of(program), language="rust")
    return tool, _entries(program)


def _entries(program: Path) -> Iterator[ToolMessage]:
    absent = 0
    for number in CODES:
        code = f"E{number:04}"
        try:
            text = ask(program, "--explain", code)
        except CatalogueError:
            absent += 1
            if absent > MOST_ABSENT:
                return
            continue
        absent = 0
        text = _NOTE.sub("", text).strip()
        first = _CODE_BLOCK.sub(" ", text).split("\n\n", 1)[0]
        if "no longer emitted" in first:
            continue
        yield ToolMessage(
            message=f"{code}: {_sentence(first)}",
            code=code,
            documentation=text,
            example_fix=_last_example(text),
            reference=_PAGE.format(code=code),
        )


def _sentence(paragraph: str) -> str:
    words = " ".join(paragraph.split())
    return words.partition(". ")[0].rstrip(".:") or words


def _last_example(text: str) -> str | None:
    """Explanations begin with code that fails and end with code that works."""
    examples = [each.strip("`").partition("\n")[2].rstrip() for each in _CODE_BLOCK.findall(text)]
    return examples[-1] if len(examples) > 1 else None
