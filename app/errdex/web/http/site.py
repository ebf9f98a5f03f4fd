"""Under which scheme and host the pages are served: for addresses that must be absolute.

A page says it only where the settings do (`site_of`), so that it is the same for every client and
can be kept. Feeds, site maps and examples of commands, which are of no use without, are made for
each request and follow its Host header (`origin_of`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

from fastapi import Depends, Request
from starlette.types import Scope

from errdex import lazy_re as re
from errdex.web.http.dependencies import context_of

_HOST = re.compile(rb"(?:[A-Za-z0-9._~-]{1,255}|\[[0-9A-Fa-f:.]{2,60}\])(?::[0-9]{1,5})?")


def site_of(request: Request) -> str:
    """Such as `https://errdex.example`, without a slash at its end, as the settings say; empty
    when they do not, so that addresses are relative."""
    public = context_of(request).public_url
    return public.rstrip("/") if public else ""


def origin_of(request: Request) -> str:
    """The same, or else as the request says."""
    return site_of(request) or site_of_scope(request.scope)


def site_of_scope(scope: Scope) -> str:
    """The same as the request says: a tenth of what its whole URL costs. Empty when it says
    what is no host, so that addresses are relative, rather than whatever somebody sent."""
    for name, value in scope["headers"]:
        if name == b"host":
            origin = _origin(scope["scheme"], value)
            break
    else:
        origin = None
    if origin is not None and not scope.get("app_root_path", scope.get("root_path")):
        return origin
    return "" if origin == "" else str(Request(scope).base_url).rstrip("/")


@lru_cache(maxsize=1024)
def _origin(scheme: str, host: bytes) -> str:
    """Both together; empty when they are not of their form."""
    good = scheme in {"http", "https"} and _HOST.fullmatch(host)
    return f"{scheme}://{host.decode('ascii')}" if good else ""


async def get_site(request: Request) -> str:
    """`site_of` as a dependency."""
    return site_of(request)


async def get_origin(request: Request) -> str:
    """`origin_of` as a dependency."""
    return origin_of(request)


Site = Annotated[str, Depends(get_site)]
Origin = Annotated[str, Depends(get_origin)]
