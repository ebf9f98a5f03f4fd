"""Stack traces of Java, Kotlin, Scala and Groovy, with causes and suppressed exceptions."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.events.messages import STOP
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "\tat ",
    "   at ",
    "\nat ",
    "Caused by: ",
    "xception",
    "rror: ",
    "Wrapped by: ",
    "FATAL EXCEPTION",
    "Java Runtime Environment",
    "APPLICATION FAILED TO START",
)

FRAME = re.compile(
    r"\s*(?:at |(?=[a-z]\w*\.[\w$.]+\())"
    r"(?P<call>[\w.$/<>@~+-]{1,400}(?:\[[^\]\n]{0,80}\])?)(?: \+ 0x[0-9a-f]+)?"
    r"\((?P<place>[\w$.-]{1,200}\."
    r"(?:java|kt|kts|scala"
    r"|groovy|clj)(?::-?\d{1,9})?|Native Method|Unknown Source|<generated>|SourceFile(?::\d{1,9})?"
    r"|Unknown Source:\d{1,9}|[A-Z]\w{0,80}:\d{1,9})\)"
)
_CLASS = (
    r"(?P<class>(?:[a-z_][\w$]{0,80}\.){1,14}[A-Z_$][\w$.]{0,160}"
    r"|[A-Z][\w$]{0,100}(?:Exception|Error|Throwable|Failure))"
)
_ANDROID = re.compile(r"FATAL EXCEPTION(?: IN SYSTEM PROCESS)?: ")
_PROCESS = re.compile(r"(?:Process: \S+, )?PID: \d+\s*$")
_HEADER = re.compile(
    r"\s*+(?:\[?Exception in thread \"[^\"\n]{0,200}\"\]? |Uncaught exception: "
    r"|(?:[\w .,:-]{1,80}: )??)?" + _CLASS + r"(?:: (?P<message>.*)|\((?P<values>.*)\)|:?\s*)$",
    re.DOTALL,
)
_NEXT = re.compile(
    r"(?P<indent>\s*)(?P<how>Caused by|Suppressed|Wrapped by): (?:\[CIRCULAR REFERENCE: ?)?"
    r"(?P<class>[\w.$]{1,300})"
    r"(?:: ?(?P<message>.*)|\s*)$",
    re.DOTALL,
)
_MORE = re.compile(
    r"\s*(?:\.\.\. \d+ (?:more|common frames omitted)|\(Coroutine boundary\)|\[CIRCULAR)"
)
_CRASH = re.compile(
    r"(?P<mark>#? {0,2})(?:A fatal error has been detected by the Java Runtime Environment"
    r"|(?P<memory>There is insufficient memory for the Java Runtime Environment))"
)
_CRASH_LINES, _FEW = 60, 5
_REPORT_LOOK = 6
_LOOK_BACK = 40
_MAX_CHAIN = 5_000

_REFRESH = re.compile(
    r"Exception encountered during context initialization - cancelling refresh attempt: "
    r"(?P<class>[\w$.]{1,300}): (?P<message>\S.*)$",
    re.DOTALL,
)
"""How Spring logs, as a warning, what stopped its start."""
_ANALYSED, _ANALYSIS = "APPLICATION FAILED TO START", 40
"""The heading of Spring's own analysis, and the lines in which it follows."""


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the trace that line `at` begins or whose first frame it is."""
    head = stream.head(at)
    if _ANDROID.match(head):
        return _parse_android(stream, at)
    if head.strip() == "APPLICATION FAILED TO START":
        return _parse_failed_start(stream, at)
    refresh = _REFRESH.match(head)
    if refresh:
        text = Text()
        text.add(at, refresh.start("message"), stream.texts[at][refresh.start("message") :])
        draft = Draft("java", refresh.group("class"), text, at, at)
        below = range(at + 1, min(at + _ANALYSIS, len(stream)))
        if any(stream.head(each).strip() == _ANALYSED for each in below):
            draft.severity = "warning"  # Spring says below what the error comes from
        return Parsed([draft], at + 1)
    crash = _CRASH.match(head)
    if crash:
        return _parse_crash(stream, at, crash)
    if FRAME.match(head):
        begin = _header_before(stream, at)
    elif _NEXT.match(head) or (_HEADER.match(head) and _frame_ahead(stream, at)):
        begin = at
    else:
        return None
    return _Trace(stream, begin, at).read()


def _parse_android(stream: Stream, at: int) -> Parsed | None:
    """Android's header of a crash: the thread, the process, then the exception."""
    begin = at + 1
    if _PROCESS.match(stream.head(begin)):
        begin += 1
    if _HEADER.match(stream.head(begin)) is None:
        return None
    parsed = _Trace(stream, begin, begin).read()
    for draft in parsed.drafts[:1] if parsed else ():
        draft.first, draft.severity = at, "fatal"
    return parsed


def _parse_failed_start(stream: Stream, at: int) -> Parsed | None:
    """Spring Boot's report: what failed stands below "Description:", up to "Action:"."""
    position = at + 1
    while position < at + _REPORT_LOOK and stream.head(position).strip() != "Description:":
        position += 1
    text, end = Text(), position + 1
    while end < min(len(stream), position + _CRASH_LINES):
        head = stream.head(end)
        if head.strip() == "Action:" or stream.interrupts(end, at):
            break
        if head.strip():
            text.add(end, len(head) - len(head.lstrip()), stream.texts[end].strip())
        end += 1
    if position == at + _REPORT_LOOK or not text.pieces:
        return None
    last = text.pieces[-1][1]
    return Parsed([Draft("java", None, text, at, last)], last + 1)


def _parse_crash(stream: Stream, at: int, crash: re.Match[str]) -> Parsed | None:
    """The virtual machine's own crash: behind `#`, what happened, then where."""
    begin = at
    if not crash.group("memory"):
        begin += 1
        while begin < at + _FEW and stream.head(begin).strip(" #") == "":
            begin += 1
    text, position = Text(), begin
    while stream.head(position).strip(" #"):
        line = stream.texts[position]
        column = len(line) - len(line.lstrip(" #"))
        text.add(position, column, line[column:].rstrip())
        position += 1
        if position > begin + _FEW:
            break
    if not text.pieces:
        return None
    mark = crash.group("mark").strip()
    while mark and position < at + _CRASH_LINES and stream.head(position).startswith(mark):
        position += 1
    return Parsed([Draft("java", None, text, at, position - 1, severity="fatal")], position)


def _header_before(stream: Stream, at: int) -> int:
    """The line of the class above the first frame; the frame itself when it was cut off."""
    for position in range(at - 1, max(stream.consumed, at - _LOOK_BACK) - 1, -1):
        head = stream.head(position)
        if _HEADER.match(head) or _NEXT.match(head):
            return position
        if not head.strip() or FRAME.match(head):
            break
    return at


def _frame_ahead(stream: Stream, at: int) -> bool:
    for position in range(at + 1, min(at + _LOOK_BACK, len(stream))):
        head = stream.head(position)
        if FRAME.match(head):
            return True
        if stream.interrupts(position, at):
            return False
    return False


class _Trace:
    def __init__(self, stream: Stream, begin: int, first_frame: int) -> None:
        self.stream = stream
        self.begin = begin
        self.first_frame = first_frame
        self.drafts: list[Draft] = []
        self.levels: list[tuple[int, Draft]] = []
        """The last throwable at each depth of indentation."""

    def read(self) -> Parsed | None:
        at = self._start()
        last = at - 1
        while at < len(self.stream) and len(self.drafts) < _MAX_CHAIN:
            if not self._take(at):
                break
            last = at
            at += 1
        for draft in self.drafts:
            draft.frames.reverse()
        return Parsed(self.drafts, max(last, self.begin) + 1) if self.drafts else None

    def _start(self) -> int:
        head = self.stream.head(self.begin)
        following = _NEXT.match(head)
        if following:
            return self.begin
        header = _HEADER.match(head)
        if header is None:
            self._open(self.begin, 0, None, len(head), "")
            return self.begin
        group = "message" if header.group("message") else "values"
        message = header.group(group) or ""
        column = header.start(group) if message else len(head)
        draft = self._open(self.begin, 0, header.group("class"), column, message)
        if group == "values" and message:
            draft.message.parts[-1] = draft.message.parts[-1].rstrip().removesuffix(")")
        return self.begin + 1

    def _open(self, at: int, indent: int, name: str | None, column: int, message: str) -> Draft:
        text = Text()
        whole = self.stream.texts[at]
        text.add(at, column, whole[column:] if message else "")
        draft = Draft("java", name, text, at, at)
        self.drafts.append(draft)
        while self.levels and self.levels[-1][0] >= indent:
            self.levels.pop()
        self.levels.append((indent, draft))
        return draft

    def _take(self, at: int) -> bool:
        head = self.stream.head(at)
        current = self.drafts[-1] if self.drafts else None
        frame = FRAME.match(head)
        if frame and current:
            current.last = at
            if len(current.frames) < MAX_FRAMES:
                current.frames.append(_to_frame(frame))
            return True
        if _MORE.match(head):
            return True
        following = _NEXT.match(head)
        if following:
            self._chain(at, following, current)
            return True
        if current is None or current.frames or current.error_class is None:
            return self._frame_soon(at) and self.stream.interrupts(at, self.begin)
        if self.stream.interrupts(at, self.begin) or STOP.match(head):
            return False
        if not head.strip() and not self._frame_soon(at):
            return False
        current.message.add(at, 0, self.stream.texts[at].rstrip())
        current.last = at
        return True

    def _chain(self, at: int, found: re.Match[str], current: Draft | None) -> None:
        indent = len(found.group("indent").expandtabs(8))
        parent = next((draft for depth, draft in reversed(self.levels) if depth <= indent), None)
        message = found.group("message") or ""
        column = found.start("message") if message else len(self.stream.head(at))
        draft = self._open(at, indent, found.group("class"), column, message)
        how = found.group("how")
        if how == "Suppressed":
            draft.role = Role.MEMBER
        elif how == "Wrapped by":
            draft.cause = current
        elif parent is not None:
            parent.cause = draft

    def _frame_soon(self, at: int) -> bool:
        return any(
            FRAME.match(self.stream.head(position)) or _NEXT.match(self.stream.head(position))
            for position in range(at + 1, min(at + 4, len(self.stream)))
        )


def _to_frame(found: re.Match[str]) -> Frame:
    call = found.group("call").rsplit("/", 1)[-1]
    file, _, line = found.group("place").partition(":")
    parts = call.split(".")
    package = ".".join(part for part in parts[:-2] if part[:1].islower()) or None
    number = int(line) if line.isdigit() else None
    return Frame(file if "." in file else None, number, call, package)
