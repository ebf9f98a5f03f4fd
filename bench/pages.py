"""Record pages over HTTP, beside a bare FastAPI route that returns a string of their size.

    python -m bench.pages [--records 100000] [--requests 20000] [--folder FOLDER]

All are served by one uvicorn worker and asked by the same client in the same way. Pages are
asked for in each state that they can be in:

- made anew: nobody has asked for them in any version;
- any of all: every page was made once, the server was started again since, and each request
  asks for one of all records at random, so that most pages come from the file beside the
  database (the memory holds an eighth of 100,000, and is made smaller for fewer records);
- in a new version: an ingestion changed one record, and each page is asked for the first time
  since, so that all it shows must be compared;
- in memory: a few pages that are asked for again and again.

The bare route and pages that were made take turns, since the machine may be busier at one time
than at another; the figures are those of the turn with the middle share. Shares are told by the
clock and by the time that the server's process worked, which others on the machine hardly move.
With `--folder` the knowledge base and its pages are kept there and used again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import uvicorn
import uvloop
from bench.figures import Figure, Result
from bench.prepared import knowledge_base
from fastapi import FastAPI
from starlette.responses import HTMLResponse

from errdex.config import Settings, open_store
from errdex.ingest import ingest
from errdex.knowledge import Knowledge

CONNECTIONS = 16
LEAST_SHARE = 0.4
TURNS = 5
IDLE_SHARE = 0.05
"""A server works less than this share of the time when nobody asks it anything."""
SETTLED = 4
"""Seconds of that after which it has nothing left to prepare: a process for large pastes is
begun a while after the start."""
ERRDEX = ("-c", "from errdex.cli import main; main()")
SERVE = (*ERRDEX, "serve", "--port")
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


@dataclass(frozen=True)
class Pass:
    """What one pass over some paths took."""

    requests: int
    seconds: float
    latencies: Sequence[float]
    bytes: int
    cpu: float = 0.0
    """Seconds that the server's process worked, where that was asked for."""

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def rate_of_cpu(self) -> float:
        """Requests for each second that the server worked: what the rate would be, were the
        server never kept waiting. A busy machine hardly moves it."""
        return self.requests / self.cpu

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


@dataclass(frozen=True)
class Server:
    """A server process."""

    port: int
    process: psutil.Process

    def settle(self) -> None:
        """Wait until it and its processes have compiled the patterns and opened the index, which
        they do after the start, and after an ingestion, beside answering."""
        worked, idle = 0.0, 0
        for _ in range(120):
            before, worked = worked, self._worked()
            idle = idle + 1 if worked - before < IDLE_SHARE else 0
            if idle == SETTLED:
                return
            time.sleep(1)

    def _worked(self) -> float:
        """Seconds of CPU time up to now."""
        total = 0.0
        for each in (self.process, *self.process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                times = each.cpu_times()
                total += times.user + times.system
        return total

    def ask(self, paths: Sequence[str], encoding: str = "identity") -> Pass:
        """The pass over the paths, with the time that the server worked for it."""
        before = self.process.cpu_times()
        found = ask_all(self.port, paths, encoding)
        after = self.process.cpu_times()
        return replace(found, cpu=after.user + after.system - before.user - before.system)


@contextmanager
def served(*command: str, **environment: str) -> Iterator[int]:
    """A server process; gives its port."""
    with running(*command, **environment) as server:
        yield server.port


@contextmanager
def running(*command: str, **environment: str) -> Iterator[Server]:
    """A server process, whose last argument is its port."""
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
        yield Server(port, psutil.Process(server.pid))
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
    url = knowledge_base(folder, records)
    knowledge = Knowledge(*open_store(Settings(database_url=url)))
    addresses = knowledge.list_addresses("0" * 16, limit=records)
    knowledge.close()
    chosen = random.Random(5).sample(addresses, min(pages, len(addresses)))
    return url, [f"/errors/{each.id}/{each.slug}" for each in chosen]


def change_one(folder: Path, url: str) -> None:
    """Ingest a record that is not there yet, for a new dataset version."""
    file = folder / "one.json"
    message = f"The bench {time.time_ns()} is not level"
    file.write_text(json.dumps({"repo": "errdex/bench", "errorMessage": message}))
    store, indexes = open_store(Settings(database_url=url))
    ingest([file], store=store, indexes=indexes, dataset="one")
    store.close()


STATES = {
    "any of all": "each made once, the server started again since; any of them at random",
    "any of all, gzip": "the same by a client that unpacks; the bare route answers as many bytes",
    "in memory": "a few pages asked for again and again",
    "in a new version": "asked for the first time since one record was ingested",
    "made anew": "asked for the first time",
}


@dataclass(frozen=True)
class Pages:
    """What was measured."""

    size: int
    """Of a page, in bytes."""
    packed_size: int
    filling: float
    """How many pages a second two workers made, when each was asked for once."""
    states: Mapping[str, tuple[Pass, Pass]]
    """The pages in each of STATES, and the bare route at that time."""


def measure_states(folder: Path, records: int, asked: int, requests: int) -> Pages:
    """Ask for pages in each state. `asked` of the records are asked for at all, chosen by chance;
    the memory for pages holds about an eighth of them, as it does of 100,000 by default."""
    url, paths = prepare(folder, records, asked)
    few = paths[: min(2000, len(paths) // 4)]
    memory = max(round(64 * len(paths) / 100_000), 1)
    environment = {"ERRDEX_DATABASE_URL": url, "ERRDEX_PAGE_CACHE_MB": str(memory)}
    with running(*SERVE, **environment, ERRDEX_PAGE_FILE_MB="0") as server:
        server.settle()
        server.ask(paths[-100:])
        anew = server.ask(few)
    with running(*ERRDEX, "serve", "--workers", "2", "--port", **environment) as server:
        filled = server.ask(paths, "gzip")
    size, packed_size = anew.bytes // anew.requests, filled.bytes // filled.requests
    dice = random.Random(6)
    with (
        running("-m", "bench.pages", "bare", BARE_BYTES=str(size)) as bare,
        running("-m", "bench.pages", "bare", BARE_BYTES=str(packed_size)) as bare_packed,
        running(*SERVE, **environment) as server,
    ):
        server.settle()

        def take_turns(ask: Callable[[], Pass], constant: Server = bare) -> tuple[Pass, Pass]:
            """The turn with the middle share."""
            turns = []
            for _ in range(TURNS):
                found = ask()
                turns.append((found, constant.ask(["/"] * found.requests)))
            return sorted(turns, key=lambda each: share_of(*each))[TURNS // 2]

        def any_of(some: Sequence[str]) -> list[str]:
            return dice.choices(some, k=requests // TURNS)

        often = few[: 20 * memory]

        states = {
            "any of all": take_turns(lambda: server.ask(any_of(paths))),
            "any of all, gzip": take_turns(lambda: server.ask(any_of(paths), "gzip"), bare_packed),
            "in memory": take_turns(lambda: server.ask(any_of(often))),
        }
        change_one(folder, url)
        server.ask(paths[-1:])
        server.settle()
        server.ask(paths[-100:])
        constant = bare.ask(["/"] * requests)
        states |= {"in a new version": (server.ask(few), constant), "made anew": (anew, constant)}
    return Pages(size, packed_size, filled.rate, states)


def share_of(found: Pass, bare: Pass) -> float:
    """How many pages for each answer of the bare route, by the time that the servers worked."""
    return found.rate_of_cpu / bare.rate_of_cpu


def measure(share: float) -> Result:
    """Pages a second in each state beside the bare route."""
    records, requests = max(round(100_000 * share), 500), max(round(20_000 * share), 1000)
    asked = records // 10  # to make all takes half an hour: `python -m bench.pages` does
    with tempfile.TemporaryDirectory(prefix="errdex-bench-") as name:
        found = measure_states(Path(name), records, asked, requests)
    figures = [
        Figure(f"page, {state}", "pages/s of CPU", pages.rate_of_cpu, "bare FastAPI route",
               bare.rate_of_cpu, note=STATES[state])
        for state, (pages, bare) in found.states.items()
    ]  # fmt: skip
    told = (
        f"{records:,} records, pages of {asked:,} of them, {found.size:,} bytes each "
        f"({found.packed_size:,} packed), 16 connections, one worker"
    )
    return Result("pages", "Pages of records", told, figures)


def main() -> int:
    """0 when any page is served at the share of the bare route that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--asked", type=int, help="so many of the records are asked for, not all")
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--folder", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errdex-bench-") as name:
        asked = wanted.asked or wanted.records
        folder = wanted.folder or Path(name)
        found = measure_states(folder, wanted.records, asked, wanted.requests)
    sizes = f"{found.size:,} bytes ({found.packed_size:,} packed)"
    print(f"{wanted.records:,} records, {asked:,} pages of {sizes}, one worker")
    print(f"Two workers went through all these pages once at {found.filling:,.0f}/s.")
    columns = f"{'bare':>8} {'share':>6}"
    print(f"{'pages':18} {'by CPU time':>10} {columns} {'clock':>9} {columns}")
    for state, (pages, bare) in found.states.items():
        print(
            f"{state:18} {pages.rate_of_cpu:9,.0f}/s {bare.rate_of_cpu:6,.0f}/s"
            f" {share_of(pages, bare):6.1%} {pages.rate:7,.0f}/s {bare.rate:6,.0f}/s"
            f" {pages.rate / bare.rate:6.1%}"
            f"  p50 {pages.quantile(0.5):.2f} ms  p95 {pages.quantile(0.95):.2f} ms"
            f"  {STATES[state]}"
        )
    return 0 if share_of(*found.states["any of all"]) >= LEAST_SHARE else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["bare"]:
        serve_bare(int(sys.argv[2]))
    else:
        sys.exit(main())
