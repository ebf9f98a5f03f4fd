"""The starter database: the records that come with Errdex, ready to be read.

An installed package carries it, with its full-text index and compiled patterns, in
`errdex/_starter`; it is built with the wheel, opened in place and never written. A checkout has
record files instead: there the database is built into `build/` when it is first needed, again
when the record files or the code that reads them changed.

A database of a user's own, in the user's data folder, holds the starter records as the dataset
`starter` beside the user's datasets. Every ingestion into it first brings that dataset to what
the installed package ships.
"""

from __future__ import annotations

import io
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from errdex.records.problems import Trouble
from errdex.resources import (
    DATABASE_NAME,
    build_folder,
    find_folder,
    find_packaged_starter,
    package_folder,
)

if TYPE_CHECKING:
    from errdex.ingest import IngestReport
    from errdex.ingest.report import Listener
    from errdex.search.protocol import IndexStore
    from errdex.store import Store

DATASET = "starter"
INDEX_NAME = f"{DATABASE_NAME}.index"
_READ_BY = ("records", "matching/patterns", "ingest", "search", "store")
"""The rooms whose code decides what a database holds."""
_KEPT = 3
"""Starter databases of a checkout, the newest, of which a server may be using one."""
_DAY_MS = 24 * 60 * 60 * 1000


class StarterMissing(Trouble):
    """The starter database is not there and cannot be built; the message says what to do."""


@lru_cache(maxsize=1)
def starter_path() -> Path:
    """Where the starter database is, or in a checkout is to be. Raises StarterMissing."""
    packaged = find_packaged_starter()
    if packaged is not None:
        return packaged
    try:
        state = _state_of_checkout(find_folder("data"))
    except OSError as error:
        raise StarterMissing(
            f"The starter records cannot be read ({error}): install Errdex again, or name a "
            "database with --database or ERRDEX_DATABASE_URL."
        ) from error
    return build_folder() / f"starter-{state}" / DATABASE_NAME


def is_starter(database: Path) -> bool:
    """Whether that is where a starter database is, which is never written."""
    packaged = find_packaged_starter()
    if packaged is not None:
        return database == packaged
    folder = database.parent
    return folder.parent == build_folder() and folder.name.startswith("starter-")


def ensure_starter(database: Path, on_build: Callable[[], object] = lambda: None) -> None:
    """Build the starter database of a checkout where it is missing; `on_build` is called
    before that. Several processes may do so at once. Raises StarterMissing."""
    if database.is_file():
        return
    if database != starter_path() or find_packaged_starter() is not None:
        raise StarterMissing(f"The starter database {database} is gone: start Errdex again.")
    on_build()
    try:
        build = build_folder()
        build.mkdir(exist_ok=True)
        aside = Path(mkdtemp(prefix=".starter-", dir=build))
        try:
            build_starter(find_folder("data"), aside)
            _move(aside, database.parent)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise StarterMissing(
            f"The starter database cannot be built in {build_folder()} ({error}): give this user "
            "the right to write there, or name a database with --database."
        ) from error
    _sweep(build)


def build_starter(data: Path, folder: Path, released: datetime | None = None) -> None:
    """Build the starter database and its index from the record files in `data`: the same bytes
    wherever that is done. The version is a moment on the day before `released`, which stands
    for the content of the files. Raises StarterMissing when a record is refused."""
    from errdex.ingest import ingest
    from errdex.search.whoosh.build import BuildLimits
    from errdex.search.whoosh.index import WhooshIndexStore
    from errdex.store import open_database, seal_database

    moment = _version_moment(data, released or datetime(2020, 2, 2, tzinfo=UTC))
    url = f"sqlite:///{folder / DATABASE_NAME}"
    store = open_database(url)
    # One process and one segment: how work is divided depends on the machine.
    indexes = WhooshIndexStore(folder / INDEX_NAME, BuildLimits(workers_from=1 << 40))
    with _repeatable_names():
        report = ingest([data], store=store, indexes=indexes, dataset=DATASET, now=moment)
    if not report.ok:
        problems = "\n".join(str(problem) for problem in report.problems)
        raise StarterMissing(f"The starter records have problems:\n{problems}")
    store.close()
    seal_database(url, moment)
    for left in ("lock", "lock-pid"):
        (folder / f"{DATABASE_NAME}.{left}").unlink(missing_ok=True)


def update_starter_records(
    store: Store, indexes: IndexStore, *, progress: Listener, on_build: Callable[[], object]
) -> IngestReport:
    """Bring the dataset `starter` of a user's own database, which is created if need be, to what
    this version of Errdex ships. A record whose id one of the user's datasets has is left out,
    and counted as refused. Raises StarterMissing, IngestError and StoreError."""
    from errdex.ingest import export_records, ingest
    from errdex.store import open_database

    path = starter_path()
    ensure_starter(path, on_build)
    shipped = open_database(f"sqlite:///{path}", immutable=True)
    lines = io.BytesIO()
    export_records(shipped, lines)
    shipped.close()
    lines.seek(0)
    return ingest(
        [Path("-")],
        store=store,
        indexes=indexes,
        dataset=DATASET,
        prune=True,
        progress=progress,
        stdin=lines,
    )


def _state_of_checkout(data: Path) -> str:
    """Names what a starter database is made of: equal for equal names, sizes and times."""
    package = package_folder()
    folders = [data, *(package / room for room in _READ_BY)]
    state = blake2b(digest_size=8)
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in sorted(names):
                if name.endswith((".py", ".yaml")):
                    path = os.path.join(root, name)  # noqa: PTH118 (Path takes ten times as long)
                    status = os.stat(path)  # noqa: PTH116
                    state.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return state.hexdigest()


def _version_moment(data: Path, released: datetime) -> datetime:
    content = blake2b(digest_size=8)
    for path in sorted(data.iterdir()):
        if path.suffix == ".yaml":
            content.update(path.name.encode() + b"\0" + path.read_bytes())
    before = 1 + int.from_bytes(content.digest()) % _DAY_MS
    return released - timedelta(milliseconds=before)


@contextmanager
def _repeatable_names() -> Iterator[None]:
    """Whoosh names a segment's files at random."""
    state = random.getstate()
    random.seed(0)
    try:
        yield
    finally:
        random.setstate(state)


def _move(aside: Path, folder: Path) -> None:
    try:
        aside.rename(folder)
    except OSError:
        if not (folder / DATABASE_NAME).is_file():  # else another process was quicker
            raise


def _sweep(build: Path) -> None:
    built = sorted(build.glob("starter-*"), key=lambda folder: folder.stat().st_mtime_ns)
    for folder in built[:-_KEPT]:
        shutil.rmtree(folder, ignore_errors=True)
