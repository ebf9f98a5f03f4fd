"""A record as the full-text index sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from errdex.search.protocol import IndexDocument
from errdex.store import StoredRecord

_EXPLANATION = ("documentation", "triggerScenarios", "commonSituations")


def document_of(record_id: str, slug: str, body: Mapping[str, Any]) -> IndexDocument:
    """The document of a record's wire object, which must be a valid record's."""
    text = body.get
    return IndexDocument(
        record_id=record_id,
        message=body["errorMessage"],
        repo=body["repo"],
        slug=slug,
        error_class=text("errorClass") or "",
        error_type=text("errorType") or "",
        error_code=text("errorCode") or "",
        severity=text("severity") or "",
        language=text("language") or "",
        background_tag=text("backgroundTag") or "",
        file_path=text("filePath") or "",
        function=text("function") or "",
        tags=tuple(text("tags") or ()),
        explanation="\n".join(body[key] for key in _EXPLANATION if text(key)),
        solutions="\n".join(text("solutions") or ()),
    )


def document_of_stored(record: StoredRecord) -> IndexDocument:
    """The document of a record as the store has it."""
    try:
        body = orjson.loads(record.body_json)
    except orjson.JSONDecodeError:  # lone surrogates are JSON, but not to orjson
        body = json.loads(record.body_json)
    return document_of(record.id, record.slug, body)
