"""Several workers: who gets a connection, and what becomes of the others when one ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.limits.serving import Server, running

linux = pytest.mark.skipif(sys.platform != "linux", reason="spread by Linux")
CONNECTIONS = 64


def workers(server: Server) -> list[psutil.Process]:
    """Those that have a socket listening."""
    children = psutil.Process(server.process.pid).children()
    return [
        each for each in children if any(c.status == psutil.CONN_LISTEN for c in opened_by(each))
    ]


def opened_by(worker: psutil.Process) -> list[Any]:
    """Its connections; none where it ends meanwhile."""
    try:
        return worker.net_connections("tcp")
    except psutil.Error:
        return []


def held(server: Server) -> Counter[int]:
    """How many connections each worker has taken."""
    return Counter(
        each.pid
        for each in workers(server)
        for connection in opened_by(each)
        if connection.status == psutil.CONN_ESTABLISHED and connection.laddr.port == server.port
    )


def wait_for(is_so: Callable[[], bool]) -> None:
    while not is_so():  # for as long as a test may take
        time.sleep(0.1)


def begin(server: Server) -> socket.socket:
    connection = socket.socket()
    connection.settimeout(60)
    connection.setblocking(False)
    connection.connect_ex(("127.0.0.1", server.port))
    return connection


@linux
def test_connections_of_one_instant_are_spread_over_the_workers(tmp_path: Path) -> None:
    with running(tmp_path, workers=2, header_seconds=60) as server, ExitStack() as open_ones:
        wait_for(lambda: len(workers(server)) == 2)
        for _ in range(CONNECTIONS):
            open_ones.enter_context(begin(server))
        wait_for(lambda: sum(held(server).values()) == CONNECTIONS)

        assert len(held(server)) == 2
        # By chance a worker has less than an eighth of them once in 10**9 times.
        assert min(held(server).values()) > CONNECTIONS // 8


@linux
@pytest.mark.slow
def test_while_a_worker_is_replaced_the_other_answers(tmp_path: Path) -> None:
    with running(tmp_path, workers=2) as server:
        wait_for(lambda: len(workers(server)) == 2)
        before = {each.pid for each in workers(server)}
        ended, kept = workers(server)
        ended.send_signal(signal.SIGKILL)
        # The server has reaped it. Before, a thread may be left that holds its socket open, and
        # Linux gives that connections, which are then reset.
        wait_for(lambda: not psutil.pid_exists(ended.pid))
        for _ in range(20):
            assert server.ask("/healthz").startswith(b"HTTP/1.1 200")
        wait_for(lambda: len(workers(server)) == 2)
        now = {each.pid for each in workers(server)}
        assert now & before == {kept.pid}
        assert server.end() == 0
    assert "Traceback" not in server.stderr.read_text()


@linux
@pytest.mark.slow
def test_a_worker_that_a_busy_machine_does_not_run_is_kept(tmp_path: Path) -> None:
    with running(tmp_path, workers=2) as server:
        wait_for(lambda: len(workers(server)) == 2)
        before = workers(server)
        for each in before:
            each.suspend()
        time.sleep(7)  # uvicorn's own patience is 5 seconds
        for each in before:
            each.resume()
        assert server.ask("/healthz").startswith(b"HTTP/1.1 200")
        assert {each.pid for each in workers(server)} == {each.pid for each in before}
        assert server.end() == 0
    assert "died" not in server.stderr.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
def test_a_second_server_is_told_that_the_port_is_taken(tmp_path: Path, count: int) -> None:
    with running(tmp_path, workers=2) as server:
        command = [sys.executable, "-c", "from errdex.cli import main; main()", "serve"]
        url = f"sqlite:///{tmp_path / 'errdex.db'}"
        second = subprocess.run(
            [*command, "--port", str(server.port), "--workers", str(count), "--database", url],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert server.ask("/healthz").startswith(b"HTTP/1.1 200")
    assert second.returncode != 0
    assert "address already in use" in second.stderr.lower()


@pytest.mark.slow
def test_where_the_system_does_not_spread_connections_workers_share_a_socket(
    tmp_path: Path,
) -> None:
    with running(tmp_path, workers=2, spread=False) as server:
        for _ in range(20):
            assert server.ask("/healthz").startswith(b"HTTP/1.1 200")
        assert server.end() == 0
    assert "Traceback" not in server.stderr.read_text()
