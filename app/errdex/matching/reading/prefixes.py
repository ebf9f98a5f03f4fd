"""What stands before a program's own text on a line: who wrote it, when, how loud.

There are two kinds. A *transport* puts its prefix on every line (docker compose,
`[rank0]:`, syslog, a CI's timestamps); where it names a writer, interleaved writers are
distinguished by it. A *log header* (time, level, thread, logger) stands only on the first
line of each record. A level alone (`ERROR: …`) is left in the text, because that is how
many tools write, but is noted.

Each regex is anchored, bounded and possessive where it could backtrack, so that a line
costs one or two attempts, chosen by its first character, whatever its length.
"""

from __future__ import annotations

from typing import NamedTuple

from errdex import lazy_re as re
from errdex.matching.reading.header_tokens import (
    ANY_STAMP,
    CLOCK,
    DATED,
    DAY,
    LEVEL_INSIDE,
    LEVEL_NAMES,
    LOUD,
    MONTH,
    STAMP,
    WRITTEN_STAMP,
    ZONE,
    level_name,
)
from errdex.matching.reading.headers import TEXT_WORDS, read_header

__all__ = [
    "CARRIED", "HEADED", "LEVEL_NAMES", "LOUD", "NO_PREFIX", "PLAIN", "STAMPED", "Prefix",
    "bare_level",
    "compose_names", "level_name", "strip_prefix",
]  # fmt: skip

PLAIN, CARRIED, STAMPED, HEADED = 0, 1, 2, 3
"""What a line began with: nothing; a transport's prefix; a time; a log record's header."""


class Prefix(NamedTuple):
    """What was taken off a line: `end` is the length of it. The last `doubt` characters of
    that may as well belong to the message."""

    end: int
    kind: int
    writer: str
    level: str
    doubt: int = 0


NO_PREFIX = Prefix(0, PLAIN, "", "")

_BEGINS_STAMP = rf"(?=\[?{ANY_STAMP}(?:[ \t|\]:,-]|$))"
_FULL_STAMP = (
    rf"(?:\d{{4}}[-/.]\d\d[-/.]\d\d[T ]{CLOCK}{ZONE}|{WRITTEN_STAMP}|1\d{{9}}(?:\.\d{{3,9}})?)(?= )"
)
_BY_DIGIT = re.compile(
    r"(?P<transport>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7,9}Z )(?!std(?:out|err) [FP] )"
    rf"|(?P<cri>\d{{4}}-\d\d-\d\dT{CLOCK}{ZONE} (?:stdout|stderr) [FP] )"
    rf"|(?P<gitlab>\d{{4}}-\d\d-\d\dT{CLOCK}Z \d\d[OE][+ ]?)"
    rf"|(?P<stamp>{STAMP}(?=[ \t|\]:,-]|$|[A-Z]{{3,9}}:  ))"
    rf"|(?P<epoch>1[0-9]{{9}}(?:\.\d{{3,9}}(?=:?[ \t]|$)|(?= (?:{LEVEL_NAMES}) )))"
    r"|\d{1,4}\|(?P<pm2>[\w.-]{1,40}) {0,20}\| "
    rf"|\d{{1,7}}:[MSCX] {STAMP} (?P<redis>[*#.-]) "
    rf"|(?P<columns>\d{{1,10}} (?:[\w.:/@#-]{{1,60}} ){{0,6}}){_FULL_STAMP}"
)
_BY_DASH = re.compile(rf"(?P<columns>- (?:[\w.:/@#-]{{1,60}} ){{0,6}}){_FULL_STAMP}")
_BY_BRACKET = re.compile(
    rf"(?P<dated>{DATED.pattern.replace('?P<before>', '').replace('?P<behind>', '')})"
    rf"|\[(?P<opened>{STAMP}): (?=[A-Z]{{4,8}}/)"
    r"|\[(?P<rank>(?:[a-z_]{0,20}rank ?|default)\d{1,6}|\d{1,6},\d{1,6})\](?:<std(?:err"
    r"|out)>)?:?[ \t]?"
    r"|\[(?P<pod>pod/[\w./-]{1,200})\] "
    r"|\[(?P<request>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\](?: {1,3}|$)"
    r"|\[(?P<job>\d{1,3})\] (?=\S)"
    r"|\[(?P<dmesg> {0,8}\d{1,9}\.\d{3,9})\] "
    r"|\[(?P<jenkins>Pipeline)\] "
    rf"|\[(?P<klog>[IWEF])\d{{3,4}} {CLOCK} [^\]\n]{{1,100}}\] "
    r"|\[(?: {2,12}| {0,6}\+? {0,6}\d{1,7} ?(?:ms|s|us|\u00b5s))\](?: |$)"  # time that passed
    rf"|\[(?P<early>{LEVEL_NAMES})\][ :]{{1,3}}{_BEGINS_STAMP}"
    r"|\[\d{1,9}:\d{1,9}:\d{4}/\d{6}\.\d{1,6}:(?P<chromium>[A-Z]{4,9})[^\]\n]{1,120}\] "
    r"|\[(?P<haproxy>ALERT|WARNING|NOTICE)\] {1,4}(?:\d{3}/\d{6} )?\(\d{1,7}\) : "
    rf"|\[[\w.:/@-]{{1,60}}\](?:|:|(?: \d{{1,7}})? +-) {_BEGINS_STAMP}"
)
_BY_PAREN = re.compile(
    rf"\([\w.-]{{1,60}}:\d{{1,7}}\): [\w-]{{1,40}}-(?P<glib>[A-Z]{{4,8}}) \*\*: (?:{CLOCK}: )?|"
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
    rf"(?P<month>{WRITTEN_STAMP}) "
    rf"|(?P<klog>[IWEF])\d{{4}} {CLOCK} +\d{{1,9}} [^\]\s]{{1,80}}:\d{{1,6}}\] "
    rf"|[DIWEF], \[[^\]\n]{{10,60}}\] {{1,2}}(?P<ruby>DEBUG|INFO|WARN|ERROR|FATAL) -- "
    r"[^:\n]{0,60}:(?:(?: \[(?![0-9a-f]{8}-)[\w.:-]{1,60}\]){1,4}(?=\s|$))?(?: |$)"
    r"|(?P<logrus>DEBU|INFO|WARN|ERRO|FATA|PANI)\[\d{4,9}\] +"
    rf"|(?P<brief>[VDIWEF])/[\w.$-]{{1,60}} ?\( {{0,6}}\d{{1,7}}\): "
    r"|(?P<basic>[A-Z]{4,8}):[A-Za-z_][\w.]{0,79}+:(?=.)"
    rf"|(?P<early>{LEVEL_NAMES})[ :|]{{1,6}}{_BEGINS_STAMP}"
    r"|Log[A-Z]\w{1,40}: (?P<unreal>Error|Warning|Display|Fatal|Verbose): "
    r"|(?P<compose>[A-Za-z0-9][\w.@-]{0,80}+) {1,40}\| ?"
    r"|(?P<turbo>[\w-]{1,40}+:(?:build|test|lint|dev|start|typecheck|check))+: "
    rf"|(?P<gh>[^\t\n]{{1,80}}+\t[^\t\n]{{1,80}}+)\t(?=\ufeff?\d{{4}}-\d\d-\d\dT)"
    rf"|(?P<lead>[\w.@/-]{{1,60}}+(?:\[\d{{1,9}}\])?:? )(?=\[?{_FULL_STAMP})"
)
LEADING_NAME = re.compile(rf"[\w.@/-]{{1,60}}+(?:\[\d{{1,9}}\])?:? \[?{_FULL_STAMP}")
"""A line that begins with a name before a time."""
_BY_AT = re.compile(r"@[\w.-]{1,40}/(?P<turbo>[\w-]{1,40}:[\w-]{1,20})+: ")
_BY_BOM = re.compile("\ufeff")
_CROSSES = (
    "\u274c\u26d4\u2757\u203c\u26a0\u2620\u2718\u274e\u26a1\U0001f6a8\U0001f6d1"
    "\U0001f4a5\U0001f525\U0001f534\U0001f41b\U0001f480\U0001f6ab\U0001f44e"
)
"""Signs that people and build tools put before what failed."""
_BY_CROSS = re.compile(rf"(?P<cross>[{_CROSSES}]\ufe0f?[ \t]{{0,4}})++(?=[^\s\[])")

_WRITERS = frozenset(
    {"rank", "pod", "job", "pid", "pm2", "compose", "turbo", "gh", "step", "app", "request"}
)

_NOTHING = re.compile(r"(?!)")
_DISPATCH: dict[str, re.Pattern[str]] = {
    "[": _BY_BRACKET,
    "-": _BY_DASH,
    "(": _BY_PAREN,
    "<": _BY_ANGLE,
    "#": _BY_HASH,
    ":": _BY_COLON,
    "@": _BY_AT,
    "\ufeff": _BY_BOM,
    **dict.fromkeys(_CROSSES, _BY_CROSS),
}
_DISPATCH.update(dict.fromkeys("0123456789", _BY_DIGIT))
_DISPATCH.update(dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", _BY_LETTER))

_SYSLOG = re.compile(
    rf"(?P<host>(?!(?:{LEVEL_NAMES})\b)[\w.@/#-]{{1,80}}) (?P<proc>(?!(?:{LEVEL_NAMES})\b)"
    r"[\w./@()+ -]{1,80}?(?:\[[\w.-]{1,20}\])?(?: \([\w.-]{1,120}\))?): ?"
)
_GLOG = re.compile(r":? (?P<level>[IWEF]) [^\]\s]{1,200}:\d{1,6}\] ")
"""A level and a place in source, as TensorFlow writes them behind a time."""
_DYNO = re.compile(r"(?P<dyno>(?:app|heroku)\[[\w.-]{1,40}\]): ")
"""The process in Heroku's logs."""
LAMBDA_FAILURES = ("Invoke Error", "Uncaught Exception", "Unhandled Promise Rejection")
_LAMBDA_FAILURE = re.compile(rf"(?:{'|'.join(LAMBDA_FAILURES)}) ?\t(?=\{{)")
"""What stands in the logs of AWS Lambda between the level and a record in JSON."""
DATABASE_LEVEL_END = re.compile(
    "(?:ERROR|FATAL|PANIC|LOG|DETAIL|HINT|STATEMENT|CONTEXT|WARNING):  "
)
"""What a line of PostgreSQL's log has where others have a level."""
_DATABASE_LEVEL = re.compile(
    rf"[ \t]{{0,2}}(?:\S{{1,80}} ){{0,6}}?(?={DATABASE_LEVEL_END.pattern})"
)
_MORE_COLUMNS = re.compile(r"(?:\d{1,6} ){1,3}(?=\S)")
_BEHIND_NAME = re.compile(r"(?P<name>[A-Za-z0-9][\w.@-]{0,80}+) {1,40}\| ?")
_BARE_LEVEL = re.compile(rf"[\[<(]?(?P<level>{LEVEL_NAMES})\b(?=[\]>):| ])")
_BASIC_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "FATAL"})
_LEVELLED = frozenset(
    {
        "chromium",
        "haproxy",
        "glib",
        "unreal",
        "level",
        "klog",
        "brief",
        "basic",
        "early",
        "ruby",
        "redis",
        "logrus",
    }
)
_HEADING = frozenset(
    {"chromium", "haproxy", "glib", "unreal", "klog", "basic", "early", "ruby", "redis", "logrus"}
)
_LAST = frozenset({"klog", "basic", "redis"})
"""Headers behind which no other prefix may stand."""
_TIMES = frozenset({"stamp", "dated", "opened", "month", "epoch"})
_MAX_PARTS = 6


def bare_level(text: str) -> str:
    """The level that a line without a header begins with, if any."""
    found = _BARE_LEVEL.match(text)
    return level_name(found.group("level")) if found else ""


def strip_prefix(raw: str, composed: frozenset[str] = frozenset(), start: int = 0) -> Prefix:
    """Find the prefix of a line. `composed`: names known to stand before ` | `."""
    regex = _DISPATCH.get(raw[start : start + 1])
    if regex is None:
        return NO_PREFIX
    end, kind, writers, level, doubt = start, PLAIN, "", "", 0
    for _ in range(_MAX_PARTS):
        found = regex.match(raw, end)
        if found is None or found.end() == end:
            break
        name = found.lastgroup
        part = found.group(name) if name else ""
        if _is_text(name, part, composed):
            break
        before, end, doubt = end, found.end(), 0
        kind = kind if name == "cross" else max(kind, CARRIED)
        if name in _WRITERS:
            writers = f"{writers} {part}".strip()
        elif name in _LEVELLED:
            level, kind = level_name(part), (HEADED if name in _HEADING else kind)
        elif name == "columns":
            kind = max(kind, STAMPED)
            end, writers, doubt = _behind_columns(raw, found, writers)
        elif name in _TIMES:
            level = _level_inside(part) or level if name == "dated" else level
            again, kind = kind >= STAMPED, max(kind, STAMPED)
            end, writers, level, kind, doubt = _after_stamp(raw, end, writers, level, kind, name)
            doubt = max(doubt, end - before) if again and not level else doubt
        if name in _LAST or (level and name in _TIMES):
            break
        regex = _DISPATCH.get(raw[end : end + 1], _NOTHING)
    return Prefix(end, kind, writers, level, doubt) if end > start else NO_PREFIX


def _is_text(name: str | None, part: str, composed: frozenset[str]) -> bool:
    """Whether what looks like a prefix is none."""
    if name == "compose":
        return part not in composed
    if name == "basic":
        return part not in _BASIC_LEVELS
    return name in ("columns", "lead") and not TEXT_WORDS.isdisjoint(part.lower().split())


def _level_inside(bracket: str) -> str:
    """The level in a bracket with a time."""
    found = DATED.match(bracket)
    sides = (found.group("before"), found.group("behind")) if found else ()
    for side in sides:
        inside = LEVEL_INSIDE.search(side) if side else None
        if inside:
            return level_name(inside.group())
    return ""


def _behind_columns(raw: str, found: re.Match[str], writers: str) -> tuple[int, str, int]:
    """Behind a time that other columns stand before."""
    end = found.end() + 1
    syslog = _SYSLOG.match(raw, end) if raw[end - 4 : end - 3] == ":" else None
    if syslog is None:
        numbers = _MORE_COLUMNS.match(raw, end)
        doubt = numbers.end() - end if numbers else 0
        return end + doubt, writers, doubt
    return syslog.end(), f"{writers} {syslog.group('proc')}".strip(), 0


def _after_stamp(
    raw: str, end: int, writers: str, level: str, kind: int, name: str
) -> tuple[int, str, str, int, int]:
    """Behind a time: syslog's host and process, or a log record's level and logger."""
    if raw[end : end + 1] in (":", ",") and name != "month":
        end += 1
    placed = _GLOG.match(raw, end - 1 if raw[end - 1 : end] == ":" else end)
    if placed and not level:
        return placed.end(), writers, level_name(placed.group("level")), HEADED, 0
    database = _DATABASE_LEVEL.match(raw, end) if ":  " in raw else None
    if database:
        return database.end(), writers, level, HEADED, 0
    if not level and name in ("month", "stamp"):
        start = end if name == "month" else end + 1
        syslog = _SYSLOG.match(raw, start)
        if syslog and ("[" in syslog.group("proc") or name == "month"):
            return syslog.end(), f"{writers} {syslog.group('proc')}".strip(), level, kind, 0
        dyno = _DYNO.match(raw, start)
        if dyno:
            return dyno.end(), f"{writers} {dyno.group('dyno')}".strip(), level, kind, 0
    column = _BEHIND_NAME.match(raw, end + 1)
    if column and not level and not LEVEL_INSIDE.fullmatch(column.group("name")):
        return column.end(), f"{writers} {column.group('name')}".strip(), level, kind, 0
    header = read_header(raw, end - 1 if name == "month" else end, level)
    end = header.end
    if header.level:
        failure = _LAMBDA_FAILURE.match(raw, end) if "\t{" in raw else None
        end = failure.end() if failure else end
    headed = header.level or header.placed
    doubt = max(0, end - header.sure)
    return end, writers, header.level, HEADED if headed and not header.lined else kind, doubt


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
    return (first in "IWEF" and head[1:].isdigit()) or (
        first in "VDIWEF" and (head[1:] == ", " or head[1:2] == "/")
    )


LEVEL_HEADS = frozenset(name[:3] for name in LEVEL_NAMES.split("|"))
_HEADS = LEVEL_HEADS.union(["Log"], DAY[3:-1].split("|"), MONTH[3:-1].split("|"))

_COMPOSE_LINE = re.compile(
    r"^[> \t]{0,8}(?:\d{1,2}:\d\d:\d\d (?:[AP]M )?|\d{4}-\d\d-\d\dT[\d:.]{8,18}Z )?"
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
