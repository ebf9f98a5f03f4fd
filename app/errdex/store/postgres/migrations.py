"""Ordered migrations of the tables in PostgreSQL, which have a schema of their own in the database.

As in SQLite, each runs in one transaction together with its own row in `applied_migration`, and
one that was released is never edited. schema/tables.py describes the outcome of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, func, insert, select, text

from errdex.store.errors import StoreError, StoreMissing, StoreTooNew, StoreTooOld
from errdex.store.postgres.address import PostgresAddress
from errdex.store.schema.migration import Migration
from errdex.store.schema.tables import AppliedMigration, table_of
from errdex.store.versions import format_version

SCHEMA = "errdex"
_MIGRATING = 0x4552444558  # "ERDEX"
"""The advisory lock of those that migrate."""

# Versions are compared as text, whatever language the database sorts by.
_FIRST_TABLES = (
    """CREATE TABLE errdex.applied_migration (
        number INTEGER NOT NULL PRIMARY KEY,
        name VARCHAR NOT NULL,
        applied_at VARCHAR NOT NULL
    )""",
    """CREATE TABLE errdex.dataset (
        key SERIAL NOT NULL PRIMARY KEY,
        name VARCHAR NOT NULL UNIQUE
    )""",
    """CREATE TABLE errdex.ingestion (
        version VARCHAR COLLATE "C" NOT NULL PRIMARY KEY,
        dataset VARCHAR NOT NULL,
        added INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        removed INTEGER NOT NULL,
        checksum BIGINT
    )""",
    """CREATE TABLE errdex.record (
        key BIGINT NOT NULL PRIMARY KEY,
        dataset_key INTEGER NOT NULL REFERENCES errdex.dataset (key),
        repo VARCHAR NOT NULL,
        slug VARCHAR NOT NULL,
        title VARCHAR,
        error_message VARCHAR NOT NULL,
        pattern VARCHAR NOT NULL,
        error_class VARCHAR,
        error_type VARCHAR,
        error_code VARCHAR,
        http_status BIGINT,
        severity VARCHAR,
        language VARCHAR,
        background_tag VARCHAR,
        file_path VARCHAR,
        line_number BIGINT,
        function VARCHAR,
        tags VARCHAR NOT NULL,
        changed_version VARCHAR COLLATE "C" NOT NULL,
        content_hash BYTEA NOT NULL,
        source_hash VARCHAR,
        pattern_sum BIGINT,
        body_sum BIGINT,
        row_sum BIGINT
    )""",
    "CREATE INDEX record_dataset ON errdex.record (dataset_key)",
    "CREATE INDEX record_changed ON errdex.record (changed_version)",
    "CREATE INDEX record_source ON errdex.record (source_hash) WHERE source_hash IS NOT NULL",
    """CREATE TABLE errdex.record_body (
        key SERIAL NOT NULL PRIMARY KEY,
        record_key BIGINT NOT NULL UNIQUE REFERENCES errdex.record (key) ON DELETE CASCADE,
        body_json VARCHAR NOT NULL
    )""",
    """CREATE TABLE errdex.cause (
        tag VARCHAR NOT NULL PRIMARY KEY,
        dataset VARCHAR NOT NULL,
        body_json VARCHAR NOT NULL,
        checksum BIGINT NOT NULL
    )""",
)

MIGRATIONS: Sequence[Migration] = (Migration("first tables", _FIRST_TABLES),)
_applied = table_of(AppliedMigration)


def migrate(
    connection: Connection, address: PostgresAddress, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Bring the tables up to date, in one transaction. Safe to call always, and from several
    processes at once. Raises StoreTooNew, and StoreError for a database that cannot hold every
    text."""
    if applied(connection, address, migrations) == len(migrations):
        return
    with connection.begin():
        connection.execute(select(func.pg_advisory_xact_lock(_MIGRATING)))
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
        if encoding != "UTF8":
            raise StoreError(
                f"The {address} is encoded in {encoding}: create one with ENCODING 'UTF8'."
            )
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        done = _newest(connection)
        for number, migration in enumerate(migrations[done:], start=done + 1):
            for statement in migration.statements:
                connection.execute(text(statement))
            row = (number, migration.name, format_version(datetime.now(UTC)))
            connection.execute(insert(_applied).values(row))


def applied(
    connection: Connection, address: PostgresAddress, migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """How many migrations this database went through; 0 when it is empty."""
    with connection.begin():
        newest = _newest(connection)
    if newest > len(migrations):
        raise StoreTooNew(
            f"The {address} was written by a later version of Errdex (it went through {newest} "
            f"migrations, this version knows {len(migrations)}): upgrade Errdex, or set "
            "ERRDEX_DATABASE_URL to another database."
        )
    return newest


def check_current(connection: Connection, address: PostgresAddress) -> None:
    """Raise StoreMissing, StoreTooOld or StoreTooNew unless the tables are as they should be."""
    done = applied(connection, address)
    if done == 0:
        raise StoreMissing(
            f"There is no knowledge base in the {address} yet: create it with `errdex ingest "
            "FILES`, or set ERRDEX_DATABASE_URL to another database."
        )
    if done < len(MIGRATIONS):
        raise StoreTooOld(
            f"The {address} has the tables of an earlier version of Errdex: run `errdex ingest` "
            "once to update them."
        )


def _newest(connection: Connection) -> int:
    there = text("SELECT to_regclass('errdex.applied_migration') IS NOT NULL")
    if not connection.execute(there).scalar_one():
        return 0
    return int(connection.execute(select(func.max(_applied.c.number))).scalar_one() or 0)
