"""Wires the parts for a terminal, and turns what they raise into one clear line.

A part is imported when it is used: a command waits only for what it needs, and telling what
its options are needs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from errdex.cli.views.terminal import USAGE, err, fail, said_of
from errdex.records.problems import Trouble

if TYPE_CHECKING:
    from errdex.cli.remote import Server as RemoteServer
    from errdex.cli.remote_records import Records
    from errdex.config import Settings
    from errdex.knowledge import Knowledge
    from errdex.search.protocol import IndexStore
    from errdex.store import Store

Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="The database, such as sqlite:///errdex.db. By default ERRDEX_DATABASE_URL, then the "
        "database that your first ingest creates, then the starter database of Errdex.",
    ),
]
Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="Query a remote Errdex server, such as https://errdex.example or localhost:8000.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def read_settings(database: str | None = None, *, writes: bool = False) -> Settings:
    """The settings of the environment, with the database of the command line. A command that
    `writes` never means the starter database by default, but the user's own."""
    from pydantic import ValidationError

    from errdex.config import Settings, own_database_url

    if writes and names_no_database(database):
        database = own_database_url()
    try:
        return Settings() if database is None else Settings(database_url=database)
    except Trouble as trouble:  # there is no starter database
        fail(str(trouble))
    except ValidationError as error:
        first = error.errors()[0]
        name = "ERRDEX_" + "_".join(str(part) for part in first["loc"]).upper()
        fail(f"The setting {name} cannot be used: {first['msg']}.", USAGE)


@contextmanager
def plain_errors() -> Iterator[None]:
    """End the command with one clear line for whatever the rooms raise."""
    try:
        yield
    except OSError as error:
        if error.filename is None:  # plain_output_errors says it
            raise
        fail(f"{said_of(error)}.")
    except ValueError as error:
        fail(str(error), USAGE)
    except Trouble as error:
        fail(str(error))


def address_of(server: str) -> str:
    """The address of a server as `--server` names it. Without a scheme it is https; it is http on
    this machine, and on a port other than 443, where `errdex serve` speaks no TLS."""
    server = server.strip().rstrip("/")
    if "://" in server:
        return server
    with plain_errors():
        parts = urlsplit(f"//{server}")
        host, port = parts.hostname or "", parts.port
    own = host in ("localhost", "::1") or host.startswith("127.")
    return f"{'http' if own or port not in (None, 443) else 'https'}://{server}"


def names_no_database(database: str | None) -> bool:
    """Whether neither the command line nor the environment names a database."""
    return database is None and "ERRDEX_DATABASE_URL" not in os.environ


def say_starter_is_built() -> None:
    """Called before the starter database of a checkout is built."""
    err().print("Building the starter database from data/, once for this state of the checkout …")


@contextmanager
def opened_store(
    database: str | None, *, writes: bool = False
) -> Iterator[tuple[Store, IndexStore]]:
    """The store and its indexes; what they raise is told plainly."""
    from errdex.config import open_store

    with plain_errors():
        store, indexes = open_store(read_settings(database, writes=writes), say_starter_is_built)
        try:
            yield store, indexes
        finally:
            store.close()


def catch_up(store: Store, indexes: IndexStore) -> None:
    """Bring the copy of data that are held elsewhere up to date, if it can be."""
    from errdex.store import Replica

    if not isinstance(store, Replica):
        return
    from errdex.ingest import catch_up as copy_changes

    if not store.current_version():
        err().print(f"Copying the records of {store.name} to this host, once …")
    if sentence := copy_changes(store, indexes):
        err().print(sentence)


@contextmanager
def opened_knowledge(database: str | None) -> Iterator[Knowledge]:
    """The knowledge base; a missing or damaged index is built before it is asked."""
    with opened_store(database) as (store, indexes):
        knowledge = knowledge_of(store, indexes)
        try:
            yield knowledge
        finally:
            knowledge.close()


def knowledge_of(store: Store, indexes: IndexStore) -> Knowledge:
    """The knowledge base of a store, up to date."""
    from errdex.knowledge import Knowledge

    catch_up(store, indexes)

    def rebuild() -> bool:
        from errdex.ingest import rebuild_index

        if store.immutable:
            fail(
                f"The full-text index of the starter database {store.path} is missing or "
                "damaged: install Errdex again."
            )
        err().print("The full-text index is missing or damaged and is being rebuilt …")
        return bool(rebuild_index(store, indexes))

    return Knowledge(store, indexes, rebuild=rebuild)


def watched_knowledge_of(store: Store, indexes: IndexStore, seconds: float) -> Knowledge:
    """The knowledge base of a store, for a command that goes on while others ingest."""
    from errdex.store import Replica

    knowledge = knowledge_of(store, indexes)
    if isinstance(store, Replica):
        from errdex.web.watching import Watcher

        Watcher(knowledge, store, indexes, seconds, lambda: None).start()
    return knowledge


@contextmanager
def opened_server(server: str) -> Iterator[RemoteServer]:
    """The server that `--server` names; what goes wrong with it ends the command with one line."""
    from errdex.cli.remote import Server as RemoteServer
    from errdex.cli.remote import ServerTrouble

    with plain_errors():
        opened = RemoteServer(address_of(server))
    try:
        yield opened
    except ServerTrouble as trouble:
        fail(str(trouble))
    except (LookupError, TypeError, AttributeError, ValueError):
        fail(str(opened.stranger()))


@contextmanager
def opened_records(
    server: str | None, database: str | None
) -> Iterator[tuple[Records, str | None]]:
    """The records of a server, with its address, or those of a database."""
    if server is None:
        with opened_knowledge(database) as knowledge:
            yield knowledge, None
        return
    from errdex.cli.remote_records import RemoteRecords

    with opened_server(server) as opened:
        yield RemoteRecords(opened), opened.url
