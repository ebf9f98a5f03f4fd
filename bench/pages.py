"""Record pages over HTTP, beside a bare FastAPI route that returns a string of their size.

    python -m bench.pages [--records 100000] [--requests 20000]

Both are served by one uvicorn worker and asked by the same client in the same way. The
first pass makes every page anew, as after an ingestion; the second finds them kept.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
import uvloop
from fastapi import FastAPI
from starlette.responses import HTMLResponse

from app.config import Settings, open_store
from app.ingest import ingest
from app.knowledge import Knowledge
from bench.generate import write_records

CONNECTIONS = 16
LEAST_SHARE = 0.4
ERRDEX = ("-c", "from app.cli import main; main()")
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


@dataclass(frozen=True)
class Pass:
    """What one pass over some paths took."""

    requests: int
    seconds: float
    latencies: Sequence[float]
    bytes: int

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    def quantile(self, share: float) -> float:
        """In milliseconds."""
        return statistics.quantiles(self.latencies, n=100)[round(share * 100) - 1] * 1000


async def _ask(port: int, paths: Iterator[str], latencies: list[float], encoding: str) -> int:
    """Ask for path after path on one connection; how many bytes of bodies came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    received = 0
    for path in paths:
        begun = time.perf_counter()
        headers = f"Host: localhost\r\nAccept-Encoding: {encoding}"
        writer.write(f"GET {path} HTTP/1.1\r\n{headers}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"{path}: {head[:80]!r}")
        received += await _read_body(reader, head)
        latencies.append(time.perf_counter() - begun)
    writer.close()
    return received


async def _read_body(reader: asyncio.StreamReader, head: bytes) -> int:
    """How many bytes a body has, which comes whole or in chunks."""
    if found := _LENGTH.search(head):
        return len(await reader.readexactly(int(found[1])))
    received = 0
    while length := int(await reader.readline(), 16):
        received += len(await reader.readexactly(length))
        await reader.readline()
    await reader.readline()
    return received


def ask_all(port: int, paths: Sequence[str], encoding: str) -> Pass:
    """Ask for all paths, on several connections at once."""

    async def run() -> Pass:
        latencies: list[float] = []
        following = iter(paths)
        begun = time.perf_counter()
        received = await asyncio.gather(
            *(_ask(port, following, latencies, encoding) for _ in range(CONNECTIONS))
        )
        seconds = time.perf_counter() - begun
        return Pass(len(paths), seconds, latencies, sum(received))

    return uvloop.run(run())


@contextmanager
def served(*command: str, **environment: str) -> Iterator[int]:
    """A server process; gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    server = subprocess.Popen(
        [sys.executable, *command, str(port)],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,  # the access log is written, as it is by default
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait()


def serve_bare(port: int) -> None:
    """One route that returns a constant string, of the size that BARE_BYTES says."""
    app = FastAPI()
    page = "x" * int(os.environ["BARE_BYTES"])

    @app.get("/", response_class=HTMLResponse)
    async def constant() -> str:
        return page

    uvicorn.run(app, port=port, log_level="warning", access_log=False)


def prepare(folder: Path, records: int, pages: int) -> tuple[str, list[str]]:
    """A knowledge base; gives its URL and the paths of some of its pages."""
    url = f"sqlite:///{folder / 'errdex.db'}"
    write_records(folder / "records.jsonl", records)
    store, indexes = open_store(Settings(database_url=url))
    ingest([folder / "records.jsonl"], store=store, indexes=indexes, dataset="bench")
    knowledge = Knowledge(store, indexes)
    addresses = knowledge.list_addresses("0" * 16, limit=records)
    knowledge.close()
    chosen = random.Random(5).sample(addresses, min(pages, len(addresses)))
    return url, [f"/errors/{each.id}/{each.slug}" for each in chosen]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--pages", type=int, default=2_000, help="different pages asked for")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errdex-bench-") as name:
        url, paths = prepare(Path(name), wanted.records, wanted.pages)
        with served(*ERRDEX, "serve", "--port", ERRDEX_DATABASE_URL=url) as port:
            anew = ask_all(port, paths, "identity")
            many = random.Random(6).choices(paths, k=wanted.requests)
            kept = ask_all(port, many, "identity")
            packed = ask_all(port, many, "gzip")
        size = anew.bytes // anew.requests
        with served("-m", "bench.pages", "bare", BARE_BYTES=str(size)) as port:
            ask_all(port, ["/"] * 1000, "identity")
            bare = ask_all(port, ["/"] * wanted.requests, "identity")
    print(f"{wanted.records:,} records, pages of {size:,} bytes, one worker")
    rows = {"bare route": bare, "page, kept": kept, "page, kept, gzip": packed, "page, anew": anew}
    for label, each in rows.items():
        print(
            f"{label:18} {each.rate:7,.0f}/s  {each.rate / bare.rate:6.1%} of the bare route"
            f"   p50 {each.quantile(0.5):6.2f} ms   p95 {each.quantile(0.95):6.2f} ms"
        )
    return 0 if kept.rate >= LEAST_SHARE * bare.rate else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["bare"]:
        serve_bare(int(sys.argv[2]))
    else:
        sys.exit(main())
