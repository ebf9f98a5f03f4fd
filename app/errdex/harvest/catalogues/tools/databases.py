"""The codes of PostgreSQL, and of MySQL and MariaDB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from errdex.harvest.catalogues.tools.entries import Tool, ToolMessage, listed
from errdex.harvest.catalogues.tools.programs import (
    ask,
    existing,
    find_program,
    read_file,
    version_of,
)

_SECTION = re.compile(r"^Section: (.*)$")
_SQLSTATE = re.compile(r"^([0-9A-Z]{5})\s+([EWS])\s+ERRCODE_(\w+)(?:\s+(\w+))?\s*$")
_POSTGRESQL_PAGE = "https://www.postgresql.org/docs/current/errcodes-appendix.html"
_PERROR = re.compile(
    r"^(?P<server>MySQL|MariaDB) error code (?:MY-0*)?(?P<code>\d+) \((?P<name>\w+)\): "
    r"(?P<text>.*)$",
    re.MULTILINE,
)
_MARIADB_HOLE = re.compile(r"%`s|%M|%sT|%T|%(?=[A-Z`])")
_CODES = (*range(1000, 2100), *range(3000, 3200), *range(3500, 4300))


def read_postgresql(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """errcodes.txt, the list that the server's codes are made of: the file at `where`, or that
    of the `pg_config` on PATH, or of Debian's packages."""
    if where is not None:
        file = where
    else:
        folders = sorted(Path("/usr/share/postgresql").glob("*"), reverse=True)
        file = existing([each / "errcodes.txt" for each in folders], "PostgreSQL's errcodes.txt")
    name = file.parent.name
    tool = Tool(
        name="postgresql",
        repo="postgres/postgres",
        version=name if name.replace(".", "").isdecimal() else "",
        language="sql",
    )
    return tool, _sqlstates(read_file(file).decode("utf-8", "replace"))


def _sqlstates(text: str) -> Iterator[ToolMessage]:
    section = ""
    for line in text.splitlines():
        if (heading := _SECTION.match(line)) is not None:
            section = heading[1]
        elif (found := _SQLSTATE.match(line)) is not None and found[2] in "EW" and found[4]:
            words = found[4].replace("_", " ")
            yield ToolMessage(
                message=f"SQLSTATE {found[1]}: {words}",
                code=found[1],
                error_class=None,
                severity="error" if found[2] == "E" else "warning",
                documentation=f"{section}. In PL/pgSQL the condition is called `{found[4]}`.",
                reference=_POSTGRESQL_PAGE,
            )


def read_mysql(where: Path | None) -> tuple[Tool, Iterator[ToolMessage]]:
    """What `perror` of MySQL or MariaDB says of each code of the server."""
    program = find_program("perror", where)
    printed = ask(program, *map(str, _CODES), statuses=(0, 1))
    found = list(_PERROR.finditer(printed))
    is_mariadb = any(each["server"] == "MariaDB" for each in found)
    tool = Tool(
        name="mariadb" if is_mariadb else "mysql",
        repo="MariaDB/server" if is_mariadb else "mysql/mysql-server",
        version=version_of(program),
        language="sql",
    )
    return tool, _server_errors(found)


def _server_errors(found: list[re.Match[str]]) -> Iterator[ToolMessage]:
    for each in found:
        text = _MARIADB_HOLE.sub(_plain_hole, each["text"])
        yield listed(text, code=each["code"], title=f"{each['code']} ({each['name']}): {text}")


def _plain_hole(found: re.Match[str]) -> str:
    """MariaDB's own verbs: a quoted name, an errno with its text, a shortened text."""
    return {"%`s": "`%s`", "%M": "%s", "%sT": "%s", "%T": "%s"}.get(found[0], found[0])
