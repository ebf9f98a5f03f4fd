"""Cases of harvesting, in data files: a source, and all that is to be found in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from errdex.harvest.model import Extraction, Fixed, RaiseSite

CASES = Path(__file__).parents[1] / "cases" / "harvest"

_FIELDS = {
    "class": "error_class",
    "function": "function",
    "when": "raised_when",
    "comment": "comment",
    "says": "documentation_source",
    "bases": "base_classes",
    "code": "error_code",
    "status": "http_status",
    "severity": "severity",
}


def cases_of(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and content of each case of a file."""
    for case in yaml.load((CASES / f"{name}.yaml").read_bytes(), Loader=yaml.CSafeLoader):
        yield case.pop("case"), case


def as_written(extraction: Extraction) -> dict[str, Any]:
    """What was found, in the form of the case files: everything that is not empty."""
    found: dict[str, Any] = {"finds": [_site(site) for site in extraction.sites]}
    if extraction.left_out:
        found["left out"] = dict(extraction.left_out)
    return found


def _site(site: RaiseSite) -> dict[str, Any]:
    """A hole is written `{expression}`, one for a whole number `{#expression}`."""
    written: dict[str, Any] = {"line": site.line, "message": ""}
    for part in site.parts:
        if isinstance(part, Fixed):
            written["message"] += part.text
        else:
            written["message"] += "{" + "#" * part.digits + part.expression + part.conversion + "}"
    if site.kind != "raise":
        written["kind"] = site.kind
    for key, field in _FIELDS.items():
        value = getattr(site, field)
        if value:
            written[key] = list(value) if isinstance(value, tuple) else value
    return written
