"""An answer that is given before the body is there arrives, although the connection ends."""

from __future__ import annotations

import select
from collections.abc import Iterator

import pytest
from tests.limits.serving import Server, running

SIZE = 2_000_000
ENDING = {"asked by its client": b"Connection: close\r\n", "kept": b""}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("early"), max_body_bytes=1000, match_bytes=1000) as served:
        yield served


@pytest.mark.parametrize("ending", ENDING.values(), ids=ENDING)
@pytest.mark.parametrize("path", ["/api/errors/match", "/match", "/api/stats"])
def test_who_sends_on_reads_that_it_is_too_much(server: Server, path: str, ending: bytes) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: here\r\nContent-Type: text/plain\r\n".encode()
    body = b"x" * SIZE
    with server.connect() as connection:
        connection.sendall(head + ending + b"Content-Length: %d\r\n\r\n" % SIZE + body[:100_000])
        select.select([connection], [], [])  # it is answered
        connection.sendall(body[100_000:])
        assert connection.recv(65_536).startswith(b"HTTP/1.1 413 ")
        while ending and connection.recv(65_536):  # to its end, without a reset
            pass


def test_no_further_request_is_taken_from_a_connection_that_ends(server: Server) -> None:
    request = b"POST /api/stats HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"
    answers = b""
    with server.connect() as connection:
        connection.sendall(request + b"Content-Length: 5000\r\n\r\n" + b"x" * 4000)
        select.select([connection], [], [])
        connection.sendall(b"x" * 1000 + request + b"\r\n")
        while some := connection.recv(65_536):
            answers += some
    assert answers.count(b"HTTP/1.1 ") == 1
