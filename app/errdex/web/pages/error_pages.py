"""The page of an error: what is wrong and what to do, for people in a browser."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote, unquote, urlencode

from fastapi import Request, Response

from errdex.knowledge import KnowledgeError
from errdex.store import StoredRecord, StoreError
from errdex.web.http.dependencies import context_of
from errdex.web.http.errors import DETAILS
from errdex.web.http.statuses import name_of
from errdex.web.pages import contexts
from errdex.web.pages.rendering.templating import render

_HEADINGS: Mapping[int, str] = {
    404: "Page not found",
    405: "Method not allowed",
    408: "Request timed out",
    413: "Request too large",
    414: "Address too long",
    422: "Invalid request",
    500: "Server error",
    503: "Temporarily unavailable",
}
_NO_SUCH_LIST_PAGE = "This page of the list does not exist or is out of date."
_DETAILS: Mapping[int, str] = {
    404: "There is no page at this address. Check it, or search below.",
    405: "This page cannot receive data.",
}
"""Details for people, where those of the API do not fit."""
_PASTE_LESS = "Usually the lines around the first error are enough."


def error_page(request: Request, status: int, detail: str) -> Response:
    """The page of an error. For a missing page, it shows records that match the address."""
    words = _words(request.url.path) if status == HTTPStatus.NOT_FOUND else ""
    retry_url = _without_cursor(request) if detail.startswith("cursor:") else None
    if detail == DETAILS.get(status):
        detail = _DETAILS.get(status, detail)
    elif retry_url:
        detail = _NO_SUCH_LIST_PAGE
    elif status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE and request.url.path == "/match":
        detail = f"{detail} {_PASTE_LESS}"
        retry_url = "/match"
    answer = render(
        contexts.ErrorPage(
            title=_HEADINGS.get(status, name_of(status)),
            section="error",
            status=status,
            detail=detail,
            words=words,
            records=_search_quietly(request, words),
            retry_url=retry_url,
            request_id=getattr(request.state, "request_id", ""),
        ),
        status,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _without_cursor(request: Request) -> str:
    """The first page of the list, for a cursor that is not valid for it."""
    rest = [(name, value) for name, value in request.query_params.items() if name != "cursor"]
    path = quote(request.scope["path"], safe="/~")
    return f"{path}?{urlencode(rest)}" if rest else path


def _words(path: str) -> str:
    """The words of an address, without the prefixes of this site's addresses and without ids."""
    steps = unquote(path).strip("/").split("/")
    if steps[0] in {"errors", "repos", "tags", "classes", "causes", "static"}:
        del steps[0]
    words = "".join(c if c.isalnum() or c == "_" else " " for c in " ".join(steps)).split()
    return " ".join(word for word in words if not _is_id(word))[:200]


def _is_id(word: str) -> bool:
    return len(word) == 16 and all(c in "0123456789abcdef" for c in word)


def _search_quietly(request: Request, words: str) -> list[StoredRecord]:
    """Records that match the words; none when the search fails, since an error page must not."""
    if not words:
        return []
    try:
        page = context_of(request).knowledge.search_records(words, limit=5)
    except (KnowledgeError, StoreError):
        return []
    return [item.record for item in page.items]
