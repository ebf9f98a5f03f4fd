"""Errors of Lua, LuaJIT, and of the programs that run it: OpenResty, Neovim, games.

The interpreter names itself, the place and the message (`lua: a.lua:3: attempt to index a nil
value`), and below it `stack traceback:` lists the calls, the innermost first. Hosts put words of
their own before the place.
"""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.model import Frame

TRIGGERS = (
    "lua: ", "luajit: ", ".lua:", "E5108", "E5113", "E5112", '[string "', "Lua API (",
)  # fmt: skip

_HOST = (
    r"(?:(?:\S{0,200}/)?(?:lua(?:jit)?[\d.]{0,6}|texlua|nvim|resty|luvit|tarantool)(?:\.exe)?: "
    r"|(?:E51\d\d: )?Error (?:executing|while calling) (?:vim\.schedule )?lua"
    r"(?: chunk| callback)?:? "
    r"|(?:\*\d{1,12} )?lua (?:entry thread aborted|coroutine \d{1,9})[^\n:]{0,60}: "
    r"|failed to run \S{1,60}: |runtime error: |[Ee]rror: |Lua [Ee]rror:? "
    r"|PANIC: unprotected error in call to Lua API \()"
)
_PLACE = (
    r"(?P<file>\[string \"[^\"\n]{0,200}\"\]|(?:[A-Za-z]:)?[^\s:\"']{1,300}\.lua)"
    r":(?P<line>\d{1,7}): "
)
_ERROR = re.compile(
    rf"\s*(?:{_HOST}){{0,4}}(?P<class>){_PLACE}(?P<message>\S[^\n]*)$",
)
_HOSTED = re.compile(rf"\s*(?:{_HOST}){{1,4}}(?P<message>\S[^\n]*)$")
_TRACE = re.compile(r"\s*stack traceback:\s*$")
_FRAME = re.compile(
    r"\s+(?:\[C\]: (?:in|at) (?:function )?(?P<native>\S[^\n]{0,200})|\(\.\.\.tail calls?\.\.\.\)"
    r"|(?P<file>\[string \"[^\"\n]{0,200}\"\]|[^\s:]{1,300}):(?P<line>\d{1,7}): in "
    r"(?P<function>[^\n]{1,200})|\.\.\.\s*(?:\(skipping [^\n]{1,40}\))?\s*$)"
)
_FUNCTION = re.compile(
    r"(?:(?:local |upvalue |field |global |method )?(?:function )?)?[<'`]?(?P<name>[\w.:]+)"
)
_OTHERS = re.compile(
    r"^(?:attempt to |bad argument #|module '|no field |stack overflow|malformed )"
)
"""How messages of Lua itself begin."""
_SOON, _MOST = 4, 400


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the error that line `at` reports."""
    head = stream.head(at)
    found = _ERROR.match(head)
    if found is None:
        found = _HOSTED.match(head)
        if found is None or _trace_below(stream, at) is None:
            return None
    trace = _trace_below(stream, at)
    host = head[: found.start("message")]
    if trace is None and not (_OTHERS.match(found["message"]) or host.lstrip().startswith(_NAMES)):
        return None
    message = Text()
    end = at + 1 if trace is None else trace
    message.add(at, found.start("message"), stream.texts[at][found.start("message") :].rstrip())
    for between in range(at + 1, end):
        message.add(between, 0, stream.texts[between].rstrip())
    frames, last = ([], at) if trace is None else _frames(stream, trace)
    fields = found.groupdict()
    if not frames and fields.get("file"):
        frames = [Frame(fields["file"], int(fields["line"]), None)]
    return Parsed([Draft("lua", None, message, at, last, frames)], last + 1)


_NAMES = ("lua", "E51", "Error executing lua", "nvim", "resty", "luvit", "tarantool", "PANIC")


def _trace_below(stream: Stream, at: int) -> int | None:
    """The line of a stack's heading, where it stands soon below; a message may have lines."""
    for position in range(at + 1, min(at + 1 + _SOON, len(stream))):
        if _TRACE.match(stream.head(position)):
            return position
        if stream.interrupts(position, at) or not stream.head(position).strip():
            return None
    return None


def _frames(stream: Stream, trace: int) -> tuple[list[Frame], int]:
    """The frames below a heading, outermost first, and the last line of them."""
    frames: list[Frame] = []
    position = trace + 1
    while position < min(len(stream), trace + _MOST):
        found = _FRAME.match(stream.head(position))
        if found is None or stream.interrupts(position, trace):
            break
        if found["file"]:
            name = _FUNCTION.match(found["function"])
            function = name["name"] if name else None
            frames.append(Frame(found["file"], int(found["line"]), function))
        position += 1
    return frames[::-1], position - 1
