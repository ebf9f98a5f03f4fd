"""Python's tracebacks: chained, cut, indented, of IPython, rich, faulthandler and pools.

Exception groups are in `python_groups`, pytest's own form in `pytest_output`.
"""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.events.languages.python.exception_groups import is_group_header, parse_group
from errdex.matching.events.languages.python.frames import (
    CLASS_LIKE,
    EXCEPTION,
    FILE,
    Stack,
    read_ipython_stack,
    read_stack,
)
from errdex.matching.events.languages.python.message_ends import (
    ends_with_line,
    source_above,
    voice,
    voices_above,
)
from errdex.matching.events.messages import STOP, gather
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "Traceback (most", "File \"", "Fatal Python error", "Windows fatal exception",
    "(most recent call first)", "Warning: ",
)  # fmt: skip

_HEADER = "Traceback (most recent call last)"
LINK = re.compile(
    r"\s*(?:\| )?(?P<how>The above exception was the direct cause of"
    r"|During handling of the above exception, another)"
)
"""The line between an exception and the one that was raised because of it."""
_CONTEXT = re.compile(r"\s*(?:\| )?During handling of the above")
_LOOK_UPS = frozenset({"AttributeError", "KeyError", "IndexError", "LookupError", "StopIteration"})
_SHALLOW = 2
"""Frames of a look-up's error, between the `try` and what it looked into."""
_QUOTED = re.compile(r"'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"")
_REMOTE = re.compile(r"[\w.]*_?RemoteTraceback: ?$")
_MAX_CHAIN = 1_000
_MAX_NESTED = 8
"""Errors inside the messages of others; deeper ones are errors of their own."""
_PARAGRAPHS = 40
"""Lines of a message behind its first blank one."""
_FATAL = re.compile(r"(?:Fatal Python error|Windows fatal exception): (?P<message>.+)")
_CALL_FIRST = re.compile(r"\s*(?:Current thread|Thread) 0x\w+.*\(most recent call first\):")
_IN_GROUP = re.compile(r"\s*\|\s{2,}File \"[^\"\n]{1,800}\", line \d")
"""A frame in an exception group whose head was cut off."""
_REMOTE_FRAMES = re.compile(r"ray::|.*(?:[:(]|\(pid=.*)$")
"""The message of an error whose remote frames follow at once."""
_WARNING = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,400}):(?P<line>\d{1,9}): (?P<class>\w{0,60}Warning): (?P<message>.*)"
)


_SQUASHED = re.compile(re.escape(_HEADER) + r":?\s{0,4}(?:File \"|<ipython-input)")
_SQUASHED_END = re.compile(
    r"(?P<class>(?:[a-z_]\w{0,60}\.){0,6}[A-Z][a-zA-Z]{0,60}(?:Error|Exception)): "
    r"(?P<message>\S[^\n]*)"
)
_SQUASHED_TAIL = 1_000
"""At the end of such a line, where its error is looked for."""


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the traceback, warning or crash that line `at` begins."""
    head = stream.head(at)
    text = stream.texts[at]
    column = text.find(_HEADER)
    if column >= 0 and _SQUASHED.match(text, column):
        squashed = _parse_squashed(stream, at)
        if squashed is not None:
            return squashed
    if column >= 0:
        if is_group_header(text, column):
            return parse_group(stream, at)
        return _parse_chain(stream, at, column)
    fatal = _FATAL.match(head)
    if fatal:
        return _parse_crash(stream, at, fatal)
    if _IN_GROUP.match(head):
        group = parse_group(stream, at)
        return group if group.drafts else None
    frame = FILE.match(head)
    if frame and frame.group("line"):
        return _parse_chain(stream, at, -1)
    warning = _WARNING.match(head)
    if warning:
        return _parse_warning(stream, at, warning)
    return None


def _parse_squashed(stream: Stream, at: int) -> Parsed | None:
    """A traceback whose line breaks were lost: the last error that its line names is its own."""
    text = stream.texts[at]
    begin, found = max(0, len(text) - _SQUASHED_TAIL), None
    while named := _SQUASHED_END.search(text, begin):
        found, begin = named, named.start("message")
    if found is None:
        return None
    message = Text()
    message.add(at, found.start("message"), found.group("message").rstrip())
    return Parsed([_draft(found.group("class"), message, at, at, [])], at + 1)


def _parse_chain(stream: Stream, at: int, column: int) -> Parsed | None:
    parsed = Parsed([], at)
    previous: Draft | None = None
    context = False
    while len(parsed.drafts) < _MAX_CHAIN:
        drafts = _parse_one(stream, at, column, parsed)
        if not drafts:
            break
        if previous and context and _is_fallback(previous, drafts[-1]):
            previous.handled = True
        else:
            drafts[0].cause = drafts[0].cause or previous
        parsed.drafts += drafts
        previous = drafts[-1]
        parsed.end = _read_paragraphs(stream, previous, parsed.end)
        following = _next_in_chain(stream, parsed.end)
        if following is None:
            break
        above, (at, column) = parsed.end, following
        context = any(_CONTEXT.match(stream.head(each)) for each in range(above, at))
    if not parsed.drafts:
        return None
    return parsed


def _is_fallback(looked_up: Draft, raised: Draft) -> bool:
    """Whether the first of two errors is a look-up that found nothing (`except KeyError:`), and
    the second one came from what was done instead: it was raised deeper than in that function,
    and does not name what was missing."""
    name = (looked_up.error_class or "").rpartition(".")[2]
    first, last = looked_up.frames[:1], raised.frames[-1:]
    if name not in _LOOK_UPS or len(looked_up.frames) > _SHALLOW or not first or not last:
        return False
    if (first[0].file, first[0].function) == (last[0].file, last[0].function):
        return False
    said = str(raised.message)
    missing = [quoted.strip("'\"") for quoted in _QUOTED.findall(str(looked_up.message))]
    return name not in said and not any(each and each in said for each in missing[-1:])


def _read_paragraphs(stream: Stream, draft: Draft, end: int) -> int:
    """Add what follows a blank line in the message of an error, where the sentence that links it
    to the next one shows that it goes on. Returns the position behind the message."""
    stop = min(end + _PARAGRAPHS, len(stream))
    link = next((at for at in range(end, stop) if LINK.match(stream.head(at))), None)
    said = range(end, link or end)
    if not any(stream.head(at).strip() for at in said):
        return end
    if any(stream.interrupts(at, draft.first) or STOP.match(stream.head(at)) for at in said):
        return end
    for at in said:
        draft.message.add(at, 0, stream.texts[at].rstrip())
    draft.last = said[-1]
    return said.stop


def _next_in_chain(stream: Stream, at: int) -> tuple[int, int] | None:
    """The next traceback, behind one of the sentences that link two."""
    linked = False
    for position in range(at, min(at + 8, len(stream))):
        head = stream.head(position)
        if LINK.match(head):
            linked = True
        elif _HEADER in head and linked:
            return position, head.find(_HEADER)
        elif linked and FILE.match(head):
            return position, -1
        elif head.strip() and not linked and head.strip() != '"""':
            return None
    return None


def _parse_one(stream: Stream, at: int, column: int, parsed: Parsed, depth: int = 0) -> list[Draft]:
    """One traceback of a chain, and those inside its message (pools' remote ones)."""
    head = stream.head(at)
    if column >= 0 and "Traceback" in head and re.match(r"[\w.]+\s{2,}Traceback", head):
        stack = read_ipython_stack(stream, at + 1)
        base = 0
    elif "─" in head or re.match(r"\s*\+-+ ?Traceback", head):
        return _parse_rich(stream, at, parsed, depth)
    else:
        base = _base(head, column)
        start = at if column < 0 else at + 1
        stack = read_stack(stream, start, base)
        if column < 0 and not stack.frames:
            return []
    parsed.quoted += stack.quoted
    return _with_exception(stream, at, stack, base, parsed, depth)


def _base(head: str, column: int) -> int:
    if column < 0:
        return max(0, len(head) - len(head.lstrip()) - 2)
    return column if not head[:column].strip(" \t|") else 0


def _with_exception(
    stream: Stream, first: int, stack: Stack, base: int, parsed: Parsed, depth: int = 0
) -> list[Draft]:
    at = stack.end
    while at < len(stream) and not stream.head(at).strip() and at < stack.end + 2:
        at += 1
    head = stream.head(at)
    indent = len(head) - len(head.lstrip())
    found = EXCEPTION.match(head, indent)
    if (
        at >= len(stream)
        or not found
        or (indent > base + 1 and not CLASS_LIKE.match(head[indent:]))
    ):
        if not stack.frames:
            return []
        parsed.end = max(stack.end, first + 1)
        return [_draft(None, Text([], [(0, first, 0)]), first, parsed.end - 1, stack.frames)]
    name = found.group("class")
    if _REMOTE.match(head[indent:]) and stack.frames == []:
        return []
    remote = depth < _MAX_NESTED and FILE.match(stream.head(at + 1)) is not None
    if remote and _REMOTE_FRAMES.match(head, found.end()):
        return _with_nested(stream, first, at, found, stack, parsed, depth + 1)
    message, end, notes = _read_message(stream, first, at, found, stack)
    parsed.end = end
    draft = _draft(name, message, first, end - 1, stack.frames)
    draft.notes = notes
    inner = _nested_traceback(stream, end, message, parsed, depth)
    if inner:
        draft.cause = inner[-1]
        return [*inner, draft]
    return [draft]


def _read_message(
    stream: Stream, first: int, at: int, found: re.Match[str], stack: Stack
) -> tuple[Text, int, list[str]]:
    """The message of the exception at `at`, the position behind it, and the notes there.
    `first`: where the traceback begins."""
    column, head = found.end(), stream.head(at)
    if not stream.head(at + 1).strip():
        return *gather(stream, at, column), []
    voices = voices_above(stream, first)
    is_other = (lambda below: voice(below) in voices) if voices else None
    source = source_above(stream, at, stack.quoted)
    unsaid = ":" not in found.group("rest")
    if not unsaid and not ends_with_line(found.group("class"), head[column:], source):
        return *gather(stream, at, column, is_other), []
    message = Text()
    message.add(at, column, stream.texts[at][column:])
    _, end = gather(stream, at + 1, 0, is_other)
    if STOP.match(stream.head(at + 1)) or _next_in_chain(stream, end) is None:
        return message, at + 1, []
    return message, end, [stream.texts[position].strip() for position in range(at + 1, end)]


def _nested_traceback(
    stream: Stream, at: int, message: Text, parsed: Parsed, depth: int
) -> list[Draft]:
    """A traceback inside a message: "Process 0 terminated with the following error:"."""
    if depth >= _MAX_NESTED or at >= len(stream) or _HEADER not in stream.head(at):
        return []
    said = str(message).rstrip()
    original = stream.head(at).lstrip().startswith("Original Traceback")
    if not original and not said.endswith((":", '"""', "error")):
        return []
    return _parse_one(stream, at, stream.head(at).find(_HEADER), parsed, depth + 1)


def _with_nested(
    stream: Stream,
    first: int,
    at: int,
    found: re.Match[str],
    stack: Stack,
    parsed: Parsed,
    depth: int,
) -> list[Draft]:
    """Ray's form: the frames of the remote error right behind the outer one's message."""
    message = Text()
    message.add(at, found.end(), stream.texts[at][found.end() :])
    outer = _draft(found.group("class"), message, first, at, stack.frames)
    inner_stack = read_stack(stream, at + 1, 0)
    parsed.quoted += inner_stack.quoted
    inner = _with_exception(stream, at + 1, inner_stack, 0, parsed, depth)
    outer.cause = inner[-1] if inner else None
    return [*inner, outer]


def _draft(name: str | None, message: Text, first: int, last: int, frames: list[Frame]) -> Draft:
    return Draft("python", name, message, first, last, frames)


_RICH_PLACE = re.compile(
    r"\s*[│|] (?P<file>[^\n│|]{1,400}?):(?P<line>\d{1,9}) in (?P<function>[^\s│|]{1,200})\s*[│|]?"
)


def _parse_rich(stream: Stream, at: int, parsed: Parsed, depth: int) -> list[Draft]:
    """rich's box: places inside, the exception below it."""
    stack = Stack(end=at + 1)
    position = at + 1
    while position < len(stream) and position < at + 2_000:
        head = stream.head(position)
        found = _RICH_PLACE.match(head)
        if found:
            stack.frames.append(
                Frame(found.group("file"), int(found.group("line")), found.group("function"))
            )
        elif head.lstrip()[:1] in ("╰", "+"):
            stack.end = position + 1
            break
        elif head.lstrip()[:1] not in ("│", "|"):
            stack.end = position
            break
        else:
            stack.quoted.append(position)
        position += 1
    parsed.quoted += stack.quoted
    return _with_exception(stream, at, stack, 0, parsed, depth)


def _parse_crash(stream: Stream, at: int, fatal: re.Match[str]) -> Parsed:
    """faulthandler: the innermost frame first."""
    message = Text()
    message.add(at, fatal.start("message"), fatal.group("message"))
    frames: list[Frame] = []
    position = at + 1
    while position < len(stream) and position < at + 6 and not FILE.match(stream.head(position)):
        position += 1
    if FILE.match(stream.head(position)):
        stack = read_stack(stream, position, 0)
        frames, position = stack.frames[::-1], stack.end
    else:
        position = at + 1
    while position < len(stream) and (
        _CALL_FIRST.match(stream.head(position))
        or FILE.match(stream.head(position))
        or (not stream.head(position).strip() and _CALL_FIRST.match(stream.head(position + 1)))
    ):
        position += 1
    draft = _draft(None, message, at, position - 1, frames)
    draft.severity = "fatal"
    return Parsed([draft], position)


def _parse_warning(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    message = Text()
    message.add(at, found.start("message"), stream.texts[at][found.start("message") :])
    quoted = [at + 1] if stream.head(at + 1).startswith("  ") else []
    frame = Frame(found.group("file"), int(found.group("line")))
    draft = _draft(found.group("class"), message, at, at, [frame])
    draft.severity, draft.role = "warning", Role.ALONE
    return Parsed([draft], at + 1 + len(quoted), quoted)
