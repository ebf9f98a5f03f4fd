"""The catalogues by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from errdex.harvest.catalogues.tools import (
    aws,
    databases,
    gettext_files,
    go,
    javac,
    javascript,
    perl,
    python_linters,
    rustc,
    system,
)
from errdex.harvest.catalogues.tools.entries import Tool, ToolMessage

Read = tuple[Tool, Iterator[ToolMessage]]

_ONE: Mapping[str, Callable[[Path | None], Read]] = {
    "botocore": aws.read,
    "errno": system.read_errno,
    "eslint": javascript.read_eslint,
    "go": go.read,
    "http": system.read_http,
    "javac": javac.read,
    "mypy": python_linters.read_mypy,
    "mysql": databases.read_mysql,
    "openssl": system.read_openssl,
    "perl": perl.read,
    "postgresql": databases.read_postgresql,
    "pylint": python_linters.read_pylint,
    "pyright": javascript.read_pyright,
    "ruff": python_linters.read_ruff,
    "rustc": rustc.read,
    "typescript": javascript.read_typescript,
}
NAMES = (*sorted([*_ONE, "gettext"]),)
"""Each catalogue that can be asked for."""


def read_catalogue(name: str, where: Path | None = None) -> Iterator[Read]:
    """The tools of a catalogue with what they say: one tool, or of gettext one for each domain.
    Raises CatalogueError, while it is read as well."""
    if name == "gettext":
        yield from gettext_files.read_all(where)
    else:
        yield _ONE[name](where)
