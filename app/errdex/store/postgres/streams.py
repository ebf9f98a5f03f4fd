"""Rows that are read one by one, in bounded memory, until their connection is done with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Result

from errdex.store.postgres.statements import AnySelect

_OPTIONS = {"stream_results": True, "max_row_buffer": 500}
_OPEN = "errdex streams"


def stream(
    connection: Connection, statement: AnySelect, **values: object
) -> Iterator[tuple[Any, ...]]:
    """The rows of the answer."""
    result: Result[Any] = connection.execute(statement, values, execution_options=_OPTIONS)
    connection.info.setdefault(_OPEN, []).append(result)
    return map(tuple, result)


def end_streams(connection: Connection) -> None:
    """Close those that were not read to their end."""
    if connection.invalidated:  # it was lost, and they with it
        return
    for result in connection.info.pop(_OPEN, ()):
        result.close()
