"""Run by test_killed_ingestion: ingests when it is told to, and is killed meanwhile.

Arguments: the folder of the database and index, and the record file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from app.ingest import ingest
from app.search.whoosh_index import WhooshIndexStore
from app.store import Store


def main(folder: Path, records: Path) -> None:
    store = Store(f"sqlite:///{folder / 'errdex.db'}")
    indexes = WhooshIndexStore(folder / "index")
    _tell("ready")
    sys.stdin.readline()
    ingest(
        [records],
        store=store,
        indexes=indexes,
        dataset="main",
        prune=True,
        progress=lambda progress: _tell(progress.phase),
    )


def _tell(phase: str) -> None:
    sys.stdout.write(f"{phase}\n")
    sys.stdout.flush()


main(Path(sys.argv[1]), Path(sys.argv[2]))
