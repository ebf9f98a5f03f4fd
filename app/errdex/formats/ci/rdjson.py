"""Answers as reviewdog's diagnostics (https://github.com/reviewdog/reviewdog/tree/master/proto/rdf).

reviewdog puts the message into a comment, which is Markdown: text stays text there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from errdex.formats.answer import ErrorEvent
from errdex.formats.ci.checkout import log_place, place_of
from errdex.formats.json import write_data
from errdex.formats.markdown_text import escaped, escaped_prose
from errdex.formats.options import WriteOptions
from errdex.formats.short_texts import (
    LogAnswer,
    explained,
    level_of,
    record_of,
    reported,
    title_of,
    url_of,
)


def write_all(answers: Sequence[LogAnswer], options: WriteOptions) -> bytes:
    """One result with the errors of all logs."""
    source = {"name": "errdex"} | ({"url": options.site} if options.site else {})
    diagnostics = [
        _diagnostic(event, each.log, options) for each in answers for event in reported(each.answer)
    ]
    document = {"source": source, "diagnostics": diagnostics}
    return write_data(document)


def _diagnostic(event: ErrorEvent, log: str, options: WriteOptions) -> dict[str, Any]:
    record = record_of(event)
    place = place_of(event, options.checkout) or log_place(event, log)
    location: dict[str, Any] = {"path": place.path}
    if place.line:
        location["range"] = {"start": {"line": place.line}}
    *said, link = explained(event, options.site)
    paragraphs = [escaped(title_of(event)), *(escaped_prose(each) for each in said), link]
    found: dict[str, Any] = {
        "message": "\n\n".join(paragraphs),
        "location": location,
        "severity": level_of(event).upper(),
    }
    if record:
        url = {"url": url_of(record, options.site)} if options.site else {}
        found["code"] = {"value": record.id} | url
    return found
