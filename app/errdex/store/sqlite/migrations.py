"""Ordered migrations: each runs in one transaction together with its own row in
`applied_migration`, so a killed one leaves nothing behind and none runs twice.

A migration that was released is never edited; what it got wrong, the next one
puts right. tables.py describes the outcome of all of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from errdex.store.errors import StoreDamaged, StoreTooNew
from errdex.store.keys import is_record_id, key_of
from errdex.store.schema.migration import Migration
from errdex.store.sqlite.connections import add_checksums
from errdex.store.versions import format_version

APPLICATION_ID = 0x45524458
"""Written into the file's header ("ERDX"), so that another program's database is recognised."""


_FIRST_TABLES = (
    """CREATE TABLE applied_migration (
        number INTEGER NOT NULL PRIMARY KEY,
        name VARCHAR NOT NULL,
        applied_at VARCHAR NOT NULL
    )""",
    """CREATE TABLE dataset (
        "key" INTEGER NOT NULL PRIMARY KEY,
        name VARCHAR NOT NULL UNIQUE
    )""",
    """CREATE TABLE ingestion (
        version VARCHAR NOT NULL PRIMARY KEY,
        dataset VARCHAR NOT NULL,
        added INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        removed INTEGER NOT NULL
    )""",
    """CREATE TABLE record (
        "key" INTEGER NOT NULL PRIMARY KEY,
        dataset_key INTEGER NOT NULL REFERENCES dataset ("key"),
        repo VARCHAR NOT NULL,
        slug VARCHAR NOT NULL,
        error_message VARCHAR NOT NULL,
        pattern VARCHAR NOT NULL,
        error_class VARCHAR,
        error_type VARCHAR,
        error_code VARCHAR,
        http_status INTEGER,
        severity VARCHAR,
        language VARCHAR,
        background_tag VARCHAR,
        file_path VARCHAR,
        line_number INTEGER,
        function VARCHAR,
        tags VARCHAR NOT NULL,
        changed_version VARCHAR NOT NULL,
        content_hash BLOB NOT NULL,
        source_hash VARCHAR
    )""",
    "CREATE INDEX record_repo ON record (repo)",
    "CREATE INDEX record_repo_class ON record (repo, error_class)",
    "CREATE INDEX record_repo_file ON record (repo, file_path)",
    "CREATE INDEX record_class ON record (error_class)",
    "CREATE INDEX record_type ON record (error_type)",
    "CREATE INDEX record_severity ON record (severity)",
    "CREATE INDEX record_language ON record (language)",
    "CREATE INDEX record_background ON record (background_tag)",
    "CREATE INDEX record_dataset ON record (dataset_key)",
    "CREATE INDEX record_changed ON record (changed_version)",
    "CREATE INDEX record_source ON record (source_hash) WHERE source_hash IS NOT NULL",
    """CREATE TABLE record_body (
        "key" INTEGER NOT NULL PRIMARY KEY,
        record_key INTEGER NOT NULL UNIQUE REFERENCES record ("key") ON DELETE CASCADE,
        body_json VARCHAR NOT NULL
    )""",
    """CREATE TABLE record_tag (
        tag VARCHAR NOT NULL,
        record_key INTEGER NOT NULL REFERENCES record ("key") ON DELETE CASCADE,
        PRIMARY KEY (tag, record_key)
    ) WITHOUT ROWID""",
    "CREATE INDEX record_tag_record ON record_tag (record_key)",
    """CREATE TABLE facet_count (
        facet VARCHAR NOT NULL,
        value VARCHAR NOT NULL,
        records INTEGER NOT NULL,
        PRIMARY KEY (facet, value)
    ) WITHOUT ROWID""",
    "CREATE INDEX facet_count_order ON facet_count (facet, records DESC, value)",
    f"PRAGMA application_id = {APPLICATION_ID}",
)

_CHECKSUMS = (
    "ALTER TABLE record ADD COLUMN pattern_sum INTEGER",
    "ALTER TABLE record ADD COLUMN body_sum INTEGER",
    "ALTER TABLE record ADD COLUMN row_sum INTEGER",
    """UPDATE record SET pattern_sum = text_sum("key", pattern), body_sum = text_sum("key",
        (SELECT body_json FROM record_body WHERE record_key = record."key"))""",
    """UPDATE record SET row_sum = row_sum(
        "key", (SELECT name FROM dataset WHERE dataset."key" = dataset_key), repo, slug,
        error_message, pattern, error_class, error_type, error_code, http_status, severity,
        language, background_tag, file_path, line_number, function, tags, changed_version,
        body_sum)""",
    "ALTER TABLE facet_count ADD COLUMN checksum INTEGER",
    "UPDATE facet_count SET checksum = row_sum(facet, value, records)",
    "ALTER TABLE ingestion ADD COLUMN checksum INTEGER",
    "UPDATE ingestion SET checksum = row_sum(version)",
)

_TITLE = (
    "ALTER TABLE record ADD COLUMN title VARCHAR",
    """UPDATE record SET row_sum = row_sum(
        "key", (SELECT name FROM dataset WHERE dataset."key" = dataset_key), repo, slug, title,
        error_message, pattern, error_class, error_type, error_code, http_status, severity,
        language, background_tag, file_path, line_number, function, tags, changed_version,
        body_sum)""",
)

_FORMER_IDS = (
    """CREATE TABLE former_id (
        former_key INTEGER NOT NULL,
        record_key INTEGER NOT NULL REFERENCES record ("key") ON DELETE CASCADE,
        PRIMARY KEY (former_key, record_key)
    ) WITHOUT ROWID""",
    "CREATE INDEX former_id_record ON former_id (record_key)",
    # Until now the key was unknown, and held anything.
    """INSERT OR IGNORE INTO former_id
        SELECT key_of(former.value), record_key
        FROM record_body, json_each(body_json, '$.formerIds') AS former
        WHERE json_type(body_json, '$.formerIds') = 'array' AND key_of(former.value) IS NOT NULL
    """,
)

_CAUSES = (
    """CREATE TABLE cause (
        tag VARCHAR NOT NULL,
        dataset VARCHAR NOT NULL,
        body_json VARCHAR NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (tag)
    ) WITHOUT ROWID""",
)

MIGRATIONS: Sequence[Migration] = (
    Migration("first tables", _FIRST_TABLES),
    Migration("checksums", _CHECKSUMS),
    Migration("titles", _TITLE),
    Migration("former ids", _FORMER_IDS),
    Migration("causes", _CAUSES),
)


def migrate(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Bring the database up to date. Safe to call always, and from several processes at once.

    `connection` must be in autocommit mode. Raises StoreTooNew for a database of a later
    version and StoreDamaged for one that belongs to another program; sqlite3.Error otherwise.
    """
    if applied(connection, path, migrations) == len(migrations):
        return
    journal = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if journal != "wal":
        raise StoreDamaged(
            f"The database {path} cannot use a write-ahead log on this file system "
            f"(journal mode {journal}): keep it on a local disk."
        )
    add_checksums(connection)
    connection.create_function("key_of", 1, _key_or_none, deterministic=True)
    for number, migration in enumerate(migrations, start=1):
        _apply(connection, path, migrations, number, migration)


def _key_or_none(value: object) -> int | None:
    return key_of(value) if isinstance(value, str) and is_record_id(value) else None


def _apply(
    connection: sqlite3.Connection,
    path: Path,
    migrations: Sequence[Migration],
    number: int,
    migration: Migration,
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Asked again under the lock: another process may just have done it.
        if applied(connection, path, migrations) < number:
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(
                "INSERT INTO applied_migration (number, name, applied_at) VALUES (?, ?, ?)",
                (number, migration.name, format_version(datetime.now(UTC))),
            )
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def seal(connection: sqlite3.Connection, moment: str) -> None:
    """Make the file the same bytes wherever and whenever it is built from the same records,
    and readable without a log. `moment` replaces the times at which the tables were made."""
    connection.execute("UPDATE applied_migration SET applied_at = ?", (moment,))
    connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    connection.execute("VACUUM")


def applied(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """How many migrations this database went through; 0 when it is empty."""
    tables = _names(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if not tables and application == 0:
        return 0
    if application != APPLICATION_ID or "applied_migration" not in tables:
        raise StoreDamaged(
            f"The database {path} belongs to another program: set ERRDEX_DATABASE_URL to a "
            "place of its own for Errdex."
        )
    newest: int = connection.execute("SELECT max(number) FROM applied_migration").fetchone()[0]
    check_newest(path, newest, len(migrations))
    return newest


def check_newest(path: Path, newest: int, known: int) -> None:
    """Raise StoreTooNew when the database went through more migrations than are known."""
    if newest > known:
        raise StoreTooNew(
            f"The database {path} was written by a later version of Errdex (it went through "
            f"{newest} migrations, this version knows {known}): upgrade Errdex, or set "
            "ERRDEX_DATABASE_URL to another database."
        )


def _names(connection: sqlite3.Connection, query: str) -> set[str]:
    with closing(connection.execute(query)) as cursor:
        return {row[0] for row in cursor}
