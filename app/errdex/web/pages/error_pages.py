"""The page of an error: what is wrong and what to do, in words for who reads pages."""

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
    404: "Nothing is here",
    405: "That cannot be done here",
    408: "That took too long to arrive",
    413: "That is too large",
    414: "That address is too long",
    422: "That cannot be answered",
    500: "Something is wrong here",
    503: "Not at this moment",
}
_NOT_OF_THE_LIST = "This list has no such page, or has it no longer."
_DETAILS: Mapping[int, str] = {
    404: "There is no page at this address.",
    405: "This page can be read; nothing can be sent to it.",
}
"""In place of those that speak of the API."""
_PASTE_LESS = "The lines around the first error are enough, mostly."


def error_page(request: Request, status: int, detail: str) -> Response:
    """The page of an error; one that is not there shows what its address's words find."""
    words = _words(request.url.path) if status == HTTPStatus.NOT_FOUND else ""
    again_url = _without_cursor(request) if detail.startswith("cursor:") else None
    if detail == DETAILS.get(status):
        detail = _DETAILS.get(status, detail)
    elif again_url:
        detail = _NOT_OF_THE_LIST
    elif status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE and request.url.path == "/match":
        detail = f"{detail} {_PASTE_LESS}"
        again_url = "/match"
    answer = render(
        contexts.ErrorPage(
            title=_HEADINGS.get(status, name_of(status)),
            section="error",
            status=status,
            detail=detail,
            words=words,
            found=_search_quietly(request, words),
            again_url=again_url,
            request_id=getattr(request.state, "request_id", ""),
        ),
        status,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _without_cursor(request: Request) -> str:
    """The list's first page, for a cursor that the list does not know."""
    rest = [(name, value) for name, value in request.query_params.items() if name != "cursor"]
    path = quote(request.scope["path"], safe="/~")
    return f"{path}?{urlencode(rest)}" if rest else path


def _words(path: str) -> str:
    """The words of an address, without what addresses here begin with and without ids."""
    steps = unquote(path).strip("/").split("/")
    if steps[0] in {"errors", "repos", "tags", "classes", "backgrounds", "static"}:
        del steps[0]
    words = "".join(c if c.isalnum() or c == "_" else " " for c in " ".join(steps)).split()
    return " ".join(word for word in words if not _is_id(word))[:200]


def _is_id(word: str) -> bool:
    return len(word) == 16 and all(c in "0123456789abcdef" for c in word)


def _search_quietly(request: Request, words: str) -> list[StoredRecord]:
    """What a page that is not there may have been about; an error page never fails."""
    if not words:
        return []
    try:
        page = context_of(request).knowledge.search_records(words, limit=5)
    except (KnowledgeError, StoreError):
        return []
    return [item.record for item in page.items]
