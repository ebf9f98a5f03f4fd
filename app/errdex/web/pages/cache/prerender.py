"""Renders pages of records ahead of requests, into the file beside the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from errdex.knowledge import Knowledge, RecordNotFound
from errdex.store import Address, PageFile
from errdex.web.http.cache_headers import etag_of
from errdex.web.pages.cache.middleware import RECORDS, build_page
from errdex.web.pages.routes import draft_record

READY, RENDERED, UNCACHED, GONE = "ready", "rendered", "uncached", "gone"


def prerender_pages(
    knowledge: Knowledge, file: PageFile, site: str, addresses: Iterable[Address]
) -> Counter[str]:
    """Store the pages of these records as a server of `site` caches them.

    Counts how many were READY, were RENDERED (or checked for this version), could not be stored
    (UNCACHED: the file is not writable, or there is no index to find related records with), and
    how many records are GONE by now. Raises StoreError.
    """
    counts: Counter[str] = Counter()
    for address in addresses:
        path = f"{RECORDS}{address.id}/{address.slug}"
        etag = etag_of(knowledge.get_version(), path)
        if _is_cached(file, site + path, etag):
            counts[READY] += 1
            continue
        try:
            build_page(
                lambda one=address: draft_record(knowledge, one.id, one.slug, site),  # type: ignore[misc]
                file,
                site + path,
                etag,
            )
        except RecordNotFound:
            counts[GONE] += 1
            continue
        counts[RENDERED if _is_cached(file, site + path, etag) else UNCACHED] += 1
    return counts


def _is_cached(file: PageFile, address: str, etag: str) -> bool:
    page = file.find(address)
    return page is not None and page.etag == etag
