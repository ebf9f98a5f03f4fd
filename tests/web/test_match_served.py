"""Matching on a real server: streams answer while they are sent, clients leave, and hostile
pastes keep nobody else from being served."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.limits.serving import Server, read_all, running

pytestmark = pytest.mark.slow
HEAD = "POST /api/errors/match HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"
NDJSON = f"{HEAD}Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    with running(folder, match_seconds=1, access_log=True) as started:
        yield started


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


class Stream:
    """A connection that sends lines and reads the answers to them."""

    def __init__(self, server: Server, *headers: str) -> None:
        self.connection = server.connect()
        head = NDJSON + "".join(f"{header}\r\n" for header in headers) + "\r\n"
        self.connection.sendall(head.encode())
        self._received = b""

    def send(self, data: bytes) -> None:
        self.connection.sendall(chunk(data))

    def end(self) -> None:
        self.connection.sendall(b"0\r\n\r\n")

    def answers(self) -> list[dict[str, Any]]:
        """Those that have come so far."""
        lines = self._received.partition(b"\r\n\r\n")[2].split(b"\r\n")
        return [
            json.loads(part) for line in lines for part in line.split(b"\n") if part[:1] == b"{"
        ]

    def read_until(self, count: int) -> list[dict[str, Any]]:
        """Read until there are so many answers."""
        while self._received.count(b"}\n") < count:
            some = self.connection.recv(65_536)
            assert some, self._received
            self._received += some
        return self.answers()

    def read_all(self) -> list[dict[str, Any]]:
        self._received += read_all(self.connection)
        return self.answers()


@pytest.fixture
def open_stream(server: Server) -> Iterator[Callable[..., Stream]]:
    """`open_stream(*headers)`: a stream to the server, closed in the end."""
    opened: list[Stream] = []

    def open_one(*headers: str) -> Stream:
        opened.append(Stream(server, *headers))
        return opened[-1]

    yield open_one
    for stream in opened:
        stream.connection.close()


def message_of(answer: dict[str, Any]) -> str:
    return answer["events"][0]["matches"][0]["record"]["errorMessage"]


def test_a_line_is_answered_before_the_next_one_is_sent(open_stream) -> None:
    stream = open_stream()
    for number in range(1, 4):
        stream.send(b'{"text": "ShopError: Basket %d is empty"}\n' % number)
        answer = stream.read_until(number)[-1]
        assert answer["line"] == number
        assert message_of(answer) == "Basket {basket_id} is empty"
    stream.send(b"\nOrder 7 has no lines")  # without a line break at its end
    stream.end()
    assert [answer["line"] for answer in stream.read_all()] == [1, 2, 3, 5]


def test_a_packed_stream_is_answered(open_stream) -> None:
    stream = open_stream("Content-Encoding: gzip")
    stream.send(gzip.compress(b"Basket 1 is empty\nall is well\n"))
    stream.end()
    first, second = stream.read_all()
    assert (message_of(first), second["events"]) == ("Basket {basket_id} is empty", [])


def test_trouble_in_a_stream_is_a_line_of_it(open_stream) -> None:
    stream = open_stream()
    stream.send(b"x" * 70_000 + b"\nBasket 1 is empty\n")
    stream.end()
    long, good = stream.read_all()
    assert (long["line"], long["problem"]["status"]) == (1, 413)
    assert message_of(good) == "Basket {basket_id} is empty"
    broken = open_stream("Content-Encoding: gzip")
    broken.send(b"this is not gzip\n")
    broken.end()
    (problem,) = broken.read_all()
    assert problem["problem"]["status"] == 422


def test_a_stream_that_is_packed_otherwise_is_refused_at_once(open_stream) -> None:
    stream = open_stream("Content-Encoding: br")
    assert b"415 Unsupported Media Type" in read_all(stream.connection)


def test_a_stream_is_as_long_as_it_likes(open_stream) -> None:
    """More than any other body may be, in less memory."""
    stream = open_stream()
    line = b"2026-11-29 10:00:00 INFO all is well, and it has been for a long time " * 300 + b"\n"
    count = 12_000_000 // len(line)

    def send() -> None:
        for _ in range(count // 5):
            stream.send(line * 5)
        stream.end()

    sender = threading.Thread(target=send)
    sender.start()
    received, last = 0, b""
    while some := stream.connection.recv(65_536):
        received += some.count(b"}\n")
        last = (last + some)[-2_000:]
    sender.join()
    assert received == count // 5 * 5
    assert f'{{"line":{received},'.encode() in last


@pytest.mark.slow
def test_a_stream_that_lasts_too_long_is_ended_and_says_so(tmp_path: Path) -> None:
    with running(tmp_path, stream_seconds=0.5) as server:
        stream = Stream(server)
        stream.send(b"Basket 1 is empty\nhalf a li")
        *answered, last = stream.read_all()
        stream.connection.close()
    # On a busy machine the time may be over before the first line is answered.
    messages = [message_of(answer) for answer in answered]
    assert messages == ["Basket {basket_id} is empty"][: len(answered)]
    assert (last["line"], last["problem"]["status"]) == (len(answered) + 1, 408)
    assert "0.5 seconds" in last["problem"]["detail"]


def test_clients_that_leave_are_no_fault_of_the_server(server: Server, open_stream) -> None:
    announced = f"{HEAD}Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\n".encode()
    for begin in (announced, announced + b"half a paste", NDJSON.encode() + b"\r\n"):
        with server.connect() as connection:
            connection.sendall(begin)
    stream = open_stream()
    stream.send(b"Basket 1 is empty\n" * 2_000)
    stream.connection.close()
    assert server.ask("/healthz").startswith(b"HTTP/1.1 200")
    assert "Traceback" not in server.stderr.read_text()


SIZE = 4_500_000
HOSTILE = {
    "brackets": b"[" * SIZE,
    "one line": b"Error: " + b"x" * (SIZE - 7),
    "causes": b"Caused by: java.lang.RuntimeException: boom\n" * 100_000,
    "nul": bytes(SIZE),
    "planes": "".join(map(chr, [*range(0x20, 0xD800), *range(0xE000, 0x110000)])).encode()[:SIZE],
    "escapes": b'"Error: a\\nTraceback (most recent call last):\\n"\n' * (SIZE // 50),
    "json": b'{"message":' * (SIZE // 11),
    "colours": b"\x1b[31mError\x1b[0m: x\n" * (SIZE // 19),
}

LONG = {"causes", "escapes", "colours"}
"""Those that take many times as long as serving the others."""


def post(server: Server, body: bytes, *headers: str) -> bytes:
    head = HEAD + "".join(f"{header}\r\n" for header in headers)
    with server.connect() as connection:
        connection.settimeout(120)
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return read_all(connection)


@pytest.mark.parametrize("name", HOSTILE)
def test_others_are_served_while_a_hostile_paste_is_matched(server: Server, name: str) -> None:
    answered: list[bytes] = []
    done = threading.Event()

    def match() -> None:
        try:
            answered.append(post(server, HOSTILE[name], "Content-Type: text/plain"))
        finally:
            done.set()

    work = threading.Thread(target=match)
    work.start()
    served = 0
    while not done.is_set():
        assert server.ask("/healthz").startswith(b"HTTP/1.1 200")
        assert server.ask("/api/errors?q=basket").startswith(b"HTTP/1.1 200")
        served += not done.is_set()
    work.join()
    status, _, body = answered[0].partition(b"\r\n\r\n")
    assert status.startswith(b"HTTP/1.1 200")
    answer = json.loads(body)
    assert answer["complete"] or answer["limitsHit"]
    if name in LONG:  # the first round may have come before the paste
        assert served > 1


def test_a_bomb_is_refused_whoever_announces_it_so(server: Server) -> None:
    bomb = gzip.compress(bytes(200_000_000), 1)
    answer = post(server, bomb, "Content-Type: text/plain", "Content-Encoding: gzip")
    assert answer.startswith(b"HTTP/1.1 413")


def test_nothing_of_a_paste_was_written(server: Server, open_stream) -> None:
    mark = b"Qx7MarkOfAServedPaste"
    body = b"ValueError: " + mark + b"\n" + b"x" * 70_000
    assert post(server, body, "Content-Type: text/plain").startswith(b"HTTP/1.1 200")
    assert post(server, mark, "Content-Type: " + mark.decode()).startswith(b"HTTP/1.1 415")
    stream = open_stream()
    stream.send(mark + b"\n")
    stream.end()
    stream.read_all()
    server.ask(f"/api/errors?line={mark.decode()}")
    for file in Path(server.stdout).parent.rglob("*"):
        assert not file.is_file() or mark not in file.read_bytes(), file.name
