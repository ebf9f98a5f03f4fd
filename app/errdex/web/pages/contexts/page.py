"""What every page is given, and the page of an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from errdex.store import StoredRecord


@dataclass(frozen=True, kw_only=True)
class Crumb:
    """A step of the breadcrumbs from the home page."""

    name: str
    url: str | None = None
    """None for the page itself."""


@dataclass(frozen=True, kw_only=True)
class PageContext:
    """What every page has."""

    template: ClassVar[str]

    title: str
    """The title of the browser's tab, and the heading of pages without another."""
    description: str = ""
    """For search engines and previews."""
    query: str = ""
    """The text in the search field."""
    section: str = ""
    """Which of the main parts the page belongs to: "home", "repos", "record" …"""
    crumbs: Sequence[Crumb] = ()
    """The breadcrumbs; empty on top-level pages."""
    site: str = ""
    """Scheme and host, for addresses that must be absolute."""
    path: str = ""
    """The canonical address; a page without one asks not to be indexed."""
    json_url: str = ""
    """The page's data as JSON, where there is such a route."""
    structured: Mapping[str, Any] | None = None
    """Data for search engines: a schema.org object (JSON-LD)."""


@dataclass(frozen=True, kw_only=True)
class ErrorPage(PageContext):
    """Any page's error."""

    template: ClassVar[str] = "error.html"

    status: int
    detail: str
    words: str
    """Words of the address, to search for; may be empty."""
    records: Sequence[StoredRecord]
    """Records that match them."""
    retry_url: str | None
    """Where to start again: the first page of a list, or the form for a paste."""
    request_id: str
