"""uvicorn's HTTP protocol with bounds on what it waits for and holds.

The application's own bounds begin when a request's headers are there. Before that, and
once an answer is handed over, a connection is uvicorn's, which waits as long as the
other side likes. Bounded here are the connections themselves, the time and the size of headers,
what stands between and behind the pieces of a body, the time that a body may go on after its
request was answered, the requests that wait behind one another, and the time in which a client
takes nothing of its answer. What is over a bound is told so where that is possible, and closed.

A client may offer to change to another protocol (`Upgrade`, as curl and Java's client do by
themselves). That is declined by going on in this one (RFC 9110, section 7.8). httptools' parser
does not: it takes the body for the other protocol. So it is given the request once more without
the offer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

import httptools
import orjson
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from errdex.web.http.limits.client_loss import ClientLoss
from errdex.web.http.limits.connections import HEALTH_PATHS, Connections
from errdex.web.http.statuses import name_of

MOST_PIPELINED = 16
"""How many requests of a connection wait for the answer to an earlier one; those behind them are
not read before."""
_PIECE = 4096
"""Bytes that are parsed before it is looked at how many requests wait: 150 of the shortest."""
MOST_HEADERS = 256
"""Headers of a request. One of two bytes takes a hundred times as much memory."""
_RETRY = "retry-after: 1\r\n"
_LINGER_SECONDS = 2.0
"""How long a body may go on that is not wanted, so that its client gets to read why."""


@dataclass(frozen=True, slots=True)
class HttpBounds:
    """In seconds and bytes. An application has its own in `app.state.http_bounds`."""

    header_seconds: float = 10.0
    header_bytes: int = 65_536
    send_seconds: float = 30.0
    connections: Connections | None = None
    """Those of this worker, to be counted; None: as many as there come."""


class _Flow(FlowControl):
    """Reading stays paused while it is `held`, whatever a request under way asks for."""

    held = False

    def resume_reading(self) -> None:
        if not self.held:
            super().resume_reading()


class BoundedHttp(HttpToolsProtocol):
    """One connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It begins: the first headers are waited for."""
        super().connection_made(transport)
        self.flow: _Flow = _Flow(transport)
        state = getattr(self.app, "state", None)
        self._bounds: HttpBounds = getattr(state, "http_bounds", None) or HttpBounds()
        self._unparsed = b""
        self._offer: bytes | None = None
        self._received = 0
        self._beside = 0
        self._in_headers = True
        self._begun = False
        self._in_body = False
        self._running: RequestResponseCycle | None = None
        self._refused = False
        self._lingering = False
        self._sending_watch: asyncio.TimerHandle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._set_deadline()
        connections = self._bounds.connections
        self._spare = connections is not None and not connections.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended. uvicorn tells only the newest of the requests that wait for an answer."""
        self._clear_deadline()
        if self._bounds.connections is not None:
            self._bounds.connections.leave(self)
        self._forget_requests()
        if self._sending_watch is not None:
            self._sending_watch.cancel()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close it for the sake of others: it only waits."""
        self._refused = True
        self._clear_deadline()
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request. Headers that never end are refused when too many came, and
        so are the notes on a body's pieces and the headers behind it."""
        if self._refused:
            return
        if self._bounds.connections is not None:
            self._bounds.connections.work(self)
        if self._unparsed:  # what the transport had read before it heard of the pause
            self._unparsed += data
            return
        self._unset_keepalive_if_required()
        self._parse(data)
        if self._in_headers and (self.cycle is None or self.cycle.response_complete):
            self._set_deadline()

    def _parse(self, data: bytes) -> None:
        for start in range(0, len(data), _PIECE):
            if len(self.pipeline) >= MOST_PIPELINED:
                self._unparsed = data[start:]
                self.flow.pause_reading()
                self.flow.held = True
                return
            piece = data[start : start + _PIECE]
            if self._in_headers:
                self._received += len(piece)
            else:
                self._beside += len(piece)
            self._feed(piece)
            if max(self._received, self._beside) > self._bounds.header_bytes:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            if self._refused:
                return

    def _feed(self, piece: bytes) -> None:
        while True:
            try:
                self.parser.feed_data(piece)
            except httptools.HttpParserUpgrade as upgrade:
                if self._refused or self._offer is None:
                    return
                piece = self._offer + piece[upgrade.args[0] :]
                self._offer = None
                self.parser = httptools.HttpRequestParser(self)
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
            except httptools.HttpParserError:
                self._refuse(HTTPStatus.BAD_REQUEST)
                return
            else:
                return

    def _parse_rest(self) -> None:
        """Requests that came before there was room for them."""
        if not self._unparsed or len(self.pipeline) >= MOST_PIPELINED:
            return
        rest, self._unparsed = self._unparsed, b""
        self.flow.held = False
        self._parse(rest)
        if not self.flow.held and not self.transport.is_closing():
            self.flow.resume_reading()

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._begun = True
        self._set_deadline()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of its headers. Those behind a body are left out: uvicorn would put them among
        the ones that the application has looked at already, as many as there come."""
        if self._in_body or self._refused:
            return
        super().on_header(name, value)
        if len(self.headers) > MOST_HEADERS:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_headers_complete(self) -> None:
        """Its headers are there, perhaps in the same bytes as its body."""
        if self._refused:
            return
        if self.parser.should_upgrade():
            self._decline_upgrade()
            return
        self._clear_deadline()
        self._in_headers = False
        self._in_body = True
        self._received = self._beside = 0
        refusal = self._wrong_with_head()
        if refusal is not None:
            self._refuse(refusal)
            return
        if self.parser.get_http_version() == "1.0":
            self.expect_100_continue = False  # RFC 9110, 10.1.1
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self.scope["state"]["is_lost"] = ClientLoss(self.cycle, self.transport)
            self.cycle.transport = _Lingering(self.transport, self._close)  # type: ignore[assignment]

    def _decline_upgrade(self) -> None:
        """Keep the request without the offer. CONNECT is one to become a tunnel."""
        method, version = self.parser.get_method(), self.parser.get_http_version()
        if method == b"CONNECT":
            self._refuse(HTTPStatus.NOT_IMPLEMENTED)
            return
        lines = [b"%b %b HTTP/%b" % (method, self.url, version.encode())]
        lines += [b"%b: %b" % each for each in self.headers if each[0] != b"upgrade"]
        self._offer = b"\r\n".join(lines) + b"\r\n\r\n"

    def _wrong_with_head(self) -> HTTPStatus | None:
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > self._bounds.header_bytes:
            return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        version = self.parser.get_http_version()
        if version not in ("1.0", "1.1"):
            return HTTPStatus.HTTP_VERSION_NOT_SUPPORTED
        hosts = len(self._values(b"host"))
        if hosts > 1 or (version == "1.1" and not hosts):  # RFC 9112, 3.2
            return HTTPStatus.BAD_REQUEST
        codings = [
            coding.strip().lower()
            for value in self._values(b"transfer-encoding")
            for coding in value.split(b",")
        ]
        if codings and (version == "1.0" or b"chunked" in codings[:-1]):
            return HTTPStatus.BAD_REQUEST  # RFC 9112, 6.1
        if codings and codings != [b"chunked"]:
            return HTTPStatus.NOT_IMPLEMENTED
        if any(each.strip().lower() != b"100-continue" for each in self._values(b"expect")):
            return HTTPStatus.EXPECTATION_FAILED
        if self._spare and self.url.partition(b"?")[0].decode("latin-1") not in HEALTH_PATHS:
            return HTTPStatus.SERVICE_UNAVAILABLE
        return None

    def _values(self, header: bytes) -> list[bytes]:
        return [value for name, value in self.headers if name == header]

    def _close(self) -> None:
        """Close once the rest of a body is there that nobody waited for. To close before would
        make the system break the connection off, and take the answer back from a client that
        still sends (RFC 9112, section 9.6)."""
        if self._in_body and self.transport.can_write_eof():
            self._lingering = True
            self.transport.write_eof()
        else:
            self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        """Some of its body."""
        self._beside = 0
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """All of it is there."""
        if self._refused or self._offer is not None:
            return
        self._in_body = False
        self._in_headers = True
        self._begun = False
        self._clear_deadline()
        super().on_message_complete()
        if self._lingering:
            self._refused = True
            self.transport.close()

    def on_response_complete(self) -> None:
        """It is answered. A body that nobody wanted may still be coming."""
        super().on_response_complete()
        if self._in_body:
            self._set_deadline()
        self._watch_sending()
        self._parse_rest()
        if self._in_headers and self.cycle.response_complete and self._bounds.connections:
            self._bounds.connections.wait(self)

    def pause_writing(self) -> None:
        """The client is slower than the answer."""
        super().pause_writing()
        self._watch_sending()

    def _set_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self._bounds.header_seconds, self._too_slow)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        if self._in_headers and (self._begun or self._received):
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.transport.close()

    def _refuse(self, status: HTTPStatus) -> None:
        if self._refused:
            return
        self._refused = True
        self._clear_deadline()
        if self._is_told_nothing():
            body = _problem(status, self._bounds)
            head = (
                f"HTTP/1.1 {status.value} {name_of(status)}\r\n"
                "content-type: application/problem+json\r\n"
                f"content-length: {len(body)}\r\n"
                f"cache-control: no-store\r\n{_RETRY if status == 503 else ''}"
                "connection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self._forget_requests()
        self._watch_sending()
        sound = status is HTTPStatus.SERVICE_UNAVAILABLE
        if sound and self._in_body and self.transport.can_write_eof():  # see _close
            self.transport.write_eof()
            self.loop.call_later(_LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()

    def _is_told_nothing(self) -> bool:
        """Whether the newest request is the one to answer, and no answer to it has begun."""
        if self.cycle is None or self.cycle.response_complete:
            return True
        return self.cycle is self._running and not self.cycle.response_started

    def _forget_requests(self) -> None:
        # uvicorn hears that a connection is closed a moment later, and writes until then.
        for cycle in (self._running, *(each for each, _ in self.pipeline)):
            if cycle is not None:
                cycle.disconnected = True
                cycle.message_event.set()

    def _watch_sending(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        if waiting and self._sending_watch is None:
            self._sending_watch = self.loop.call_later(
                self._bounds.send_seconds, self._check_sending, waiting
            )

    def _check_sending(self, before: int) -> None:
        self._sending_watch = None
        waiting = self.transport.get_write_buffer_size()
        if waiting and waiting >= before:
            self._forget_requests()
            self.transport.abort()
        else:
            self._watch_sending()


class _Lingering:
    """The transport that a request is answered on, which is closed as its connection says."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


def _problem(status: HTTPStatus, bounds: HttpBounds) -> bytes:
    details = {
        HTTPStatus.BAD_REQUEST: "This is no sound request, of one Host, as HTTP has them.",
        HTTPStatus.REQUEST_TIMEOUT: "The headers did not arrive within "
        f"{bounds.header_seconds:g} seconds.",
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The headers are longer than "
        f"{bounds.header_bytes:,} bytes, or more than {MOST_HEADERS}.",
        HTTPStatus.EXPECTATION_FAILED: "Of what a request may expect, only 100-continue is known.",
        HTTPStatus.NOT_IMPLEMENTED: "Send the request without CONNECT, and its body in no "
        "Transfer-Encoding but chunked.",
        HTTPStatus.SERVICE_UNAVAILABLE: "Too many connections are open. Try again in 1 s.",
        HTTPStatus.HTTP_VERSION_NOT_SUPPORTED: "Send HTTP/1.1, or HTTP/1.0.",
    }
    return orjson.dumps(
        {
            "type": f"/docs#problem-{status.value}",
            "title": name_of(status),
            "status": status.value,
            "detail": details[status],
        }
    )
