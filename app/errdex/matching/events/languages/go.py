"""Go: panics with their goroutines, fatal errors of the runtime, the compiler, failing tests."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text, single
from errdex.matching.model import Frame

TRIGGERS = (
    "panic: ",
    "fatal error: ",
    "http: panic serving",
    ".go:",
    "--- FAIL: ",
    "DATA RACE",
    "goroutine ",
)

_PANIC = re.compile(
    r"(?P<before>[^\n]{0,200}?)(?:panic: |fatal error: "
    r"|http: panic serving \S{1,200}: )(?P<message>.*)$",
    re.DOTALL,
)
_GOROUTINE = re.compile(
    r"goroutine \d+ (?:gp=\S+ )?(?:m=\S+ )?(?:mp=\S+ )?\[(?P<state>[^\]\n]{1,80})\]:"
)
_CALL = re.compile(
    r"(?P<function>(?:[\w.~@%-]+/)*[\w.~@%*()\[\]{}$-]{1,300}?)(?<=[\w\]}])"
    r"\((?P<args>[^\n]{0,600})\)$"
    r"|created by (?P<created>\S+)"
)
_PLACE = re.compile(
    r"\s+(?P<file>[^\n]{1,500}?\.(?:go|s)):(?P<line>\d{1,9})(?: \+0x[0-9a-f]+)?\s*$"
)
_SIGNAL = re.compile(r"\[signal (?P<signal>SIG\w+)")
_NESTED = re.compile(r"\s+panic: (?P<message>.*)$", re.DOTALL)
_COMPILE = re.compile(
    r"(?:vet: )?(?P<file>(?:[A-Za-z]:)?[\w./\\@+-]{1,300}\.go):(?P<line>\d{1,7})"
    r"(?::\d{1,5}: |: (?=undefined: |cannot |imported and not used|undeclared name|missing return"
    r"|syntax error|too many |not enough |invalid |no new variables|declared (?:and|but) not used"
    r"|\S{1,200} (?:declared (?:and|but) not used|redeclared|undefined \()))(?P<message>\S.*)$",
    re.DOTALL,
)
_TEST = re.compile(r"\s*--- FAIL: (?P<test>\S+) \(\d")
_TEST_LINE = re.compile(
    r"\s+(?P<file>[\w./-]+_test\.go|[\w./-]+\.go):(?P<line>\d{1,7}): (?P<message>.*)$", re.DOTALL
)
_EXIT = re.compile(r"exit status \d+\s*$")


_MAX_LINES = 20_000


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    test = _TEST.match(head)
    if test:
        return _parse_test(stream, at)
    compiled = _COMPILE.match(head)
    if compiled and not compiled.group("message").startswith(("warning:", "error:", "note:")):
        frame = Frame(compiled.group("file"), int(compiled.group("line")))
        draft = single(
            stream, at, "go", compiled.group("message"), compiled.start("message"), frames=[frame]
        )
        return Parsed([draft], at + 1)
    panic = _PANIC.match(head)
    if panic and (_goroutine_ahead(stream, at) or not panic.group("before").strip()):
        if "fatal error: " in head and not _goroutine_ahead(stream, at):
            return None
        return _parse_panic(stream, at, panic)
    if _GOROUTINE.match(head):
        draft = Draft("go", None, Text([], [(0, at, 0)]), at, at)
        end = _goroutines(stream, at, draft)
        if not draft.frames or "running" not in head:
            return Parsed([], max(end, at + 1))
        draft.last = end - 1
        return Parsed([draft], end)
    return None


def _goroutine_ahead(stream: Stream, at: int) -> bool:
    return any(
        _GOROUTINE.match(stream.head(position))
        for position in range(at + 1, min(at + 30, len(stream)))
    )


def _parse_panic(stream: Stream, at: int, panic: re.Match[str]) -> Parsed:
    draft = _panic(stream, at, panic)
    draft.handled = "http: panic serving" in stream.head(at)
    drafts = [draft]
    again: list[int] = []
    position = _read_panics(stream, at, drafts, again)
    if not drafts[-1].frames:
        position = drafts[-1].first + 1
    for each in drafts:
        each.last = position - 1
    if _EXIT.match(stream.head(position)):
        position += 1
    return Parsed(drafts, position, again)


def _panic(stream: Stream, at: int, found: re.Match[str]) -> Draft:
    start = found.start("message")
    text = Text()
    text.add(at, start, stream.texts[at][start:].removesuffix(" [recovered]"))
    return Draft("go", None, text, at, at, severity="fatal")


def _read_panics(stream: Stream, at: int, drafts: list[Draft], again: list[int]) -> int:
    """Read the rest of a panic's message, the panics raised while it was handled, and the
    goroutines. `again`: takes the lines that show the same panic once more. Returns the
    position behind them."""
    position = at + 1
    while position < len(stream) and position < at + 30:
        head = stream.head(position)
        nested = _NESTED.match(head)
        signal = _SIGNAL.match(head)
        if _GOROUTINE.match(head):
            return _goroutines(stream, position, drafts[-1])
        if nested:
            draft = _panic(stream, position, nested)
            if str(draft.message) != str(drafts[-1].message):
                draft.cause = drafts[-1]
                drafts.append(draft)
            else:
                again.append(position)
        elif signal:
            drafts[-1].code = signal.group("signal")
        elif head.strip():
            if not _goroutine_ahead(stream, position):
                break
            drafts[-1].message.add(position, 0, stream.texts[position])
        position += 1
    return position


def _goroutines(stream: Stream, at: int, draft: Draft) -> int:
    """Read all goroutines; the frames of the first are those of the panic."""
    first = True
    end = at
    function: str | None = None
    stop = min(len(stream), at + _MAX_LINES)
    while at < stop:
        head = stream.head(at)
        place = _PLACE.match(head)
        call = _CALL.match(head)
        if _GOROUTINE.match(head):
            first = at == end or not draft.frames
        elif place:
            if first and len(draft.frames) < MAX_FRAMES:
                draft.frames.append(_to_frame(place, function))
            function = None
        elif call:
            function = call.group("function") or call.group("created")
        elif (
            head.strip() and not head.startswith(("...additional", "runtime:", "goroutine "))
        ) or (not head.strip() and not _more(stream, at + 1)):
            break
        at += 1
        if head.strip():
            end = at
    draft.frames.reverse()
    return end


def _more(stream: Stream, at: int) -> bool:
    head = stream.head(at)
    return bool(_GOROUTINE.match(head) or _PLACE.match(stream.head(at + 1)))


def _to_frame(place: re.Match[str], function: str | None) -> Frame:
    package = None
    if function:
        path, _, last = function.rpartition("/")
        package = f"{path}/{last.split('.')[0]}" if path else last.split(".")[0]
    return Frame(place.group("file").strip(), int(place.group("line")), function, package)


def _parse_test(stream: Stream, at: int) -> Parsed | None:
    """A failing test: what it logged on the lines below or, as `go test -v` prints it, above."""
    parsed = _logged_lines(stream, at, at + 1)
    if parsed is None:
        begin = at
        while begin > max(stream.consumed, at - 200) and _TEST_LINE.match(stream.head(begin - 1)):
            begin -= 1
        parsed = _logged_lines(stream, begin, begin) if begin < at else None
    return parsed


def _logged_lines(stream: Stream, at: int, position: int) -> Parsed | None:
    drafts: list[Draft] = []
    while position < len(stream) and position < at + 200:
        head = stream.head(position)
        found = _TEST_LINE.match(head)
        if found:
            start = found.start("message")
            text = Text()
            text.add(position, start, stream.texts[position][start:])
            frame = Frame(found.group("file"), int(found.group("line")))
            drafts.append(
                Draft("go", None, text, at if not drafts else position, position, [frame])
            )
        elif drafts and head.startswith("        "):
            drafts[-1].message.add(position, 0, stream.texts[position])
            drafts[-1].last = position
        else:
            break
        position += 1
    return Parsed(drafts, position) if drafts else None
