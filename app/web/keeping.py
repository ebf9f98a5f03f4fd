"""Pages that were made already are kept as long as their answer would be the same.

A page is kept under the ETag of its answer, which tells the dataset version, the program
and the address: what is out of date is never asked for again, and is dropped in time.
Pages are kept compressed: so they take a third of the space, and so most are sent.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable

from anyio import to_thread
from fastapi import Request, Response

from app.web.dependencies import context_of

_LEVEL = 6
COMPRESSED = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
"""What the compressing middleware says of what it compresses; it leaves ours alone."""


async def kept(request: Request, site: str, make: Callable[[], Response]) -> Response:
    """The page at the request's address: the one that is kept, else a new one, made in a
    thread. Ask `check_freshness` first: its ETag is what a page is kept under."""
    cache = context_of(request).pages
    key = (site, str(request.state.cache_headers["ETag"]))
    page = cache.get(key)
    if page is None:
        made = await to_thread.run_sync(_made, make, limiter=cache.makers)
        if isinstance(made, Response):
            return made
        page = made
        cache.put(key, page)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(page), media_type="text/html")
    return Response(page, headers=COMPRESSED, media_type="text/html")


def _made(make: Callable[[], Response]) -> bytes | Response:
    """A new page, compressed; an answer that is none as it is."""
    answer = make()
    if answer.status_code != 200:
        return answer
    return gzip.compress(bytes(answer.body), _LEVEL, mtime=0)
