"""A record as the full-text index sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from errdex.ingest.wordings import list_wordings
from errdex.records.fields import FIELDS, WEIGHTS
from errdex.records.messages.derived_explanation import source_explanation
from errdex.records.places import list_places
from errdex.search.protocol import IndexDocument
from errdex.store import StoreDamaged, StoredRecord

_KEYS: Mapping[str, list[str]] = {
    attribute: [field.wire for field in FIELDS if field.indexed == attribute]
    for attribute in WEIGHTS
    if attribute not in ("record_id", "slug", "wordings")
}
"""The keys on the wire that each attribute of a document is made of."""


_OF_PLACES = ("file_path", "function")
"""What of a record's further places is found too."""


def document_of(record_id: str, slug: str, body: Mapping[str, Any]) -> IndexDocument:
    """The document of a record's wire object, which must be a valid record's."""
    attributes: dict[str, Any] = {name: _joined(body, keys) for name, keys in _KEYS.items()}
    if explanation := source_explanation(body):
        attributes["explanation"] += f"\n{explanation}"
    places = list_places(body)
    for name in _OF_PLACES:
        more = dict.fromkeys(value for each in places if (value := getattr(each, name)))
        attributes[name] = "\n".join(filter(None, (attributes[name], *more)))
    attributes["tags"] = tuple(body.get("tags") or ())
    attributes["wordings"] = "\n".join(
        list_wordings(body["errorMessage"], body.get("messagePattern"), body.get("samples") or ())
    )
    return IndexDocument(record_id=record_id, slug=slug, **attributes)


def _joined(body: Mapping[str, Any], keys: Sequence[str]) -> str:
    values = [value for key in keys if (value := body.get(key))]
    return "\n".join(value if isinstance(value, str) else "\n".join(value) for value in values)


def document_of_stored(record: StoredRecord) -> IndexDocument:
    """The document of a record as the store has it. Raises StoreDamaged for a body that no
    ingestion has written, whatever its checksum."""
    try:
        try:
            body = orjson.loads(record.body_json)
        except orjson.JSONDecodeError:  # lone surrogates are JSON, but not to orjson
            body = json.loads(record.body_json)
        return document_of(record.id, record.slug, body)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise StoreDamaged(
            f"The database holds no record under the id {record.id}: remove its dataset "
            f"{record.dataset!r}, and ingest its record files again."
        ) from error
