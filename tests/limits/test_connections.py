"""How many connections there may be, whose, and what is answered beyond that."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_network
from pathlib import Path

import psutil
import pytest
from tests.limits.serving import Server, read_all, running

from errdex.web.http.limits.connections import Connections


class Held:
    def __init__(self, host: str) -> None:
        self.client = (host, 1)
        self.given_up = False

    def give_up(self) -> None:
        self.given_up = True


def admit(connections: Connections, host: str, *, busy: bool = False) -> tuple[Held, bool]:
    one = Held(host)
    admitted = connections.admit(one)
    if busy:
        connections.work(one)
    return one, admitted


def test_one_client_gets_half_and_loses_its_own_idle_ones_first() -> None:
    connections = Connections(8, spare=2)
    other, _ = admit(connections, "10.0.0.2")
    first, *_ = [admit(connections, "10.0.0.1")[0] for _ in range(4)]
    assert not first.given_up
    _, admitted = admit(connections, "10.0.0.1")
    assert admitted
    assert first.given_up, "which waited longest"
    assert not other.given_up
    assert connections.count == 5


def test_a_client_whose_connections_all_work_is_put_on_spare_ones() -> None:
    connections = Connections(8, spare=2)
    held = [admit(connections, "10.0.0.1", busy=True) for _ in range(4)]
    spare = [admit(connections, "10.0.0.1") for _ in range(3)]
    assert all(admitted for _, admitted in held)
    assert not any(admitted for _, admitted in spare)
    assert [each.given_up for each, _ in spare] == [True, False, False], "the oldest of them"
    assert admit(connections, "10.0.0.2")[1], "another is served"
    assert not any(each.given_up for each, _ in held)


def test_when_all_are_taken_the_one_that_waited_longest_makes_place() -> None:
    connections = Connections(4, spare=2)
    waiting = [admit(connections, f"10.0.0.{n}")[0] for n in range(4)]
    connections.work(waiting[0])
    connections.wait(waiting[0])  # answered once more, so that it is the newest
    assert admit(connections, "10.0.1.1")[1]
    assert [each.given_up for each in waiting] == [False, True, False, False]


def test_what_has_left_is_forgotten() -> None:
    connections = Connections(4, spare=1)
    for _ in range(100):
        one, admitted = admit(connections, "10.0.0.1", busy=True)
        assert admitted
        connections.leave(one)
        connections.leave(one)
    assert connections.count == 0
    assert not connections._of_client


def test_an_ipv6_network_is_one_client_and_a_trusted_proxy_none() -> None:
    connections = Connections(4, spare=1, trusted=[ip_network("10.9.0.0/16")])
    assert [admit(connections, f"2001:db8::{n}", busy=True)[1] for n in range(3)] == [
        True,
        True,
        False,
    ]
    connections = Connections(4, spare=1, trusted=[ip_network("10.9.0.0/16")])
    assert all(admit(connections, "10.9.1.1", busy=True)[1] for _ in range(4))


STREAM = (
    b"POST /api/errors/match HTTP/1.1\r\nHost: here\r\nContent-Type: application/x-ndjson\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n"
)
DESCRIPTORS = 96


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[Server]:
    """A server that may have few descriptors."""
    with running(tmp_path, descriptors=DESCRIPTORS) as server:
        yield server


@pytest.mark.skipif(sys.platform != "linux", reason="counted as Linux does")
def test_health_checks_are_answered_beside_more_streams_than_there_are_descriptors(
    narrow: Server,
) -> None:
    with ExitStack() as held:
        streams = []
        for _ in range(110):
            stream = held.enter_context(narrow.connect())
            stream.sendall(STREAM)
            streams.append(stream)
        for _ in range(20):
            assert narrow.ask("/healthz").startswith(b"HTTP/1.1 200 ")
            assert narrow.ask("/readyz").startswith(b"HTTP/1.1 200 ")
        refused = narrow.ask("/api/stats")
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1\r\n" in refused
        assert psutil.Process(narrow.process.pid).num_fds() < DESCRIPTORS
    said = narrow.stderr.read_text()
    assert "Traceback" not in said
    assert "Too many open files" not in said


def test_who_finds_no_place_reads_so_although_a_body_comes(tmp_path: Path) -> None:
    body = b"x" * 3_000_000
    with running(tmp_path, connections=16) as server, ExitStack() as held:
        for _ in range(8):
            held.enter_context(server.connect()).sendall(STREAM)
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            head = b"POST /api/errors/match HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n"
            connection.sendall(head % len(body))
            connection.sendall(body)
            assert read_all(connection).startswith(b"HTTP/1.1 503 ")
