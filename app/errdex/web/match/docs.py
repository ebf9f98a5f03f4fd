"""The OpenAPI description of matching: every media type of a request and a response."""

from __future__ import annotations

from typing import Any

from errdex.formats.table import FORMATS
from errdex.matching.reading.record_streams import MESSAGE_KEYS, MOST_RECORDS
from errdex.web.api.examples import problems

_LINE = "InvoiceClosedError: Invoice 2026-0117 is already closed"
_LOG = f"2026-11-29T12:00:00Z INFO closing the month\n{_LINE}\n"
_TEXT = {"type": "string", "maxLength": 5_000_000}
_BINARY = {"type": "string", "format": "binary"}
_LINES = {"type": "array", "items": {"type": "string"}}
_RECORDS = [
    {"type": "object", "required": [key], "properties": {key: {"type": "string"}}}
    for key in MESSAGE_KEYS
]
_COMPRESSED = {**_BINARY, "description": "The log, compressed."}

BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The log, up to 5 MB after decompression unless the server is configured "
        "otherwise. Content-Encoding may be gzip, zstd or deflate. Without a charset, the encoding "
        "is detected.",
        "content": {
            "text/plain": {
                "schema": {
                    **_TEXT,
                    "description": "The log as it is, or compressed: gzip and zstd are detected by "
                    "their first bytes. With curl: `--data-binary @build.log`.",
                },
                "example": _LOG,
            },
            "application/json": {
                "schema": {
                    "description": "The log as `text`, or as `lines`, without line breaks; a "
                    "record of a log shipper; or an array of lines and records. Those of one "
                    "writer are matched together.",
                    "anyOf": [
                        *(
                            {
                                "type": "object",
                                "required": [name],
                                "properties": {name: schema},
                                "additionalProperties": False,
                            }
                            for name, schema in (("text", _TEXT), ("lines", _LINES))
                        ),
                        *_RECORDS,
                        {
                            "type": "array",
                            "maxItems": MOST_RECORDS,
                            "items": {"anyOf": [{"type": "string"}, {"type": "object"}]},
                        },
                    ],
                },
                "examples": {
                    "text": {"value": {"text": _LOG}},
                    "lines": {"value": {"lines": _LOG.splitlines()}},
                    "record": {"value": {"log": _LINE, "stream": "stderr"}},
                    "records": {
                        "value": [{"message": line, "host": "a"} for line in _LOG.splitlines()]
                    },
                },
            },
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "string",
                    "description": "The same as text/plain: what curl sends by itself.",
                },
                "example": _LOG,
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": _BINARY},
                    "description": "One file, compressed or not, in a part of any name. With curl: "
                    "`-F file=@build.log`.",
                },
                "example": {"file": "build.log"},
            },
            "application/gzip": {"schema": _COMPRESSED},
            "application/zstd": {"schema": _COMPRESSED},
            "application/octet-stream": {
                "schema": {**_BINARY, "description": "The log, compressed or not."}
            },
            "application/x-ndjson": {
                "schema": {
                    "type": "string",
                    "description": "A stream of lines, each answered as soon as it arrives: "
                    '`{"text": "…"}`, a JSON log record or plain text, up to 64 kB each.',
                },
                "example": '{"text": "InvoiceClosedError: Invoice 7 is already closed"}\n'
                '{"level": "error", "message": "Invoice 8 is already closed"}\n',
            },
        },
    }
}


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The route's `responses`: every format of an answer, and the problems; openapi.py inserts
    the examples."""
    content: dict[str, Any] = {"application/json": {"example": "match"}}
    for form in FORMATS.values():
        schema = {"type": "object" if form.kind.endswith("+json") else "string"}
        # No schema of JSON describes the form of XML.
        content.setdefault(form.kind, {} if form.kind == "application/xml" else {"schema": schema})
    content["application/x-ndjson"] = {
        "schema": {"type": "string"},
        "example": '{"line": 1, "found": true, "events": ["…"]}\n',
    }
    return {200: {"content": content}} | problems(*statuses)
