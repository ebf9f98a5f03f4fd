"""Answers as a message of Slack's Block Kit (https://docs.slack.dev/block-kit/), for a webhook.

Rich text has an element for each mention and link, so that text is only text. What notifications
show is plain too. Private values are masked: the message leaves the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from errdex.formats.answer import ErrorEvent
from errdex.formats.json import write_data
from errdex.formats.options import WriteOptions
from errdex.formats.short_texts import (
    LogAnswer,
    cut,
    heading_of,
    link_of,
    record_of,
    reported,
    steps_of,
    summary_of,
    title_of,
)
from errdex.matching.masking import find_private, mask_private

_ERRORS = 10
"""A message may have 50 blocks."""
_STEPS = 3
_STEP = 300


def write_all(answers: Sequence[LogAnswer], options: WriteOptions) -> bytes:
    """One message with the first errors of all logs."""
    events = [event for each in answers for event in reported(each.answer)]
    most = min(options.limit or _ERRORS, _ERRORS)
    summary = summary_of(answers)
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": summary, "emoji": False}}
    ]
    blocks += [_block(event, options.site) for event in events[:most]]
    if len(events) > most:
        blocks.append(_rich(_section(_text(f"… and {len(events) - most:,} more"))))
    message = {"text": summary, "blocks": blocks, "unfurl_links": False, "unfurl_media": False}
    return write_data(message)


def _block(event: ErrorEvent, site: str | None) -> dict[str, Any]:
    title = title_of(event)
    secrets = {event.message[each.start : each.end] for each in find_private(event.message)}
    said = {
        "type": "rich_text_preformatted",
        "elements": [_text(mask_private(title))],
    }
    record = record_of(event)
    if record is None:
        return _rich(said, _section(_text("No matching record yet.")))
    heading = heading_of(record)
    linked: dict[str, Any] = (
        {"type": "link", "url": link_of(record, site), "text": heading}
        if site
        else _text(f"{heading}: {link_of(record, site)}")
    )
    parts = [said, _section(linked)]
    steps = [cut(_masked(step, secrets), _STEP) for step in steps_of(record)[:_STEPS]]
    if steps:
        items = [_section(_text(step)) for step in steps]
        parts.append({"type": "rich_text_list", "style": "ordered", "elements": items})
    return _rich(*parts)


def _masked(step: str, secrets: set[str]) -> str:
    """A step of the fix without the private values that it has from the message."""
    for secret in sorted(secrets, key=len, reverse=True):
        step = step.replace(secret, "‹…›")
    return step


def _rich(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text", "elements": list(elements)}


def _section(element: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text_section", "elements": [element]}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
