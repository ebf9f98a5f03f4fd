"""What a client may keep, and for how long.

An answer changes only with the dataset version or with the program, so both are in
its ETag. So is the address: a client that sends the ETag back has had an answer to
just this question, and need not be told again even that it is a good one.
"""

from __future__ import annotations

import hashlib
from importlib.metadata import version as installed_version
from typing import cast

from fastapi import Request, Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.resources import STATIC, TEMPLATES
from errdex.web.http.dependencies import context_of
from errdex.web.http.representation import chosen_type, is_negotiated


def _fingerprint() -> str:
    """Of the program's version and of what pages are made of, so that a changed template
    is a changed answer even between two releases."""
    digest = hashlib.sha256(installed_version("errdex").encode())
    for folder in (TEMPLATES, STATIC):
        for file in sorted(folder.iterdir()):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


PROGRAM = _fingerprint()
"""Which program and templates made an answer."""
VARY = {"Vary": "Accept-Encoding"}
"""Of a 304, as of the answer that it stands for, which compression would have marked so."""


class NotModified(Exception):
    """The client already has this answer."""

    def __init__(self, headers: dict[str, str]) -> None:
        super().__init__("not modified")
        self.headers = headers


def cache_headers(request: Request, version: str) -> dict[str, str]:
    """ETag and Cache-Control of the answer to this request from that dataset version."""
    query = request.scope["query_string"]
    if kind := chosen_type(request):
        query += b" " + kind.encode()  # no query has a space
    return {
        "ETag": etag_of(version, request.scope["path"], query),
        "Cache-Control": f"public, max-age={context_of(request).cache_seconds}",
    }


def etag_of(version: str, path: str, query: bytes = b"") -> str:
    """Of the answer to a question from that dataset version. The path is not escaped."""
    question = hashlib.blake2b(path.encode() + b"?" + query, digest_size=6).hexdigest()
    return f'W/"{version or "empty"}+{PROGRAM}+{question}"'


def let_keep(request: Request, version: str) -> None:
    """Put ETag and Cache-Control on the answer, which was made from that version."""
    request.state.cache_headers = cache_headers(request, version)


async def check_freshness(request: Request) -> None:
    """A dependency of routes that answer from the data: raises NotModified when the client
    has the current answer, which spares making it again. Should a new version come in
    between, the answer is newer than its ETag and is asked for once more."""
    headers = cache_headers(request, context_of(request).knowledge.get_version())
    sent = request.headers.get("if-none-match")
    if sent and _names(sent, headers["ETag"]):
        raise NotModified(headers | VARY)
    request.state.cache_headers = headers


class CacheHeaders:
    """Puts what the route left on the answer, unless that is an error or says itself how
    long it may be kept; turns it into a 304 when the client has it. An answer of which
    nothing is said, such as that to a paste or to a probe, is not to be kept at all."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = Headers(scope=scope).get("if-none-match")
        dropped = False

        async def answer(message: Message) -> None:
            nonlocal dropped
            if message["type"] == "http.response.start":
                found = scope.get("state", {}).get("cache_headers")
                headers = MutableHeaders(scope=message)
                if found and message["status"] < 400:
                    if "cache-control" not in headers:
                        headers.update(found)
                    if message["status"] in {301, 302, 303, 307, 308}:
                        # Conditions are for what is there (RFC 9110 section 13.2.1).
                        del headers["etag"]
                    if message["status"] == 200 and sent and matches(sent, found["ETag"]):
                        dropped = True
                        message["status"] = 304
                        del headers["content-length"], headers["content-type"]
                        headers.setdefault("Vary", VARY["Vary"])
                headers.setdefault("Cache-Control", "no-store")
                if is_negotiated(scope.get("state")):
                    headers.add_vary_header("Accept")
            elif dropped and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app(scope, receive, answer)


def matches(if_none_match: str, etag: str) -> bool:
    """Whether the header names this ETag (weak comparison, RFC 9110 section 13.1.2)."""
    return if_none_match.strip() == "*" or _names(if_none_match, etag)


def _names(if_none_match: str, etag: str) -> bool:
    bare = etag.removeprefix("W/")
    return bare in {each.strip().removeprefix("W/") for each in if_none_match.split(",")}


async def answer_not_modified(request: Request, error: Exception) -> Response:
    """The handler of NotModified."""
    return Response(status_code=304, headers=cast(NotModified, error).headers)
