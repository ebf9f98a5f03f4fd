"""The codes of Go's type checker, from the source of the Go that is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import Tool, ToolMessage
from errdex.harvest.catalogues.tools.programs import ask, existing, find_program, read_file

_CODE = re.compile(r"((?:^\t//.*\n)+)^\t(_?[A-Z]\w+)(?: Code)?(?: = .*)?$", re.MULTILINE)
_EXAMPLE = re.compile(r"^Example:\n((?:[ \t].*\n?|\n)+)", re.MULTILINE)
_PAGE = "https://pkg.go.dev/golang.org/x/tools/internal/typesinternal#{code}"


def read(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """The codes of the `go` at `where`, or of the one on PATH."""
    program = find_program("go", where)
    root, version = ask(program, "env", "GOROOT", "GOVERSION").split()[:2]
    types = Path(root) / "src"
    file = existing(
        [types / "internal/types/errors/codes.go", types / "go/types/errorcodes.go"],
        "The source of Go's type checker",
    )
    tool = Tool(name="go", repo="golang/go", version=version.removeprefix("go"), language="go")
    return tool, _entries(read_file(file).decode("utf-8", "replace"))


def _entries(source: str) -> Iterator[ToolMessage]:
    for comment, name in _CODE.findall(source):
        lines = (line.strip().removeprefix("//").removeprefix(" ") for line in comment.split("\n"))
        text = "\n".join(lines).strip()
        if not text.startswith(name):
            continue
        code = name.lstrip("_")
        text = text.replace(name, code) + "\n"
        about = _EXAMPLE.sub("", text).strip()
        examples = [found.rstrip() for found in _EXAMPLE.findall(text)]
        if examples:
            about += "\n\nCode that raises it:\n\n```go\n" + "\n\n".join(examples) + "\n```"
        yield ToolMessage(
            message=" ".join(about.partition("\n\n")[0].split()).rstrip("."),
            code=code,
            documentation=about,
            reference=_PAGE.format(code=code),
        )
