"""`POST /v1/logs`: logs of OpenTelemetry, answered as OTLP/HTTP wants it."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from types import SimpleNamespace

from fastapi import Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from errdex.web.http.dependencies import context_of
from errdex.web.http.errors import BodyTooLarge, explain
from errdex.web.http.limits.rate_limit import client_of
from errdex.web.http.site import origin_of
from errdex.web.logs.forwarding import Forwarder
from errdex.web.logs.work import LogsDone, match_logs
from errdex.web.match.body import Body, media_type, take_body
from errdex.web.match.work import while_connected

PATH = "/v1/logs"
_ROUTE = SimpleNamespace(path=PATH)
"""The route for the access log and the metrics."""
_JSON = "application/json"
_PROTOBUF = "application/x-protobuf"
_PACKED = "application/octet-stream"
"""As which the body is unpacked: as bytes."""
_FULL = "Known errors are not handed on now: too many wait."


class LogsEndpoint:
    """The route at PATH. A body may have `max_bytes`, packed or not; known errors are handed on
    to the forwarder, if there is one."""

    def __init__(self, max_bytes: int, forwarder: Forwarder | None = None) -> None:
        self._max_bytes = max_bytes
        self._forwarder = forwarder

    async def answer(self, request: Request) -> Response:
        """The answer to a request, in its encoding."""
        request.scope["route"] = _ROUTE
        kind = media_type(request.headers.get("content-type", ""))
        if kind not in (_JSON, _PROTOBUF):
            accepted = f"{_PROTOBUF}, {_JSON}"
            detail = f"This type of body is not taken. Send one of {accepted}."
            raise HTTPException(415, detail, {"Accept-Post": accepted})
        from errdex.web.logs import messages

        try:
            done = await self._done(request, kind)
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001 (`explain` says and logs what it is)
            failure = explain(request, error)
            wrong = failure.status == HTTPStatus.UNPROCESSABLE_ENTITY
            status = HTTPStatus.BAD_REQUEST if wrong else failure.status
            body = messages.failure(kind, failure.detail)
            return Response(body, status, dict(failure.headers), media_type=kind)
        if done.problem:
            body = messages.failure(kind, done.problem)
            return Response(body, HTTPStatus.BAD_REQUEST, media_type=kind)
        return Response(
            messages.success(kind, done.rejected, self._said(done, kind)), media_type=kind
        )

    async def _done(self, request: Request, kind: str) -> LogsDone:
        context = context_of(request)
        matching, client = context.matching, client_of(request.scope)
        with matching.memory.share(client) as share:
            sent = await take_body(request, self._max_bytes, share)
            if not sent.data:  # protobuf's request without a record
                return LogsDone()
            body = Body(sent.data, _PACKED, sent.content_encoding)
            work = partial(
                match_logs, kind=kind, max_bytes=self._max_bytes, site=origin_of(request)
            )
            try:
                done = await while_connected(
                    request, lambda cancellation: matching.run(body, work, client, cancellation)
                )
            except BodyTooLarge:  # it was unpacked up to the larger bound of a paste
                raise BodyTooLarge(self._max_bytes) from None
        if done.too_large:
            raise BodyTooLarge(self._max_bytes)
        return done

    def _said(self, done: LogsDone, kind: str) -> str:
        """What there is to say beside that the request was read."""
        full = False
        if done.known and self._forwarder is not None:
            full = not self._forwarder.offer(done.known, kind)
        left_out = f"{done.rejected:,} records over the bound were not looked at."
        return " ".join([*([left_out] if done.rejected else []), *([_FULL] if full else [])])
