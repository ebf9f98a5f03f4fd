"""Bodies of many parts and many layers: refused, or read, in little memory."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import psutil
import pytest
import zstandard
from tests.limits.serving import Server, read_all, running

SKIPPABLE = b"\x50\x2a\x4d\x18"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("bodies")) as served:
        yield served


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=19).compress(data)


def parts(count: int, size: int) -> bytes:
    one = b'--x\r\nContent-Disposition: form-data; name="a%d"\r\n\r\n%b\r\n'
    return b"".join(one % (number, b"v" * size) for number in range(count)) + b"--x--\r\n"


def headers_of_a_part(count: int) -> bytes:
    named = b"".join(b"X-%d: y\r\n" % number for number in range(count))
    return b'--x\r\nContent-Disposition: form-data; name="a"\r\n%b\r\nv\r\n--x--\r\n' % named


BODIES = {
    "10,000 parts": ("multipart/form-data; boundary=x", "", parts(10_000, 10)),
    "10,000 empty parts": ("multipart/form-data; boundary=x", "", parts(10_000, 0)),
    "10,000 headers of a part": ("multipart/form-data; boundary=x", "", headers_of_a_part(10_000)),
    "a long boundary": ("multipart/form-data; boundary=" + "x" * 20_000, "", parts(1, 1)),
    "packed parts": ("multipart/form-data; boundary=x", "gzip", gzip.compress(parts(50_000, 10))),
    "zstd in zstd": ("text/plain", "zstd", zstd(zstd(zstd(bytes(100_000_000))))),
    "zstd of gzip of zstd": ("application/zstd", "gzip", gzip.compress(zstd(bytes(100_000_000)))),
    "two encodings": ("text/plain", "zstd, gzip", zstd(b"x")),
    "many frames": ("text/plain", "zstd", zstd(b"") * 50_000),
    "skippable frames": ("text/plain", "zstd", (SKIPPABLE + bytes(4)) * 100_000),
    "a window of 2 GB": ("text/plain", "zstd", b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x01\x00\x00"),
    "10,000 parameters": ("text/plain" + ";a=b" * 10_000, "", b"KeyError: 1"),
}


@pytest.mark.parametrize(("kind", "encoding", "body"), BODIES.values(), ids=BODIES)
def test_a_body_of_many_parts_or_layers_is_answered_in_little_memory(
    server: Server, kind: str, encoding: str, body: bytes
) -> None:
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    for path in ("/api/errors/match", "/match", "/errors/00000000000000aa/pattern"):
        head = (
            f"POST {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Type: {kind}\r\n"
        )
        if encoding:
            head += f"Content-Encoding: {encoding}\r\n"
        with server.connect() as connection:
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = read_all(connection)
        status = int(answer.split(b" ")[1])
        assert status in {200, 404, 413, 415, 422, 431}, answer[:300]
        if b"application/problem+json" in answer:
            assert json.loads(answer.partition(b"\r\n\r\n")[2])["status"] == status
    assert process.memory_info().rss - before < 60e6
    assert server.ask("/healthz").startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "parameter", [';a="' + ";" * 60_000, ";a=b" * 15_000], ids=["open", "many"]
)
@pytest.mark.parametrize("path", ["/api/errors/match", "/match", "/draft"])
def test_a_type_that_takes_long_to_read_is_refused(
    server: Server, path: str, parameter: str
) -> None:
    """The time for its parameters grows with the square of their number."""
    answer = server.ask(path, f"Content-Type: text/plain{parameter}", method="POST")
    assert answer.startswith(b"HTTP/1.1 415 ")
    assert b"longer than 4,000 characters" in answer


def test_nothing_went_wrong(server: Server) -> None:
    """Last of all."""
    said = server.stderr.read_text()
    assert "Traceback" not in said, said
