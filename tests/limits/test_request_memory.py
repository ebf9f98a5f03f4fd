"""What all requests hold together is bounded and counted, and comes back when they end."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest
import zstandard
from tests.limits.serving import Server, running

from errdex.web.http.limits.request_memory import MemoryFull, RequestMemory
from errdex.web.match.line_stream import LineReader

MB = 1 << 20


def test_one_client_may_hold_half_and_all_together_the_whole() -> None:
    memory = RequestMemory(10 * MB)
    with ExitStack() as opened:
        first, more, other, third = (
            opened.enter_context(memory.share(client)) for client in ("a", "a", "b", "c")
        )
        first.take(4 * MB)
        with pytest.raises(MemoryFull) as refused:
            more.take(2 * MB)
        assert int(refused.value.headers["Retry-After"]) > 0
        more.give_up()
        other.take(5 * MB)
        with pytest.raises(MemoryFull):
            third.take(2 * MB)
        third.give_up()
        first.add(-4 * MB)
        third.take(2 * MB)
    assert memory.held == 0
    assert not memory._of_client


ZSTD_HEAD = b"\x28\xb5\x2f\xfd\x00" + bytes([13 << 3])
"""Of a frame with a window of 8 MB, the most that is accepted."""
RUN = ((128 * 1024 << 3) | 1 << 1).to_bytes(3, "little") + b"a"
"""A block of 4 bytes that unpacks to 128 kB."""
PACKED = ZSTD_HEAD + RUN * 80
"""A stream of 326 bytes that goes on."""


def counted(packed: bytes) -> tuple[int, int]:
    """The most that unpacking was counted with, and what is left of it in the end."""
    held = most = 0

    def count(size: int) -> None:
        nonlocal held, most
        held += size
        most = max(most, held)

    for _ in LineReader("zstd", count).feed(packed):
        pass
    return most, held


def test_a_window_is_counted_as_far_as_it_is_used() -> None:
    assert counted(ZSTD_HEAD + RUN) == (128 * 1024,) * 2
    assert counted(ZSTD_HEAD) == (0, 0)
    assert counted(PACKED) == (8 * MB,) * 2
    small = zstandard.ZstdCompressor(level=1).compress(b"a line\n" * 10)
    assert counted(small) == (70, 0), "a frame that ends holds nothing"
    usual = zstandard.ZstdCompressor(level=3).compressobj()
    data = usual.compress(b"x" * 9_000_000) + usual.flush()
    assert counted(data) == (2 * MB, 0), "the window of the default level"


def test_what_unpacks_to_much_is_cut_in_pieces() -> None:
    """Between two pieces others get their turn."""
    data = b"\n" * 20_000_000
    packed = zstandard.ZstdCompressor(level=19).compress(data)
    asked_to_wait = sum(each is None for each in LineReader("zstd").feed(packed))
    assert asked_to_wait >= len(data) // 65_536


STREAM = (
    b"POST /api/errors/match HTTP/1.1\r\nHost: here\r\nContent-Type: application/x-ndjson\r\n"
    b"Content-Encoding: zstd\r\nTransfer-Encoding: chunked\r\n\r\n"
)
BODY = b"POST /api/errors/match HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n"
COUNT = 40
SIZE = 2_000_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("memory"), request_memory_mb=32) as served:
        yield served


def packed_stream(connection: socket.socket) -> None:
    connection.sendall(STREAM + b"%x\r\n%b\r\n" % (len(PACKED), PACKED))


def body_short_of_its_end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.sendall(BODY % (SIZE + 1) + b"x" * SIZE)


@pytest.mark.parametrize("send", [packed_stream, body_short_of_its_end])
def test_who_holds_much_is_refused_and_the_memory_comes_back(
    server: Server, send: Callable[[socket.socket], None]
) -> None:
    memory = psutil.Process(server.process.pid).memory_info
    assert server.ask("/api/errors?line=x").startswith(b"HTTP/1.1 200 ")
    before, refused = memory().rss, 0
    with ExitStack() as held:
        connections = [held.enter_context(server.connect()) for _ in range(COUNT)]
        for each in connections:
            send(each)
        waiting = set(connections)
        while refused < COUNT // 2:  # at most 16 MB of 32 are one client's
            for each in tuple(waiting):
                each.settimeout(0.01)
                with suppress(TimeoutError):
                    answer = each.recv(65_536)
                    waiting.discard(each)
                    refused += b" 503 " in answer.partition(b"\n")[0] or b": 503" in answer
        # Alone they would hold 80 MB and 320 MB.
        assert memory().rss - before < 70 * MB
    while memory().rss - before > 50 * MB:  # for as long as a test may take
        time.sleep(0.1)
    assert server.ask("/api/errors?line=x").startswith(b"HTTP/1.1 200 ")


def test_a_stream_that_pauses_too_long_is_ended_and_one_that_says_so_is_not(
    tmp_path: Path,
) -> None:
    plain = STREAM.replace(b"Content-Encoding: zstd\r\n", b"")
    with (
        running(tmp_path, stream_idle_seconds=1) as server,
        server.connect() as idle,
        server.connect() as kept,
    ):
        idle.sendall(plain + b"2\r\nx\n\r\n")
        kept.sendall(plain)
        received = b""
        while b"problem" not in received:
            kept.sendall(b"1\r\n\n\r\n")
            idle.settimeout(0.1)
            with suppress(TimeoutError):
                some = idle.recv(65_536)
                assert some, received
                received += some
        assert b'"status": 408' in received
        assert b"1 seconds" in received
        kept.sendall(b"2\r\ny\n\r\n0\r\n\r\n")
        kept.settimeout(60)
        answer = kept.recv(65_536)
        while b"\r\n0\r\n\r\n" not in answer:
            answer += kept.recv(65_536)
        assert b"problem" not in answer
