""".NET exceptions: inner ones behind `--->`, whose frames come first, and those that were
gathered, each from `---> (Inner Exception #1)` to `<---`; its build's errors are in `compilers`."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.events.messages import STOP, frame_ahead
from errdex.matching.model import Frame, Role

TRIGGERS = (
    "   at ",
    "\nat ",
    "Unhandled exception. ",
    "Unhandled Exception: ",
    " ---> ",
    "xception: ",
    "xception (0x",
    "xception of type '",
    "xception\n",
)

FRAME = re.compile(
    r"\s*at (?P<call>[\w.`<>\[\],+|$&*-]{1,400}?)\((?P<args>[^()\n]{0,400})\)"
    r"(?: in (?P<file>[^\n]{1,400}?):line (?P<line>\d{1,9})| \[0x[^\n]{1,200}?)?(?:<---)*\s*$"
)
_CLASS = (
    r"(?P<class>(?:(?:[A-Z]\w{0,80}\.){1,10}Exception\b"
    r"|(?:[A-Z]\w{0,80}\.){0,10}[A-Z]\w{0,80}(?:Exception|Error|Failure|Fault))(?:`1)?)"
)
_HEADER = re.compile(
    r"\s*+(?:Unhandled [Ee]xception[.:] |fail: |crit: )?(?:[^\n]{0,200}?: )??"
    + _CLASS
    + r"(?: \((?:0x[0-9A-Fa-f]+|-?\d{1,10})\))?(?:: (?P<message>.*)|\s*)$",
    re.DOTALL,
)
_INNER = re.compile(
    r"\s*---> (?:\(Inner Exception #(?P<number>\d+)\) )?"
    + _CLASS
    + r"(?: \((?:0x[0-9A-Fa-f]+|-?\d{1,10})\))?(?:: (?P<message>.*)|\s*)$",
    re.DOTALL,
)
_END_INNER = re.compile(r"\s*--- End of inner ")
_PREVIOUS = re.compile(r"\s*--- End of stack trace from previous")
_CLOSED = re.compile(r"(?:<---)+\s*$")
_OF_TYPE = re.compile(
    r"(?:An unhandled|A first chance|An) exception of type '(?P<class>[\w.+`]{1,200})' occurred in "
    r"[^\n]{1,200}$"
)
"""What a debugger shows; the message stands below."""
_INNER_SHOWN = re.compile(r"Inner Exception \d{1,3}:\s*$")
_FIELD = re.compile(
    r"\s+(?P<key>HResult|Message|Source|StackTrace)(?:=|:$)(?P<value>.*)$", re.DOTALL
)
_NAMED = re.compile(_CLASS + r"(?:: (?P<message>.*))?\s*$", re.DOTALL)
_MOST_FIELDS = 60
_INFORMATION = re.compile(r"(?:Additional information: )?(?=\S)")
_LOOK = 40


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the exception that line `at` begins or whose first frame it is."""
    head = stream.head(at)
    shown = _OF_TYPE.match(head)
    if shown:
        return _parse_shown(stream, at, shown)
    if stream.head(at + 1).startswith("  HResult=") and _NAMED.match(head):
        return _parse_helper(stream, at)
    if FRAME.match(head):
        begin = _header_before(stream, at)
        if begin is None:
            return None
        return _Reading(stream, begin).read()
    if (_HEADER.match(head) or _INNER.match(head)) and (
        _frame_ahead(stream, at) or head.startswith("Unhandled exception. ")
    ):
        return _Reading(stream, at).read()
    return None


def _parse_shown(stream: Stream, at: int, found: re.Match[str]) -> Parsed:
    below = at + 1 if stream.head(at + 1).strip() else at + 2
    said = _INFORMATION.match(stream.head(below))
    text = Text()
    if said is None or _OF_TYPE.match(stream.head(below)):
        text.add(at, len(stream.texts[at]), "")
        below = at
    else:
        text.add(below, said.end(), stream.texts[below][said.end() :].rstrip())
    return Parsed([Draft("dotnet", found.group("class"), text, at, below)], below + 1)


def _parse_helper(stream: Stream, at: int) -> Parsed:
    """What Visual Studio copies of an exception: its fields, its stack, and the inner ones."""
    drafts: list[Draft] = []
    position = at
    while position < len(stream) and (named := _NAMED.match(stream.head(position))):
        text, said = Text(), named.group("message")
        if said is not None:
            text.add(position, named.start("message"), said.rstrip())
        draft = Draft("dotnet", named.group("class"), text, position, position)
        position += 1
        while position < min(len(stream), draft.first + _MOST_FIELDS):
            head = stream.head(position)
            field, frame = _FIELD.match(head), FRAME.match(head)
            if field and field.group("key") == "Message" and not text.pieces:
                text.add(position, field.start("value"), field.group("value").rstrip())
            elif frame and len(draft.frames) < MAX_FRAMES:
                draft.frames.insert(0, _to_frame(frame))
            elif field is None and frame is None:
                break
            position += 1
        if not text.pieces:
            text.add(draft.first, len(stream.texts[draft.first]), "")
        if drafts:
            drafts[-1].cause = draft
        drafts.append(draft)
        draft.last = position - 1
        below = position if stream.head(position).strip() else position + 1
        if not _INNER_SHOWN.match(stream.head(below)):
            break
        position = below + 1
    return Parsed(drafts, max(at + 2, drafts[-1].last + 1))


def _header_before(stream: Stream, at: int) -> int | None:
    for position in range(at - 1, max(stream.consumed, at - _LOOK) - 1, -1):
        head = stream.head(position)
        if FRAME.match(head):
            return None
        if _HEADER.match(head) and not _INNER.match(head):
            return position
    return None


def _frame_ahead(stream: Stream, at: int) -> bool:
    return frame_ahead(stream, at, _LOOK, FRAME.match, "dotnet")


class _Reading:
    """The exceptions from a header on: a chain of inner ones, and those that were gathered."""

    def __init__(self, stream: Stream, begin: int) -> None:
        head = stream.head(begin)
        self.stream, self.begin = stream, begin
        self.chain = _open(stream, begin, _INNER.match(head) or _HEADER.match(head))
        self.chains = [self.chain]
        self.level = len(self.chain) - 1
        """Of which of the chain the next frames are."""
        self.framed = False
        self.closed = _CLOSED.search(head) is not None

    def read(self) -> Parsed:
        """All of it."""
        at = self.begin + 1
        while at < len(self.stream):
            head = self.stream.head(at)
            if not self._takes(at, head):
                break
            self.closed = _CLOSED.search(head) is not None or (self.closed and not head.strip())
            at += 1
        drafts = [draft for chain in self.chains for draft in chain]
        for draft in drafts:
            draft.frames.reverse()
            draft.last = at - 1
        return Parsed(drafts, at)

    def _takes(self, at: int, head: str) -> bool:
        inner = _INNER.match(head)
        if inner and inner.group("number"):
            self._gather(at, inner)
        elif self.closed:
            return not head.strip() and _INNER.match(self.stream.head(at + 1)) is not None
        elif inner and not self.framed:
            self.chain += _open(self.stream, at, inner, self.chain[-1])
            self.level = len(self.chain) - 1
        elif frame := FRAME.match(head):
            self.framed = True
            if len(self.chain[self.level].frames) < MAX_FRAMES:
                self.chain[self.level].frames.append(_to_frame(frame))
        elif _END_INNER.match(head):
            self.level = max(0, self.level - 1)
        elif not _PREVIOUS.match(head):
            return self._goes_on(at, head)
        return True

    def _gather(self, at: int, inner: re.Match[str]) -> None:
        self.chain = _open(self.stream, at, inner)
        self.chain[0].role = Role.MEMBER
        if inner.group("number") != "0":  # which is reported again
            self.chains.append(self.chain)
        self.level, self.framed = len(self.chain) - 1, False

    def _goes_on(self, at: int, head: str) -> bool:
        """Whether a line goes on with the message above it, to which it is then added."""
        begin, stream = self.begin, self.stream
        if self.framed or stream.interrupts(at, begin) or STOP.match(head) or at > begin + _LOOK:
            return False
        if not head.strip() and not _frame_ahead(stream, at):
            return False
        self.chain[-1].message.add(at, 0, _CLOSED.sub("", stream.texts[at].rstrip()))
        return True


def _open(
    stream: Stream, at: int, found: re.Match[str] | None, outer: Draft | None = None
) -> list[Draft]:
    """The draft of a header, and of those that it holds behind `--->` on one line."""
    drafts: list[Draft] = []
    while found is not None:
        message = found.group("message") or ""
        column = found.start("message") if message else len(stream.head(at))
        cut = message.find(" ---> ")
        text = Text()
        said = message[:cut] if cut >= 0 else _CLOSED.sub("", stream.texts[at][column:])
        text.add(at, column, said)
        draft = Draft("dotnet", found.group("class"), text, at, at)
        if outer is not None:
            outer.cause = draft
        drafts.append(draft)
        outer = draft
        found = _INNER.match(stream.head(at), column + cut) if cut >= 0 else None
    return drafts


def _to_frame(found: re.Match[str]) -> Frame:
    call = found.group("call")
    line = found.group("line")
    parts = call.split(".")
    return Frame(
        found.group("file"), int(line) if line else None, call, ".".join(parts[:-2]) or None
    )
