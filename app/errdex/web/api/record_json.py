"""A record as the API answers it: the text that was ingested, with its dataset version."""

from __future__ import annotations

import orjson

from errdex.knowledge import RecordAnswer


def record_json(answer: RecordAnswer) -> bytes:
    """The body of the answer. The record is not parsed."""
    return b'{"record":%b,"datasetVersion":%b}' % (
        answer.stored.body_json.encode(),
        orjson.dumps(answer.version),
    )
