"""Under which scheme and host the pages are served: for addresses that must be absolute."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.types import Scope

from app.web.dependencies import context_of


def site_of(request: Request) -> str:
    """Such as `https://errdex.example`, without a slash at its end: as the settings say, else
    as the request does."""
    public = context_of(request).public_url
    return public.rstrip("/") if public else site_of_scope(request.scope)


def site_of_scope(scope: Scope) -> str:
    """The same as the request says: a tenth of what its whole URL costs."""
    if not scope.get("app_root_path", scope.get("root_path")):
        for name, value in scope["headers"]:
            if name == b"host":
                return f"{scope['scheme']}://{value.decode('latin-1')}".rstrip("/")
    return str(Request(scope).base_url).rstrip("/")


async def get_site(request: Request) -> str:
    """The same, as a dependency."""
    return site_of(request)


Site = Annotated[str, Depends(get_site)]
