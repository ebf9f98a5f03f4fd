"""Failed tests as Jest shows them: `●` and the test's name, below it what went wrong.

Where that is an error with its class, `node` reads it; here are messages without one.
"""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.events.languages.node import frames_at, is_error, is_frame
from errdex.matching.events.messages import STOP

TRIGGERS = ("● ",)

_BULLET = re.compile(r"\s{0,8}● (?!Console$)\S")
_SOURCE = re.compile(r"\s*(?:>\s*)?(?:\d{1,7} )?\|")
_REST = 60
"""Lines below the message in which its frames begin."""


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse the test that line `at` names; None when an error with a class stands below."""
    if not _BULLET.match(stream.head(at)) or stream.head(at + 1).strip():
        return None
    begin = at + 2
    head = stream.head(begin)
    if not head.strip() or is_error(head) or is_frame(head) or STOP.match(head.lstrip()):
        return None
    draft = Draft("node", None, Text(), at, begin)
    position = begin
    while position < begin + _REST and stream.head(position).strip():
        line = stream.texts[position]
        draft.message.add(position, len(line) - len(line.lstrip()), line.strip())
        position += 1
    draft.last = position - 1
    parsed = Parsed([draft], position)
    while position < begin + _REST and not is_frame(stream.head(position)):
        if position >= len(stream) or _BULLET.match(stream.head(position)):
            return None
        if is_error(stream.head(position)):
            return None  # what Jest says of it is no more than an explanation
        if _SOURCE.match(stream.head(position)):
            parsed.quoted.append(position)
        position += 1
    if position == begin + _REST:
        return None
    parsed.end = frames_at(stream, position, draft)
    draft.frames.reverse()
    return parsed
