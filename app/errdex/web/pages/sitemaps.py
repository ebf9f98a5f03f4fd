"""Site maps: an index, and files of up to 50,000 addresses each, as sitemaps.org has it.

A file of records is named after the id that it begins with, so its address stays good
while records come and go; the index names those ids that divide the current records evenly.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

from fastapi import APIRouter, Depends, Response
from starlette.exceptions import HTTPException

from errdex.store import Address
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.dependencies import KnowledgeBase
from errdex.web.http.site import Origin
from errdex.web.pages.manual import list_chapters
from errdex.web.pages.rendering.templating import value_url

router = APIRouter(include_in_schema=False)
FRESH = [Depends(check_freshness)]
PER_FILE = 50_000
VALUES = 200
"""Values of a facet that are listed, the most frequent ones."""
LISTS = (
    "/",
    "/match",
    "/repos",
    "/classes",
    "/tags",
    "/causes",
    "/about",
    "/about/data",
    "/docs",
)
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@router.get("/sitemap.xml", dependencies=FRESH)
def show_index(knowledge: KnowledgeBase, site: Origin) -> Response:
    """The index of the other files."""
    changed = knowledge.get_version()
    pieces = knowledge.list_every_nth(PER_FILE)
    names = ["lists", *(f"records/{first}" for first in pieces)]
    return _document(
        "sitemapindex", "sitemap", ((f"/sitemaps/{n}.xml", changed) for n in names), site
    )


@router.get("/sitemaps/lists.xml", dependencies=FRESH)
def show_lists(knowledge: KnowledgeBase, site: Origin) -> Response:
    """The pages that are not a record's."""
    addresses = [(path, "") for path in LISTS]
    addresses += [(f"/docs/{each.name}", "") for each in list_chapters()]
    for facet in ("repo", "class", "tag", "background"):
        values = knowledge.list_values(facet, limit=VALUES).items
        urls = (value_url(facet, each.value) for each in values)
        addresses += [(url, "") for url in urls if not url.startswith("/search")]
    return _document("urlset", "url", addresses, site)


@router.get("/sitemaps/records/{first}.xml", dependencies=FRESH)
def show_records(first: str, knowledge: KnowledgeBase, site: Origin) -> Response:
    """The records' pages from the id `first` on."""
    records = knowledge.list_addresses(first, limit=PER_FILE)
    if not records:
        raise HTTPException(404)
    return _document("urlset", "url", map(_of_record, records), site)


def _of_record(record: Address) -> tuple[str, str]:
    # Ids and slugs have only characters that need no quoting in a URL.
    return f"/errors/{record.id}/{record.slug}", record.changed_version


def _document(root: str, element: str, addresses: Iterable[tuple[str, str]], site: str) -> Response:
    """A file of paths and versions ("" for none) under the site."""
    base = escape(site)
    entries = [
        f"<{element}><loc>{base}{escape(path)}</loc>"
        f"{f'<lastmod>{changed}</lastmod>' if changed else ''}</{element}>\n"
        for path, changed in addresses
    ]
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {_NAMESPACE}>\n'
        f"{''.join(entries)}</{root}>\n"
    )
    return Response(body, media_type="application/xml")
