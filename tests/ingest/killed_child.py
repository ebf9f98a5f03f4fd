"""Run by test_killed_ingestion in a process of its own, which is killed meanwhile.

The test hands in the `arguments`: the database, the folder of its index and of its copy, the record
file, the end of a pipe to tell the phases to, and whether the index is to be built by
processes beside this one, as for many records.
"""

from __future__ import annotations

from multiprocessing.connection import Connection
from pathlib import Path

from errdex.ingest import ingest
from errdex.search.whoosh.build import BuildLimits
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import open_database


def run(url: str, folder: Path, records: Path, phases: Connection, workers: bool) -> None:
    ingest(
        [records],
        store=open_database(url, cache=folder),
        indexes=WhooshIndexStore(
            folder / "index", BuildLimits(workers_from=20 if workers else 10**9)
        ),
        dataset="main",
        prune=True,
        progress=lambda progress: phases.send(progress.phase),
    )


run(**globals()["arguments"])
