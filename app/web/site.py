"""Under which scheme and host the pages are served: for addresses that must be absolute."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from app.web.dependencies import context_of


def site_of(request: Request) -> str:
    """Such as `https://errdex.example`, without a slash at its end: as the settings say, else
    as the request does."""
    return (context_of(request).public_url or str(request.base_url)).rstrip("/")


async def get_site(request: Request) -> str:
    """The same, as a dependency."""
    return site_of(request)


Site = Annotated[str, Depends(get_site)]
