"""Wires the parts for a terminal, and turns what they raise into one clear line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from pydantic import ValidationError

from app.cli.terminal import USAGE, err, fail, said_of
from app.config import Settings, open_store
from app.ingest import DatasetNameRefused, IngestError, rebuild_index
from app.knowledge import Knowledge, KnowledgeError
from app.search.protocol import IndexStore, SearchError
from app.store import Store, StoreError

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
    except BrokenPipeError:
        raise
    except OSError as error:
        fail(f"{said_of(error)}.")
    except (DatasetNameRefused, ValueError) as error:
        fail(str(error), USAGE)
    except (StoreError, SearchError, IngestError, KnowledgeError) as error:
        fail(str(error))


@contextmanager
def opened_store(database: str | None) -> Iterator[tuple[Store, IndexStore]]:
    """The store and its indexes; what they raise is told plainly."""
    with told_plainly():
        store, indexes = open_store(read_settings(database))
        try:
            yield store, indexes
        finally:
            store.close()


@contextmanager
def opened_knowledge(database: str | None) -> Iterator[Knowledge]:
    """The knowledge base; a missing or damaged index is built before it is asked."""
    with opened_store(database) as (store, indexes):

        def rebuild() -> bool:
            err().print("The full-text index is missing or damaged and is being built anew …")
            return bool(rebuild_index(store, indexes))

        knowledge = Knowledge(store, indexes, rebuild=rebuild)
        try:
            yield knowledge
        finally:
            knowledge.close()
