"""A knowledge base in PostgreSQL: who writes it, and what changed in it.

It answers no queries of readers: each host has a copy for these (see replica.py). So a reader needs
no connection, and a restart, a failover or a slow network delays new versions and nothing else.

Any number of processes write at once, one for each dataset. They take turns only to commit, which
makes versions grow in the order in which they become visible.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from errdex.store.checksums import is_row_sound, is_text_sound
from errdex.store.errors import StoreError
from errdex.store.keys import id_of
from errdex.store.postgres import migrations, statements
from errdex.store.postgres.address import PostgresAddress, refused_url
from errdex.store.postgres.copying import ServerChanges, ServerCopy
from errdex.store.postgres.errors import explained
from errdex.store.postgres.notices import Notices
from errdex.store.postgres.streams import end_streams, stream
from errdex.store.postgres.writing import ServerTransaction, begin, newest_version
from errdex.store.protocol import Changes
from errdex.store.schema.rows import to_copied
from errdex.store.sqlite.seen_records import seen_without_store

_SETTINGS = {
    "connect_timeout": 5,
    # A host that vanished is noticed after half a minute, not after two hours.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
"""What libpq is given unless the URL says otherwise."""
_MOST_REPORTED = 100


class PostgresPrimary:
    """One database. Safe to share between threads; opens nothing until it is used. Every method
    raises StoreError (see errors.py), and nothing of SQLAlchemy's or the driver's."""

    def __init__(self, url: str, *, busy_timeout_ms: int) -> None:
        """Raises StoreError for a URL that cannot be used."""
        self.address = PostgresAddress.of(url)
        self.name = f"the {self.address}"
        """What messages call it."""
        self._url = url
        self._wait_seconds = busy_timeout_ms / 1000
        self._notices: Notices | None = None

    def check_mutable(self) -> None:
        """Whether it can be written is known when it is."""

    def migrate(self, *, create: bool = True) -> None:
        """Create the tables or bring them up to date; does nothing when they are. Without `create`,
        raises StoreMissing when there are none."""
        with self._connection() as connection:
            done = migrations.applied(connection, self.address)
            if done == 0 and not create:
                migrations.check_current(connection, self.address)
            if done < len(migrations.MIGRATIONS):
                migrations.migrate(connection, self.address)

    @contextmanager
    def write(
        self,
        dataset: str,
        now: datetime | None = None,
        *,
        wait_seconds: float | None = None,
        on_wait: Callable[[str], object] | None = None,
    ) -> Iterator[ServerTransaction]:
        """Change one dataset, while nobody else changes it. Waits for another writer, and calls
        `on_wait` with a sentence before; then raises StoreBusy."""
        with self._writing(dataset, wait_seconds, on_wait) as connection, seen_without_store() as s:
            yield ServerTransaction(connection, dataset, s, now)

    @contextmanager
    def receive(self, changes: Changes) -> Iterator[ServerCopy]:
        """Take over the version that another store's changes lead to."""
        with self._writing("", None, None) as connection, seen_without_store() as seen:
            yield ServerCopy(connection, seen, changes)

    @contextmanager
    def changes(self, since: str = "") -> Iterator[ServerChanges]:
        """What changed since the version `since`, as of the newest one."""
        with self._connection(isolation_level="REPEATABLE READ") as connection:
            migrations.check_current(connection, self.address)
            yield ServerChanges(connection, since)

    def list_versions(self, limit: int = 2) -> list[str]:
        """The newest versions, newest first."""
        with self._connection() as connection:
            migrations.check_current(connection, self.address)
            return list(connection.execute(statements.VERSIONS, {"limit": limit}).scalars())

    def current_version(self) -> str:
        """The newest version; "" before any ingestion."""
        with self._connection() as connection:
            migrations.check_current(connection, self.address)
            return newest_version(connection)

    def wait_for_version(self, known: str, seconds: float) -> str:
        """The newest version as soon as it is not `known`, at the latest after so many seconds.
        Use it in one thread."""
        try:
            with explained(self.address):
                if self._notices is None:
                    connection = self._engine.connect()
                    try:
                        migrations.check_current(connection, self.address)
                        connection.execution_options(isolation_level="AUTOCOMMIT")
                        self._notices = Notices(connection)
                    except BaseException:
                        connection.close()
                        raise
                return self._notices.wait(known, seconds)
        except BaseException:
            self._stop_listening()
            raise

    def find_damage(self) -> list[str]:
        """A sentence for each record and cause that is not what was written."""
        found: list[str] = []
        with self._connection(isolation_level="REPEATABLE READ") as connection:
            migrations.check_current(connection, self.address)
            for row in stream(connection, statements.COPIED, since=""):
                try:
                    to_copied((*row[:-2], bytes(row[-2]), row[-1]))
                except StoreError:
                    found.append(f"The record {id_of(row[0])} is not what was written.")
            for key, pattern, checksum in stream(connection, statements.PATTERN_SUMS):
                if not is_text_sound(key, pattern, checksum):
                    found.append(f"The pattern of the record {id_of(key)} is not what was written.")
            found += [
                f"The cause {row[0]!r} is not what was written."
                for row in connection.execute(statements.CAUSES)
                if not is_row_sound(tuple(row))
            ]
        return [f"{each} (in {self.name})" for each in found[:_MOST_REPORTED]]

    def close(self) -> None:
        """Let go of the connection that listens."""
        self._stop_listening()

    @contextmanager
    def _writing(
        self, dataset: str, wait_seconds: float | None, on_wait: Callable[[str], object] | None
    ) -> Iterator[Connection]:
        wait = self._wait_seconds if wait_seconds is None else wait_seconds
        # Each statement sees what others have committed, whatever the server's default is.
        with self._connection(isolation_level="READ COMMITTED") as connection:
            migrations.check_current(connection, self.address)
            begin(connection, self.name, dataset, wait, on_wait)
            yield connection  # closed without a commit, it is rolled back

    @contextmanager
    def _connection(self, **options: Any) -> Iterator[Connection]:  # noqa: ANN401
        with explained(self.address), self._engine.connect() as connection:
            if options:
                connection.execution_options(**options)
            try:
                yield connection
            finally:
                end_streams(connection)

    @cached_property
    def _engine(self) -> Engine:
        try:
            url = make_url(self._url)
        except (ArgumentError, ValueError):
            raise refused_url() from None
        arguments: dict[str, Any] = {
            name: value for name, value in _SETTINGS.items() if name not in url.query
        }
        # Proxies such as PgBouncer give each transaction another connection, which does not know
        # the statements that the one before prepared.
        arguments["prepare_threshold"] = None
        host, process = socket.gethostname(), os.getpid()
        arguments.setdefault("application_name", f"errdex on {host:.30} (process {process})")
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"), poolclass=NullPool, connect_args=arguments
        )
        translated = {None: migrations.SCHEMA}
        return engine.execution_options(schema_translate_map=translated)

    def _stop_listening(self) -> None:
        notices, self._notices = self._notices, None
        if notices is not None:
            with explained(self.address):
                notices.close()
