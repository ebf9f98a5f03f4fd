"""Many clients at once, each answer checked, while datasets are replaced under them.

    python -m bench.load [--clients 200] [--seconds 60] [--records 100000] [--swaps 100]

`errdex serve --workers 2`, once it is ready and has nothing left to prepare, is asked over as
many connections as there are clients; each waits a while after an answer, as people do.
Meanwhile `errdex ingest --prune` replaces a dataset every few seconds. After the time is up a
few clients go on while datasets are replaced without a pause until so many swaps are done,
for the memory: it must not grow with them.

Fails on any status of 500 or above, any wrong answer, a 99th percentile over the bound,
or memory that grows.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import psutil
import uvloop
from bench.figures import Curve, Figure, Result
from bench.load_questions import Question, Questions, WrongAnswer, changing_records
from bench.pages import _LENGTH, ERRDEX, running
from bench.prepared import knowledge_base, records_file

THINK_SECONDS = 2.0
"""The mean of how long a client waits after an answer."""
SWAP_EVERY = 5.0
"""Seconds from one swap under load to the next."""
P99_MS = 2500.0
GROWTH = 1.1
"""The most that memory may have grown over the swaps after the load, from their first fifth to
their last."""
ASKED = 2000


@dataclass
class Tally:
    """What came of all requests."""

    latencies: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)
    ending: bool = False

    def quantile(self, share: float, kind: str | None = None) -> float:
        """In milliseconds, of a kind or of all."""
        some = self.latencies[kind] if kind else [x for v in self.latencies.values() for x in v]
        return statistics.quantiles(some, n=100)[round(share * 100) - 1] * 1000


class Client:
    """One connection that asks and checks."""

    def __init__(self, port: int, questions: Questions, tally: Tally, think: float) -> None:
        self._port = port
        self._questions = questions
        self._tally = tally
        self._think = think
        self._chance = random.Random(id(self))

    async def run(self) -> None:
        """Until the tally is ending."""
        await asyncio.sleep(self._chance.uniform(0, self._think))
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        while not self._tally.ending:
            question = self._questions.next()
            begun = time.perf_counter()
            try:
                status, body = await _exchange(reader, writer, question)
            except (OSError, asyncio.IncompleteReadError):
                # The server may close a connection that was idle, never one that is answered.
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                self._tally.wrong.append(f"{question.kind}: the connection was closed")
                continue
            self._tally.latencies[question.kind].append(time.perf_counter() - begun)
            self._check(question, status, body)
            await asyncio.sleep(self._chance.expovariate(1 / self._think))
        writer.close()

    def _check(self, question: Question, status: int, body: bytes) -> None:
        if status != 200:
            self._tally.wrong.append(f"{question.kind}: status {status}: {body[:200]!r}")
            return
        try:
            question.check(body)
        except (WrongAnswer, KeyError, ValueError) as error:
            self._tally.wrong.append(f"{question.kind}: {error}")


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, question: Question
) -> tuple[int, bytes]:
    method = "GET" if question.body is None else "POST"
    body = question.body or b""
    head = f"{method} {question.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    found = _LENGTH.search(answer)
    received = await reader.readexactly(int(found[1])) if found else b""
    return int(answer[9:12]), received


def megabytes(port: int) -> float:
    """Of the server that listens there and all its workers, shared memory counted once."""
    (server,) = (each for each in psutil.Process().children() if str(port) in each.cmdline()[-1:])
    total = 0
    for each in (server, *server.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            total += each.memory_full_info().pss
    return total / 1e6


class Swapping:
    """Replaces the changing dataset again and again, in a process each time."""

    def __init__(self, folder: Path, url: str) -> None:
        self._file = folder / "changing.jsonl"
        self._environment = {**os.environ, "ERRDEX_DATABASE_URL": url}
        self.done = 0

    async def once(self) -> None:
        """Ingest the next generation."""
        self._file.write_bytes(
            b"".join(orjson.dumps(each) + b"\n" for each in changing_records(self.done))
        )
        command = (*ERRDEX, "ingest", str(self._file), "--dataset", "changing", "--prune")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if await process.wait():
            raise RuntimeError("an ingestion failed")
        self.done += 1


async def _load(port: int, questions: Questions, swapping: Swapping, wanted: Any) -> tuple[
    Tally, list[tuple[float, float]], int
]:  # fmt: skip
    """What came of the requests, the memory after each swap, and how many swaps were under
    load."""
    tally = Tally()
    clients = [Client(port, questions, tally, THINK_SECONDS) for _ in range(wanted.clients)]
    asking = [asyncio.create_task(each.run()) for each in clients]
    memory: list[tuple[float, float]] = []
    ends = time.monotonic() + wanted.seconds
    while (begun := time.monotonic()) < ends:
        await swapping.once()
        memory.append((swapping.done, megabytes(port)))
        await asyncio.sleep(max(min(begun + SWAP_EVERY, ends) - time.monotonic(), 0))
    loaded = len(memory)
    for each in asking[4:]:
        each.cancel()
    while swapping.done < wanted.swaps:
        await swapping.once()
        memory.append((swapping.done, megabytes(port)))
    tally.ending = True
    for each in await asyncio.gather(*asking, return_exceptions=True):
        if isinstance(each, Exception) and not isinstance(each, asyncio.CancelledError):
            raise each
    return tally, memory, loaded


def measure(wanted: argparse.Namespace) -> tuple[Result, list[str]]:
    """The figures, and what was wrong."""
    with tempfile.TemporaryDirectory(prefix="errdex-load-") as name:
        folder = Path(name)
        url = knowledge_base(folder, wanted.records)
        every = max(wanted.records // ASKED, 1)
        with records_file(wanted.records).open("rb") as lines:
            asked = map(orjson.loads, itertools.islice(lines, 0, None, every))
            known: dict[str, dict[str, Any]] = {body["id"]: body for body in asked}
        swapping = Swapping(folder, url)
        uvloop.run(swapping.once())
        questions = Questions(known, random.Random(3))
        with running(
            *(*ERRDEX, "serve", "--workers", "2", "--port"),
            ERRDEX_DATABASE_URL=url,
            ERRDEX_WAITING_MATCHES="1000",
            ERRDEX_MATCH_WAIT_SECONDS="60",
            ERRDEX_KEEP_ALIVE_SECONDS="60",
        ) as server:
            server.settle()
            tally, memory, loaded = uvloop.run(_load(server.port, questions, swapping, wanted))
    return _result(tally, memory, loaded, wanted)


def _result(
    tally: Tally, memory: list[tuple[float, float]], loaded: int, wanted: Any
) -> tuple[Result, list[str]]:
    after = memory[loaded:] or memory
    fifth = max(len(after) // 5, 1)
    first = statistics.median(value for _, value in after[:fifth])
    last = statistics.median(value for _, value in after[-fifth:])
    swaps = int(memory[-1][0])
    requests = sum(map(len, tally.latencies.values()))
    figures = [
        Figure(f"{kind}, 99th percentile", "ms", tally.quantile(0.99, kind), "the bound", P99_MS,
               False, f"{len(values):,} requests, median {tally.quantile(0.5, kind):.0f} ms")
        for kind, values in sorted(tally.latencies.items())
        if len(values) > 1
    ]  # fmt: skip
    figures.append(
        Figure(f"memory after {swaps} swaps", "MB", last, "when the load had ended", first, False)
    )
    wrong = [*tally.wrong]
    if tally.quantile(0.99) > P99_MS:
        wrong.append(f"the 99th percentile of all is {tally.quantile(0.99):.0f} ms")
    if last > GROWTH * first and len(after) >= 10:
        wrong.append(f"memory grew from {first:.0f} to {last:.0f} MB over {len(after)} swaps")
    told = (
        f"{wanted.clients} clients for {wanted.seconds} s, two workers, {wanted.records:,} "
        f"records, {loaded} swaps of a dataset meanwhile; {requests:,} requests, "
        f"{len(tally.wrong)} wrong or failed; 99th percentile of all "
        f"{tally.quantile(0.99):.0f} ms"
    )
    curves = [Curve("Memory of the server", "MB", memory, by="swaps")]
    return Result("load", "Under load", told, figures, curves), wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--swaps", type=int, default=100)
    result, wrong = measure(parser.parse_args())
    result.save()
    print(result.input)
    for each in result.figures:
        print(f"{each.what:34} {each.ours:8,.0f} {each.unit}  {each.note}")
    for each in wrong[:20]:
        print(f"WRONG {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
