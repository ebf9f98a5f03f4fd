"""The statements of a command that only reads, as SQL.

They are few and have one form each, so they need no SQLAlchemy: importing it and describing the
tables took half of the time of `errdex match` for one error. queries.py builds the others.
"""

from __future__ import annotations

from errdex.records.fields import COLUMNS
from errdex.store.sqlite.statements.compiled import Statement

DATASET_OF_RECORD = "(SELECT name FROM dataset WHERE dataset.key = record.dataset_key)"

_COLUMNS = (f"record.{name}" for name in (*COLUMNS, "changed_version", "body_sum", "row_sum"))
_SUMMARY = ", ".join(("record.key", DATASET_OF_RECORD, *_COLUMNS))
_KEYS = "(SELECT value FROM json_each(:keys))"

# A record without a body is found too, so that it is reported as damaged, not left out.
_WITH_BODY = "LEFT JOIN record_body ON record_body.record_key = record.key"

# Beside max(), SQLite takes the other columns from the row that it found.
VERSION = Statement.of(
    "SELECT max(ingestion.version), ingestion.checksum,"
    " (SELECT max(number) FROM applied_migration) FROM ingestion"
)
"""The version that is served, its checksum and the newest migration."""

RECORD = Statement.of(
    f"SELECT {_SUMMARY}, body_json FROM record {_WITH_BODY} WHERE record.key = :key"  # noqa: S608
)
"""A whole record by `key`."""

RECORDS_BY_KEY = Statement.of(
    f"SELECT {_SUMMARY}, body_json FROM record {_WITH_BODY} WHERE record.key IN {_KEYS}"  # noqa: S608
)
"""The records whose keys are in the JSON list `keys`, in any order."""

SUMMARIES_BY_KEY = Statement.of(
    f"SELECT {_SUMMARY} FROM record WHERE record.key IN {_KEYS}"  # noqa: S608
)
"""The same without their bodies."""

BODIES_OF = Statement.of(
    f"SELECT record_key FROM record_body WHERE record_key IN {_KEYS}"  # noqa: S608
)
"""Those of the keys in the JSON list `keys` under which there is a body."""

SUCCESSOR = Statement.of(
    "SELECT record_key FROM former_id WHERE former_key = :former ORDER BY record_key LIMIT 1"
)
"""The key of the record that had the key `former` once."""

PATTERNS = Statement.of("SELECT key, pattern, pattern_sum FROM record ORDER BY key")
"""Key, pattern and the checksum of it, of every record, by id."""

CAUSES = Statement.of("SELECT tag, dataset, body_json, checksum FROM cause ORDER BY tag")
"""Every cause that has a text."""

CAUSE = Statement.of("SELECT tag, dataset, body_json, checksum FROM cause WHERE tag = :tag")
"""The cause with that `tag`."""

_COUNT = "SELECT facet, value, records, checksum FROM facet_count"
EVERY_COUNT = Statement.of(_COUNT)
"""All kept counts."""

MOST_COUNTED = Statement.of(
    f"{_COUNT} WHERE facet = :facet ORDER BY records DESC, value LIMIT :limit"
)
"""The most frequent values of a `facet` among all records."""

_LIKE = f"{_COUNT} WHERE facet = :facet AND value LIKE :like ESCAPE '\\'"
_BEHIND_NAME = (
    " AND (lower(value) > lower(:last_value)"
    " OR (lower(value) = lower(:last_value) AND value > :last_value))"
)
_BEHIND_COUNT = " AND (records < :last_count OR (records = :last_count AND value > :last_value))"
VALUES = {
    (by_name, after): Statement.of(
        _LIKE
        + ((_BEHIND_NAME if by_name else _BEHIND_COUNT) if after else "")
        + (" ORDER BY lower(value), value" if by_name else " ORDER BY records DESC, value")
        + " LIMIT :limit"
    )
    for by_name in (False, True)
    for after in (False, True)
}
"""The values of a `facet` that are like `like`, by (whether by name or by count, whether from
behind a value)."""

MOST_COUNTED_BEHIND = Statement.of(
    f"{_COUNT} WHERE facet = :facet AND (records < :last_count"
    " OR (records = :last_count AND value > :last_value))"
    " ORDER BY records DESC, value LIMIT :limit"
)
"""The same from behind a value and its count."""
