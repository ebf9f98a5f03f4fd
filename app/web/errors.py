"""Every error of the web side, in one shape.

The API answers errors with problem documents (RFC 9457); pages answer them with a
page. `ANSWERS` is the whole table of what raises which status. What is not in it
is a fault of ours: a 500 that tells a request id and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from app.knowledge import (
    BadCursor,
    KnowledgeError,
    RecordNotFound,
    SearchUnavailable,
    ValueNotFound,
)
from app.store import StoreBusy, StoreError

log = logging.getLogger(__name__)

PROBLEM_JSON = "application/problem+json"
API_PATHS = ("/api", "/healthz", "/readyz", "/openapi.json")
ErrorPage = Callable[[Request, int, str], Response]

DETAILS: Mapping[int, str] = {
    404: "There is nothing at this address. /docs lists the routes of the API.",
    405: "This address does not take that method; the Allow header names those it takes.",
    413: "The request is larger than this server takes.",
    500: "Something is wrong on our side. Tell us the request id and we can look it up.",
}


class BodyTooLarge(Exception):
    """A request body is over the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The request is larger than {limit:,} bytes, the most that is taken.")


@dataclass(frozen=True, slots=True)
class Invalid:
    """One thing that is wrong with a request."""

    field: str
    reason: str
    remedy: str


STATUS_OF: Mapping[type[Exception], int] = {
    RecordNotFound: 404,
    ValueNotFound: 404,
    BadCursor: 422,
    SearchUnavailable: 503,
    KnowledgeError: 400,
    StoreBusy: 503,
    StoreError: 500,
    BodyTooLarge: 413,
}


def install_error_handlers(app: FastAPI, error_page: ErrorPage | None = None) -> None:
    """Answer every error of `app` as this module says; pages' errors by `error_page`."""

    def respond(
        request: Request,
        status: int,
        detail: str,
        headers: Mapping[str, str] | None = None,
        errors: Sequence[Invalid] = (),
    ) -> Response:
        if error_page and not request.url.path.startswith(API_PATHS):
            page = error_page(request, status, detail)
            page.headers.update(headers or {})
            return page
        return problem(request, status, detail, errors=errors, headers=headers)

    async def known(request: Request, error: Exception) -> Response:
        status = next(STATUS_OF[each] for each in type(error).__mro__ if each in STATUS_OF)
        if isinstance(error, StoreError):
            log.error("%s", error)
        detail = DETAILS[500] if status == 500 else str(error)
        headers = {}
        if status == 503:
            headers["Retry-After"] = str(getattr(error, "retry_after", 1))
        return respond(request, status, detail, headers=headers)

    async def http(request: Request, error: Exception) -> Response:
        error = cast(HTTPException, error)
        status = error.status_code
        detail = DETAILS.get(status, error.detail)
        return respond(request, status, detail, headers=dict(error.headers or {}))

    async def invalid(request: Request, error: Exception) -> Response:
        found = [describe(each) for each in cast(RequestValidationError, error).errors()]
        detail = " ".join(f"{each.field}: {each.reason}; {each.remedy}." for each in found)
        return respond(request, 422, detail, errors=found)

    async def fault(request: Request, error: Exception) -> Response:
        return respond(request, 500, DETAILS[500])

    for kind in STATUS_OF:
        app.add_exception_handler(kind, known)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, fault)


def problem(
    request: Request,
    status: int,
    detail: str,
    *,
    errors: Sequence[Invalid] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem document. Its type leads to the documentation of that status."""
    request_id: str = getattr(request.state, "request_id", "")
    body: dict[str, object] = {
        "type": f"/docs#problem-{status}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": request.url.path,
        "requestId": request_id,
    }
    if errors:
        body["errors"] = errors
    return Response(
        orjson.dumps(body, default=str),
        status,
        headers={"Cache-Control": "no-store", "X-Request-ID": request_id, **(headers or {})},
        media_type=PROBLEM_JSON,
    )


def describe(error: Mapping[str, Any]) -> Invalid:
    """A validation error of FastAPI's in our words."""
    field = str(error["loc"][-1])
    if error["type"] == "extra_forbidden":
        return Invalid(field, "this route has no such parameter", "/docs lists those it has")
    remedy = "leave it out or correct it"
    if error["type"] == "missing":
        remedy = "add it"
    reason = str(error["msg"])
    return Invalid(field, reason[:1].lower() + reason[1:], remedy)
