"""Errors and their fixes as GitHub-flavoured Markdown, for an issue, a chat or a build's summary.

It leaves its reader's machine, so what is private in the message is masked, and so are values of
the fix that were taken from there. Text of logs and records stays text: it can neither mention
people nor make links, images or HTML.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from errdex.formats.answer import ErrorEvent, FirstSteps, MatchedRecord
from errdex.formats.ci.build_commands import disarm_text
from errdex.formats.filled import segments_of
from errdex.formats.markdown_text import escaped, escaped_prose, fenced, inline_code, list_item
from errdex.formats.options import WriteOptions
from errdex.formats.short_texts import LogAnswer, link_of, reported, summary_of
from errdex.matching.masking import find_private, mask_private
from errdex.matching.reading.terminal import strip_codes
from errdex.records.messages.filling import Segment, blank
from errdex.records.printable import on_one_line, printable

_MESSAGE = 1_000
"""Characters of the message."""


def write_all(answers: Sequence[LogAnswer], options: WriteOptions) -> bytes:
    """The first errors of each log, below its name where there are several."""
    parts = [f"### {summary_of(answers)}"]
    for each in answers:
        events = reported(each.answer)
        if events and len(answers) > 1:
            parts.append(f"#### {inline_code(on_one_line(each.log))}")
        parts += [write_event(event, options.site).rstrip() for event in events[: options.limit]]
        if options.limit is not None and len(events) > options.limit:
            parts.append(f"… and {len(events) - options.limit:,} more")
    return disarm_text("\n\n".join(parts) + "\n").encode()


def write_event(event: ErrorEvent, site: str | None) -> str:
    """The error, its first record with the fix, and the record's address on `site`, or the command
    that shows it."""
    message = strip_codes(event.message)[0][:_MESSAGE]
    name = event.error_class or event.error_code or ""
    said = f"{name}: {message}" if name and name not in message else message
    parts = [fenced(printable(mask_private(said)).strip() or "error without a message")]
    if place := " · ".join(_places(event)):
        parts.append(place)
    if event.matches:
        secrets = {message[each.start : each.end] for each in find_private(message)}
        parts += _record(event.matches[0], secrets, site)
    else:
        parts.append("No matching record yet.")
        parts += _first_steps(event.first_steps)
    return "\n\n".join(parts) + "\n"


def _first_steps(first: FirstSteps | None) -> Iterator[str]:
    """What the class and the stack say of an error without a record."""
    if first is None:
        return
    if first.explanation:
        yield _prose([Segment(first.explanation)], ())
    yield from _steps("What to try first", [_prose([Segment(each)], ()) for each in first.steps])


def _places(event: ErrorEvent) -> Iterator[str]:
    if event.test:
        yield f"in {inline_code(on_one_line(event.test))}"
    frame = event.frames[-1] if event.frames else None
    if frame and frame.file and frame.line:
        yield inline_code(on_one_line(f"{mask_private(frame.file)} line {frame.line}"))


def _record(match: MatchedRecord, secrets: Collection[str], site: str | None) -> Iterator[str]:
    record = match.record
    heading, repo = escaped(on_one_line(record.heading)), escaped(on_one_line(record.repo))
    if site is None:
        yield f"**{heading}** ({repo}): {inline_code(link_of(record, site))}"
    else:
        yield f"**[{heading}]({link_of(record, site)})** ({repo})"
    if record.documentation:
        yield _prose(segments_of(match, "documentation"), secrets)
    elif record.source_explanation:
        yield _prose([Segment(record.source_explanation)], secrets)
    steps = [
        _prose(segments_of(match, "solutions", number), secrets)
        for number in range(len(record.solutions or ()))
    ]
    yield from _steps("Fix", steps)


def _steps(heading: str, steps: Sequence[str]) -> Iterator[str]:
    if steps:
        yield f"**{heading}**"
        yield "\n".join(f"{number}. {list_item(step)}" for number, step in enumerate(steps, 1))


def _prose(segments: Sequence[Segment], secrets: Collection[str]) -> str:
    """A record's text: its code as it is, all else escaped."""
    return escaped_prose(printable("".join(_shown(each, secrets) for each in segments).strip()))


def _shown(segment: Segment, secrets: Collection[str]) -> str:
    if segment.hole is None:
        return segment.text
    private = any(secret in segment.text for secret in secrets)
    return segment.text if segment.filled and not private else blank(segment.hole)
