"""Pages of records made ahead of the first reader, into the file beside the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from errdex.knowledge import Knowledge, RecordNotFound
from errdex.store import Address, PageFile
from errdex.web.http.cache_headers import etag_of
from errdex.web.pages.kept.middleware import RECORDS, make_page
from errdex.web.pages.routes import draft_record

READY, MADE, UNKEPT, GONE = "ready", "made", "unkept", "gone"


def make_pages(
    knowledge: Knowledge, file: PageFile, site: str, addresses: Iterable[Address]
) -> Counter[str]:
    """Have the pages of these records kept as a server of `site` keeps them.

    How many were READY, were MADE (or found to be right for this version), could not be kept
    (UNKEPT: the file cannot be written, or there is no index to tell the related records by),
    and how many records are GONE by now. Raises errdex.store's StoreError.
    """
    counts: Counter[str] = Counter()
    for address in addresses:
        path = f"{RECORDS}{address.id}/{address.slug}"
        etag = etag_of(knowledge.get_version(), path)
        if _is_kept(file, site + path, etag):
            counts[READY] += 1
            continue
        try:
            make_page(
                lambda one=address: draft_record(knowledge, one.id, one.slug, site),  # type: ignore[misc]
                file,
                site + path,
                etag,
            )
        except RecordNotFound:
            counts[GONE] += 1
            continue
        counts[MADE if _is_kept(file, site + path, etag) else UNKEPT] += 1
    return counts


def _is_kept(file: PageFile, address: str, etag: str) -> bool:
    page = file.find(address)
    return page is not None and page.etag == etag
