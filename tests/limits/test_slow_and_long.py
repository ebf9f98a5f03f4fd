"""Clients that are slow, or send too much, are told so and let go; others are served."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import time
from collections.abc import Iterator

import psutil
import pytest
from tests.knowledge_base import record
from tests.limits.serving import Server, read_all, running

GET = b"GET /api/stats HTTP/1.1\r\nHost: here\r\n"
POST = b"POST /api/stats HTTP/1.1\r\nHost: here\r\n"
MATCH = b"POST /api/errors/match HTTP/1.1\r\nHost: here\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    bounds = {"header_seconds": 0.5, "body_seconds": 0.5, "send_seconds": 0.5}
    folder = tmp_path_factory.mktemp("slow")
    long = record("A long one", id="00000000000000aa", documentation="long " * 40_000)
    with running(folder, [long], max_header_bytes=8192, keep_alive_seconds=1, **bounds) as served:
        yield served


def problem_of(answer: bytes) -> dict[str, object]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head
    return json.loads(body)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", None),
        (b"\r\n", 408),
        (b"G", 408),
        (GET, 408),
        (GET + b"X-Slow: ", 408),
        # A first request that is answered, and a second that does not come.
        (GET + b"\r\n" + GET, 408),
        (GET + b"\r\n\r\n", 200),
        # A body that was announced, by a route that takes none.
        (POST + b"Content-Length: 50\r\n\r\nhalf of it", 405),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 405),
    ],
)
def test_who_stops_sending_is_let_go(server: Server, sent: bytes, status: int | None) -> None:
    with server.connect() as connection:
        connection.sendall(sent)
        answer = read_all(connection)  # which ends: the server closes
    if status is None:
        assert answer == b""
    elif status == 408:
        last = answer[answer.rindex(b"HTTP/1.1 ") :]
        assert problem_of(last)["status"] == 408
    else:
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())


def drip(connection: socket.socket, drop: bytes) -> tuple[int, bytes]:
    """Send a drop now and then until the other side closes, however it does so: how many were
    sent, and what came back."""
    connection.settimeout(0.05)
    drops, received = 0, b""
    while True:
        try:
            connection.sendall(drop)
            drops += 1
            some = connection.recv(4096)
            if not some:
                return drops, received
            received += some
        except TimeoutError:
            pass
        except ConnectionError:
            return drops, received + read_all(connection)


@pytest.mark.parametrize(("first", "drop"), [(GET, b"X-More: 1\r\n"), (b"\r\n", b"\r\n")])
def test_sending_a_little_now_and_then_is_not_enough(
    server: Server, first: bytes, drop: bytes
) -> None:
    with server.connect() as connection:
        connection.sendall(first)
        drops, answer = drip(connection, drop)  # which ends: the server closes
    assert drops > 1
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert problem_of(answer)["status"] == 408


def is_held(server: Server, port: int) -> bool:
    """Whether the server's side of the connection from that port is open."""
    return any(
        c.laddr.port == server.port and c.raddr and c.raddr.port == port
        for c in psutil.net_connections("tcp")
        if c.status == psutil.CONN_ESTABLISHED
    )


def test_who_reads_nothing_is_let_go(server: Server) -> None:
    asked = 60
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(
            b"GET /api/errors/00000000000000aa HTTP/1.1\r\nHost: here\r\n\r\n" * asked
        )
        while is_held(server, connection.getsockname()[1]):
            time.sleep(0.05)
        answer = read_all(connection)
    assert answer.count(b"HTTP/1.1 200 OK") < asked


def test_requests_are_not_heaped_up_before_they_can_be_answered(server: Server) -> None:
    before = psutil.Process(server.process.pid).memory_info().rss
    with server.connect() as connection, contextlib.suppress(ConnectionError):
        for _ in range(200):
            connection.sendall(GET + b"\r\n" + (GET + b"\r\n") * 5000)
        pytest.fail("a million requests were taken")
    assert psutil.Process(server.process.pid).memory_info().rss - before < 50e6


@pytest.mark.parametrize(
    "sent",
    [
        GET + b"X-Long: " + b"x" * 9000 + b"\r\n\r\n",
        GET + b"X-Long: " + b"x" * 9000,
        GET + b"".join(b"X-%d: 1\r\n" % each for each in range(2000)),
        GET + b"Cookie: a=b\r\n" * 1000 + b"\r\n",
        GET + b"a:\r\n" * 300 + b"\r\n",
        b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n",
        # Behind a first request that is answered.
        GET + b"\r\n" + GET + b"X-Long: " + b"x" * 9000,
    ],
)
def test_long_headers_are_refused(server: Server, sent: bytes) -> None:
    with server.connect() as connection:
        connection.sendall(sent)
        answer = read_all(connection)
    if sent.count(b"HTTP/1.1") == 1:
        assert problem_of(answer)["status"] == 431
    else:
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b"HTTP/1.1 200 " not in answer[9:]


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100,
        GET + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        GET + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        GET + b"X-Split: a\r\n b: c\rX-Other: 1\r\n\r\n",
        GET + b"Content-Length: -1\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    ],
)
def test_what_is_not_http_is_refused(server: Server, sent: bytes) -> None:
    with server.connect() as connection:
        connection.sendall(sent)
        answer = read_all(connection)
    assert answer.split(b" ")[1] in {b"400", b"405", b"408"}


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /api/stats HTTP/1.1\r\n\r\n",
        GET + b"Host: there\r\n\r\n",
        b"FOO / HTTP/1.1\r\nHost: here\r\n\r\n",
        GET + b"no header at all\r\n\r\n",
        GET + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
        b"POST /api/stats HTTP/1.1\r\nHost: here\r\nContent-Length: +5\r\n\r\nhello",
    ],
)
def test_what_is_no_sound_request_is_told_so_as_every_error_is(server: Server, sent: bytes) -> None:
    with server.connect() as connection:
        connection.sendall(sent)
        assert problem_of(read_all(connection))["status"] == 400


def test_a_request_of_http_1_0_needs_no_host(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET /api/stats HTTP/1.0\r\n\r\n")
        assert read_all(connection).startswith(b"HTTP/1.1 200 ")


BEHIND_A_BODY = MATCH + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"


@pytest.mark.parametrize(
    "endless", [b"X-Behind: it\r\n" * 1000, b"x" * 14_000], ids=["many", "long"]
)
@pytest.mark.parametrize("before", [b"0\r\n", b"0\r\nX-Behind: ", b"5;"], ids=repr)
def test_headers_behind_a_body_are_not_heaped_up(
    server: Server, before: bytes, endless: bytes
) -> None:
    memory = psutil.Process(server.process.pid).memory_info
    held = memory().rss
    with server.connect() as connection, contextlib.suppress(ConnectionError):
        connection.sendall(BEHIND_A_BODY + before)
        for _ in range(3000):
            connection.sendall(endless)
        pytest.fail("headers of 42 MB were taken")
    assert memory().rss - held < 10e6


def test_headers_behind_a_body_say_nothing_of_the_request(server: Server) -> None:
    behind = b"0\r\nX-Request-ID: behind\r\nContent-Encoding: gzip\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(BEHIND_A_BODY.replace(b"Host", b"Connection: close\r\nHost") + behind)
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"behind" not in answer


def test_who_leaves_while_several_requests_wait_is_no_fault_of_the_servers(server: Server) -> None:
    asked = b"GET /api/errors/00000000000000aa HTTP/1.1\r\nHost: here\r\n\r\n"
    for _ in range(5):
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            linger = struct.pack("ii", 1, 0)  # leave at once, with a reset
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(asked * 60)
            assert connection.recv(100)
            time.sleep(0.1)  # the server goes on until the connection is full
            port = connection.getsockname()[1]
        while is_held(server, port):
            time.sleep(0.01)
        assert server.ask("/api/stats").startswith(b"HTTP/1.1 200 ")
    said = server.stderr.read_text()
    assert "failed (request id" not in said, said
    assert "Traceback" not in said, said


def test_others_are_served_meanwhile(server: Server) -> None:
    held = [server.connect() for _ in range(100)]
    try:
        for each in held:
            each.sendall(GET)
        served = server.ask("/api/stats")
        while served.startswith(b"HTTP/1.1 408 ") or not served:
            served = server.ask("/api/stats")  # on a busy machine this one was slow as well
        assert served.startswith(b"HTTP/1.1 200 ")
    finally:
        for each in held:
            each.close()
    said = server.stderr.read_text()
    assert "Traceback" not in said, said
