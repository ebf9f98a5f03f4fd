"""From the rows of the tables to values, each checked against its checksum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from errdex.records.causes import parse_cause
from errdex.records.fields import COLUMNS
from errdex.store.checksums import damaged, is_row_sound, is_text_sound
from errdex.store.keys import id_of
from errdex.store.values import FacetValue, KnownCause, RecordSummary, StoredRecord

SUMMARY = ("key", "dataset", *COLUMNS, "changed_version", "body_sum", "row_sum")
"""The columns of a summary's row, in the order of its checksum."""


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
