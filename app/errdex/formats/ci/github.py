"""Workflow commands of GitHub Actions: an annotation for each error.

A command is one line, `::error file=…,line=…,title=…::message`. The runner reads it as
https://docs.github.com/actions/reference/workflow-commands-for-github-actions says and its
`ActionCommand.cs` does: per cent signs and line breaks are escaped everywhere, colons and commas in
properties. So no text can begin a line, and with it another command.
"""

from __future__ import annotations

from errdex.formats.answer import ErrorEvent, PasteAnswer
from errdex.formats.ci.checkout import place_of
from errdex.formats.options import WriteOptions
from errdex.formats.short_texts import explained, level_of, reported, title_of
from errdex.records.printable import printable

_MESSAGE = 4_000
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def write(answer: PasteAnswer, options: WriteOptions) -> bytes:
    """A line for each error; none where there are none."""
    events = reported(answer)[: options.limit]
    lines = "".join(f"{_command(event, options)}\n" for event in events)
    return lines.encode()


def _command(event: ErrorEvent, options: WriteOptions) -> str:
    place = place_of(event, options.checkout)
    given = {
        "file": place.path if place else None,
        "line": place.line if place else None,
        "title": title_of(event),
    }
    said = "\n".join(explained(event, options.site))
    properties = ",".join(
        f"{name}={_escaped(str(value), _PROPERTY)}" for name, value in given.items() if value
    )
    return f"::{level_of(event)} {properties}::{_escaped(printable(said)[:_MESSAGE], _DATA)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(each, each) for each in text)
