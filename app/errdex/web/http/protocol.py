"""uvicorn's HTTP protocol with bounds on what it waits for and holds.

The application's own bounds begin when a request's headers are there. Before that, and
once an answer is handed over, a connection is uvicorn's, which waits as long as the
other side likes. Bounded here are the time and the size of headers, what stands between and
behind the pieces of a body, the time that a body may go on after its request was answered,
and the time in which a client takes nothing of its answer. What is over a bound is told so
where that is possible, and closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

import orjson
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from errdex.web.http.statuses import name_of

MOST_PIPELINED = 64
"""How many requests of a connection may wait for the answer to an earlier one."""


@dataclass(frozen=True, slots=True)
class HttpBounds:
    """In seconds and bytes. An application has its own in `app.state.http_bounds`."""

    header_seconds: float = 10.0
    header_bytes: int = 65_536
    send_seconds: float = 30.0


class BoundedHttp(HttpToolsProtocol):
    """One connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It begins: the first headers are waited for."""
        super().connection_made(transport)
        state = getattr(self.app, "state", None)
        self._bounds: HttpBounds = getattr(state, "http_bounds", None) or HttpBounds()
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

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended. uvicorn tells only the newest of the requests that wait for an answer."""
        self._clear_deadline()
        self._forget_requests()
        if self._sending_watch is not None:
            self._sending_watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request. Headers that never end are refused when too many came, and
        so are the notes on a body's pieces and the headers behind it."""
        if self._refused:
            return
        if self._in_headers:
            self._received += len(data)
        else:
            self._beside += len(data)
        super().data_received(data)
        if max(self._received, self._beside) > self._bounds.header_bytes:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif self._in_headers and (self.cycle is None or self.cycle.response_complete):
            self._set_deadline()

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._begun = True
        self._set_deadline()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of its headers. Those behind a body are left out: uvicorn would put them among
        the ones that the application has looked at already, as many as there come."""
        if not self._in_body:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Its headers are there, perhaps in the same bytes as its body."""
        if self._refused:
            return
        self._clear_deadline()
        self._in_headers = False
        self._in_body = True
        self._received = self._beside = 0
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > self._bounds.header_bytes:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif self.parser.get_http_version() == "1.1" and self._hosts() != 1:
            self._refuse(HTTPStatus.BAD_REQUEST)  # RFC 9112, 3.2
        elif len(self.pipeline) >= MOST_PIPELINED:
            # uvicorn reads on after each answer, and would hold hundreds of thousands.
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS)
        else:
            before = self.cycle
            super().on_headers_complete()
            if self.cycle is not before:  # and it is no upgrade
                self.cycle.transport = _Lingering(self.transport, self._close)  # type: ignore[assignment]

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
        if self._refused:
            return
        self._in_body = False
        self._in_headers = True
        self._begun = False
        self._clear_deadline()
        super().on_message_complete()
        if self._lingering:
            self._refused = True
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """What came is not HTTP."""
        self._refuse(HTTPStatus.BAD_REQUEST)

    def on_response_complete(self) -> None:
        """It is answered. A body that nobody wanted may still be coming."""
        super().on_response_complete()
        if self._in_body:
            self._set_deadline()
        self._watch_sending()

    def pause_writing(self) -> None:
        """The client is slower than the answer."""
        super().pause_writing()
        self._watch_sending()

    def _hosts(self) -> int:
        return sum(name == b"host" for name, _ in self.headers)

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
                "cache-control: no-store\r\n"
                "connection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self._forget_requests()
        self.transport.close()
        self._watch_sending()

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
        f"{bounds.header_bytes:,} bytes, the most they may be.",
    }
    return orjson.dumps(
        {
            "type": f"/docs#problem-{status.value}",
            "title": name_of(status),
            "status": status.value,
            "detail": details[status],
        }
    )
