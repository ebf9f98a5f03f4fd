"""An error and its fix as GitHub-flavoured Markdown, to paste into an issue or a chat.

It leaves its reader's machine, so what is private in the message is masked, and so are values of
the fix that were taken from there. Text of logs and records stays text: it can neither mention
people nor make links, images or HTML.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from errdex import lazy_re as re
from errdex.formats.answer import ErrorEvent, MatchedRecord
from errdex.formats.filled import segments_of
from errdex.matching.masking import find_private, mask_private
from errdex.matching.reading.terminal import strip_codes
from errdex.records.messages.filling import Segment, blank, code_ranges

_MESSAGE = 1_000
"""Characters of the message."""
_SPECIAL = re.compile(r"[\\*_\[\]<>#|~!&]")
_MENTION = re.compile(r"([@#])(?=\w)")


def write_event(event: ErrorEvent, site: str) -> str:
    """The error, its first record with the fix, and the record's address on `site`."""
    message = strip_codes(event.message)[0][:_MESSAGE]
    name = event.error_class or event.error_code or ""
    said = f"{name}: {message}" if name and name not in message else message
    parts = [_fenced(mask_private(said).strip() or "error without a message")]
    if place := " · ".join(_places(event)):
        parts.append(place)
    if event.matches:
        secrets = {message[each.start : each.end] for each in find_private(message)}
        parts += _record(event.matches[0], secrets, site)
    else:
        parts.append("No matching record yet.")
    return "\n\n".join(parts) + "\n"


def _places(event: ErrorEvent) -> Iterator[str]:
    if event.test:
        yield f"in {_inline(event.test)}"
    frame = event.frames[-1] if event.frames else None
    if frame and frame.file and frame.line:
        yield _inline(f"{mask_private(frame.file)} line {frame.line}")


def _record(match: MatchedRecord, secrets: Collection[str], site: str) -> Iterator[str]:
    record = match.record
    yield f"**[{_escaped(record.heading)}]({site}{record.path})** ({_escaped(record.repo)})"
    if record.documentation:
        yield _prose(segments_of(match, "documentation"), secrets)
    elif record.source_explanation:
        yield _prose([Segment(record.source_explanation)], secrets)
    steps = [
        _prose(segments_of(match, "solutions", number), secrets)
        for number in range(len(record.solutions or ()))
    ]
    if steps:
        yield "**Fix**"
        yield "\n".join(f"{number}. {_below(step)}" for number, step in enumerate(steps, 1))


def _prose(segments: Sequence[Segment], secrets: Collection[str]) -> str:
    """A record's text: its code as it is, all else escaped."""
    text = "".join(_shown(each, secrets) for each in segments).strip()
    parts: list[str] = []
    place = 0
    for start, end, _ in sorted(code_ranges(text)):
        parts += [_escaped(text[place:start]), text[start:end]]
        place = end
    return "".join([*parts, _escaped(text[place:])])


def _shown(segment: Segment, secrets: Collection[str]) -> str:
    if segment.hole is None:
        return segment.text
    private = any(secret in segment.text for secret in secrets)
    return segment.text if segment.filled and not private else blank(segment.hole)


def _below(step: str) -> str:
    """A step of several lines, indented as Markdown wants a list's item."""
    return step.replace("\n", "\n   ")


def _escaped(text: str) -> str:
    text = _SPECIAL.sub(lambda found: f"\\{found[0]}", text)
    return _MENTION.sub("\\1\u2060", text)  # a word joiner: it looks the same, and names no one


def _inline(text: str) -> str:
    ticks = "`" * (max((len(each) for each in re.findall(r"`+", text)), default=0) + 1)
    space = " " if len(ticks) > 1 else ""
    return f"{ticks}{space}{' '.join(text.split())}{space}{ticks}"


def _fenced(text: str) -> str:
    fence = "`" * max(3, *(len(each) + 1 for each in re.findall(r"`+", text)), 3)
    return f"{fence}text\n{text}\n{fence}"
