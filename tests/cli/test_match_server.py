"""Asking another server: whatever it does, the user is told in one sentence."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler

import pytest
from tests.other_server import Answer, says, serving

from errdex.cli import remote
from errdex.cli.remote import Server, ServerTrouble
from errdex.formats.answer import PasteAnswer, to_wire

EMPTY = PasteAnswer("", False, True, [], 0, 0, None, [], [])


@pytest.fixture
def server_that() -> Iterator[Callable[[Answer], Server]]:
    with ExitStack() as opened:
        yield lambda answer: Server(f"http://{opened.enter_context(serving(answer))}")


PROBLEM = json.dumps({"status": 503, "detail": "The server is busy. Try again in 3 s."}).encode()


@pytest.mark.parametrize(
    ("status", "body", "headers", "sentence"),
    [
        (503, PROBLEM, {}, "refuses (503): The server is busy. Try again in 3 s."),
        (413, b"<html>no", {}, f"refuses (413): {HTTPStatus(413).phrase}"),
        (404, b'["x"]', {}, "refuses (404): Not Found"),
        (500, b"[" * 3_000, {}, "refuses (500)"),
        (301, b"", {"Location": "https://there.example/"}, "give that one: https://there.example/"),
        (307, b"", {"Location": "file:///etc/passwd"}, "sends to another address"),
        (302, b"", {}, "refuses (302)"),
        (200, b"<html>", {}, "does not answer as Errdex does"),
        (200, b"", {}, "does not answer as Errdex does"),
        (200, b"[]", {}, "does not answer as Errdex does"),
        (200, b'{"events": 5}', {}, "does not answer as Errdex does"),
        (200, b"\xff\xfe", {}, "does not answer as Errdex does"),
    ],
)
def test_what_is_no_answer_is_told(server_that, status, body, headers, sentence) -> None:
    with pytest.raises(ServerTrouble, match=r"^http://") as raised:
        server_that(says(status, body, **headers)).match(b"paste")
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_paste_is_sent_as_it_is(server_that) -> None:
    got: list[tuple[str, str, bytes]] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        got.append((handler.path, handler.headers["Content-Type"], body))
        data = json.dumps(to_wire(EMPTY)).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    assert server_that(answer).match(b"\x00\xff") == EMPTY
    assert got == [("/api/errors/match", "text/plain", b"\x00\xff")]


def test_a_server_that_says_nothing_is_not_waited_for_for_ever(server_that, monkeypatch) -> None:
    monkeypatch.setattr(remote, "TIMEOUT", 0.2)
    done = threading.Event()
    try:
        with pytest.raises(ServerTrouble, match=r"nothing for 0\.2 seconds"):
            server_that(lambda _: done.wait(600)).match(b"paste")
    finally:
        done.set()


def test_a_server_that_never_ends_is_not_read_for_ever(server_that, monkeypatch) -> None:
    monkeypatch.setattr(remote, "WHOLE_SECONDS", 0.2)
    done = threading.Event()

    def dribble(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        handler.send_response(200)
        handler.end_headers()
        with suppress(OSError):
            while not done.wait(0.01):
                handler.wfile.write(b" ")

    try:
        with pytest.raises(ServerTrouble, match=r"over 0\.2 seconds"):
            server_that(dribble).match(b"paste")
    finally:
        done.set()


def test_a_server_that_breaks_off_is_told(server_that) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"events": [')

    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        handler.close_connection = True

    for answer in (cut, hang_up):
        with pytest.raises(ServerTrouble, match=r"does not answer|broke off|cannot be reached"):
            server_that(answer).match(b"paste")


@pytest.mark.parametrize(
    "url", ["", "errdex.example", "file:///etc/passwd", "ftp://x", "http://", "https://x/?q=1"]
)
def test_what_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"https://errdex\.example"):
        Server(url)
