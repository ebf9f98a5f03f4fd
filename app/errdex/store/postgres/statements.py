"""The statements of a knowledge base in PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    String,
    any_,
    bindparam,
    cast,
    delete,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as insert_or

from errdex.records.fields import COLUMNS
from errdex.store.schema.rows import CHANGED_COLUMNS
from errdex.store.schema.tables import RECORD, CauseText, Dataset, Ingestion, RecordBody, table_of

AnySelect: TypeAlias = Select[*tuple[Any, ...]]

dataset = table_of(Dataset)
ingestion = table_of(Ingestion)
record = RECORD
body = table_of(RecordBody)
cause = table_of(CauseText)

CHANNEL = "errdex_version"
"""On which new versions are announced."""

_KEYS = any_(bindparam("keys", type_=ARRAY(BigInteger)))
_SUMMARY = (
    record.c.key,
    dataset.c.name,
    *(record.c[name] for name in (*COLUMNS, "changed_version", "body_sum", "row_sum")),
)
_SUMMARIES = select(*_SUMMARY).join(dataset, dataset.c.key == record.c.dataset_key)
_RECORDS = _SUMMARIES.outerjoin(body, body.c.record_key == record.c.key).add_columns(
    body.c.body_json
)

NEWEST = (
    select(ingestion.c.version, ingestion.c.checksum).order_by(ingestion.c.version.desc()).limit(1)
)
"""The newest version and its checksum."""

VERSIONS = (
    select(ingestion.c.version).order_by(ingestion.c.version.desc()).limit(bindparam("limit"))
)
"""The newest `limit` versions."""

VERSION = select(ingestion.c.version).where(ingestion.c.version == bindparam("version"))
"""The `version`, if there is such a one."""

COUNT = select(func.count()).select_from(record)
"""How many records there are."""

EVERY_KEY = select(record.c.key).order_by(record.c.key)
"""The key of every record, in their order."""

COPIED = (
    _RECORDS.add_columns(record.c.content_hash, record.c.source_hash)
    .where(record.c.changed_version > bindparam("since"))
    .order_by(record.c.key)
)
"""Every record whole that was changed later than `since`, with its hashes, by id."""

PATTERN_SUMS = select(record.c.key, record.c.pattern, record.c.pattern_sum).order_by(record.c.key)
"""Key, pattern and the checksum of it, of every record."""

UNCHANGED = _RECORDS.where(record.c.changed_version != bindparam("version")).order_by(record.c.key)
"""Every record whole that was last changed in another version than `version`."""

UNTIL = _RECORDS.where(record.c.changed_version <= bindparam("version")).order_by(record.c.key)
"""Every record whole that was last changed in `version` or before."""

CHANGED_IN = _SUMMARIES.where(
    record.c.changed_version == bindparam("version"), dataset.c.name == bindparam("dataset")
)
"""The summaries of the records of a `dataset` that a `version` changed."""

CAUSES = select(cause.c.tag, cause.c.dataset, cause.c.body_json, cause.c.checksum).order_by(
    cause.c.tag.collate("C")
)
"""Every cause that has a text, by tag as SQLite orders them."""

CAUSE = CAUSES.where(cause.c.tag == bindparam("tag"))
"""The cause with that `tag`."""

KNOWN = (
    select(record.c.key, dataset.c.name, record.c.content_hash)
    .join(dataset, dataset.c.key == record.c.dataset_key)
    .where(record.c.key == _KEYS)
)
"""Dataset and content hash of the records with these `keys`."""

KNOWN_SOURCES = (
    select(record.c.source_hash, record.c.key, record.c.content_hash)
    .join(dataset, dataset.c.key == record.c.dataset_key)
    .where(
        dataset.c.name == bindparam("dataset"),
        record.c.source_hash.is_not(None),
        record.c.source_hash == any_(bindparam("hashes", type_=ARRAY(String))),
    )
)
"""Source hash, key and content hash of the records of a `dataset` with these source `hashes`."""

ADD_DATASET = insert_or(dataset).values(name=bindparam("dataset")).on_conflict_do_nothing()
FIND_DATASET = select(dataset.c.key).where(dataset.c.name == bindparam("dataset"))
ADD_RECORD = insert(record)
CHANGE_RECORD = (
    update(record)
    .where(record.c.key == bindparam("of_key"))
    .values({name: bindparam(f"new_{name}") for name in CHANGED_COLUMNS})
)
"""Each column that a change sets is given as `new_` and its name."""
RENUMBER = (
    update(record)
    .where(record.c.key == bindparam("of_key"))
    .values(changed_version=bindparam("new_version"), row_sum=bindparam("new_sum"))
)
REMEMBER_SOURCE = (
    update(record)
    .where(record.c.key == bindparam("of_key"))
    .values(source_hash=bindparam("new_hash"))
)
ADD_BODY = insert(body)
CHANGE_BODY = (
    update(body)
    .where(body.c.record_key == bindparam("of_key"))
    .values(body_json=bindparam("new_body"))
)
REMOVE_RECORDS = delete(record).where(record.c.key == _KEYS)
_new_cause = insert_or(cause)
PUT_CAUSE = _new_cause.on_conflict_do_update(
    index_elements=["tag"],
    set_={name: _new_cause.excluded[name] for name in ("dataset", "body_json", "checksum")},
)
REMOVE_CAUSE = delete(cause).where(cause.c.tag == bindparam("of_tag"))
ADD_INGESTION = insert(ingestion)
CLEAR_CAUSES = delete(cause)
CLEAR = (delete(record), CLEAR_CAUSES, delete(ingestion))

READ_ONLY = text("SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean")
"""Whether nothing can be written here."""

LOCAL_SETTING = select(func.set_config(bindparam("name"), bindparam("value"), True))
"""Sets something until the end of the transaction."""

TRY_LOCK = select(func.pg_try_advisory_xact_lock(bindparam("key", type_=BigInteger)))
LOCK = select(func.pg_advisory_xact_lock(bindparam("key", type_=BigInteger)))
"""Advisory locks are let go of when the transaction ends, however it ends."""

HOLDER = text(
    "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND (classid::bigint << 32 | objid::bigint) = :key LIMIT 1"
)
"""What the holder of an advisory lock is called, as far as this user may know."""

ANNOUNCE = select(func.pg_notify(CHANNEL, bindparam("version")))


def keys_under(names: tuple[str, ...], *, with_file: bool = False) -> AnySelect:
    """The keys of the first `limit` records from the key `first` on under the conditions named;
    only those of records `with_file`, where that is asked for."""
    columns: Mapping[str, ColumnElement[bool]] = {
        "dataset": dataset.c.name == bindparam("dataset"),
        "tag": cast(record.c.tags, JSONB).has_key(bindparam("tag", type_=String)),
    }
    statement = select(record.c.key).join(dataset, dataset.c.key == record.c.dataset_key)
    for name in names:
        statement = statement.where(
            columns[name] if name in columns else record.c[name] == bindparam(name)
        )
    if with_file:
        statement = statement.where(record.c.file_path.is_not(None))
    statement = statement.where(record.c.key >= bindparam("first")).order_by(record.c.key)
    return statement.limit(bindparam("limit"))
