"""Elixir and Erlang: `** (Class) message` with its frames, compile errors, dying processes."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_FRAMES, Draft, Parsed, Stream, Text
from errdex.matching.events.messages import gather
from errdex.matching.model import Frame

TRIGGERS = ("** (", "  error: ", " REPORT====")

_REPORT = re.compile(r"=(?:ERROR|CRASH|SUPERVISOR) REPORT==== ")
_HEADER = re.compile(
    r"[^\n]{0,300}?\*\* \((?P<class>[A-Za-z][\w.:]{0,100})\) (?P<message>.*)$", re.DOTALL
)
_FRAME = re.compile(
    r"\s+(?:\((?P<app>[\w.]+)(?: [^)\n]{1,60})?\) )?(?P<file>(?:[^\s:()]{1,300}\.(?:exs?|erl"
    r"|eex|heex|leex)|\S{1,80}\.erl)):(?P<line>\d{1,7}): (?P<function>\S[^\n]{0,300})$"
)
_PLACE = re.compile(r"(?P<file>[^\s:]{1,300}\.(?:exs?|heex|eex)):(?P<line>\d{1,7})(?::\d+)?: ")
_OTHER = re.compile(r"\s+\((?P<app>[\w.]+)(?: [^)\n]{1,60})?\) \S")
_COMPILE = re.compile(r"\s{2,4}error: (?P<message>\S.*)$", re.DOTALL)
_COMPILE_PLACE = re.compile(r"\s+└─ (?P<file>[^\s:]{1,300}):(?P<line>\d{1,7})")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse what line `at` begins."""
    head = stream.head(at)
    if _REPORT.match(head) and stream.head(at + 1).strip():
        text, end = gather(stream, at + 1, 0)
        return Parsed([Draft("erlang", None, text, at, end - 1)], end)
    compiled = _COMPILE.match(head)
    if compiled:
        return _parse_compile(stream, at, compiled)
    found = _HEADER.match(head)
    if found is None:
        return None
    text = Text()
    message = found.group("message")
    place = _PLACE.match(message)
    start = found.start("message") + (place.end() if place else 0)
    text.add(at, start, stream.texts[at][start:])
    draft = Draft("elixir", found.group("class"), text, at, at)
    position = at + 1
    while position < len(stream) and position < at + 300:
        head = stream.head(position)
        frame = _FRAME.match(head)
        if frame:
            if len(draft.frames) < MAX_FRAMES:
                draft.frames.insert(
                    0,
                    Frame(
                        frame.group("file"),
                        int(frame.group("line")),
                        frame.group("function"),
                        frame.group("app"),
                    ),
                )
        elif _OTHER.match(head):
            pass
        elif (
            not draft.frames
            and not stream.interrupts(position, at)
            and _frame_ahead(stream, position)
        ):
            text.add(position, 0, stream.texts[position].rstrip())
        else:
            break
        position += 1
    if place:
        draft.frames.append(Frame(place.group("file"), int(place.group("line"))))
    draft.last = position - 1
    return Parsed([draft], position)


def _frame_ahead(stream: Stream, at: int) -> bool:
    return any(
        _FRAME.match(stream.head(position)) or _OTHER.match(stream.head(position))
        for position in range(at + 1, min(at + 30, len(stream)))
    )


def _parse_compile(stream: Stream, at: int, found: re.Match[str]) -> Parsed | None:
    for position in range(at + 1, min(at + 12, len(stream))):
        place = _COMPILE_PLACE.match(stream.head(position))
        if place:
            text = Text()
            text.add(at, found.start("message"), stream.texts[at][found.start("message") :])
            frame = Frame(place.group("file"), int(place.group("line")))
            draft = Draft("elixir", "CompileError", text, at, position, [frame])
            return Parsed([draft], position + 1, list(range(at + 1, position)))
    return None
