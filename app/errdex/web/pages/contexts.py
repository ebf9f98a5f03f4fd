"""What each template is given, one dataclass a page. A test holds the fields against the
names that the template uses, both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from markupsafe import Markup

from errdex.knowledge import Related, SearchItem
from errdex.records.model import Record
from errdex.store import (
    DatasetStats,
    FacetValue,
    RecordSummary,
    StoredRecord,
    StoreStats,
    VerificationStats,
)
from errdex.web.match.contexts import CapturedValue, Example, MatchView, PasteView
from errdex.web.pages.rendering.fixes import Fix


@dataclass(frozen=True, kw_only=True)
class Crumb:
    """A step of the way from the home page."""

    name: str
    url: str | None = None
    """None for the page itself."""


@dataclass(frozen=True, kw_only=True)
class PageContext:
    """What every page has."""

    template: ClassVar[str]

    title: str
    """Of the browser's tab and, where a page has no other, of the page."""
    description: str = ""
    """For search engines and previews."""
    query: str = ""
    """What stands in the search field."""
    section: str = ""
    """Which of the main parts the page belongs to: "home", "repos", "record" …"""
    crumbs: Sequence[Crumb] = ()
    """The way from the home page; empty on pages at its end."""
    site: str = ""
    """Scheme and host, for addresses that must be absolute."""
    path: str = ""
    """The canonical address; a page without one asks not to be indexed."""
    json_url: str = ""
    """The same as data, where there is such a route."""
    structured: Mapping[str, Any] | None = None
    """What search engines may read of it: a schema.org object (JSON-LD)."""


@dataclass(frozen=True, kw_only=True)
class HomePage(PageContext):
    """`/`: the search field, and what the knowledge base holds."""

    template: ClassVar[str] = "home.html"

    stats: StoreStats
    repos: Sequence[FacetValue]
    backgrounds: Sequence[FacetValue]
    languages: Sequence[FacetValue]
    examples: Sequence[Example]
    latest: Sequence[RecordSummary]
    """Records of the newest changes."""


@dataclass(frozen=True, slots=True)
class MessagePiece:
    """A piece of a message: text, or a hole that is filled in when the error is raised."""

    text: str
    hole: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The source around the line that raises."""

    html: Markup
    """Its lines. They are not the template's, which takes twenty times as long for them."""
    left_out: int
    """How many lines of a very long excerpt are not shown."""


@dataclass(frozen=True, slots=True)
class PatternTest:
    """What a record's pattern finds in a text that someone tries."""

    text: str
    shown: Markup
    """The text, with what matches marked."""
    verdict: str
    captures: Sequence[CapturedValue]


@dataclass(frozen=True, kw_only=True)
class RecordPage(PageContext):
    """`/errors/{id}/{slug}`: one record, the fix first."""

    template: ClassVar[str] = "record.html"

    record: Record
    headline: str
    """The message cut to a heading."""
    message: Sequence[MessagePiece]
    """The whole message."""
    language: str | None
    """What its code is written in."""
    fix: Fix | None
    source: Excerpt | None
    related: Sequence[Related]
    tried: PatternTest | None
    """Set when a text was tried against the pattern."""
    contents: Sequence[tuple[str, str]]
    """The parts that the page has: anchor and heading."""


@dataclass(frozen=True, kw_only=True)
class FacetLink:
    """A value that a search can be narrowed to, or that it is narrowed to already."""

    value: str
    count: int | None
    """How many of the results have it; None for one that is chosen and has none."""
    chosen: bool
    url: str
    """Chooses it, or takes the choice back."""


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
    """What was asked for, if that found nothing and this is the answer to its correction."""
    items: Sequence[SearchItem]
    total: int
    facets: Sequence[FacetGroup]
    suggestion: str | None
    notes: Sequence[str]
    next_url: str | None
    first_url: str | None
    """Back to the first page; None on the first page."""


@dataclass(frozen=True, kw_only=True)
class ValuesPage(PageContext):
    """`/repos`, `/tags`, `/classes`, `/backgrounds`: a facet's values."""

    template: ClassVar[str] = "values.html"

    facet: str
    lead: str
    """What such a value is, in a sentence."""
    items: Sequence[FacetValue]
    total: int
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
    """`/tags/{tag}`, `/classes/{class}`, `/backgrounds/{tag}`: the records with that value."""

    template: ClassVar[str] = "value.html"

    kind: str
    """What the value is, in a word."""
    value: str
    common: Sequence[Common]
    """What the records have in common; on the first page only."""
    records: Sequence[StoredRecord]
    total: int
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
    """`/about`: what Errdex is and what it holds."""

    template: ClassVar[str] = "about.html"

    stats: StoreStats
    program_version: str


@dataclass(frozen=True, kw_only=True)
class AboutDataPage(PageContext):
    """`/about/data`: where the records come from and how they are verified, in numbers."""

    template: ClassVar[str] = "about_data.html"

    verified: VerificationStats
    datasets: Sequence[DatasetStats]


@dataclass(frozen=True, kw_only=True)
class DocsParameter:
    """A parameter of a route."""

    name: str
    place: str
    description: str
    form: str
    """Its type and bounds, in words."""


@dataclass(frozen=True, kw_only=True)
class DocsBody:
    """A form in which a route takes its body."""

    media_type: str
    description: str
    example: str


@dataclass(frozen=True, kw_only=True)
class DocsField:
    """A field of an answer."""

    name: str
    form: str
    """Its type in words; what it refers to is `refers_to`."""
    refers_to: str
    """The DocsForm that it holds, or empty."""
    description: str


@dataclass(frozen=True, kw_only=True)
class DocsForm:
    """A JSON object that answers are, or hold."""

    name: str
    description: str
    fields: Sequence[DocsField]


@dataclass(frozen=True, kw_only=True)
class DocsRoute:
    """A route of the API."""

    method: str
    path: str
    summary: str
    description: str
    parameters: Sequence[DocsParameter]
    bodies: Sequence[DocsBody]
    form: str
    """The name of the form that its answer has."""
    example: str
    """The answer's example, as JSON text."""
    curl: str
    problems: Sequence[str]
    """The statuses of the problem documents that it may answer."""


@dataclass(frozen=True, kw_only=True)
class DocsPage(PageContext):
    """`/docs`: the API, made from its OpenAPI description."""

    template: ClassVar[str] = "docs.html"

    routes: Sequence[DocsRoute]
    forms: Sequence[DocsForm]
    """Those of the answers, and what they hold."""
    statuses: Sequence[tuple[int, str, str]]
    """Each status of a problem document, its name and what it means."""


@dataclass(frozen=True, kw_only=True)
class MatchPage(PageContext):
    """`/match`: a field for a paste and, once there is one, its answer."""

    template: ClassVar[str] = "match.html"

    examples: Sequence[Example]
    field: str
    """What stands in the field."""
    words: str
    """The paste, when it is short enough to search for; else empty."""
    problem: str
    """Why there is no answer; empty otherwise."""
    answer: PasteView | None


@dataclass(frozen=True, kw_only=True)
class SharedPage(PageContext):
    """`/match/shared`: records and captured values that someone shares, without their paste."""

    template: ClassVar[str] = "shared.html"

    records: Sequence[MatchView]
    missing: int
    """How many of the shared records are not here."""


@dataclass(frozen=True, kw_only=True)
class ErrorPage(PageContext):
    """Any page's error."""

    template: ClassVar[str] = "error.html"

    status: int
    detail: str
    words: str
    """The words in the address, to search for; may be empty."""
    found: Sequence[StoredRecord]
    """What a search for them finds."""
    again_url: str | None
    """Where to begin again: a list at its first page, a paste at its field."""
    request_id: str


PAGES: Sequence[type[PageContext]] = (
    HomePage,
    RecordPage,
    SearchPage,
    MatchPage,
    SharedPage,
    ValuesPage,
    ValuePage,
    RepoPage,
    AboutPage,
    AboutDataPage,
    DocsPage,
    ErrorPage,
)
