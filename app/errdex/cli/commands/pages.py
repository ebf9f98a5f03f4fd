"""The command that makes the pages of records ahead of their first readers: pages."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from errdex.cli import INTERRUPTED
from errdex.cli.extras import needs_extra
from errdex.cli.views.terminal import FOUND, NOTHING, USAGE, counted, err, fail, out
from errdex.cli.wiring import Database, opened_knowledge, plain_errors, read_settings

if TYPE_CHECKING:
    from errdex.config import Settings
    from errdex.knowledge import Knowledge
    from errdex.store import Address, PageFile

BATCH = 100
"""Pages that a process makes at once."""
_DROPPED = "dropped"


def pages(
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes, by default one for each core.")
    ] = None,
    database: Database = None,
) -> None:
    """Render the pages of all records ahead of their first visitors.

    A server renders a page when it is first requested, and keeps it in a file of up to
    ERRDEX_PAGE_FILE_MB. This command fills the same file, also while servers run. Run it after
    an ingestion; pages that did not change are skipped. Set ERRDEX_PUBLIC_URL as for the server.
    """
    with needs_extra("server", "pages"):
        import_module("errdex.web.pages.cache.prerender")
    from errdex.config import cache_of, page_file_of
    from errdex.store import database_path

    settings = read_settings(database)
    if not settings.page_file_mb:
        fail("ERRDEX_PAGE_FILE_MB is 0: there is no file to keep pages in.", USAGE)
    with plain_errors():
        page_file = page_file_of(settings, database_path(settings.database_url, cache_of(settings)))
    if page_file is None:
        fail(
            "Beside the starter database nothing is kept: ingest records into a database of your "
            "own first, or name one with --database.",
            USAGE,
        )
    site = (settings.public_url or "").rstrip("/")
    with opened_knowledge(database) as knowledge:
        version = knowledge.prepare()
        batches = list(_batches(knowledge))
        if not batches:
            fail("There are no records yet: run `errdex ingest` first.", NOTHING)
        try:
            counts = _make_all(settings, site, batches, workers or os.cpu_count() or 1)
        except KeyboardInterrupt:
            fail("Cancelled; the pages that were made are kept.", INTERRUPTED)
        _tell(counts, newer=knowledge.get_version() != version)


def _batches(knowledge: Knowledge) -> Iterator[list[Address]]:
    first = "0" * 16
    while some := knowledge.list_addresses(first, limit=BATCH + 1):
        yield some[:BATCH]
        if len(some) <= BATCH:
            return
        first = some[BATCH].id


def _make_all(
    settings: Settings, site: str, batches: list[list[Address]], workers: int
) -> Counter[str]:
    """Raises what is wrong with the knowledge base, and KeyboardInterrupt."""
    from rich.progress import track

    from errdex.web.pages.cache.prerender import UNCACHED
    from errdex.workers.pool import worker_pool

    counts: Counter[str] = Counter()
    with worker_pool(min(workers, len(batches)), _open, settings, site) as pool:
        making = [pool.submit(_make_some, each) for each in batches]
        console = err()
        for done in track(
            as_completed(making),
            "making pages",
            total=len(making),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ):
            counts += done.result()
            if counts[UNCACHED]:
                break  # nor could the others
    return counts


def _tell(counts: Counter[str], *, newer: bool) -> None:
    from errdex.web.pages.cache.prerender import GONE, READY, RENDERED, UNCACHED

    out().print(
        f"ready: {counted(counts[READY] + counts[RENDERED], 'page')}, of which "
        f"{counts[RENDERED]:,} were made or looked through now"
    )
    if counts[_DROPPED]:
        err().print(
            f"{counted(counts[_DROPPED], 'page')} had to make room for others: raise "
            "ERRDEX_PAGE_FILE_MB."
        )
    if newer or counts[GONE]:
        err().print("A new dataset version came meanwhile: run this again for it.")
    if counts[UNCACHED]:
        fail(
            f"{counted(counts[UNCACHED], 'page')} could not be kept: can the file beside the "
            "database be written?"
        )
    raise typer.Exit(FOUND)


@dataclass(frozen=True, slots=True)
class _Opened:
    """What a process works with."""

    knowledge: Knowledge
    file: PageFile
    site: str


_opened: list[_Opened] = []


def _open(settings: Settings, site: str) -> None:
    """Once in each process."""
    from errdex.config import open_store, page_file_of
    from errdex.knowledge import Knowledge as Opening

    store, indexes = open_store(settings)
    file = page_file_of(settings, store.path, patient=True)
    if file is not None:
        _opened.append(_Opened(Opening(store, indexes), file, site))


def _make_some(addresses: list[Address]) -> Counter[str]:
    from errdex.web.pages.cache.prerender import prerender_pages

    (it,) = _opened
    dropped = it.file.dropped
    counts = prerender_pages(it.knowledge, it.file, it.site, addresses)
    counts[_DROPPED] = it.file.dropped - dropped
    return counts
