"""TypeScript's diagnostics, as its compiler, editors, bundlers and other runtimes print them;
and what bundlers and linters of JavaScript say.

A diagnostic is a code, a message and perhaps a place. Printers order them differently: place,
level and code first (`a.ts(3,5): error TS2304: …`, `a.ts:3:5 - error TS2304: …`), the code first
(`TS2304 [ERROR]: …`), or the code behind the message (`….ts(2304)`).
"""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Shifted, Stream, Text, without_project
from errdex.matching.events.forms import form, parse_forms
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "TS1", "TS2", "TS4", "TS5", "TS6", "TS7", "TS8", "TS9", "ts(", "typescript(", "ERROR in ",
    "[ERROR] ", "Module not found", "Module build failed", "  error  ", "[!] ", ". [", "? [",
    "Type error: ", "ERROR(", "WARNING(",
)  # fmt: skip

_PATH = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\n:]{1,300}?)"
_POSITION = (
    r"(?:\((?P<line1>\d{1,7}),\d{1,6}\)|:(?P<line2>\d{1,7}):\d{1,6}"
    r"|:\((?P<line3>\d{1,7}), ?\d{1,6}\))"
)
_LEVEL = r"(?P<level>(?:(?:semantic|syntax|syntactic|global|options) )?[Ee]rror|[Ww]arning|ERROR)"
_CODE = r"\(?(?P<code>TS\d{4,5})\)?"
_MARK = r"\s*(?:[✘✖×⨯X>*-] )?(?:(?:ERROR in |Error: ?|ERROR: |\[[\w-]{1,30}\]:? )\s*){0,3}"
_PLACED = re.compile(
    _MARK
    + _PATH
    + _POSITION
    + r"(?:: ?| - |:? ){1,2}(?:"
    + _LEVEL
    + r"(?: - |:)? ?)?"
    + _CODE
    + r"(?:\s*\[(?:ERROR|WARNING)\])?: ?(?P<message>\S.*)$",
    re.DOTALL,
)
_PLACE_LEVEL = re.compile(
    r"(?:Error:)?\((?P<line1>\d{1,7}), ?\d{1,6}\):? " + _CODE + r": ?(?P<message>\S.*)$", re.DOTALL
)
_CODED = re.compile(
    _MARK
    + r"(?:(?:\(!\) )?\(?[Pp]lugin [\w-]{1,40}\)?:? (?:@?[\w/-]{1,60}:? )?)?"
    + r"(?:"
    + _LEVEL
    + r":? )?"
    + _CODE
    + r"(?:\s*\[(?P<level2>ERROR|WARNING)\])?: ?(?P<message>\S.*)$",
    re.DOTALL,
)
_BEHIND = re.compile(
    r"\s*(?P<message>\S[^\n]*?)\s?(?:\b(?:deno-)?ts|typescript|ts-plugin)\((?P<number>\d{4,5})\)"
    r"(?: ?\[Ln \d+, Col \d+\])?\s*$"
)
_CHECKED = re.compile(
    r"\s*(?:(?P<level>ERROR|WARNING)\([\w -]{1,30}\) {1,4}|Type error: )(?P<message>\S.*)$",
    re.DOTALL,
)
"""As Next.js and Vite's checkers print a diagnostic, without its code and with the place on the
line above or below."""
_PLACE_BELOW = re.compile(
    r"\s*(?:FILE +)?(?P<file>(?:[A-Za-z]:[\\/])?[^\s:]{1,300}):(?: ?\()?"
    r"(?P<line1>\d{1,7}):\d{1,6}\)?\s*$"
)
_BRACKETED = re.compile(r"\s*(?P<message>\S[^\n]*[.?]) \[(?P<number>[1-9]\d{3,4})\]\s*$")
_PLACE_ABOVE = re.compile(
    r"(?:ERROR in )?(?:\[[\w-]{1,30}\] )?"
    + _PATH
    + r"(?:\((?P<line1>\d{1,7}),\d{1,6}\)|:(?P<line2>\d{1,7}):\d{1,6})\s*$"
)
_TAG = re.compile(r"\[[\w./@ -]{1,40}\]:? (?=\S)")
"""The name of a process of several, which each line of its output begins with."""
_FURTHER = re.compile(r"\s{2,}\S")
_SOURCE = re.compile(r"\s*(?:> )?\d{1,7}(?:\s*[|│]|\s).*|\s*[|│]?\s*[~^]+\s*$|\s*\d{1,7}\s*$")
_EXCERPT = re.compile(r"\s*(?:> )?\d{1,7}\s*[|│]|\s*[|│]|\s*[~^]+\s*$")
_MAX_TAIL, _MAX_HOVER = 120, 30

_FORMS = (
    form("node", r"(?:✘|X|x) \[ERROR\] (?P<message>\S.*)$", quoted=re.compile(r"\s*$|\s{4,}\S.*")),
    form("node", r"(?:Error: )?(?P<message>Module not found: .*)$"),
    form("node", r"(?P<message>Module build failed.*)$", role=Role.SYMPTOM),
    form(
        "node",
        r"\s+(?P<line>\d{1,6}):\d{1,5}\s+(?P<level>error)\s+(?P<message>\S[^\n]*?)(?:\s{2,}"
        r"(?P<code>[@\w/-]+))?\s*$",
    ),
    form("node", r"\[!\] (?:\([^)\n]*\) )?(?:(?P<class>\w*Error): )?(?P<message>\S.*)$"),
)


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`."""
    head = stream.head(at)
    if "TS" in head or "ts(" in head or "typescript(" in head or head.rstrip().endswith("]"):
        tag = _TAG.match(head)
        if tag and stream.head(at + 1).startswith(tag.group()):
            shifted = Shifted(stream, at, tag.group(), _MAX_TAIL)
            parsed = _parse_diagnostic(shifted, 0, shifted.head(0))
            return shifted.back(parsed) if parsed else None
        parsed = _parse_diagnostic(stream, at, head)
        if parsed:
            return parsed
    checked = _CHECKED.match(head)
    if checked:
        return _parse_checked(stream, at, checked)
    if head.startswith("ERROR in "):
        return Parsed([], at + 1)
    return parse_forms(_FORMS, stream, at)


def read_within(stream: Stream, outer: Draft, at: int, parsed: Parsed) -> None:
    """Read the diagnostics in the lines of ts-node's error, from position `at` on: each is an
    error of its own, and ts-node's only reports that there are some."""
    while at < parsed.end:
        inner = parse(stream, at)
        if inner and inner.drafts:
            parsed.drafts.extend(inner.drafts)
            parsed.quoted.extend(inner.quoted)
        at = max(at + 1, inner.end if inner else 0)
    if len(parsed.drafts) > 1:
        outer.message.cut()
        outer.role = Role.SYMPTOM


def _parse_diagnostic(stream: Stream, at: int, head: str) -> Parsed | None:
    for regex in (_PLACED, _PLACE_LEVEL, _CODED, _BEHIND, _BRACKETED):
        found = regex.match(head)
        if found:
            break
    else:
        return None
    if regex is _BEHIND and head[:1].isspace():
        return _parse_hover(stream, at, found)
    groups = found.groupdict()
    start = found.start("message")
    text = Text()
    whole = groups.get("number") is None
    said = stream.texts[at][start:] if whole else found.group("message")
    text.add(at, start, without_project(said))
    code = groups.get("code") or f"TS{groups['number']}"
    draft = Draft("typescript", None, text, at, at, code=code)
    level = (groups.get("level") or groups.get("level2") or "").lower()
    if "warn" in level:
        draft.severity, draft.role = "warning", Role.ALONE
    _read_place(stream, at, groups, draft)
    parsed = Parsed([draft], at + 1)
    _read_tail(stream, at, draft, parsed)
    return parsed


def _parse_hover(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    """An editor's message with what explains it: the code stands behind the last line."""
    begin = at
    while (
        begin > max(stream.consumed, at - _MAX_HOVER)
        and stream.head(begin)[:1].isspace()
        and stream.head(begin - 1).strip()
    ):
        begin -= 1
    text = Text()
    for position in range(begin, at):
        text.add(position, 0, stream.texts[position].rstrip())
    start = found.start("message") if begin == at else 0
    text.add(at, start, stream.head(at)[start : found.end("message")])
    draft = Draft("typescript", None, text, begin, at, code=f"TS{found.group('number')}")
    return Parsed([draft], at + 1)


def _parse_checked(stream: Stream, at: int, found: re.Match[str]) -> Parsed | None:
    """A diagnostic without its code, whose place stands on the line above or below."""
    above = _PLACE_ABOVE.match(stream.head(at - 1)) if at > stream.consumed else None
    below = _PLACE_BELOW.match(stream.head(at + 1))
    if above is None and below is None:
        return None
    text = Text()
    text.add(at, found.start("message"), stream.texts[at][found.start("message") :])
    draft = Draft("typescript", None, text, at, at)
    if found.group("level") == "WARNING":
        draft.severity, draft.role = "warning", Role.ALONE
    parsed = Parsed([draft], at + 1)
    if below:
        draft.frames.append(Frame(below.group("file"), int(below.group("line1"))))
        draft.last, parsed.end = at + 1, at + 2
        return parsed
    _read_place(stream, at, {}, draft)
    _read_tail(stream, at, draft, parsed)
    return parsed


def _read_place(stream: Stream, at: int, groups: dict[str, str | None], draft: Draft) -> None:
    """The place on the line, or on the line above, as bundlers write it."""
    if not groups.get("file") and at > stream.consumed:
        above = _PLACE_ABOVE.match(stream.head(at - 1))
        groups = above.groupdict() if above else groups
        draft.first = at - 1 if above else at
    line = next((groups[key] for key in ("line1", "line2", "line3") if groups.get(key)), None)
    file = groups.get("file")
    if file:
        draft.frames.append(Frame(file, int(line) if line else None))


def _read_tail(stream: Stream, at: int, draft: Draft, parsed: Parsed) -> None:
    """The indented lines below: first those that explain the message, each further in; then
    the source, and what is related to it, which are not matched."""
    position = last = at + 1
    explains = True
    while position < len(stream) and position < at + _MAX_TAIL:
        head = stream.head(position)
        blank = not head.strip()
        excerpt = _SOURCE.match(head) if not explains else _EXCERPT.match(head)
        if blank or excerpt or (not explains and re.match(r"\d{1,7} |\s", head)):
            explains = False
        elif not (explains and _FURTHER.match(head)) or stream.interrupts(position, at):
            break
        if explains and _PLACED.match(head):
            break
        if explains:
            draft.message.add(position, 0, stream.texts[position].rstrip())
        elif not blank:
            if _PLACED.match(head) or _CODED.match(head):
                break
            parsed.quoted.append(position)
        position += 1
        last = last if blank else position
    parsed.end = max(at + 1, last)
    draft.last = parsed.end - 1
