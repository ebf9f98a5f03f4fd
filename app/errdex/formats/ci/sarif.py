"""Answers as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/).

A record is a rule, an error a result. `partialFingerprints` has the error's fingerprint, by which
a viewer knows it again in the next run.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from errdex.formats.answer import ErrorEvent, NamedRecord
from errdex.formats.ci.checkout import log_place, place_of
from errdex.formats.json import write_data
from errdex.formats.options import WriteOptions
from errdex.formats.short_texts import (
    LogAnswer,
    explained,
    heading_of,
    level_of,
    record_of,
    reported,
    title_of,
    unlinked,
    url_of,
    why_of,
)
from errdex.records.printable import on_one_line

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_UNKNOWN: dict[str, Any] = {
    "id": "unknown",
    "shortDescription": {"text": "An error that has no record yet"},
}


def write_all(answers: Sequence[LogAnswer], options: WriteOptions) -> bytes:
    """One run with the errors of all logs."""
    rules: dict[str, dict[str, Any]] = {}
    results = [
        _result(event, each.log, rules, options)
        for each in answers
        for event in reported(each.answer)
    ]
    driver: dict[str, Any] = {"name": "Errdex", "version": version("errdex")}
    if options.site:
        driver["informationUri"] = options.site
    run = {"tool": {"driver": driver | {"rules": list(rules.values())}}, "results": results}
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return write_data(document)


def _result(
    event: ErrorEvent, log: str, rules: dict[str, dict[str, Any]], options: WriteOptions
) -> dict[str, Any]:
    record = record_of(event)
    rule = _UNKNOWN if record is None else _rule(record, options)
    rules.setdefault(rule["id"], rule)
    place = place_of(event, options.checkout) or log_place(event, log)
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(place.path)}}
    if place.line:
        location["region"] = {"startLine": place.line}
    kind, _, digits = event.fingerprint.partition(":")
    said = [title_of(event), *explained(event, options.site)]
    return {
        "ruleId": rule["id"],
        "ruleIndex": list(rules).index(rule["id"]),
        "level": level_of(event),
        "message": {"text": unlinked("\n\n".join(said))},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {f"errdex/{kind}": digits},
        "properties": {"log": on_one_line(log), "logLine": event.message_line},
    }


def _rule(record: NamedRecord, options: WriteOptions) -> dict[str, Any]:
    heading = unlinked(heading_of(record))
    rule: dict[str, Any] = {
        "id": record.id,
        "shortDescription": {"text": heading},
        "fullDescription": {"text": unlinked(why_of(record)) or heading},
    }
    if options.site:
        rule["helpUri"] = url_of(record, options.site)
    return rule
