"""Every error of the web side, in one shape.

The API answers errors with problem documents (RFC 9457); pages answer them with a
page. `STATUS_OF` is the whole table of what raises which status. What is not in it
is a fault of ours: a 500 that tells a request id and nothing else, and a line in
the log that has the same id and the route, and nothing that the client wrote.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from typing import cast

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from errdex.knowledge import (
    BadCursor,
    KnowledgeError,
    RecordNotFound,
    SearchUnavailable,
    ValueNotFound,
)
from errdex.store import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreMissing,
    StoreTooNew,
    StoreTooOld,
)
from errdex.web.http.observation import template_of
from errdex.web.http.parameters import Invalid, describe, sentence
from errdex.web.http.statuses import name_of

log = logging.getLogger(__name__)

PROBLEM_JSON = "application/problem+json"
API_PATHS = ("/api", "/healthz", "/readyz", "/metrics", "/openapi.json", "/mcp", "/v1")
ErrorPage = Callable[[Request, int, str], Response]
MOST_TOLD = 10
"""Wrong parameters of one request that are told of: each is compared with all known names."""

DETAILS: Mapping[int, str] = {
    404: "There is nothing at this address. /docs lists the routes of the API.",
    405: "This address does not take that method; the Allow header names those it takes.",
    500: "Something is wrong on our side. Tell us the request id and we can look it up.",
}
UNREADY = (
    "The database cannot be read now. Try again in 1 s. The server's log says why, under the "
    "request id."
)
DAMAGED = (
    "What is stored for this answer is damaged, and so it is not given. The server's log tells "
    "whoever runs it, under the request id, what is damaged and how to mend it."
)


class BodyTooLarge(HTTPException):
    """A request body is over the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(413, f"The request is larger than {limit:,} bytes, the most it may be.")


class BodyTooSlow(HTTPException):
    """A request body did not arrive in time."""

    def __init__(self, seconds: float) -> None:
        detail = f"The request's body did not arrive within {seconds:g} seconds."
        super().__init__(408, detail, {"Connection": "close"})


class UrlTooLong(HTTPException):
    """A request's address is over the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(414, f"The address is longer than {limit:,} bytes, the most it may be.")


STATUS_OF: Mapping[type[Exception], int] = {
    RecordNotFound: 404,
    ValueNotFound: 404,
    BadCursor: 422,
    SearchUnavailable: 503,
    KnowledgeError: 400,
    StoreBusy: 503,
    StoreMissing: 503,
    StoreTooNew: 503,
    StoreTooOld: 503,
    StoreError: 500,
    RequestValidationError: 422,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as a client is told of it."""

    status: int
    detail: str
    headers: Mapping[str, str]
    errors: Sequence[Invalid] = ()


def install_error_handlers(app: FastAPI, error_page: ErrorPage | None = None) -> None:
    """Answer every error of `app` as this module says; pages' errors by `error_page`."""

    async def answer(request: Request, error: Exception) -> Response:
        failure = explain(request, error)
        if failure.status == HTTPStatus.METHOD_NOT_ALLOWED and request.method == "OPTIONS":
            return Response(status_code=204, headers=dict(failure.headers))
        # Who asks too much is answered at the least cost, and so is not given a page.
        cheap = failure.status == HTTPStatus.TOO_MANY_REQUESTS
        if error_page is None or cheap or is_api(request.scope["path"]):
            return problem(request, failure)
        # In a thread: the page of an address that is not there searches for its words.
        page = await run_in_threadpool(error_page, request, failure.status, failure.detail)
        page.headers.update(failure.headers)
        return page

    async def forget(request: Request, error: Exception) -> Response:
        return Response(status_code=400)  # its client has left, so that nobody reads it

    app.state.answer_error = answer
    app.add_exception_handler(ClientDisconnect, forget)
    for kind in (*STATUS_OF, HTTPException, Exception):
        app.add_exception_handler(kind, answer)


def is_api(path: str) -> bool:
    """Whether errors at that path are problem documents rather than pages."""
    return any(path == each or path.startswith(f"{each}/") for each in API_PATHS)


def explain(request: Request, error: Exception) -> Failure:
    """What a client is told of an error; what it is not told is logged."""
    if isinstance(error, HTTPException):
        return _http_failure(error)
    status = next((STATUS_OF[each] for each in type(error).__mro__ if each in STATUS_OF), 500)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR or isinstance(error, StoreError):
        _log(request, error)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return Failure(status, DAMAGED if isinstance(error, StoreDamaged) else DETAILS[status], {})
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        detail = UNREADY if isinstance(error, StoreError) else str(error)
        return Failure(status, detail, {"Retry-After": str(getattr(error, "retry_after", 1))})
    errors = _wrong_parameters(request, error)
    detail = " ".join(map(sentence, errors)) or str(error)
    return Failure(status, detail, {}, errors)


def _wrong_parameters(request: Request, error: Exception) -> list[Invalid]:
    if isinstance(error, RequestValidationError):
        return [describe(each, request) for each in islice(error.errors(), MOST_TOLD)]
    if isinstance(error, BadCursor):
        return [Invalid("cursor", "it is not one of this list", "ask again without it")]
    return []


def _http_failure(error: HTTPException) -> Failure:
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        taken = {each.strip() for each in headers.get("Allow", "").split(",")} - {""}
        headers["Allow"] = ", ".join(sorted(taken | {"OPTIONS"} | ({"HEAD"} & _heads(taken))))
    return Failure(error.status_code, DETAILS.get(error.status_code, error.detail), headers)


def _heads(methods: set[str]) -> set[str]:
    """HEAD, where GET is taken: HeadAsGet answers it."""
    return {"HEAD"} if "GET" in methods else set()


def _log(request: Request, error: Exception) -> None:
    known = isinstance(error, StoreError)
    log.error(
        "%s %s failed (request id %s)%s",
        request.method,
        template_of(request.scope),
        request_id_of(request),
        f": {error}" if known else "",
        exc_info=None if known else error,
    )


def request_id_of(request: Request) -> str:
    """The id that the RequestId middleware gave."""
    return cast(str, getattr(request.state, "request_id", ""))


def problem(request: Request, failure: Failure) -> Response:
    """A problem document. Its type leads to the documentation of that status."""
    body: dict[str, object] = {
        "type": f"/docs#problem-{failure.status}",
        "title": name_of(failure.status),
        "status": failure.status,
        "detail": failure.detail,
        "instance": request.scope["path"],
        "requestId": request_id_of(request),
    }
    if failure.errors:
        body["errors"] = failure.errors
    return Response(
        orjson.dumps(body, default=str),
        failure.status,
        headers={"Cache-Control": "no-store", **failure.headers},
        media_type=PROBLEM_JSON,
    )
