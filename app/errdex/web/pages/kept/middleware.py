"""Pages that were made already are kept as long as their answer would be the same.

A page is kept under the ETag of its answer, which tells the dataset version, the program
and the address: what is out of date is never asked for again, and is dropped in time.
Pages are kept compressed: so they take a third of the space, and so most are sent. Those
that are asked for by clients that do not unpack are kept unpacked besides.

The pages of records are kept in a file too, with a hash of what they show. After an
ingestion a page from there is sent on when the record and the related ones are as they were:
to find that out takes less than half of what making the page takes.
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
from errdex.web.http.cache_headers import PROGRAM, VARY, cache_headers
from errdex.web.http.dependencies import context_of
from errdex.web.http.site import site_of
from errdex.web.pages.kept.page_cache import Key, PageCache

_LEVEL = 6
_GZIP = 31
"""How zlib is told to expect gzip's header, and to check the sum at the end."""
_USUAL_BYTES = 32_768
_PLAIN = "plain "
"""Before the site in the key of a page that is kept as it is."""
RECORDS = "/errors/"
RECORD_ROUTE = SimpleNamespace(path="/errors/{record_id}/{slug}")
"""What the access log and the counters are told."""
COMPRESSED = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
"""What the compressing middleware says of what it compresses; it leaves ours alone."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A page that may have been made already."""

    shows: str
    """All that its making depends on besides the program, the site and the address."""
    make: Callable[[], Response]


async def kept(request: Request, site: str, make: Callable[[], Response | Draft]) -> Response:
    """The page at the request's address: the one that is kept, else a new one, made in a
    thread. Ask `check_freshness` first: its ETag is what a page is kept under."""
    cache = context_of(request).pages
    etag = str(request.state.cache_headers["ETag"])
    key = (site, etag)
    page = cache.get(key)
    if page is None:
        address = site + request.scope["path"]
        made = await to_thread.run_sync(
            make_page, make, cache.file, address, etag, limiter=cache.makers
        )
        if isinstance(made, Response):
            return made
        page = made
        cache.put(key, page)
    return _sent(cache, key, page, "gzip" in request.headers.get("accept-encoding", ""), {})


def _sent(
    cache: PageCache, key: Key, page: bytes, packed: bool, headers: Mapping[str, str]
) -> Response:
    if packed:
        return Response(page, headers={**headers, **COMPRESSED}, media_type="text/html")
    site, etag = key
    plain = cache.get((_PLAIN + site, etag))
    if plain is None:
        plain = isal_zlib.decompress(page, _GZIP, _USUAL_BYTES)  # in half of zlib's time
        cache.put((_PLAIN + site, etag), plain)
    return Response(plain, headers=headers, media_type="text/html")


def make_page(
    make: Callable[[], Response | Draft], file: PageFile | None, address: str, etag: str
) -> bytes | Response:
    """A page, compressed: of a draft the one in the file, if it shows the same. An answer that
    is no page as it is."""
    made = make()
    if not isinstance(made, Draft):
        return _compressed(made)
    if file is None:
        return _compressed(made.make())
    shows = blake2b(f"{PROGRAM} {address} {made.shows}".encode("utf-8", "surrogatepass")).digest()
    old = file.find(address)
    body = old.body if old and old.shows == shows else _compressed(made.make())
    if isinstance(body, bytes):
        file.put(address, KeptPage(etag, shows, body))
    return body


def _compressed(answer: Response) -> bytes | Response:
    if answer.status_code != 200 or "cache-control" in answer.headers:
        return answer
    return gzip.compress(bytes(answer.body), _LEVEL, mtime=0)


def _filed(cache: PageCache, key: Key, path: str) -> bytes | None:
    """The page from the file, if it was found to be right for this very version."""
    site, etag = key
    page = cache.file.find(site + path) if cache.file else None
    if page is None or page.etag != etag:
        return None
    cache.put(key, page.body)
    return page.body


class KeptPages:
    """Answers for pages that are kept ahead of all that others need: half of a request's
    cost is the way through the application and back. Whatever is unusual about a request
    goes that way."""

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
        if not scope["path"].startswith(RECORDS):
            return None
        packed = False
        for name, value in scope["headers"]:
            if name in self._UNUSUAL:
                return None
            if name == b"accept-encoding":
                packed = b"gzip" in value
        request = Request(scope)
        context = context_of(request)
        try:
            headers = cache_headers(request, context.knowledge.get_version())
        except StoreError:
            return None  # told by the application
        key = (site_of(request), headers["ETag"])
        page = context.pages.get(key) or _filed(context.pages, key, scope["path"])
        if page is None:
            return None
        scope["route"] = RECORD_ROUTE
        return _sent(context.pages, key, page, packed, headers | VARY)
