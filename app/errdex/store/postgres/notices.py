"""News of new versions: PostgreSQL announces them, and is asked as well, since it announces nothing
to those that listen on a replica, through some proxies, or while they are not connected."""

from __future__ import annotations

from time import monotonic, sleep
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, text

from errdex.store.postgres import statements
from errdex.store.postgres.writing import newest_version


class Notices:
    """One connection that listens. Use it in one thread; whatever it raises, use a new one."""

    def __init__(self, connection: Connection) -> None:
        """`connection` is in autocommit mode."""
        self._connection = connection
        self._listens = not connection.execute(statements.READ_ONLY).scalar_one()
        if self._listens:
            connection.execute(text(f"LISTEN {statements.CHANNEL}"))

    def wait(self, known: str, seconds: float) -> str:
        """The newest version as soon as it is not `known`, at the latest after so many seconds."""
        end = monotonic() + seconds
        while (version := newest_version(self._connection)) == known:
            left = end - monotonic()
            if left <= 0:
                break
            self._sleep(left)
        return version

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _sleep(self, seconds: float) -> None:
        """Until something is announced."""
        if not self._listens:
            sleep(seconds)
            return
        driver = cast("psycopg.Connection[Any]", self._connection.connection.driver_connection)
        for _ in driver.notifies(timeout=seconds, stop_after=1):
            return
