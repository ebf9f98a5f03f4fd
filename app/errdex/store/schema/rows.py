"""From the rows of the tables to values, each checked against its checksum, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from errdex.records.causes import Cause, parse_cause
from errdex.records.fields import COLUMNS
from errdex.store.checksums import damaged, is_row_sound, is_text_sound, row_sum, text_sum
from errdex.store.keys import id_of, key_of
from errdex.store.values import (
    Copied,
    FacetValue,
    KnownCause,
    NewRecord,
    RecordSummary,
    StoredRecord,
)

SUMMARY = ("key", "dataset", *COLUMNS, "changed_version", "body_sum", "row_sum")
"""The columns of a summary's row, in the order of its checksum."""

CHANGED_COLUMNS = (
    *COLUMNS,
    *("changed_version", "content_hash", "source_hash", "pattern_sum", "body_sum", "row_sum"),
)
"""The columns of a record that a change sets."""


def to_row(record: NewRecord, dataset: str, version: str) -> dict[str, object]:
    """The values of CHANGED_COLUMNS and the key of a record that `version` adds or changes."""
    key = key_of(record.id)
    values = {name: getattr(record, name) for name in COLUMNS}
    values["tags"] = orjson.dumps(record.tags).decode()
    values["changed_version"] = version
    body_sum = text_sum(key, record.body_json)
    checksum = row_sum(key, dataset, *values.values(), body_sum)
    return values | {
        "key": key,
        "content_hash": record.content_hash,
        "source_hash": record.source_hash,
        "pattern_sum": text_sum(key, record.pattern),
        "body_sum": body_sum,
        "row_sum": checksum,
    }


def to_cause_row(cause: Cause, dataset: str) -> tuple[str, str, str, int]:
    """Tag, dataset, body and checksum of a cause."""
    row = (cause.tag, dataset, orjson.dumps(cause.to_dict()).decode())
    return *row, row_sum(*row)


def to_summary(row: Sequence[Any]) -> RecordSummary:
    """The summary in a row of SUMMARY. Raises StoreDamaged when it is not what was written."""
    return RecordSummary(**_values(row))


def to_record(row: Sequence[Any]) -> StoredRecord:
    """The record in a row of SUMMARY with the body behind it. Raises StoreDamaged."""
    *summary, body = row
    values = _values(summary)
    if not is_text_sound(row[0], body, summary[-2]):
        raise damaged(f"the record {values['id']}")
    return StoredRecord(body_json=body, **values)


def to_copied(row: Sequence[Any]) -> Copied:
    """The record in such a row with the content hash and the source hash behind it."""
    *record, content_hash, source_hash = row
    return Copied(to_record(record), content_hash, source_hash)


def _values(row: Sequence[Any]) -> dict[str, Any]:
    if not is_row_sound(row):
        raise damaged(f"the record {id_of(row[0])}")
    values = dict(zip(SUMMARY, row, strict=True))
    del values["body_sum"], values["row_sum"]
    values["id"] = id_of(values.pop("key"))
    values["tags"] = tuple(orjson.loads(values["tags"]))
    return values


def to_cause(row: Sequence[Any]) -> KnownCause:
    """The cause in a row of tag, dataset, body and checksum. Raises StoreDamaged."""
    if not is_row_sound(row):
        raise damaged(f"the cause {row[0]}")
    return KnownCause(row[1], parse_cause(orjson.loads(row[2])))


def to_facet_value(row: Sequence[Any]) -> FacetValue:
    """The value in a row of facet, value, count and checksum. Raises StoreDamaged."""
    if not is_row_sound(row):
        raise damaged("the counts of its records")
    return FacetValue(row[1], row[2])
