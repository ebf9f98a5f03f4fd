"""Rust: panics of old and new form with backtraces, errors with "Caused by", rustc and cargo."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import HEAD, MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.events.own_lines import is_own_line
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "panicked at",
    "error[E",
    "\nCaused by:",
    "has overflowed its stack",
    "panicked (crashed)",
    "error: ",
    "Error: ",
    "warning: ",
    " --> ",
)

_PANIC = re.compile(
    r"(?:(?P<before>[^\n]{0,200}?)thread '(?P<thread>[^'\n]{0,200})'(?: \(\d+\))? "
    r"|[^\n]{0,80}[Pp]anic[^\n]{0,40}: |)panicked at "
    r"(?P<rest>.*)$",
    re.DOTALL,
)
_OLD = re.compile(r"', (?P<file>(?:[A-Za-z]:[\\/])?[^\n':]{1,400}):(?P<line>\d{1,9})(?::\d{1,9})?$")
_MAX_OLD_LINES = 30
_NEW = re.compile(r"(?P<file>[^\n]{1,400}?):(?P<line>\d{1,9}):(?P<column>\d{1,9}):$")
_END = re.compile(r"note: run with|[Bb]acktrace:?|stack backtrace:|note: Some details|thread '")
_CRASHED = re.compile(r"\s*The application panicked \(crashed\)\.?\s*$")
_REPORTED = re.compile(r"(?:Message|Error): {1,4}(?P<message>\S.*)$", re.DOTALL)
_LOCATION = re.compile(
    r"\s*(?:Location:?|at:?)(?: +|\s*$)(?:(?P<file>[^\n]{1,400}?):(?P<line>\d{1,9})(?::\d+)?)?\s*$"
)
_HERE = re.compile(r"\s+(?P<file>[^\s:][^\n]{0,400}?):(?P<line>\d{1,9})(?::\d+)?\s*$")
_MAX_REPORT = 60
_OVERFLOW = re.compile(
    r"\s*thread '[^'\n]{0,200}'(?: \(\d+\))? (?P<message>has overflowed its stack)"
)
_FRAME = re.compile(r"\s{0,6}\d{1,4}: (?:0x[0-9a-f]+ - )?(?P<function>\S[^\n]{0,300})$")
_CRATE = re.compile(r"\b[A-Za-z_]\w*(?=::)")
_AT = re.compile(r"\s+at (?P<file>[^\n]{1,400}?):(?P<line>\d{1,9})(?::\d+)?\s*$")
_COMPILE = re.compile(
    r"(?P<level>error|warning)(?:\[(?P<code>[\w:.-]{1,60})\])?:(?:[`*_]{1,3})? (?P<message>.*)$",
    re.DOTALL,
)
_PLACE = re.compile(r"\s*(?:-->|:::|╭▸) (?P<file>[^\n]{1,400}?):(?P<line>\d{1,9}):\d{1,9}\s*$")
_GUTTER = re.compile(r"\s*(?:\d{1,7}\s)?\s*[|│]|\s*\d{1,7} [|│]|\s*\.\.\.|\s*= ?|\s*╰|\s*$")
_NOTE = re.compile(r"\s*(?:[=╰][ ─]{0,4})?(?:help|note): (?P<text>.+)$")
_CAUSED = re.compile(r"\s*Caused by:\s*$")
_CAUSE = re.compile(r"\s{2,8}(?:(?P<number>\d{1,3}): )?(?P<message>\S.*)$", re.DOTALL)
_ERROR = re.compile(r"(?:Error|error): (?P<message>\S.*)$", re.DOTALL)


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    panic = _PANIC.match(head)
    if panic:
        return _parse_panic(stream, at, panic)
    if _CRASHED.match(head):
        return _parse_report(stream, at)
    overflow = _OVERFLOW.match(head)
    if overflow:
        text = Text()
        text.add(at, overflow.start("message"), overflow.group("message"))
        return Parsed([Draft("rust", None, text, at, at, severity="fatal")], at + 1)
    compiled = _COMPILE.match(head)
    if compiled and (compiled.group("code") or _place_ahead(stream, at)):
        return _parse_compile(stream, at, compiled)
    error = _ERROR.match(head)
    if error and _caused_ahead(stream, at):
        return _parse_chain(stream, at, error)
    return None


def _parse_panic(stream: Stream, at: int, panic: re.Match[str]) -> Parsed:
    rest = panic.group("rest")
    start = panic.start("rest")
    text = Text()
    position = at + 1
    new = _NEW.match(rest)
    place = new
    if new is None:
        position, place = _old_message(stream, at, start, text)
    else:
        while position < len(stream) and position < at + 200:
            head = stream.head(position)
            if (
                _END.match(head)
                or stream.interrupts(position, at)
                or (not head.strip() and text.size)
                or (text.size and is_own_line(head, text.parts))
            ):
                break
            text.add(position, 0, stream.texts[position])
            position += 1
        if not text.pieces:
            text.add(at, len(stream.texts[at]), "")
    draft = Draft("rust", None, text, at, position - 1, severity="fatal")
    position = _backtrace(stream, position, draft)
    if place:
        frame = Frame(place.group("file"), int(place.group("line")), None, None)
        if not any(each.line == frame.line for each in draft.frames[-12:]):
            draft.frames.append(frame)
    draft.last = position - 1
    return Parsed([draft], position)


def _parse_report(stream: Stream, at: int) -> Parsed | None:
    """What a reporter of crashes prints: `Message:`, lines of it, `Location:` with the place."""
    found = _REPORTED.match(stream.head(at + 1).lstrip())
    if found is None:
        return None
    indent = len(stream.head(at + 1)) - len(stream.head(at + 1).lstrip())
    text, position = Text(), at + 2
    text.add(
        at + 1,
        indent + found.start("message"),
        stream.texts[at + 1][indent:][found.start("message") :],
    )
    draft = Draft("rust", None, text, at, at + 1, severity="fatal")
    while position < min(len(stream), at + _MAX_REPORT):
        head = stream.head(position)
        place = _LOCATION.match(head)
        if place:
            below = None if place.group("file") else _HERE.match(stream.head(position + 1))
            place = below or place
            position += 1 + (below is not None)
            if place.group("file"):
                draft.frames.append(Frame(place.group("file"), int(place.group("line"))))
            break
        if not head.strip() or stream.interrupts(position, at):
            break
        text.add(position, 0, stream.texts[position].rstrip())
        position += 1
    draft.last = position - 1
    return Parsed([draft], position)


def _old_message(
    stream: Stream, at: int, start: int, text: Text
) -> tuple[int, re.Match[str] | None]:
    """`'message', src/main.rs:3:5`, the message perhaps over several lines."""
    last = at
    while last < min(at + _MAX_OLD_LINES, len(stream)) - 1:
        if last > at and (stream.interrupts(last, at) or _PANIC.match(stream.head(last))):
            break
        if _OLD.search(stream.texts[last][-HEAD:]):
            break
        last += 1
    found = _OLD.search(stream.texts[last][-HEAD:])
    if found is None or last - at >= _MAX_OLD_LINES:
        text.add(at, start, stream.texts[at][start:].lstrip("'"))
        return at + 1, None
    for position in range(at, last + 1):
        line = stream.texts[position]
        end = max(0, len(line) - HEAD) + found.start() if position == last else len(line)
        column = start + 1 if position == at else 0
        if text.pieces or line[column:end].strip() or position == last:
            text.add(position, column, line[column:end])
    return last + 1, found


def _backtrace(stream: Stream, at: int, draft: Draft) -> int:
    """The notes and numbered frames behind a panic, the innermost first."""
    function: str | None = None
    frames: list[Frame] = []
    start = at
    while at < len(stream):
        head = stream.head(at)
        place = _AT.match(head)
        frame = _FRAME.match(head)
        if frame:
            if function:
                frames.append(Frame(None, None, function, _crate(function)))
            function = frame.group("function")
        elif place and function:
            frames.append(
                Frame(
                    place.group("file"),
                    int(place.group("line")),
                    function,
                    _crate(function),
                )
            )
            function = None
        elif not head.startswith(("note: ", "stack backtrace:", "             ")):
            if (
                at == start
                and not head.strip()
                and stream.head(at + 1).startswith("stack backtrace:")
            ):
                at += 1
                continue
            break
        at += 1
    if function:
        frames.append(Frame(None, None, function, _crate(function)))
    draft.frames = frames[:MAX_FRAMES][::-1]
    return at


def _crate(function: str) -> str | None:
    """The crate of a function: of `<T as Trait>::f` that of the type, where it has one, else
    the trait's."""
    found = _CRATE.search(function)
    return found.group() if found else None


def _place_ahead(stream: Stream, at: int) -> bool:
    for position in range(at + 1, at + 4):
        head = stream.head(position)
        if _COMPILE.match(head):
            return False
        if _PLACE.match(head):
            return True
    return False


def _parse_compile(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    text = Text()
    text.add(at, found.start("message"), stream.texts[at][found.start("message") :])
    draft = Draft(
        "rust", None, text, at, at, code=found.group("code"), severity=found.group("level")
    )
    draft.role = Role.ALONE if draft.severity == "warning" else None
    parsed = Parsed([draft], at + 1)
    position = at + 1
    while position < len(stream) and position < at + 200:
        head = stream.head(position)
        place = _PLACE.match(head)
        note = _NOTE.match(head)
        if place:
            if not draft.frames:
                draft.frames.append(Frame(place.group("file"), int(place.group("line"))))
        elif note:
            draft.notes.append(note.group("text"))
        elif not draft.frames and head.strip() and not _COMPILE.match(head):
            text.add(position, 0, stream.texts[position])
        elif head.strip() and _GUTTER.match(head):
            parsed.quoted.append(position)
        elif not head.strip() or not _GUTTER.match(head):
            break
        position += 1
    draft.last = position - 1
    parsed.end = position
    return parsed


def _caused_ahead(stream: Stream, at: int) -> bool:
    for position in range(at + 1, min(at + 12, len(stream))):
        if _CAUSED.match(stream.head(position)):
            return True
        if stream.interrupts(position, at) or _ERROR.match(stream.head(position)):
            return False
    return False


def _parse_chain(stream: Stream, at: int, error: re.Match[str]) -> Parsed:
    """anyhow's and cargo's "Caused by:", the outermost error first."""
    text = Text()
    text.add(at, error.start("message"), stream.texts[at][error.start("message") :])
    drafts = [Draft("rust", None, text, at, at)]
    position = at + 1
    caused = False
    while position < len(stream) and position < at + 300:
        head = stream.head(position)
        cause = _CAUSE.match(head)
        if _CAUSED.match(head):
            caused = True
        elif not caused:
            if head.strip():
                text.add(position, 0, stream.texts[position].rstrip())
        elif cause:
            new = cause.group("number") is not None or _CAUSED.match(stream.head(position - 1))
            start = cause.start("message")
            if new:
                inner = Draft("rust", None, Text(), position, position)
                drafts[-1].cause = inner
                drafts.append(inner)
            drafts[-1].message.add(position, start, stream.texts[position][start:])
            drafts[-1].last = position
        elif head.strip() or not _CAUSED.match(stream.head(position + 1)):
            break
        position += 1
    drafts[0].last = position - 1
    return Parsed(drafts, position)
