"""Perl: `message at FILE line N.`, with Carp's callers below."""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.events.draft import Draft, Parsed, Stream, Text
from errdex.matching.model import Frame, Role

TRIGGERS = (" line ",)

_DIE = re.compile(
    r"(?P<message>\S.{0,1500}?) at (?P<file>\S{1,300}\.(?:pl|pm|t|cgi|PL)|-e|-"
    r"|\S{1,200}/bin/\S{1,80}) line (?P<line>\d{1,7})"
    r"(?P<handle>, <[\w$:]{1,40}> (?:line|chunk) \d+)?(?P<near>, near .*)?\.?\s*$",
    re.DOTALL,
)
_CALLED = re.compile(
    r"\t(?P<function>[^\n(]{1,200})\(.*\) called at (?P<file>\S{1,300}) line (?P<line>\d{1,7})"
)
_SYMPTOM = re.compile(
    r"BEGIN failed|Compilation failed in require|Execution of \S+ aborted"
    r"|\S+ had (?:too many|compilation) errors"
)
_CALL = re.compile(r"\t\S.* called at ")


def parse(stream: Stream, at: int) -> Parsed | None:
    """Parse line `at`."""
    draft, position = _parse_message(stream, at)
    if draft is None:
        return None
    drafts = [draft]
    if stream.head(at).startswith("syntax error at "):
        while stream.head(position).startswith("Global symbol "):
            undeclared, position = _parse_message(stream, position)
            if undeclared is None:
                break
            undeclared.role = Role.SYMPTOM  # the declaration was on the line that was not read
            drafts.append(undeclared)
    return Parsed(drafts, position)


def _parse_message(stream: Stream, at: int) -> tuple[Draft | None, int]:
    """The message that begins at line `at` with its callers, and the position behind it."""
    head = stream.head(at)
    found = _DIE.match(head)
    if found is None or _CALL.match(head):
        return None, at
    text = Text()
    text.add(at, found.start("message"), found.group("message"))
    frames = [Frame(found.group("file"), int(found.group("line")))]
    position = at + 1
    while called := _CALLED.match(stream.head(position)):
        frames.insert(
            0, Frame(called.group("file"), int(called.group("line")), called.group("function"))
        )
        position += 1
    draft = Draft("perl", None, text, at, position - 1, frames)
    if _SYMPTOM.match(found.group("message")):
        draft.role = Role.SYMPTOM
    return draft, position
