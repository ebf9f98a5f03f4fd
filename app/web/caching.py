"""What a client may keep, and for how long: an answer changes only with the dataset
version or with the program, so both together are its ETag."""

from __future__ import annotations

import hashlib
from importlib.metadata import version as installed_version
from typing import cast

from fastapi import Request, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.dependencies import Context
from app.web.folders import STATIC, TEMPLATES


def _fingerprint() -> str:
    """Of the program's version and of what pages are made of, so that a changed template
    is a changed answer even between two releases."""
    digest = hashlib.sha256(installed_version("errdex").encode())
    for folder in (TEMPLATES, STATIC):
        for file in sorted(folder.iterdir()):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


_PROGRAM = _fingerprint()


class NotModified(Exception):
    """The client already has this answer."""

    def __init__(self, headers: dict[str, str]) -> None:
        super().__init__("not modified")
        self.headers = headers


def cache_headers(version: str, cache_seconds: int) -> dict[str, str]:
    """ETag and Cache-Control of an answer made from that dataset version."""
    return {
        "ETag": f'W/"{version or "empty"}+{_PROGRAM}"',
        "Cache-Control": f"public, max-age={cache_seconds}",
    }


def check_freshness(request: Request, context: Context) -> None:
    """A dependency of routes that answer from the data: raises NotModified when the client
    has the current answer, else leaves the headers for CacheHeaders. Should a new version
    come in between, the answer is newer than its ETag and is asked for once more."""
    headers = cache_headers(context.knowledge.get_version(), context.cache_seconds)
    sent = request.headers.get("if-none-match")
    if sent and matches(sent, headers["ETag"]):
        raise NotModified(headers)
    request.state.cache_headers = headers


class CacheHeaders:
    """Puts what `check_freshness` left on the answer, unless that is an error or says
    itself how long it may be kept."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = scope.get("state", {}).get("cache_headers", {})
                headers = MutableHeaders(scope=message)
                if message["status"] < 400 and "cache-control" not in headers:
                    headers.update(found)
            await send(message)

        await self._app(scope, receive, answer if scope["type"] == "http" else send)


def matches(if_none_match: str, etag: str) -> bool:
    """Whether the header names this ETag (weak comparison, RFC 9110 section 13.1.2)."""
    if if_none_match.strip() == "*":
        return True
    bare = etag.removeprefix("W/")
    return bare in {each.strip().removeprefix("W/") for each in if_none_match.split(",")}


async def answer_not_modified(request: Request, error: Exception) -> Response:
    """The handler of NotModified."""
    return Response(status_code=304, headers=cast(NotModified, error).headers)
