"""Errors of Node.js and browsers: message, `at` frames, properties, `[cause]`."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.events.languages import typescript
from errdex.matching.events.messages import frame_ahead
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "    at ", "\nat ", "rror: ", "rror [", "Uncaught ", "[cause]: ", "UnhandledPromise", "@http",
    "\tat ", "xception: ", "@file:",
)  # fmt: skip

_PLACE = (
    r"(?P<file>(?:file://|node:|https?://|webpack(?:-internal)?://|internal/|evalmachine"
    r"|[A-Za-z]:[\\/]|[/.~@\w<([])"
    r"[^\n()]{0,400}?):(?P<line>\d{1,9}):(?P<column>\d{1,9})"
)
FRAME = re.compile(
    r"\s*(?:at|\u276f) (?:async )?(?:(?P<function>[^\n(]{1,200}?) \((?:eval at [^\n()]{1,200} \()?"
    + _PLACE
    + r"\)(?:, <anonymous>:\d+:\d+\))?"
    r"|"
    + _PLACE.replace("(?P<file>", "(?P<file2>")
    .replace("(?P<line>", "(?P<line2>")
    .replace("(?P<column>", "(?P<column2>")
    + r"|[^\n(]{1,200} \((?:<anonymous>|native|index \d+|wasm[^\n)]{0,100})\)"
    r"|<anonymous>)(?:(?P<open> \{)|,)?\s*$"
)
_FIREFOX = re.compile(
    r"(?P<function>[\w$.</*\[\]]{0,120})@(?P<file>(?:https?|file"
    r"|webpack)[^\s]{1,400}?):(?P<line>\d{1,9}):\d{1,9}\s*$"
)
_CONSOLE = r"(?:[\w.()-]{1,80}:\d{1,7}(?::\d{1,6})? )?"
"""The place of a line, which a browser's console shows in front of it."""
_HEADER = re.compile(
    r"\s*+(?:[⨯✖✗] |\[!\] (?:\(plugin [^()\n]{1,60}\) )?)?"
    + _CONSOLE
    + r"(?:Uncaught (?:\(in promise\):? )?"
    r"|\[UnhandledPromiseRejection: "
    r"|\(node:\d+\) UnhandledPromiseRejectionWarning: "
    r"|Unhandled (?:promise )?[Rr]ejection:? |ERROR:? +|error: |\[cause\]: "
    r"|(?P<prefix>(?!(?:[A-Z][\w$.]{0,100})?(?:Error|Exception)[: ])[^\n:]{1,60}: )?)?"
    r"(?P<class>[A-Z][\w$]{0,60} (?:Violation|Error|Exception|Failure)"
    r"|[A-Z][\w$.]{0,100}(?:Error|Exception|Warning)?)"
    r"(?: \[(?:(?P<code>[A-Z][A-Z0-9_]{2,60})|[A-Z]\w{2,80})\])?(?:: (?P<message>.*)|\s*)$",
    re.DOTALL,
)
_LOGGED = re.compile(
    r"[^\n]{1,300}?[\s(](?P<class>(?:[A-Z][\w$.]{0,100})?(?:Error|Exception))"
    r"(?: \[(?P<code>[A-Z][A-Z0-9_]{2,60})\])?: (?P<message>.*)$",
    re.DOTALL,
)
"""An error that a program logged behind words of its own; frames follow at once."""
_ERROR_NAME = re.compile(r".*(?:Error|Exception|Rejection|Violation|Failure)$")
_UNCAUGHT = re.compile(
    _CONSOLE + r"Uncaught (?:\(in promise\):? )?(?P<class>[A-Z][\w$.]{0,100}): (?P<message>\S.*)$",
    re.DOTALL,
)
_LOWER = re.compile(
    r"\s*(?:error: |[⨯✖✗] (?:Error: )?|\[(?:plugin )?[a-z@][\w@/.:-]{0,60}\]:? )(?=\S)"
)
"""What stands for a class where there is none: `error: …` of pg, `[vite]: …`, Next.js' cross."""
_CODE = re.compile(r"\s*code: '(?P<code>[\w-]{1,80})',?")
_PROPERTY = re.compile(r"\s+[A-Za-z_]\w{0,40}: \S")
_MOST_PROPERTIES = 20
_CAUSE = re.compile(
    r"\s*\[?cause\]?: (?P<class>[A-Z][\w$.]{0,100})(?: \[[A-Z0-9_]+\])?: (?P<message>.*)$",
    re.DOTALL,
)
_BARE = re.compile(
    r"\s*(?:Uncaught )?\[(?P<class>(?:[A-Z][\w$.]{0,100})?(?:Error|Exception|Rejection))"
    r"(?: \[(?P<code>[A-Z][A-Z0-9_]{2,60})\])?: (?P<message>[^\n]{0,1900})\](?: \{|,)?\s*$"
)
"""An error without a stack."""
_GATHERED = re.compile(r"\s*\[errors\]: \[\s*$")
_MEMBER = re.compile(
    r"\s*(?P<class>(?:[A-Z][\w$.]{0,100})?(?:Error|Exception))(?: \[(?P<code>[A-Z0-9_]{2,60})\])?"
    r"(?:: (?P<message>.*))?$",
    re.DOTALL,
)
_CLOSED = re.compile(r"\s*\},?\s*$")
_CARET = re.compile(r"\s*\^+\s*$")
_SOURCE_PLACE = re.compile(
    r"(?P<file>(?:file://|node:|/|\.|[A-Za-z]:\\)[^\n:]{1,400}):(?P<line>\d{1,9})$"
)
_SYNTAX = re.compile(
    r"(?P<class>SyntaxError|ReferenceError|TypeError|Error): (?P<message>.+)$", re.DOTALL
)
_ELIDED = re.compile(r"\s*\.\.\. \d+ lines matching cause stack trace")
_SOURCE_LINE = re.compile(r"\s*+(?:[}\])]|>?\s*+\d{1,7} ?[|│]|[\^~]+\s*$|at )")
_EXCERPT = re.compile(r"\s*+(?:>\s*+)?\d{1,7} ?[|\u2502] ")
"""The first line of source that a tool shows below a message."""
_ELABORATION = re.compile(rf"\s+[A-Z]\w{{1,20}}: \S|{_EXCERPT.pattern}")
"""What a bundler adds to a message: `Plugin: …`, `File: …`, the source."""
_LOOK = 40
_FEW = 8
"""Lines of a message that begins with no class."""
_MODULE = re.compile(
    r"node_modules[/\\](?:\.pnpm[/\\][^/\\]+[/\\]node_modules[/\\])?((?:@[\w.-]+[/\\])?[\w.-]+)"
)
_EMITTED = re.compile(r"Emitted '[^'\n]{1,80}' event (?:on|at)\b")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the error that line `at` begins or whose first frame it is."""
    head = stream.head(at)
    if is_frame(head):
        begin = _header_before(stream, at)
        if begin is not None:
            return _read(stream, begin)
        return _unnamed(stream, at) or _line_above(stream, at) or _headless(stream, at)
    bare = _BARE.match(head)
    if bare:
        return _read_bare(stream, at, bare)
    header = _header(stream, at)
    if header and (header.group("message") is not None or header.group("class")):
        named = _ERROR_NAME.match(header.group("class")) is not None
        if named and _frame_ahead(stream, at):
            return _read(stream, at)
    if _LOWER.match(head) and is_frame(stream.head(at + 1)):
        return _unnamed(stream, at + 1)
    uncaught = _UNCAUGHT.match(head)
    if uncaught:
        message = Text()
        message.add(at, uncaught.start("message"), stream.texts[at][uncaught.start("message") :])
        return Parsed([Draft("node", uncaught.group("class"), message, at, at)], at + 1)
    return None


def is_frame(head: str) -> bool:
    """Whether a line is a frame of a stack."""
    return (
        (("at " in head or "\u276f " in head) and FRAME.match(head) is not None)
        or ("@" in head and _FIREFOX.match(head) is not None)
        or ("... " in head and _ELIDED.match(head) is not None)
    )


def is_error(head: str) -> bool:
    """Whether a line names an error's class."""
    header = _HEADER.match(head)
    return header is not None and _ERROR_NAME.match(header.group("class")) is not None


def _header(stream: Stream, at: int) -> re.Match[str] | None:
    """The class and message that a line names: at its begin, or anywhere right above frames."""
    head = stream.head(at)
    header = _HEADER.match(head)
    if header is not None and _ERROR_NAME.match(header.group("class")):
        return header
    logged = _LOGGED.match(head) if "rror" in head or "xception" in head else None
    return logged if logged and is_frame(stream.head(at + 1)) else header


def _header_before(stream: Stream, at: int) -> int | None:
    nearest: int | None = None
    for position in range(at - 1, max(stream.consumed, at - _LOOK) - 1, -1):
        head = stream.head(position)
        if is_frame(head):
            break
        header = _header(stream, position)
        if header and (
            header.group("message") is not None or _ERROR_NAME.match(header.group("class"))
        ):
            if _ERROR_NAME.match(header.group("class")):
                return position
            if head[:1].isspace() and stream.head(position - 1).strip():
                continue  # `  File: …`, a value below the head of the error
            nearest = position if nearest is None else nearest
        if stream.kind(position) > stream.kind(at):
            break
    return nearest


def _frame_ahead(stream: Stream, at: int) -> bool:
    return frame_ahead(stream, at, _LOOK, is_frame, "node")


def _unnamed(stream: Stream, at: int) -> Parsed | None:
    """Frames below a message that begins with no class, but with `error: ` or a plugin's name."""
    for begin in range(at - 1, max(stream.consumed, at - _FEW) - 1, -1):
        head = stream.head(begin)
        if not head.strip() or stream.kind(begin) > stream.kind(at):
            return None
        found = _LOWER.match(head)
        if found:
            draft = Draft("node", None, Text(), begin, begin)
            draft.message.add(begin, found.end(), stream.texts[begin][found.end() :])
            for position in range(begin + 1, at):
                if _ELABORATION.match(stream.head(position)):
                    break
                draft.message.add(position, 0, stream.texts[position].rstrip())
            end = frames_at(stream, at, draft)
            parsed = Parsed([draft], end)
            parsed.end = _properties(stream, end, draft, parsed)
            for each in parsed.drafts:
                each.frames.reverse()
            return parsed
    return None


def _line_above(stream: Stream, at: int) -> Parsed | None:
    """Frames below lines that name no class: those right above them are the message."""
    begin = at
    while begin > max(stream.consumed, at - _FEW):
        head = stream.head(begin - 1)
        if (
            not head.strip()
            or head.rstrip().endswith(":")
            or stream.kind(begin - 1) > stream.kind(at)
        ):
            break
        begin -= 1
    within = begin > 0 and begin == stream.consumed  # below an error's line: what explains it
    if within and all(stream.head(each)[:1].isspace() for each in range(begin, at)):
        return None
    if begin == at or is_frame(stream.head(at - 1)) or _SOURCE_LINE.match(stream.head(begin)):
        return None
    draft = Draft("node", None, Text(), begin, begin)
    for position in range(begin, at):
        line = stream.texts[position]
        column = len(line) - len(line.lstrip()) if position == begin else 0
        draft.message.add(position, column, line[column:].rstrip())
    parsed = Parsed([draft], frames_at(stream, at, draft))
    parsed.end = _properties(stream, parsed.end, draft, parsed)
    for each in parsed.drafts:
        each.frames.reverse()
    return parsed


def _headless(stream: Stream, at: int) -> Parsed | None:
    """Frames whose message was cut off."""
    if at + 1 < len(stream) and not is_frame(stream.head(at + 1)):
        return None
    draft = Draft("node", None, Text([], [(0, at, 0)]), at, at)
    end = frames_at(stream, at, draft)
    draft.last = end - 1
    draft.frames.reverse()
    return Parsed([draft], end)


def _read(stream: Stream, begin: int) -> Parsed:
    head = stream.head(begin)
    header = _header(stream, begin)
    if header is None:
        raise AssertionError("asked only for lines that have a header")
    column = header.start("message") if header.group("message") is not None else len(head)
    draft = Draft("node", header.group("class"), Text(), begin, begin, code=header.group("code"))
    draft.message.add(begin, column, stream.texts[begin][column:])
    at = begin + 1
    excerpt: list[int] = []
    while at < len(stream) and not is_frame(stream.head(at)) and at < begin + _LOOK:
        if excerpt or _EXCERPT.match(stream.head(at)):
            excerpt.append(at)
        else:
            draft.message.add(at, 0, stream.texts[at].rstrip())
        at += 1
    quoted = [*_quoted_before(stream, begin, draft), *excerpt]
    parsed = Parsed([draft], at, quoted)
    if draft.error_class == "TSError":
        typescript.read_within(stream, draft, begin + 1, parsed)
    at = frames_at(stream, at, draft)
    parsed.end = _properties(stream, at, draft, parsed)
    for each in parsed.drafts:
        each.frames.reverse()
    return parsed


def _read_bare(stream: Stream, at: int, bare: re.Match[str]) -> Parsed:
    draft = _opened(stream, at, bare)
    parsed = Parsed([draft], at + 1, _quoted_before(stream, at, draft))
    parsed.end = _properties(stream, at + 1, draft, parsed)
    for each in parsed.drafts:
        each.frames.reverse()
    return parsed


def _opened(stream: Stream, at: int, found: re.Match[str]) -> Draft:
    draft = Draft("node", found.group("class"), Text(), at, at, code=found.group("code"))
    message = found.group("message")
    column = len(stream.head(at)) if message is None else found.start("message")
    draft.message.add(at, column, (message or "").rstrip())
    return draft


def _gathered(stream: Stream, at: int, outer: Draft, parsed: Parsed) -> int:
    """The errors that an AggregateError holds, from position `at` on; the position behind."""
    while at < len(stream):
        head = stream.head(at)
        found = _BARE.match(head) or _MEMBER.match(head)
        if found is None:
            return at
        draft = _opened(stream, at, found)
        draft.role = Role.MEMBER
        outer.cause = outer.cause or draft
        parsed.drafts.append(draft)
        at += 1
        begin = at
        while (
            at < min(len(stream), begin + _LOOK)
            and _frame_ahead(stream, at - 1)
            and not is_frame(stream.head(at))
        ):
            draft.message.add(at, 0, stream.texts[at].rstrip())
            at += 1
        at = frames_at(stream, at, draft)
        if stream.head(at - 1).rstrip().endswith("{"):
            while at < len(stream) and not _CLOSED.match(stream.head(at)):
                code = _CODE.match(stream.head(at))
                draft.code = draft.code or (code.group("code") if code else None)
                at += 1
            at += 1
    return at


def frames_at(stream: Stream, at: int, draft: Draft) -> int:
    """Add the frames at `at` to the draft, the innermost first; the position behind them."""
    while at < len(stream) and is_frame(stream.head(at)):
        head = stream.head(at)
        found = FRAME.match(head) or _FIREFOX.match(head)
        if found and len(draft.frames) < MAX_FRAMES:
            frame = _to_frame(found)
            if frame:
                draft.frames.append(frame)
        draft.last = at
        at += 1
    if _EMITTED.match(stream.head(at)):  # the same error again: who reported it
        at += 1
        while at < len(stream) and is_frame(stream.head(at)):
            at += 1
    return at


def _to_frame(found: re.Match[str]) -> Frame | None:
    groups = found.groupdict()
    path = groups.get("file") or groups.get("file2")
    if not path:
        return None
    line = groups.get("line") or groups.get("line2")
    function = groups.get("function")
    module = _MODULE.findall(path)
    package = (
        module[-1].replace("\\", "/") if module else ("node" if path.startswith("node:") else None)
    )
    return Frame(path.removeprefix("file://"), int(line or 0), function or None, package)


def _properties(stream: Stream, at: int, draft: Draft, parsed: Parsed) -> int:
    """`{ code: …, [cause]: … }` behind the last frame."""
    opened = stream.head(at - 1).rstrip().endswith("{") or _lists_properties(stream, at)
    start = at
    while opened and at < len(stream) and at < start + 400:
        head = stream.head(at)
        cause = _CAUSE.match(head)
        code = _CODE.match(head)
        if cause:
            inner = Draft("node", cause.group("class"), Text(), at, at)
            inner.message.add(
                at, cause.start("message"), stream.texts[at][cause.start("message") :]
            )
            draft.cause = inner
            parsed.drafts.append(inner)
            end = at + 1
            while end < len(stream) and end < at + _LOOK and not is_frame(stream.head(end)):
                if _CODE.match(stream.head(end)) or stream.head(end).strip() in ("}", "]"):
                    break
                inner.message.add(end, 0, stream.texts[end])
                end += 1
            at = frames_at(stream, end, inner)
            draft = inner
            continue
        if _GATHERED.match(head):
            at = _gathered(stream, at + 1, draft, parsed)
            continue
        if code:
            draft.code = draft.code or code.group("code")
        draft.last = at
        at += 1
        if head.rstrip() == "}":
            break
    parsed.drafts[0].last = at - 1
    return at


def _lists_properties(stream: Stream, at: int) -> bool:
    """Whether properties stand below the last frame, closed by a brace whose opening was cut."""
    position = at
    while position < at + _MOST_PROPERTIES and _PROPERTY.match(stream.head(position)):
        position += 1
    return position > at and stream.head(position).rstrip() == "}"


def _quoted_before(stream: Stream, begin: int, draft: Draft) -> list[int]:
    """The source line and caret that Node prints above the message."""
    for caret in range(begin - 1, max(-1, begin - 4), -1):
        if _CARET.match(stream.head(caret)) and caret >= 2:
            place = _SOURCE_PLACE.match(stream.head(caret - 2))
            if place:
                draft.first = caret - 2
                return [caret - 1, caret]
    return []
