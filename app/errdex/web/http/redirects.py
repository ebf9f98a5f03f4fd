"""Addresses that people type with a slash too many or cut short, and where they lead."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse

from errdex.web.http.dependencies import context_of

router = APIRouter(include_in_schema=False)
_PAGES = (
    "match",
    "search",
    "repos",
    "classes",
    "tags",
    "causes",
    "about",
    "about/data",
    "docs",
)
DETOURS = {f"/{page}/": f"/{page}" for page in _PAGES} | dict.fromkeys(
    ("/errors", "/errors/"), "/search"
)


async def _lead(request: Request, to: str) -> RedirectResponse:
    query = request.url.query
    kept = f"public, max-age={context_of(request).cache_seconds}"
    address = f"{to}?{query}" if query else to
    return RedirectResponse(address, 301, {"Cache-Control": kept})


for _address, _to in DETOURS.items():
    router.add_api_route(_address, partial(_lead, to=_to), name=f"detour_{_address}")
