"""Requests that offer, expect or wrap what the server does not know: read by one rule, as one
request each."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.limits.serving import Server, read_all, running

PASTE = b"KeyError: 'a'"
GET = b"GET /api/stats HTTP/1.1\r\nHost: here\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("offers")) as served:
        yield served


def exchange(server: Server, sent: bytes) -> bytes:
    with server.connect() as connection:
        connection.sendall(sent)
        return read_all(connection)


def post(headers: bytes, body: bytes = PASTE, version: bytes = b"1.1") -> bytes:
    head = b"POST /api/errors/match HTTP/%b\r\nHost: here\r\nContent-Type: text/plain\r\n" % version
    return head + b"%bContent-Length: %d\r\n\r\n%b" % (headers, len(body), body)


OFFERS = {
    "curl": b"Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\n"
    b"HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n",
    "websocket": b"Connection: upgrade, close\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    "several": b"Connection: close, upgrade\r\nUpgrade: TLS/1.0\r\nuPgRaDe: HTTP/3.0, h2c\r\n",
}


@pytest.mark.parametrize("version", [b"1.0", b"1.1"])
@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS)
def test_an_offer_to_upgrade_is_declined_and_the_body_is_read(
    server: Server, offer: bytes, version: bytes
) -> None:
    answer = exchange(server, post(offer, version=version))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["events"]


@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS)
def test_a_body_behind_an_offer_is_no_request(server: Server, offer: bytes) -> None:
    hidden = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
    kept = offer.replace(b", close", b"").replace(b"close, ", b"")
    last = GET + b"Connection: close\r\n\r\n"
    answer = exchange(server, post(kept, hidden) + post(kept, hidden) + last)
    assert answer.count(b"HTTP/1.1 200 ") == answer.count(b"HTTP/1.1 ") == 3


def test_an_offer_is_declined_wherever_its_bytes_are_cut(server: Server) -> None:
    sent = post(OFFERS["curl"])
    for cut in range(1, len(sent), 17):
        with server.connect() as connection:
            connection.sendall(sent[:cut])
            connection.sendall(sent[cut:])
            assert read_all(connection).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"CONNECT here:443 HTTP/1.1\r\nHost: here\r\n\r\n", 501),
        (b"GET /healthz HTTP/2.0\r\nHost: here\r\n\r\n", 505),
        (b"GET /healthz HTTP/0.9\r\nHost: here\r\n\r\n", 505),
        (b"GET /healthz HTTP/1.0\r\nHost: here\r\nHost: there\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.0\r\nHost: here\r\nHost: here\r\n\r\n", 400),
        (GET + b"Expect: a-miracle\r\n\r\n", 417),
        (GET + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (GET + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        (GET + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
        (GET + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 400),
        (GET + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
        (GET + b"Transfer-Encoding: identity\r\n\r\n", 501),
        (GET.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ],
)
def test_what_is_not_known_is_refused_and_nothing_behind_it_is_read(
    server: Server, sent: bytes, status: int
) -> None:
    answer = exchange(server, sent + GET + b"\r\n")
    assert answer.count(b"HTTP/1.1 ") == 1
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert json.loads(body)["status"] == status


def test_a_body_is_asked_for_where_that_is_expected(server: Server) -> None:
    for version, asked in ((b"1.1", 1), (b"1.0", 0)):
        head, body = (
            post(b"Expect: 100-Continue\r\nConnection: close\r\n", version=version)[: -len(PASTE)],
            PASTE,
        )
        with server.connect() as connection:
            connection.sendall(head)
            if asked:
                assert connection.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
            connection.sendall(body)
            assert read_all(connection).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("count", [17, 100, 3000])
def test_requests_sent_in_one_go_are_all_answered_in_order(server: Server, count: int) -> None:
    sent = b"".join(
        b"GET /healthz HTTP/1.1\r\nHost: here\r\nX-Request-ID: %d\r\n\r\n" % number
        for number in range(count)
    )
    last = GET + b"X-Request-ID: last\r\nConnection: close\r\n\r\n"
    answer = exchange(server, sent + last)
    ids = [
        line.partition(b": ")[2]
        for line in answer.split(b"\r\n")
        if line.lower().startswith(b"x-request-id")
    ]
    assert ids == [*(b"%d" % number for number in range(count)), b"last"]


def test_bodies_among_requests_sent_in_one_go_stay_bodies(server: Server) -> None:
    answer = exchange(server, post(b"") * 40 + GET + b"Connection: close\r\n\r\n")
    assert answer.count(b"HTTP/1.1 200 ") == 41
