"""Serves pages from a cache while they are up to date.

The key of a page is the ETag of its response, which depends on the dataset version, the program
and the address: an outdated page is never requested again, and is dropped in time. Pages are
stored compressed, which takes a third of the space, and most are sent like that. For clients
that do not accept gzip, a plain copy is cached too.

The pages of records are also stored in a file, with a hash of their content. After an ingestion,
such a page is reused if the record and its related records are unchanged; the check takes less
than half the time of rendering.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from types import SimpleNamespace

from anyio import to_thread
from fastapi import Request, Response
from isal import isal_zlib
from starlette.types import ASGIApp, Receive, Scope, Send

from errdex.store import KeptPage, PageFile, StoreError
from errdex.store.keys import is_record_id
from errdex.web.api.record_json import record_json
from errdex.web.http.cache_headers import PROGRAM, VARY, cache_headers
from errdex.web.http.dependencies import context_of
from errdex.web.http.site import site_of
from errdex.web.pages.cache.page_cache import Key, PageCache

_LEVEL = 6
_GZIP = 31
"""The window bits with which zlib expects a gzip header and checks the sum at the end."""
_USUAL_BYTES = 32_768
_PLAIN = "plain "
"""The prefix of the site in the key of an uncompressed page."""
RECORDS = "/errors/"
RECORD_ROUTE = SimpleNamespace(path="/errors/{record_id}/{slug}")
"""The route for the access log and the metrics."""
API_RECORDS = "/api/errors/"
RECORD_JSON_ROUTE = SimpleNamespace(path="/api/errors/{record_id}")
_JSON, _GZIP_JSON = "json ", "gzip json "
"""Instead of the site in the key of a record, which is the same on all sites."""
GZIP_FROM = 1000
"""Bytes of a body from which on it is compressed."""
COMPRESSED = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
"""The headers of a compressed page, which the compressing middleware then leaves alone."""

SENT_AHEAD = {"Vary": f"{VARY['Vary']}, Accept, Origin"}
"""What the compressing middleware, the choice of a type and the middleware for other origins
would add to a page."""


@dataclass(frozen=True, slots=True)
class PageDraft:
    """A page that is rendered only if the cached one is outdated."""

    content: str
    """Everything that the page depends on besides the program, the site and the address."""
    render: Callable[[], Response]


async def cached_page(
    request: Request, site: str, build: Callable[[], Response | PageDraft]
) -> Response:
    """The page at the request's address: the cached one, or a new one, rendered in a thread.
    Call `check_freshness` first: its ETag is the key of the page."""
    cache = context_of(request).pages
    etag = str(request.state.cache_headers["ETag"])
    key = (site, etag)
    page = cache.get(key)
    if page is None:
        address = site + request.scope["path"]
        built = await to_thread.run_sync(
            build_page, build, cache.file, address, etag, limiter=cache.renderers
        )
        if isinstance(built, Response):
            return built
        page = built
        cache.put(key, page)
    return _response(cache, key, page, "gzip" in request.headers.get("accept-encoding", ""), {})


def _response(
    cache: PageCache, key: Key, page: bytes, compressed: bool, headers: Mapping[str, str]
) -> Response:
    if compressed:
        return Response(page, headers={**COMPRESSED, **headers}, media_type="text/html")
    site, etag = key
    plain = cache.get((_PLAIN + site, etag))
    if plain is None:
        plain = isal_zlib.decompress(page, _GZIP, _USUAL_BYTES)  # twice as fast as zlib
        cache.put((_PLAIN + site, etag), plain)
    return Response(plain, headers=headers, media_type="text/html")


def build_page(
    build: Callable[[], Response | PageDraft], file: PageFile | None, address: str, etag: str
) -> bytes | Response:
    """A compressed page; for a draft with unchanged content, the one in the file. Other
    responses, such as redirects, are returned as they are."""
    built = build()
    if not isinstance(built, PageDraft):
        return _compressed(built)
    if file is None:
        return _compressed(built.render())
    content = f"{PROGRAM} {address} {built.content}".encode("utf-8", "surrogatepass")
    digest = blake2b(content).digest()
    old = file.find(address)
    body = old.body if old and old.shows == digest else _compressed(built.render())
    if isinstance(body, bytes):
        file.put(address, KeptPage(etag, digest, body))
    return body


def _compressed(answer: Response) -> bytes | Response:
    if answer.status_code != 200 or "cache-control" in answer.headers:
        return answer
    return gzip.compress(bytes(answer.body), _LEVEL, mtime=0)


def _page_in_file(cache: PageCache, key: Key, path: str) -> bytes | None:
    """The page from the file, if it was checked for this version."""
    site, etag = key
    page = cache.file.find(site + path) if cache.file else None
    if page is None or page.etag != etag:
        return None
    cache.put(key, page.body)
    return page.body


def _wants_html(accept: bytes) -> bool:
    """Whether that is certain; the application decides other cases."""
    text = b"text/plain" in accept or b"text/markdown" in accept
    return not text and (b"text/html" in accept or b"*/*" in accept)


def _wants_json(accept: bytes) -> bool:
    """Whether that is certain; the application decides other cases."""
    return accept in (b"*/*", b"application/json", b"")


class CachedPages:
    """Answers requests for cached pages, and for records as JSON, before the application, which
    costs half of the time of a request. Unusual requests go through the application."""

    _UNUSUAL = frozenset({b"if-none-match", b"origin", b"range", b"content-length"})

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and scope["method"] == "GET" and not scope["query_string"]:
            answer = self._find(scope)
            if answer is not None:
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _find(self, scope: Scope) -> Response | None:
        path = scope["path"]
        wanted: Callable[[bytes], bool]
        if path.startswith(RECORDS):
            wanted, find = _wants_html, _find_page
        elif path.startswith(API_RECORDS) and is_record_id(path[len(API_RECORDS) :]):
            wanted, find = _wants_json, _find_record
        else:
            return None
        compressed = False
        for name, value in scope["headers"]:
            if name in self._UNUSUAL:
                return None
            if name == b"accept-encoding":
                compressed = b"gzip" in value
            elif name == b"accept" and not wanted(value):
                return None
        request = Request(scope)
        try:
            return find(request, compressed)
        except StoreError:
            return None  # which the application reports


def _find_page(request: Request, compressed: bool) -> Response | None:
    """The cached page at the request's address."""
    context, scope = context_of(request), request.scope
    headers = cache_headers(request, context.knowledge.get_version())
    key = (site_of(request), headers["ETag"])
    page = context.pages.get(key) or _page_in_file(context.pages, key, scope["path"])
    if page is None:
        return None
    scope["route"] = RECORD_ROUTE
    return _response(context.pages, key, page, compressed, headers | SENT_AHEAD)


def _find_record(request: Request, compressed: bool) -> Response | None:
    """The record at the request's address as JSON; None for one that the application redirects to
    or does not find."""
    context, scope = context_of(request), request.scope
    headers = cache_headers(request, context.knowledge.get_version())
    key = (_JSON, headers["ETag"])
    body = context.pages.get(key)
    if body is None:
        record_id = scope["path"][len(API_RECORDS) :]
        answer = context.knowledge.find_record(record_id)
        if answer is None or answer.stored.id != record_id:
            return None
        headers = cache_headers(request, answer.version)
        key = (_JSON, headers["ETag"])
        body = record_json(answer)
        context.pages.put(key, body)
    scope["route"] = RECORD_JSON_ROUTE
    headers |= SENT_AHEAD
    if compressed and len(body) >= GZIP_FROM:
        packed = (_GZIP_JSON, key[1])
        smaller = context.pages.get(packed)
        if smaller is None:
            smaller = gzip.compress(body, _LEVEL, mtime=0)
            context.pages.put(packed, smaller)
        body, headers = smaller, headers | {"Content-Encoding": "gzip"}
    return Response(body, headers=headers, media_type="application/json")
