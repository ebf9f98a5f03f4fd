"""Record JSON over HTTP, beside a bare FastAPI route and Datasette with the same rows.

All are asked by the same client over the same connections, one process each. The bare
route returns a constant of the same size: what the framework alone allows. Datasette
serves the same records from its own table, each as JSON by its key.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson
from bench.figures import Figure, Result
from bench.pages import ERRDEX, Pass, ask_all, prepare, running, served
from bench.prepared import records_file


def clock(work: Callable[[], object]) -> float:
    """How many seconds the work takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def write_peer(source: Path, database: Path) -> None:
    """The records as rows for Datasette, a column for each key."""
    with source.open("rb") as lines, sqlite3.connect(database) as connection:
        rows = [orjson.loads(line) for line in lines]
        names = list(rows[0])
        columns = ", ".join(
            f'"{each}"' + (" PRIMARY KEY" if each == "id" else "") for each in names
        )
        connection.execute(f"CREATE TABLE records ({columns})")
        marks = ", ".join("?" * len(names))
        connection.executemany(
            f"INSERT INTO records VALUES ({marks})",
            (
                [
                    orjson.dumps(value).decode() if isinstance(value, list | dict) else value
                    for value in (row.get(name) for name in names)
                ]
                for row in rows
            ),
        )
    connection.close()


def _ask_settled(paths: list[str], **environment: str) -> Pass:
    """Ask a server that has nothing else to do any more."""
    with running(*ERRDEX, "serve", "--port", **environment) as server:
        server.ask(paths[:500])
        server.settle()
        return server.ask(paths)


def measure(share: float) -> Result:
    """Requests a second and their latencies."""
    records, requests = max(round(100_000 * share), 500), max(round(10_000 * share), 500)
    with tempfile.TemporaryDirectory(prefix="errdex-bench-") as name:
        folder = Path(name)
        url, pages = prepare(folder, records, 2000)
        ids = [page.split("/")[2] for page in pages]
        chosen = random.Random(7).choices(ids, k=requests)
        paths = [f"/api/errors/{each}" for each in chosen]
        ours = _ask_settled(paths, ERRDEX_DATABASE_URL=url)
        unobserved = _ask_settled(
            paths, ERRDEX_DATABASE_URL=url, ERRDEX_ACCESS_LOG="false", ERRDEX_METRICS="false"
        )
        size = str(ours.bytes // ours.requests)
        with served("-m", "bench.pages", "bare", BARE_BYTES=size) as port:
            ask_all(port, ["/"] * 500, "identity")
            bare = ask_all(port, ["/"] * requests, "identity")
        write_peer(records_file(records), folder / "peer.db")
        fewer = chosen[: max(requests // 10, 100)]
        rows = [f"/peer/records/{each}.json?_shape=array" for each in fewer]
        command = ("-m", "datasette", str(folder / "peer.db"), "--port")
        with served(*command) as port:
            ask_all(port, rows[:50], "identity")
            peer = ask_all(port, rows, "identity")
    figures = [
        Figure("record JSON", "requests/s", ours.rate, "bare FastAPI route", bare.rate),
        Figure("record JSON, median", "ms", ours.quantile(0.5), "bare FastAPI route",
               bare.quantile(0.5), False),
        Figure("record JSON, 95th percentile", "ms", ours.quantile(0.95), "bare FastAPI route",
               bare.quantile(0.95), False),
        Figure("record JSON", "requests/s", ours.rate, "Datasette", peer.rate),
        Figure("record JSON, median", "ms", ours.quantile(0.5), "Datasette",
               peer.quantile(0.5), False),
        Figure("record JSON with access log and metrics", "requests/s", ours.rate,
               "without both", unobserved.rate, note="what observing costs"),
    ]  # fmt: skip
    told = f"{records:,} records of {int(size):,} bytes, 16 connections, one process each"
    return Result("serving", "Serving", told, figures)
