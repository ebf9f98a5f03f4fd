"""What is known about an error, as the fields that a log pipeline adds to its record."""

from __future__ import annotations

from typing import Any

from errdex.formats.answer import ErrorEvent
from errdex.formats.card import first_fix

_VALUE = 300
"""Characters of a captured value."""
_TITLE = 300


def annotation(event: ErrorEvent, site: str | None = None, *, root: bool = False) -> dict[str, Any]:
    """The fields, ready for JSON. `root`: whether it is the error to look at first."""
    found: dict[str, Any] = {
        "outcome": event.outcome,
        "fingerprint": event.fingerprint,
        "errorClass": event.error_class,
        "startHere": root,
        "repeats": event.repeats or None,
    }
    if event.matches:
        best = event.matches[0]
        record = best.record
        found |= {
            "id": record.id,
            "title": record.heading[:_TITLE],
            "url": record.url or (f"{site}{record.path}" if site else None),
            "fix": first_fix(best) or None,
            "cause": record.background_tag,
            "values": {each.name: each.text[:_VALUE] for each in best.captures} or None,
        }
    return {key: value for key, value in found.items() if value is not None}
