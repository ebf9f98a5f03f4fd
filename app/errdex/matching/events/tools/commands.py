"""What common commands say behind their own name: curl, openssl, tar, rsync, jq, Python's and
Java's launchers, PostgreSQL's tools, TeX."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.events.forms import form, parse_forms
from errdex.matching.model import Role

TRIGGERS = (
    "curl: (", "Failure [", ":error:", " depth lookup", "verification failed", "\ntar: ",
    "\ngzip: ", "\nrsync",
    "\njq: ", "parse error: ", ": No module named ", ": can't open file",
    "Error while finding module", "Could not create the Java", "A fatal exception has occ",
    "\nError in ", "ostgres: ", "\npg_", "initdb: ", "\n! ", ".tex:",
)  # fmt: skip

_FORMS = (
    form(
        "tool:adb",
        r""
        r""
        r""
        r""
        r""
        r""
        r""
        r""
        r""
        r""
        r""
        r""
        r"(?:adb: failed to install [^\n:]{1,300}: )?Failure \[(?P<message>"
        r"(?P<code>[A-Z][A-Z_]{5,80})"
        r"(?:: [^\n]*)?)\]\s*$",
    ),
    form("tool:curl", r"curl: \((?P<code>\d{1,3})\) (?P<message>\S.*)$"),
    form(
        "tool:openssl",
        r"(?:[0-9A-F]{8,16}|\d{5,20}):error:(?P<code>[0-9A-F]{8}):[^:\n]{0,60}:[^:\n]{0,60}:"
        r"(?P<message>[^:\n]{1,200}):(?P<file>[^:\n]{1,200}):(?P<line>\d{1,6}):.*$",
    ),
    form(
        "tool:openssl",
        r"error (?P<code>\d{1,3}) at \d{1,3} depth lookup: ?(?P<message>\S.*)$",
    ),
    form("tool:openssl", r"error (?P<message>\S+: verification failed)\s*$", role=Role.SYMPTOM),
    form(
        "tool:tar",
        r"tar: (?P<message>(?:Child (?:returned|died)|Error is not recoverable|Exiting with"
        r"|Error exit delayed).*)$",
        role=Role.SYMPTOM,
    ),
    form(
        "tool:tar",
        r"tar: (?P<message>(?:This does not look|Unexpected EOF|Skipping to next|Cowardly"
        r"|[^\n]{1,300}: (?:Cannot|Not found|Wrote only|Unknown|file changed)).*)$",
    ),
    form(
        "tool:gzip",
        r"gzip: (?P<message>[^\n:]{1,300}: (?:not in gzip|unexpected end|invalid|crc|No such"
        r"|unknown|already exists|Permission).*)$",
    ),
    form("tool:rsync", r"rsync error: (?P<message>\S.*?\(code (?P<code>\d{1,3})\).*)$",
         role=Role.SYMPTOM),
    form(
        "tool:rsync",
        r"rsync: (?:\[\w+\] )?(?P<message>[^\n]{1,400}(?:failed|refused|denied|unexpected"
        r"|No such|not permitted|error|unknown|closed).*)$",
    ),
    form(
        "r",
        r"Error in (?P<function>[\w.:$]{1,80})\([^\n]{0,300}?\) ?: (?P<message>\S.*)$",
    ),
    form("tool:jq", r"jq: error(?: \(at [^)\n]{1,200}\))?: (?P<message>\S.*)$"),
    form("tool:jq", r"(?:jq: )?(?P<message>parse error: [^\n]{1,200} at line \d+, column \d+)\s*$"),
    form(
        "python",
        r"(?:[A-Za-z]:)?[^\s:]{0,200}python[\d.]*(?:\.exe)?: "
        r"Error while finding module specification for "
        r"'[^'\n]{1,200}' \((?P<class>[\w.]{1,80}): (?P<message>.*)\)\s*$",
    ),
    form(
        "python",
        r"(?:[A-Za-z]:)?[^\s:]{0,200}python[\d.]*(?:\.exe)?: (?P<message>(?:No module named \S+"
        r"|can't (?:open|find)|No code object|Error while finding|unknown option).*)$",
    ),
    form(
        "tool:postgresql",
        r"(?:[\w./-]{0,100}/)?(?:postgres|pg_\w{1,30}|initdb|createdb|dropdb|vacuumdb): "
        r"(?:error: |fatal: |FATAL:  ?)?(?P<message>(?:could not|cannot|connection to|role|database"
        r"|directory|no |invalid|another|server|aborting|lock file|query failed|input file).*)$",
    ),
)  # fmt: skip
_TEX = re.compile(
    r"(?:! |[^\s:]{1,200}\.(?:tex|sty|cls|ltx|dtx):(?P<line>\d{1,6}): )(?P<message>\S.*)$",
    re.DOTALL,
)
_TEX_PLACE = re.compile(r"l\.(?P<line>\d{1,6})(?: |$)")
_TEX_STOPPED = re.compile(r"(?:Emergency stop|==> Fatal error occurred| ==>)")
_TEX_NAMED = re.compile(
    r"(?:(?:La|pdf|Xe|Lua)?TeX\w? |Package |Class |Undefined control|Missing |Runaway|Too many \})"
)
_TEX_LOOK = 12
_LAUNCHER = re.compile(r"Error: (?:Could not create the Java Virtual|A fatal exception has occ)")
_WHY = re.compile(r"(?:Error: )?(?P<message>[A-Z]\S*(?: \S+){1,40})\s*$")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`."""
    head = stream.head(at)
    if _LAUNCHER.match(head):
        return _parse_launcher(stream, at)
    tex = _TEX.match(head)
    if tex:
        return _parse_tex(stream, at, tex)
    return parse_forms(_FORMS, stream, at)


def _parse_tex(stream: Stream, at: int, found: re.Match[str]) -> Parsed | None:
    """TeX: the message in one or more lines, below it the line of the source."""
    text, position = Text(), at + 1
    text.add(at, found.start("message"), stream.texts[at][found.start("message") :])
    place = None
    while position < at + _TEX_LOOK and place is None:
        head = stream.head(position)
        place = _TEX_PLACE.match(head)
        if place is None and (_TEX.match(head) or position >= len(stream)):
            break
        position += 1
    named = _TEX_NAMED.match(found.group("message")) is not None
    stopped = _TEX_STOPPED.match(found.group("message")) is not None
    if place is None and not (found.group("line") or stopped or named):
        return None
    draft = Draft("tool:tex", None, text, at, max(at, position - 1))
    draft.severity, draft.role = "fatal" if stopped else "error", Role.SYMPTOM if stopped else None
    return Parsed([draft], max(at + 1, position))


def _parse_launcher(stream: Stream, at: int) -> Parsed:
    """Java's launcher says that it ends, below a line that says why."""
    drafts: list[Draft] = []
    why = _WHY.match(stream.head(at - 1)) if at > stream.consumed else None
    if why:
        text = Text()
        text.add(at - 1, why.start("message"), why.group("message"))
        drafts.append(Draft("java", None, text, at - 1, at - 1))
    text, begin = Text(), len("Error: ")
    text.add(at, begin, stream.texts[at][begin:])
    end = at + 1
    while _LAUNCHER.match(stream.head(end)):
        end += 1
    drafts.append(Draft("java", None, text, at, end - 1, role=Role.SYMPTOM))
    return Parsed(drafts, end)
