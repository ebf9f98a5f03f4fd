"""How fast records get in, and what it costs, beside plain SQLite with FTS5.

    python -m bench.ingest [RECORDS]

Both sides read the same .jsonl file of complete records (see bench.generate), each in
a process of its own on two cores. SQLite inserts the same rows and the same searchable
texts in one transaction and checks nothing; in its second run it looks each record up
and compares it. Memory is the greatest sum of the resident sets of the process and its
children, pages that they share counted for each of them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import orjson
from bench.prepared import records_file
from bench.watching import watched

from errdex.config import Settings, open_store
from errdex.ingest import ingest
from errdex.ingest.index_documents import document_of

RECORDS = 100_000
_CORES = 2
_BATCH = 1000


def measure(records: int = RECORDS) -> dict[str, Any]:
    """The figures: records per second, peak memory in MB and size on disk in MB."""
    with tempfile.TemporaryDirectory(prefix="errdex-bench-") as folder:
        source = records_file(records)
        sides = {
            side: {
                run: _measured(side, source, Path(folder) / side) for run in ("first", "unchanged")
            }
            for side in ("errdex", "sqlite_fts5")
        }
        figures: dict[str, Any] = {
            side: {
                "first_records_per_s": round(records / runs["first"]["seconds"]),
                "unchanged_records_per_s": round(records / runs["unchanged"]["seconds"]),
                "first_peak_mb": round(runs["first"]["peak_mb"]),
                "unchanged_peak_mb": round(runs["unchanged"]["peak_mb"]),
                "disk_mb": round(_size(Path(folder) / side) / 1e6),
            }
            for side, runs in sides.items()
        }
        errdex, peer = figures["errdex"], figures["sqlite_fts5"]
        figures["ratio"] = {name: round(errdex[name] / peer[name], 2) for name in errdex}
        figures["records"] = records
        figures["input_mb"] = round(source.stat().st_size / 1e6)
        return figures


def _measured(side: str, source: Path, folder: Path) -> dict[str, float]:
    """Run one side in a process of its own and watch its memory."""
    seconds, peak = watched("bench.ingest", "--run", side, str(source), str(folder))
    return {"seconds": float(seconds), "peak_mb": peak / 1e6}


def _run_errdex(source: Path, folder: Path) -> float:
    folder.mkdir(exist_ok=True)
    store, indexes = open_store(Settings(database_url=f"sqlite:///{folder / 'errdex.db'}"))
    started = time.perf_counter()
    report = ingest([source], store=store, indexes=indexes, dataset="bench")
    seconds = time.perf_counter() - started
    assert report.ok, report.problems[:3]
    store.close()
    return seconds


def _run_sqlite_fts5(source: Path, folder: Path) -> float:
    folder.mkdir(exist_ok=True)
    started = time.perf_counter()
    connection = sqlite3.connect(folder / "peer.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS record (id TEXT PRIMARY KEY, repo TEXT, class TEXT,"
        " type TEXT, severity TEXT, language TEXT, background TEXT, path TEXT, body TEXT)"
    )
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5"
        "(id, message, class, code, repo, tags, path, explanation, solutions)"
    )
    connection.execute("BEGIN IMMEDIATE")
    rows: list[tuple[object, ...]] = []
    texts: list[tuple[object, ...]] = []
    with source.open("rb") as lines:
        for line in lines:
            body = orjson.loads(line)
            known = connection.execute("SELECT body FROM record WHERE id = ?", (body["id"],))
            text = line.decode().rstrip()
            if known.fetchone() == (text,):
                continue
            document = document_of(body["id"], body["slug"], body)
            rows.append(
                (document.record_id, document.repo, document.error_class, document.error_type,
                 document.severity, document.language, document.background_tag,
                 document.file_path, text)
            )  # fmt: skip
            texts.append(
                (document.record_id, document.message, document.error_class, document.error_code,
                 document.repo, " ".join(document.tags), document.file_path,
                 document.explanation, document.solutions)
            )  # fmt: skip
            if len(rows) == _BATCH:
                _insert(connection, rows, texts)
    _insert(connection, rows, texts)
    connection.execute("COMMIT")
    connection.close()
    return time.perf_counter() - started


def _insert(
    connection: sqlite3.Connection,
    rows: list[tuple[object, ...]],
    texts: list[tuple[object, ...]],
) -> None:
    connection.executemany("INSERT INTO record VALUES (?,?,?,?,?,?,?,?,?)", rows)
    connection.executemany("INSERT INTO words VALUES (?,?,?,?,?,?,?,?,?)", texts)
    rows.clear()
    texts.clear()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _show(figures: dict[str, Any]) -> None:
    print(f"{figures['records']:,} records, {figures['input_mb']} MB of .jsonl, {_CORES} cores")
    print(f"{'':28}{'Errdex':>12}{'SQLite FTS5':>14}{'ratio':>8}")
    for name in figures["errdex"]:
        errdex, peer = figures["errdex"][name], figures["sqlite_fts5"][name]
        ratio = figures["ratio"][name]
        print(f"{name.replace('_', ' '):28}{errdex:>12,}{peer:>14,}{ratio:>8}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:_CORES])
        run = {"errdex": _run_errdex, "sqlite_fts5": _run_sqlite_fts5}[sys.argv[2]]
        print(json.dumps(run(Path(sys.argv[3]), Path(sys.argv[4]))))
    else:
        _show(measure(int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS))
