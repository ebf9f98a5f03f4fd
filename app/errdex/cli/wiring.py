"""Wires the parts for a terminal, and turns what they raise into one clear line.

A part is imported when it is used: a command waits only for what it needs, and telling what
its options are needs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from errdex.cli.views.terminal import USAGE, err, fail, said_of
from errdex.records.problems import Trouble

if TYPE_CHECKING:
    from errdex.config import Settings
    from errdex.knowledge import Knowledge
    from errdex.search.protocol import IndexStore
    from errdex.store import Store

Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="The database, such as sqlite:///errdex.db. "
        "By default ERRDEX_DATABASE_URL, else a file in the user's data folder.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Give the answer as JSON.")]


def read_settings(database: str | None = None) -> Settings:
    """The settings of the environment, with the database of the command line."""
    from pydantic import ValidationError

    from errdex.config import Settings

    try:
        return Settings() if database is None else Settings(database_url=database)
    except ValidationError as error:
        first = error.errors()[0]
        name = "ERRDEX_" + "_".join(str(part) for part in first["loc"]).upper()
        fail(f"The setting {name} cannot be used: {first['msg']}.", USAGE)


@contextmanager
def told_plainly() -> Iterator[None]:
    """End the command with one clear line for whatever the rooms raise."""
    try:
        yield
    except OSError as error:
        if error.filename is None:  # output_told_plainly says it
            raise
        fail(f"{said_of(error)}.")
    except ValueError as error:
        fail(str(error), USAGE)
    except Trouble as error:
        fail(str(error))


@contextmanager
def opened_store(database: str | None) -> Iterator[tuple[Store, IndexStore]]:
    """The store and its indexes; what they raise is told plainly."""
    from errdex.config import open_store

    with told_plainly():
        store, indexes = open_store(read_settings(database))
        try:
            yield store, indexes
        finally:
            store.close()


@contextmanager
def opened_knowledge(database: str | None) -> Iterator[Knowledge]:
    """The knowledge base; a missing or damaged index is built before it is asked."""
    from errdex.knowledge import Knowledge

    with opened_store(database) as (store, indexes):

        def rebuild() -> bool:
            from errdex.ingest import rebuild_index

            err().print("The full-text index is missing or damaged and is being built anew …")
            return bool(rebuild_index(store, indexes))

        knowledge = Knowledge(store, indexes, rebuild=rebuild)
        try:
            yield knowledge
        finally:
            knowledge.close()
