"""The examples of the OpenAPI description. A test compares each with its route's schema."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from errdex.formats.table import FORMATS, list_media_types
from errdex.records.fields import FIELDS
from errdex.web.http.representation import MARKDOWN, TEXT
from errdex.web.http.statuses import name_of

_VERSION = "2026-11-29T12:00:00.000Z"
_SUMMARY: dict[str, object] = {
    **{field.wire: None for field in FIELDS if field.listed},
    "id": "25809e6e098d2d61",
    "repo": "acme/billing",
    "slug": "invoice-is-already-closed",
    "errorMessage": "Invoice {number} is already closed",
    "errorClass": "InvoiceClosedError",
    "errorType": "state",
    "httpStatus": 409,
    "severity": "error",
    "language": "python",
    "backgroundTag": "closed-period",
    "filePath": "billing/invoices.py",
    "lineNumber": 112,
    "tags": ["billing", "invoices"],
    "dataset": "billing",
    "url": "https://errdex.example/errors/25809e6e098d2d61/invoice-is-already-closed",
}

_CAUSE = {
    "tag": "closed-period",
    "title": "A closed period",
    "records": 5,
    "url": "https://errdex.example/causes/closed-period",
}


def _place(line: int, start: int, end: int) -> dict[str, object]:
    return {"line": line, "start": start, "endLine": line, "end": end}


_EVENT = {
    "outcome": "known",
    "fingerprint": "v1:2fe0a9c1d5b84e6d93c07a1f58be4d26",
    "language": "python",
    "errorClass": "InvoiceClosedError",
    "errorCode": None,
    "message": "Invoice 2026-0117 is already closed",
    "messageLength": 35,
    "severity": "error",
    "role": "alone",
    "cause": None,
    "handled": False,
    "writer": None,
    "test": None,
    "firstLine": 2,
    "lastLine": 2,
    "messageLine": 2,
    "messageOffset": 64,
    "frames": [],
    "framesLeftOut": 0,
    "notes": [],
    "repeats": 0,
    "repeatLines": [],
    "matches": [
        {
            "record": {
                "id": "25809e6e098d2d61",
                "repo": "acme/billing",
                "slug": "invoice-is-already-closed",
                "url": "https://errdex.example/errors/25809e6e098d2d61/invoice-is-already-closed",
                "errorMessage": "Invoice {number} is already closed",
                "errorClass": "InvoiceClosedError",
                "documentation": "A closed invoice accepts no more lines.",
                "solutions": ["Open a correction invoice with `billing correct 2026-0117`."],
            },
            "score": 78.3,
            "group": 1,
            "evidence": [
                {"kind": "whole_message", "points": 40.0, "words": "the whole message"},
                {"kind": "class", "points": 20.0, "words": "the class InvoiceClosedError"},
            ],
            "captures": [
                {"name": "number", "text": "2026-0117", "length": 9, "place": _place(2, 72, 81)}
            ],
            "place": _place(2, 64, 99),
            "differences": [],
            "filled": [
                {
                    "field": "solutions",
                    "item": 0,
                    "start": 48,
                    "end": 57,
                    "hole": "number",
                    "value": "2026-0117",
                    "refused": None,
                }
            ],
        }
    ],
    "matchesLeftOut": 0,
    "nearMisses": [],
    "firstSteps": None,
}


def _counts(*values: tuple[str, int]) -> list[dict[str, object]]:
    return [{"value": value, "count": count} for value, count in values]


def _count_list(*values: tuple[str, int]) -> dict[str, object]:
    return {
        "items": _counts(*values),
        "total": len(values),
        "nextCursor": None,
        "datasetVersion": _VERSION,
    }


EXAMPLES: Mapping[str, dict[str, object]] = {
    "record": {
        "record": {
            "id": "25809e6e098d2d61",
            "repo": "acme/billing",
            "slug": "invoice-is-already-closed",
            "errorMessage": "Invoice {number} is already closed",
            "messagePattern": r"Invoice (.+?) is already closed",
            "errorClass": "InvoiceClosedError",
            "documentation": "A closed invoice accepts no more lines.",
            "solutions": ["Open a correction invoice with `billing correct {{number}}`."],
        },
        "datasetVersion": _VERSION,
    },
    "errors": {
        "items": [
            {
                "record": _SUMMARY,
                "score": 21.5,
                "allWords": True,
                "matched": False,
                "messageSpans": [[0, 7], [28, 34]],
                "extract": {
                    "field": "documentation",
                    "text": "A closed invoice accepts no more lines.",
                    "spans": [[2, 8], [9, 16]],
                },
            }
        ],
        "total": 1,
        "partial": 0,
        "facets": {"repo": _counts(("acme/billing", 1)), "tag": _counts(("billing", 1))},
        "suggestion": None,
        "notes": [],
        "nextCursor": None,
        "datasetVersion": _VERSION,
    },
    "match": {
        "datasetVersion": _VERSION,
        "found": True,
        "complete": True,
        "limitsHit": [],
        "lines": 2,
        "linesMatched": 2,
        "rootCause": 0,
        "readingOrder": [0],
        "events": [_EVENT],
    },
    "related": {
        "items": [
            {
                "record": _SUMMARY,
                "reasons": [
                    {
                        "kind": "background",
                        "values": ["closed-period"],
                        "words": "same background: closed-period",
                    }
                ],
                "score": 4.0,
            }
        ],
        "datasetVersion": _VERSION,
    },
    "repo": _count_list(("acme/billing", 41), ("acme/shop", 17)),
    "tag": _count_list(("billing", 41), ("invoices", 12)),
    "class": _count_list(("InvoiceClosedError", 3), ("ValueError", 2)),
    "background": _count_list(("closed-period", 5), ("missing-permission", 4)),
    "causes": {
        "items": [_CAUSE],
        "total": 17,
        "nextCursor": None,
        "datasetVersion": _VERSION,
    },
    "cause": {
        **_CAUSE,
        "text": "The books of a period are closed, and an entry belongs to it.",
        "tell": "The message names the entry, or the period.",
        "checks": ["Which period is the entry in, and who closed it?"],
        "datasetVersion": _VERSION,
    },
    "one_repo": {
        "name": "acme/billing",
        "records": 41,
        "classes": _counts(("InvoiceClosedError", 3)),
        "files": _counts(("billing/invoices.py", 12)),
        "tags": _counts(("billing", 41)),
        "datasetVersion": _VERSION,
    },
    "stats": {
        "records": 58,
        "datasets": _counts(("billing", 41), ("shop", 17)),
        "distinct": {"repo": 2, "class": 30, "tag": 25},
        "databaseBytes": 483_328,
        "datasetVersion": _VERSION,
    },
    "health": {"status": "alive", "datasetVersion": ""},
    "ready": {"status": "ready", "datasetVersion": _VERSION, "extras": ["/mcp", "/v1/logs"]},
}


def example(name: str, *, text: bool = False) -> dict[int | str, dict[str, Any]]:
    """The entry of a route's `responses` for success; openapi.py inserts the example. `text`:
    whether the answer is there as text too."""
    content: dict[str, Any] = {"application/json": {"example": name}}
    if text:
        content |= {kind: {"schema": {"type": "string"}} for kind in (MARKDOWN, TEXT)}
    return {200: {"content": content}}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The entries of a route's `responses` for its problem documents."""
    return {status: _problem(status) for status in statuses}


_DETAILS = {
    404: "No record has the id “0123456789abcdee”. An id has 16 of the characters 0-9 and a-f, "
    "as in the address of a record's page.",
    406: f"Accept allows none of the formats {', '.join(list_media_types())}: name one of them, or "
    f"choose a format with ?format={'|'.join(FORMATS)}.",
    408: "The request's body did not arrive within 30 seconds.",
    413: "The request is larger than 5,000,000 bytes, the most it may be.",
    414: "The address is longer than 32,768 bytes, the most it may be.",
    415: "This type of body is not taken. Send one of text/plain, application/json, "
    "multipart/form-data, application/x-ndjson.",
    422: "limit: it is too large; give at most 200.",
    429: "There are too many requests from your address. Try again in 3 s.",
    500: "Something is wrong on our side. Tell us the request id and we can look it up.",
    503: "The full-text index is being built. Try again in a few seconds. "
    "Records and lists are available meanwhile.",
}
_ERRORS = [{"field": "limit", "reason": "it is too large", "remedy": "give at most 200"}]


def _problem(status: int) -> dict[str, Any]:
    body = {
        "type": f"/docs#problem-{status}",
        "title": name_of(status),
        "status": status,
        "detail": _DETAILS[status],
        "instance": "/api/errors",
        "requestId": "5f2b6c0e9d",
    } | ({"errors": _ERRORS} if status == HTTPStatus.UNPROCESSABLE_ENTITY else {})
    media = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": body}
    return {"description": body["title"], "content": {"application/problem+json": media}}
