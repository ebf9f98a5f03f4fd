"""From the command to the first answers, and the memory then, as the knowledge base grows.

A server counts as started when `/readyz` says so and as warm after a search, a record
and a paste were answered. Beside it stands a bare FastAPI application: what the
interpreter and the framework take.
"""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from bench.figures import Curve, Figure, Result
from bench.pages import ERRDEX, prepare

SIZES = (1_000, 50_000, 200_000)
PASTE = b"ValueError: the connection pool of service-1 is exhausted after 30 s\n"


@dataclass(frozen=True)
class Start:
    """Seconds until it answers, and MB before and after the first questions."""

    seconds: float
    megabytes: float
    warm_megabytes: float
    first_match_ms: float


def _ask(port: int, method: str, path: str, body: bytes | None = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        headers = {"Content-Type": "text/plain"} if body else {}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def _megabytes(pid: int) -> float:
    """Of the process and its children; what they share is counted once."""
    one = psutil.Process(pid)
    return sum(each.memory_full_info().pss for each in (one, *one.children(recursive=True))) / 1e6


def start(
    command: Sequence[str], ready: str, asked: Sequence[tuple[str, str]], **env: str
) -> Start:
    """Start a server and ask it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    begun = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, *command, str(port)],
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            try:
                if _ask(port, "GET", ready) == 200:
                    break
            except OSError:
                pass
            if server.poll() is not None or time.perf_counter() - begun > 300:
                raise RuntimeError("the server did not start")
            time.sleep(0.01)
        seconds = time.perf_counter() - begun
        first = _megabytes(server.pid)
        took = 0.0
        for method, path in asked:
            at = time.perf_counter()
            _ask(port, method, path, PASTE if method == "POST" else None)
            took = time.perf_counter() - at
        return Start(seconds, first, _megabytes(server.pid), took * 1000)
    finally:
        server.terminate()
        server.wait()


def start_bare() -> Start:
    """The bare application, the middle one of three: it starts so soon that one may mislead."""
    command, asked = ("-m", "bench.pages", "bare"), [("GET", "/")] * 3
    starts = [start(command, "/", asked, BARE_BYTES="1000") for _ in range(3)]
    return sorted(starts, key=lambda each: each.seconds)[1]


def measure(share: float) -> Result:
    """Start-up at each size beside the bare application."""
    bare = start_bare()
    starts: dict[int, Start] = {}
    for size in (max(round(size * share), 100) for size in SIZES):
        with tempfile.TemporaryDirectory(prefix="errdex-bench-") as name:
            url, pages = prepare(Path(name), size, 10)
            asked = [("GET", "/api/errors?q=connection"), ("GET", pages[0])]
            asked.append(("POST", "/api/errors/match"))
            command = (*ERRDEX, "serve", "--port")
            starts[size] = start(
                command, "/readyz", asked, ERRDEX_DATABASE_URL=url, ERRDEX_ACCESS_LOG="false"
            )
    figures = []
    for size, one in starts.items():
        label = f"{size:,} records"
        figures += [
            Figure(f"ready, {label}", "s", one.seconds, "bare FastAPI", bare.seconds, False),
            Figure(f"memory when ready, {label}", "MB", one.megabytes, "bare FastAPI",
                   bare.megabytes, False),
            Figure(f"memory after questions, {label}", "MB", one.warm_megabytes, "bare FastAPI",
                   bare.warm_megabytes, False),
        ]  # fmt: skip
    curves = [
        Curve("Time until ready", "s", [(n, one.seconds) for n, one in starts.items()]),
        Curve("Memory after questions", "MB", [(n, o.warm_megabytes) for n, o in starts.items()]),
        Curve("First paste answered", "ms", [(n, o.first_match_ms) for n, o in starts.items()]),
    ]
    told = "one worker; memory is the proportional set size of all its processes"
    return Result("starting", "Start-up and memory", told, figures, curves)
