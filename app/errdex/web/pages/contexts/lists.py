"""What the home page and the pages that list records, values and causes are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from errdex.knowledge import CauseItem, SearchItem
from errdex.store import (
    DatasetStats,
    FacetValue,
    RecordSummary,
    StoredRecord,
    StoreStats,
    VerificationStats,
)
from errdex.web.match.contexts import Example
from errdex.web.pages.contexts.page import PageContext


@dataclass(frozen=True, kw_only=True)
class HomePage(PageContext):
    """`/`: the form for a paste, and the contents of the knowledge base."""

    template: ClassVar[str] = "home.html"

    stats: StoreStats
    repos: Sequence[FacetValue]
    causes: Sequence[CauseItem]
    languages: Sequence[FacetValue]
    examples: Sequence[Example]
    latest: Sequence[RecordSummary]
    """Records of the newest changes."""


@dataclass(frozen=True, kw_only=True)
class FacetLink:
    """A value that a search can be narrowed to, or that it is narrowed to already."""

    value: str
    count: int | None
    """How many of the results have it; None for one that is chosen and has none."""
    chosen: bool
    url: str
    """Adds the filter or removes it."""


@dataclass(frozen=True, kw_only=True)
class FacetGroup:
    """The links under one heading, the chosen value first."""

    heading: str
    links: Sequence[FacetLink]


@dataclass(frozen=True, kw_only=True)
class SearchPage(PageContext):
    """`/search`: results, facets and what helps when there are none."""

    template: ClassVar[str] = "search.html"

    filters: Mapping[str, str]
    """The chosen filters, by the names of their parameters."""
    misspelt: str
    """The query as typed, if it found nothing and these are the results for its correction."""
    items: Sequence[SearchItem]
    total: int
    partial: int
    """Records with only some of the words."""
    facets: Sequence[FacetGroup]
    causes: Sequence[CauseItem]
    """Those that the words name."""
    suggestion: str | None
    notes: Sequence[str]
    next_url: str | None
    first_url: str | None
    """Back to the first page; None on the first page."""


@dataclass(frozen=True, kw_only=True)
class ValuesPage(PageContext):
    """`/repos`, `/tags`, `/classes`: a facet's values."""

    template: ClassVar[str] = "values.html"

    facet: str
    lead: str
    """A sentence that explains such values."""
    wanted: str
    """What the names contain; empty for all names."""
    by_name: bool
    """Whether they are in the order of the alphabet, else by their numbers of records."""
    orders: Sequence[tuple[str, str]]
    """The orders in words, by number and by name, and the address of each."""
    list_path: str
    items: Sequence[FacetValue]
    total: int | None
    """How many there are; None for a part of them."""
    next_url: str | None
    first_url: str | None


@dataclass(frozen=True, kw_only=True)
class Common:
    """The most frequent values of a facet among some records."""

    heading: str
    facet: str
    values: Sequence[FacetValue]


@dataclass(frozen=True, kw_only=True)
class ValuePage(PageContext):
    """`/tags/{tag}`, `/classes/{class}`: the records with that value."""

    template: ClassVar[str] = "value.html"

    facet: str

    kind: str
    """The kind of the value, in a word."""
    value: str
    common: Sequence[Common]
    """Values that the records share; on the first page only."""
    records: Sequence[StoredRecord]
    total: int
    next_url: str | None
    first_url: str | None
    search_within_url: str


@dataclass(frozen=True, kw_only=True)
class CausesPage(PageContext):
    """`/causes`: all causes."""

    template: ClassVar[str] = "causes.html"

    lead: str
    """A sentence that explains what causes are."""
    items: Sequence[CauseItem]
    total: int
    next_url: str | None
    first_url: str | None


@dataclass(frozen=True, kw_only=True)
class CausePage(PageContext):
    """`/causes/{tag}`: one cause, and the records that have it."""

    template: ClassVar[str] = "cause.html"

    item: CauseItem
    common: Sequence[Common]
    """Values that the records share; on the first page only."""
    records: Sequence[StoredRecord]
    next_url: str | None
    first_url: str | None
    search_within_url: str


@dataclass(frozen=True, kw_only=True)
class RepoPage(PageContext):
    """`/repos/{owner}/{name}`: one repository."""

    template: ClassVar[str] = "repo.html"

    name: str
    total: int
    classes: Sequence[FacetValue]
    files: Sequence[FacetValue]
    tags: Sequence[FacetValue]
    records: Sequence[StoredRecord]
    next_url: str | None
    first_url: str | None
    search_within_url: str


@dataclass(frozen=True, kw_only=True)
class AboutPage(PageContext):
    """`/about`: what Errdex is, and the contents of this server."""

    template: ClassVar[str] = "about.html"

    stats: StoreStats
    program_version: str


@dataclass(frozen=True, kw_only=True)
class AboutDataPage(PageContext):
    """`/about/data`: where the records come from and how they are verified, in numbers."""

    template: ClassVar[str] = "about_data.html"

    verified: VerificationStats
    datasets: Sequence[DatasetStats]
