"""Records getting in, beside `sqlite-utils insert` with a full-text index.

Both read the same .jsonl file in a process of its own. sqlite-utils inserts the rows,
then enables FTS5 on the columns that hold what we search, and checks nothing. The
physical limit beside them is a copy of the same bytes to disk with fsync.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import Curve, Figure, Result
from bench.prepared import folder_kept, keep_knowledge_base, records_file

SIZES = (1_000, 10_000, 50_000, 100_000, 200_000)
COMPARED = 100_000
"""The one of them that the peer is given too."""
SEARCHED = ("errorMessage", "errorClass", "errorCode", "repo", "filePath", "documentation")


def run_sqlite_utils(source: Path, folder: Path) -> float:
    """Seconds that the command's own functions take."""
    import sqlite_utils

    folder.mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    database = sqlite_utils.Database(folder / "peer.db")
    database.enable_wal()
    with source.open("rb") as lines:
        table = database["records"]
        table.insert_all((json.loads(line) for line in lines), pk="id", batch_size=1000)
    table.enable_fts(SEARCHED, create_triggers=True)
    database.conn.close()
    return time.perf_counter() - begun


def run_copy(source: Path, folder: Path) -> float:
    """Seconds to write the file's bytes durably."""
    folder.mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    with source.open("rb") as read, (folder / "copy").open("wb") as written:
        while some := read.read(1 << 20):
            written.write(some)
        written.flush()
        os.fsync(written.fileno())
    return time.perf_counter() - begun


def _seconds(module: str, side: str, source: Path, folder: Path) -> float:
    command = [sys.executable, "-m", module, "--run", side, str(source), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


def measure(share: float) -> Result:
    """Ingestion beside the peer and the limit, and how it grows. The knowledge bases are kept
    for the benchmarks that follow."""
    sizes = [max(round(size * share), 100) for size in SIZES]
    size = max(round(COMPARED * share), 100)
    records_file(max(sizes))  # the others are its first lines
    taken: dict[int, float] = {}
    with tempfile.TemporaryDirectory(prefix="errdex-bench-", dir=folder_kept()) as name:
        folder = Path(name)
        for each in sizes:
            made = folder / f"errdex-{each}"
            taken[each] = _seconds("bench.ingest", "errdex", records_file(each), made)
            if each == size:
                again = _seconds("bench.ingest", "errdex", records_file(each), made)
            keep_knowledge_base(made, each)
        ours, source = taken[size], records_file(size)
        peer = _seconds("bench.insertion", "sqlite_utils", source, folder / "peer")
        copy = _seconds("bench.insertion", "copy", source, folder / "copy")
        told = f"{size:,} records, {source.stat().st_size / 1e6:,.0f} MB of .jsonl, two cores"
    figures = [
        Figure("records ingested", "records/s", size / ours, "sqlite-utils with FTS", size / peer),
        Figure("records ingested", "records/s", size / ours, "copying the file, fsync",
               size / copy, note="the physical limit"),
        Figure("unchanged records ingested again", "records/s", size / again,
               "sqlite-utils with FTS", size / peer, note="the peer's first run"),
    ]  # fmt: skip
    points = [(each, each / seconds) for each, seconds in taken.items()]
    return Result(
        "ingestion", "Ingestion", told, figures, [Curve("Records ingested", "records/s", points)]
    )


if __name__ == "__main__":
    run = {"sqlite_utils": run_sqlite_utils, "copy": run_copy}[sys.argv[2]]
    print(json.dumps(run(Path(sys.argv[3]), Path(sys.argv[4]))))
