"""Real servers for tests, as `errdex serve` runs them, and raw connections to them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.knowledge_base import SHOP, load
from tests.ports import reserved_port

from errdex.config import Settings, open_store

_START = """
import sys
from errdex.cli import sockets
from errdex.config import Settings
from errdex.cli.commands.serve import run_server, shared_metrics
sockets.SPREADS &= sys.argv[3] == "True"
if int(sys.argv[4]):
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[4]),) * 2)
with shared_metrics(int(sys.argv[1])):
    run_server(Settings(), int(sys.argv[1]), sys.argv[2])
"""


@dataclass
class Server:
    """A server process, its port and what it says."""

    process: subprocess.Popen[bytes]
    port: int
    stdout: Path
    stderr: Path

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=600)

    def ask(self, path: str, *headers: str, method: str = "GET") -> bytes:
        """The whole answer to one request."""
        with self.connect() as connection:
            lines = [f"{method} {path} HTTP/1.1", "Host: here", "Connection: close", *headers]
            connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
            return read_all(connection)

    def end(self, signal_number: int = signal.SIGTERM) -> int:
        self.process.send_signal(signal_number)
        return self.process.wait(600)


def read_all(connection: socket.socket) -> bytes:
    """What comes until the other side closes, however it does so."""
    received = b""
    try:
        while some := connection.recv(65_536):
            received += some
    except ConnectionResetError:
        pass
    return received


@contextmanager
def running(
    folder: Path,
    more: Sequence[dict[str, Any]] = (),
    *,
    workers: int = 1,
    application: str = "errdex.main:create_app",
    spread: bool = True,
    descriptors: int = 0,
    **settings: object,
) -> Iterator[Server]:
    """A server of the small knowledge base and `more`, killed in the end if it still runs. Its
    workers share one socket unless connections are to be `spread` over one of each. With
    `descriptors` it may have no more than so many."""
    url = f"sqlite:///{folder / 'errdex.db'}"
    store, indexes = open_store(Settings(database_url=url))
    load(folder, store, indexes, [*SHOP, *more])
    store.close()
    with reserved_port() as port:
        names = {f"ERRDEX_{name.upper()}": str(value) for name, value in settings.items()}
        environment = {**os.environ, "ERRDEX_DATABASE_URL": url, "ERRDEX_PORT": str(port), **names}
        stdout, stderr = folder / "stdout", folder / "stderr"
        with stdout.open("wb") as out, stderr.open("wb") as err:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    _START,
                    str(workers),
                    application,
                    str(spread),
                    str(descriptors),
                ],
                env=environment,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        server = Server(process, port, stdout, stderr)
        try:
            _wait_until_ready(server)
            yield server
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _wait_until_ready(server: Server) -> None:
    while True:
        assert server.process.poll() is None, server.stderr.read_text()
        try:
            if server.ask("/readyz").startswith(b"HTTP/1.1 200"):
                return
        except OSError:
            pass
        time.sleep(0.05)
