"""Static files, read once, under addresses that change with their content."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from errdex.resources import STATIC
from errdex.web.pages.cache.middleware import COMPRESSED

router = APIRouter(include_in_schema=False)
FOREVER = "public, max-age=31536000, immutable"
_TEXTS = {".css", ".js", ".svg"}


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file."""

    media_type: str
    body: bytes
    gzipped: bytes | None
    """None where compression gains nothing."""
    url: str


@cache
def load_assets(folder: Path = STATIC) -> dict[str, Asset]:
    """Every file of the folder by its name."""
    return {file.name: _load(file) for file in sorted(folder.iterdir()) if file.is_file()}


def static_url(name: str) -> str:
    """The address of a static file. Raises KeyError when there is none of that name."""
    return load_assets()[name].url


@router.get("/static/{digest}/{name}")
async def serve_asset(digest: str, name: str, request: Request) -> Response:
    """A static file; an address from before a change leads to the present one."""
    asset = load_assets().get(name)
    if asset is None:
        raise HTTPException(404, f"There is no static file {name}.")
    if asset.url != f"/static/{digest}/{name}":
        return RedirectResponse(asset.url, 302, {"Cache-Control": "no-cache"})
    headers = {"Cache-Control": FOREVER}
    if asset.gzipped and "gzip" in request.headers.get("accept-encoding", ""):
        headers |= COMPRESSED
        return Response(asset.gzipped, headers=headers, media_type=asset.media_type)
    return Response(asset.body, headers=headers, media_type=asset.media_type)


@router.get("/favicon.ico")
async def serve_favicon() -> Response:
    """Where programs look that do not read the page."""
    return RedirectResponse(
        static_url("favicon.svg"), 302, {"Cache-Control": "public, max-age=3600"}
    )


def _load(file: Path) -> Asset:
    body = file.read_bytes()
    digest = hashlib.sha256(body).hexdigest()[:12]
    media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return Asset(
        media_type=media_type,
        body=body,
        gzipped=gzip.compress(body, mtime=0) if file.suffix in _TEXTS else None,
        url=f"/static/{digest}/{file.name}",
    )
