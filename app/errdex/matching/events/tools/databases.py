"""PostgreSQL, MySQL, SQLite, SQL Server, Oracle, MongoDB, Redis: what their clients and
servers say."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.events.forms import form, parse_forms

TRIGGERS = (
    "ERROR:  ", "FATAL:  ", "PANIC:  ", "psql: ", "ERROR 1", "ERROR 2", "ERROR 3", "ORA-", "Msg ",
    "(error) ", "ERROR:", "[MY-0", "rror near line", "rror: in prepare", "ServerError: ",
    "FATAL CONFIG FILE",
    "FATAL: ", "pg_dump: ", "pg_restore: ", "Access denied", "SQLSTATE[",
)  # fmt: skip

_NOTE = re.compile(r"(?:DETAIL|HINT|CONTEXT|STATEMENT|QUERY|WHERE|LOCATION):\s+(?P<note>.+)")
_QUOTED = re.compile(r"LINE \d+: .*|\s*\^\s*$")

_FORMS = (
    form(
        "tool:postgresql",
        r"(?:psql|pg_\w+|createdb|dropdb)(?::[^\n:]{1,200}:\d+)?: (?:error: )?"
        r"(?:connection to server [^\n]{1,200} failed: )?"
        r"(?P<level>ERROR|FATAL|PANIC):  ?(?:(?P<code>[0-9A-Z]{5}): )?(?P<message>.*)$",
        note=_NOTE,
        quoted=_QUOTED,
    ),
    form(
        "tool:postgresql",
        r"(?:psql|pg_\w+|createdb|dropdb): (?:error|fatal): (?P<message>.*)$",
        note=_NOTE,
        more=re.compile(r"\tIs the server .*$"),
    ),
    form(
        "tool:postgresql",
        r"(?P<level>ERROR|FATAL|PANIC):  (?! |[A-Z][a-z])(?:(?P<code>[0-9A-Z]{5}): )?"
        r"(?P<message>[^\n]*)$",
        note=_NOTE,
        quoted=_QUOTED,
    ),
    form(
        "tool:mysql",
        r"ERROR (?P<code>\d{4}) \((?P<state>\w{5})\)(?: at line (?P<line>\d+)(?: in file: '"
        r"(?P<file>[^'\n]*)')?)?: (?P<message>.*)$",
    ),
    form(
        "tool:mysql",
        r"(?:\[(?P<level>ERROR|Warning)\] )?\[(?P<code>MY-\d{6})\] \[\w+\] (?P<message>.*)$",
    ),
    form("tool:oracle", r"(?:ERROR at line \d+: ?)?(?P<code>ORA-\d{5}): (?P<message>.*)$"),
    form("tool:sqlite", r"(?:Parse|Runtime) error (?:near line \d+|in \S+): (?P<message>.*)$"),
    form("tool:sqlite", r"Error: in prepare, (?P<message>.*)$"),
    form(
        "php",
        r"(?:[\w\\]{1,120}: )?(?P<message>SQLSTATE\[(?P<code>\w{5})\](?: ?\[\d{1,6}\])?:? ?\S.*)$",
    ),
    form(
        "tool:mongodb",
        r"(?P<class>Mongo(?:Server)?Error|MongoNetworkError"
        r"|MongoServerSelectionError): (?P<message>.*)$",
    ),
    form("tool:redis", r"\(error\) (?P<code>[A-Z]{2,20}) (?P<message>.*)$"),
    form(
        "tool:redis",
        r"\*\*\* (?P<message>FATAL CONFIG FILE ERROR\b[^\n]*?)(?: \*\*\*)?\s*$",
        severity="fatal",
        more=re.compile(r"(?:Reading the configuration file|>>> '|(?=\S))[^\n]+$"),
    ),
)

_SERVER = re.compile(
    r"(?:\[\w+\] )?Msg (?P<code>\d{1,6}), Level (?P<level>\d{1,2}), State \d{1,3}"
    r"(?:, (?!Line )[^\n,]{1,200}){0,3}(?:, Line (?P<line>\d{1,7}))?[:.]?\s*(?P<message>.*)$",
    re.DOTALL,
)
_CALM_LEVEL = 10
"""SQL Server's level up to which a message only informs."""
_MAX_LINES = 20


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`."""
    if "[MY-0" in stream.head(at) and stream.level(at) not in ("", "error"):
        return None
    server = _SERVER.match(stream.head(at))
    if server:
        return _parse_server(stream, at, server)
    return parse_forms(_FORMS, stream, at)


def _parse_server(stream: Stream, at: int, found: re.Match[str]) -> Parsed | None:
    """SQL Server: number, level and place; the message behind them or on the lines below."""
    if int(found.group("level")) <= _CALM_LEVEL:
        return None
    text, position = Text(), at + 1
    if found.group("message"):
        text.add(at, found.start("message"), stream.texts[at][found.start("message") :])
    while not found.group("message") and position < min(len(stream), at + _MAX_LINES):
        head = stream.head(position)
        if not head.strip() or stream.interrupts(position, at) or _SERVER.match(head):
            break
        text.add(position, 0, stream.texts[position].rstrip())
        position += 1
    if not text.pieces:
        text.add(at, len(stream.head(at)), "")
    draft = Draft("tool:sqlserver", None, text, at, position - 1, code=found.group("code"))
    return Parsed([draft], position)
