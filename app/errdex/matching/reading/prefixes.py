"""What stands before a program's own text on a line: who wrote it, when, how loud.

Two kinds are told apart. A *transport* puts its prefix on every line (docker compose,
`[rank0]:`, syslog, a CI's timestamps); where it names a writer, interleaved writers are
told apart by it. A *log header* (time, level, thread, logger) stands only on the first
line of each record. A level alone (`ERROR: …`) is left in the text, because that is how
many tools write, but is noted.

Each regex is anchored, bounded and possessive where it could backtrack, so that a line
costs one or two attempts, chosen by its first character, whatever its length.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

PLAIN, STAMPED, HEADED = 0, 1, 2
"""What a line began with: nothing; a transport's prefix or a time; a log record's header."""


class Prefix(NamedTuple):
    """What was taken off a line: `end` is the length of it."""

    end: int
    kind: int
    writer: str
    level: str


NO_PREFIX = Prefix(0, PLAIN, "", "")

LEVEL_NAMES = (
    "TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|ERR|FATAL|CRITICAL|CRIT|SEVERE|PANIC|EMERG"
    "|ALERT|SUCCESS|trace|debug|info|notice|warning|warn|error|err|fatal|critical|crit|severe"
    "|panic|emerg|alert|Information|Info|Warning|Error|Critical|Fatal|Debug"
)
_LEVELS = {
    "err": "error",
    "warn": "warning",
    "crit": "critical",
    "severe": "error",
    "information": "info",
    "c": "critical",
    "e": "error",
    "w": "warning",
    "i": "info",
    "f": "fatal",
    "d": "debug",
    "v": "trace",
}
LOUD = frozenset({"error", "fatal", "critical", "panic", "emerg", "alert"})
"""Levels at which a record is an error."""

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_DATE = r"(?:\d{4}[-/]\d\d[-/]\d\d|\d\d[-/](?:\d\d|[A-Z][a-z]{2})[-/]\d{4})"
_ZONE = r"(?:Z| ?[+-]\d\d:?\d\d| (?:UTC|GMT|[CEMP][SD]T|CEST|CET)\b)?"
_STAMP = rf"(?:{_DATE}[T :]{_TIME}{_ZONE}|{_TIME}{_ZONE}(?: [AP]M)?)"

_BY_DIGIT = re.compile(
    r"(?P<transport>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7,9}Z )(?!std(?:out|err) [FP] )"
    rf"|(?P<cri>\d{{4}}-\d\d-\d\dT{_TIME}{_ZONE} (?:stdout|stderr) [FP] )"
    rf"|(?P<gitlab>\d{{4}}-\d\d-\d\dT{_TIME}Z \d\d[OE][+ ]?)"
    rf"|\d\d-\d\d {_TIME} {{1,4}}\d{{1,7}} {{1,6}}\d{{1,7}} (?P<logcat>[VDIWEF]) [^:\n]{{1,60}}: "
    rf"|(?P<iso>{_STAMP}[:,]?(?=[ \t|\]-]|$)[ \t]?)"
    r"|(?P<epoch>1[0-9]{9}\.\d{3,9}:?[ \t]?)"
    r"|\d{1,4}\|(?P<pm2>[\w.-]{1,40}) {0,20}\| "
)
_BY_BRACKET = re.compile(
    rf"\[(?P<iso>(?:[A-Z][a-z]{{2}},? )?(?:{_STAMP}"
    rf"|{_MONTH} [ \d]?\d {_TIME}(?: \d{{4}})?))(?:\][:,]?[ \t]{{0,4}}|: (?=[A-Z]{{4,8}}/))"
    r"|\[(?P<rank>(?:[a-z_]{0,20}rank ?|default)\d{1,6}|\d{1,6},\d{1,6})\](?:<std(?:err"
    r"|out)>)?:?[ \t]?"
    r"|\[(?P<tornado>[DIWEC]) (?:\d{6}|\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d(?:\.\d{1,6})? "
    r"[\w.:-]{1,60}\] "
    r"|\[(?P<pod>pod/[\w./-]{1,200})\] "
    r"|\[(?P<request>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\](?: {1,3}|$)"
    r"|\[(?P<job>\d{1,3})\] (?=\S)"
    r"|\[(?P<dmesg> {0,8}\d{1,9}\.\d{3,9})\] "
    r"|\[(?P<jenkins>Pipeline)\] "
)
_BY_PAREN = re.compile(
    r"\((?P<pid>(?:[^()=\n]{0,80} )?(?:[\w.-]{1,20}=[^()\s]{1,40},? ){0,3}"
    r"pid=\d{1,9}[^()\n]{0,80}|raylet|autoscaler[^()\n]{0,20})\)(?: |: ?|$)"
)
_BY_ANGLE = re.compile(
    r"<\d{1,3}>(?:1 \S{1,40} \S{1,80} (?P<app>\S{1,60} \S{1,20}) \S{1,40} "
    r"(?:-|\[[^\]\n]{0,400}\]) |(?=[A-Z][a-z]{2} [ \d]\d |\S))"
)
_BY_HASH = re.compile(
    r"#(?P<step>\d{1,4}) (?:\d{1,6}\.\d{1,4} |(?=ERROR|DONE|CACHED|sha256|\[(?!internal function\])"
    r"|transferring))"
    r"|##\[(?P<level>error|warning|debug|section|command|group|endgroup)\]"
)
_BY_COLON = re.compile(
    r"::(?P<level>error|warning|notice|debug)(?: [a-zA-Z]{1,12}=[^\n]{0,300}?)?::"
)
_BY_LETTER = re.compile(
    rf"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?P<month>{_MONTH} [ \d]?\d,?(?: \d{{4}})? "
    rf"{_TIME}(?: [AP]M)?{_ZONE}(?: \d{{4}})?) "
    rf"|(?P<klog>[IWEF])\d{{4}} {_TIME} +\d{{1,9}} [^\]\s]{{1,80}}:\d{{1,6}}\] "
    rf"|[DIWEF], \[{_DATE}T{_TIME} #\d{{1,9}}\] {{1,2}}(?P<ruby>DEBUG|INFO|WARN|ERROR|FATAL) -- "
    rf"[^:\n]{{0,60}}:(?: |$)"
    rf"|(?P<vllm>{LEVEL_NAMES}) \d\d-\d\d {_TIME} (?:(?:\[[^\]\n]{{1,80}}\] ?){{1,2}}"
    rf"|[\w.-]{{1,60}}:\d{{1,6}}\] )?"
    rf"|(?P<basic>[A-Z]{{4,8}}):[A-Za-z_][\w.]{{0,79}}+:(?=.)"
    rf"|(?P<early>{LEVEL_NAMES})[ :|]{{1,6}}(?=\[?(?:\d{{4}}-\d\d-\d\d|\d\d:\d\d:\d\d))"
    r"|(?P<compose>[A-Za-z0-9][\w.@-]{0,80}+) {1,40}\| ?"
    r"|(?P<turbo>[\w-]{1,40}+:(?:build|test|lint|dev|start|typecheck|check))+: "
    rf"|(?P<gh>[^\t\n]{{1,80}}+\t[^\t\n]{{1,80}}+)\t(?=\ufeff?\d{{4}}-\d\d-\d\dT)"
)
_BY_AT = re.compile(r"@[\w.-]{1,40}/(?P<turbo>[\w-]{1,40}:[\w-]{1,20})+: ")
_BY_BOM = re.compile("\ufeff")

_WRITERS = frozenset(
    {"rank", "pod", "job", "pid", "pm2", "compose", "turbo", "gh", "step", "app", "request"}
)

_NOTHING = re.compile(r"(?!)")
_DISPATCH: dict[str, re.Pattern[str]] = {
    "[": _BY_BRACKET,
    "(": _BY_PAREN,
    "<": _BY_ANGLE,
    "#": _BY_HASH,
    ":": _BY_COLON,
    "@": _BY_AT,
    "\ufeff": _BY_BOM,
}
_DISPATCH.update(dict.fromkeys("0123456789", _BY_DIGIT))
_DISPATCH.update(dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", _BY_LETTER))

_SYSLOG = re.compile(r"(?P<host>[\w.-]{1,80}) (?P<proc>[\w./@() -]{1,60}?(?:\[[\w.-]{1,20}\])?): ")

_DYNO = re.compile(r"(?P<dyno>(?:app|heroku)\[[\w.-]{1,40}\]): ")
"""The process in Heroku's logs."""
_LAMBDA = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\t")
"""The id of a request in the logs of AWS Lambda."""
LAMBDA_FAILURES = ("Invoke Error", "Uncaught Exception", "Unhandled Promise Rejection")
_LAMBDA_FAILURE = re.compile(rf"(?:{'|'.join(LAMBDA_FAILURES)}) ?\t(?=\{{)")
"""What stands there between the level and a record in JSON."""

_LEVEL = re.compile(
    rf"[ \t|:\-]{{0,8}}+(?:[\[<(](?:[a-z_0-9]{{1,20}}:)?)?(?P<level>{LEVEL_NAMES}"
    rf"|[VDIWEF](?=[ /]))\b(?:/[\w-]{{1,40}}+\]|[\]>):]{{0,2}}+)"
    r"[ \t|:\-]{0,12}+"
)
_BEFORE_LEVEL = re.compile(
    r"[ \t|:\-]{0,8}+(?:\[[^\]\n]{0,60}+\]|\d{1,10}+(?:#\d{1,6}:)?|\([^)\n]{0,60}+\)"
    r"|[A-Za-z][\w.$-]{0,80}+(?= - )):?[ |\-]{1,20}+|[A-Za-z]{1,20}\.(?=[A-Z]{4,8}: )"
)
LEVEL_END = re.compile(r"(?:/[\w-]{1,40}+\]|[\]>):]{0,2}+)[ \t|:\-]{0,12}+")
"""What `_LEVEL` takes behind the level's name."""
AFTER_LEVEL = re.compile(
    r"(?:(?:\d{1,10}+ ---|\[[^\]\n]{0,80}+\]|\([\w. :,-]{1,60}+\)"
    r"|\d{1,9}+(?:#\d{1,6}:(?: \*\d{1,9}+)?)?)"
    r"[ \-:|]{1,24}+){0,4}"
)
LOGGER = re.compile(
    r"(?P<name>[\w.$/<>@-]{1,100}+(?:\[[^\]\n]{1,40}\])?(?::[\w<>.$]{1,60}+)?(?::\d{1,6}+)?)"
    r"(?:(?P<pad> {1,40}+[:|\-](?: |$))|(?P<colon>[\]:]? ))"
)
_JAVA_METHOD = re.compile(r"(?:[a-z]\w{0,40}\.){2,8}[A-Z][\w$]{0,60}\.[a-z<]\w{0,60}>? ")
"""The place that java.util.logging writes behind the thread, with no mark of its end."""
_CLASS_ENDS = (
    "Error", "Exception", "Failure", "Warning", "Throwable", "Fault", "Interrupt",
)  # fmt: skip
_GO_PLACE = re.compile(r"[\w.-]{1,80}\.go:\d{1,6}[:\]] ")
_BARE_LEVEL = re.compile(rf"[\[<(]?(?P<level>{LEVEL_NAMES})\b(?=[\]>):| ])")
_MAX_PARTS = 6


@lru_cache(maxsize=512)
def level_name(word: str) -> str:
    """One name for a level, whatever a program calls it."""
    word = word.lower()
    return _LEVELS.get(word, word)


def bare_level(text: str) -> str:
    """The level that a line without a header begins with, if any."""
    found = _BARE_LEVEL.match(text)
    return level_name(found.group("level")) if found else ""


def strip_prefix(raw: str, composed: frozenset[str] = frozenset(), start: int = 0) -> Prefix:
    """Find the prefix of a line. `composed`: names known to stand before ` | `."""
    regex = _DISPATCH.get(raw[start : start + 1])
    if regex is None:
        return NO_PREFIX
    end, kind, writers, level = start, PLAIN, "", ""
    for _ in range(_MAX_PARTS):
        found = regex.match(raw, end)
        if found is None or found.end() == end:
            break
        name = found.lastgroup
        part = found.group(name) if name else ""
        if (name == "compose" and part not in composed) or (
            name == "basic" and part not in _BASIC_LEVELS
        ):
            break
        end = found.end()
        kind = max(kind, STAMPED)
        if name in _WRITERS:
            writers = f"{writers} {part}".strip()
        elif name in _LEVELLED:
            level, kind = level_name(part), (HEADED if name in _HEADING else kind)
            if name in _HEADING and name not in _MORE_BEHIND:
                break
        elif name in ("iso", "month", "epoch"):
            end, writers, level, kind = _after_stamp(raw, end, writers, level, kind, name)
            if level:
                break
        regex = _DISPATCH.get(raw[end : end + 1], _NOTHING)
    return Prefix(end, kind, writers, level) if end > start else NO_PREFIX


def dispatched(head: str) -> bool:
    """Whether a line that begins so is looked at at all."""
    return head[:1] in _DISPATCH


def may_begin(head: str) -> bool:
    """Whether a line whose first three characters are these may begin with a prefix; those of
    tasks and of docker compose excepted, which may begin with any letter."""
    first = head[:1]
    if first not in _DISPATCH:
        return False
    if not first.isalpha() or head in _HEADS:
        return True
    return (first in "IWEF" and head[1:].isdigit()) or (first in "DIWEF" and head[1:] == ", ")


LEVEL_HEADS = frozenset(name[:3] for name in LEVEL_NAMES.split("|"))
_HEADS = LEVEL_HEADS.union(
    ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), _MONTH[3:-1].split("|")
)


_LEVELLED = frozenset({"logcat", "level", "klog", "vllm", "basic", "early", "tornado", "ruby"})
_HEADING = frozenset({"klog", "vllm", "basic", "early", "tornado", "ruby"})
_MORE_BEHIND = frozenset({"early", "ruby"})
"""Headings behind which a time or a writer may stand."""
_BASIC_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "FATAL"})
DATABASE_LEVEL_END = re.compile(
    "(?:ERROR|FATAL|PANIC|LOG|DETAIL|HINT|STATEMENT|CONTEXT|WARNING):  "
)
"""What a line of PostgreSQL's log has where others have a level."""
_DATABASE_LEVEL = re.compile(
    r"[ \t]{0,2}(?:\[\d{1,9}(?:-\d{1,9})?\]:? ?(?:\[\d{1,9}-\d{1,9}\] )?)?(?:[\w.@=,\[\]-]{1,80} )?"
    rf"(?={DATABASE_LEVEL_END.pattern})"
)


def _after_stamp(
    raw: str, end: int, writers: str, level: str, kind: int, name: str
) -> tuple[int, str, str, int]:
    """Behind a time: syslog's host and process, or a log record's level and logger."""
    request = _LAMBDA.match(raw, end) if raw[end + 36 : end + 37] == "\t" else None
    end = request.end() if request else end
    database = _DATABASE_LEVEL.match(raw, end) if ":  " in raw else None
    if database:
        return database.end(), writers, level, HEADED
    header_end, word = _header(raw, end)
    if word:
        failure = _LAMBDA_FAILURE.match(raw, header_end) if request else None
        header_end = failure.end() if failure else header_end
        return header_end, writers, level_name(word), HEADED
    if level:
        return end, writers, level, HEADED
    if name == "month" or raw[10:11] == "T":
        syslog = _SYSLOG.match(raw, end)
        if syslog and ("[" in syslog.group("proc") or name == "month"):
            writers = f"{writers} {syslog.group('proc')}".strip()
            return syslog.end(), writers, level, kind
        dyno = _DYNO.match(raw, end)
        if dyno:
            return dyno.end(), f"{writers} {dyno.group('dyno')}".strip(), level, kind
    place = _GO_PLACE.match(raw, end)
    if place:
        return place.end(), writers, level, HEADED
    while end < len(raw) and raw[end] in "|-: " and raw[end : end + 2] in ("| ", "- ", ": "):
        end += 2
    return end, writers, level, kind


def _header(raw: str, end: int) -> tuple[int, str]:
    """The end of a log record's header and its level, which may have other fields before it
    (thread, process) and behind it (place, logger)."""
    found = _LEVEL.match(raw, end)
    for _ in range(3):
        if found:
            break
        before = _BEFORE_LEVEL.match(raw, end)
        if before is None:
            return end, ""
        end = before.end()
        found = _LEVEL.match(raw, end)
    if found is None or _is_text(found, raw):
        return end, ""
    end = found.end()
    after = AFTER_LEVEL.match(raw, end)
    end = after.end() if after else end
    logger = _JAVA_METHOD.match(raw, end) if after and after.group() else None
    if logger:
        return logger.end(), found.group("level")
    logger = LOGGER.match(raw, end)
    if logger and is_logger(logger):
        end = logger.end()
    return end, found.group("level")


def _is_text(found: re.Match[str], raw: str) -> bool:
    """Whether a level is the program's own text: "Error: …", not "[error] …" or "ERROR - "."""
    start, end = found.span("level")
    if raw[end : end + 1] == ":" and raw[end + 1 : end + 2] == " " and raw[start - 1] in " \t":
        return True
    return (
        not found.group("level").isupper()
        and raw[start - 1] in " \t"
        and raw[end : end + 1] == " "
        and raw[end + 1 : end + 2] not in " |-["
    )


def is_logger(found: re.Match[str]) -> bool:
    """Whether what `LOGGER` found is the name of a logger or a place in source."""
    name, colon = found.group("name", "colon")
    if colon is not None and (
        (len(colon) == 1 and not _PLACE_END.search(name))
        or not ("." in name or _PLACE_END.search(name))
    ):
        return False
    return not name.partition("[")[0].endswith(_CLASS_ENDS)


_PLACE_END = re.compile(r":\d{1,6}$")
_COMPOSE_LINE = re.compile(
    r"^[> \t]{0,8}(?:\d\d:\d\d:\d\d |\d{4}-\d\d-\d\dT[\d:.]{8,18}Z )?"
    r"([A-Za-z0-9][\w.@-]{0,80}+) {1,40}\|",
    re.MULTILINE,
)
_NUMBERED = re.compile(r".*[A-Za-z].*[-_.]\d+(?:@.*)?$")


def compose_names(text: str) -> frozenset[str]:
    """The names that stand before `|` as docker compose and foreman write them: those
    that end in a number, and others when they come back."""
    if " |" not in text:
        return frozenset()
    counts: dict[str, int] = {}
    for found in _COMPOSE_LINE.finditer(text):
        name = found.group(1)
        counts[name] = counts.get(name, 0) + 1
    return frozenset(
        name
        for name, count in counts.items()
        if not name.isdigit() and (count > 1 or _NUMBERED.match(name))
    )
