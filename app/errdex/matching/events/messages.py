"""Where a message ends that may go on over several lines.

Nothing marks the end, so the evidence is: a new log record, a blank line, a line that begins
something else (another event, a prompt, a tool's own line); brackets that are still open
carry the message over blank lines.
"""

from __future__ import annotations

from collections.abc import Callable

from errdex import lazy_re as re
from errdex.matching.events.draft import MAX_MESSAGE, Stream, Text
from errdex.matching.events.own_lines import is_own_line

_MAX_LINES = 60
_MAX_OPEN_LINES = 500

STOP = re.compile(
    r"\s*(?:(?:Original )?Traceback \(most recent|During handling of the above"
    r"|The above exception was|Exception ignored |Exception in thread |File \"|\+-\+---|\+----)"
    r"|Process \S+:$|npm (?:ERR!|error|warn)|make(?:\[\d+\])?: |[$%#] |>>> |In \[\d|={4,}"
    r"|-{4,}|_{4,}"
    r"|[\w.-]+@[\w.-]+:\S*[$#] |\(\w+\) [$%] |\[?(?:INFO|DEBUG|WARNING|WARN|ERROR|CRITICAL|FATAL)\b"
    r"|(?:FAILED|PASSED|SKIPPED|XFAIL) |(?:[Ee]rror|fatal|warning|note): |E  "
    r"|(?:error|warning)\[[\w.-]{1,40}\]: |\{(?:noformat|code)[^}\n]{0,40}\}\s*$"
    r"|##\[|::\w+|\+{1,3} \S"
    r"|\s*--> \S|\"\"\"|Caused by: |goroutine \d|Node\.js v\d|╭|╰|╷|```|Killed$|Aborted"
    r"|Segmentation fault|exit status \d|(?:node:|file://|/)[^\s:]{1,300}:\d{1,7}$"
    r"|[\w./+-]{1,100}: (?:line )?(?:\d{1,6}: )?[^\s:]{1,100}: (?:command )?not found"
    r"|zsh: command not found"
    r"|[^\s:()]{1,200}(?::\d{1,7}){1,2}: (?:fatal )?(?:error|warning|note): "
    r"|Command exited|command terminated|Process (?:exited|finished|completed)|exit code"
)
_COUNTED = re.compile(r"[A-Za-z][A-Za-z_.-]+:? [^\n]{0,200}?\d")
_DIGITS = re.compile(r"\d+")
_OPENING, _CLOSING = "([{", ")]}"


def gather(
    stream: Stream,
    position: int,
    column: int,
    is_other: Callable[[str], bool] | None = None,
) -> tuple[Text, int]:
    """The message that begins at `column` of a line, and the position behind its last line.
    `is_other` recognises lines that are none of it."""
    message = Text()
    first = stream.texts[position][column:]
    message.add(position, column, first)
    depth = _depth(first)
    at, lines = position + 1, 0
    pending: list[int] = []
    while at < len(stream) and lines < (_MAX_OPEN_LINES if depth > 0 else _MAX_LINES):
        line = stream.texts[at]
        head = stream.head(at)
        if stream.interrupts(at, position) or STOP.match(head) or message.size >= MAX_MESSAGE:
            break
        if is_other is not None and is_other(head):
            break
        if depth <= 0 and message.size and is_own_line(head, message.parts):
            break
        if depth <= 0 and message.size and _repeats(head, stream.head(at + 1)):
            break
        if not head.strip():
            if depth <= 0 and (message.size or pending) and not _announces(stream, at, message):
                break
            pending.append(at)
        else:
            for blank in pending if message.size else ():
                message.add(blank, 0, "")
            pending.clear()
            if message.size:
                message.add(at, 0, line.rstrip())
            else:
                message.parts.clear()
                message.pieces.clear()
                message.add(at, len(line) - len(line.lstrip()), line.strip())
            depth += _depth(line)
        at += 1
        lines += 1
    end = pending[0] if pending else at
    return message, end


def _announces(stream: Stream, blank: int, message: Text) -> bool:
    """Whether a message ends with a colon above a blank line, and what it announces is indented."""
    last = message.parts[-1].rstrip() if message.parts else ""
    return last.endswith(":") and stream.head(blank + 1)[:2].isspace()


def _repeats(head: str, below: str) -> bool:
    """Whether two lines in a row differ only in their numbers, as those of a log do."""
    if head == below or not _COUNTED.match(head):
        return False
    return _DIGITS.sub("0", head) == _DIGITS.sub("0", below)


def _depth(text: str) -> int:
    text = text[:MAX_MESSAGE]
    return sum(map(text.count, _OPENING)) - sum(map(text.count, _CLOSING))


def frame_ahead(
    stream: Stream, at: int, look: int, is_frame: Callable[[str], object], language: str
) -> bool:
    """Whether one of the `look` lines below line `at` is a frame of the language, and none above
    it ends what begins there. Lines that an earlier call found to be none are not read again."""
    seen = stream.without_frame.get(language, range(0))
    start = seen.stop if at in seen else at + 1
    end = min(at + look, len(stream))
    for position in range(start, end):
        head = stream.head(position)
        if is_frame(head):
            return True
        if stream.interrupts(position, at) or STOP.match(head):
            return False
    stream.without_frame[language] = range(at, max(start, end))
    return False
