"""What each template is given, one dataclass a page. A test holds the fields against the
names that the template uses, both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from markupsafe import Markup

from errdex.formats.draft import RecordDraft
from errdex.knowledge import CauseItem, Related, SearchItem
from errdex.records.messages.filling import Segment
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


@dataclass(frozen=True, slots=True)
class MessagePiece:
    """A piece of a message: text, or a hole that is filled in when the error is raised."""

    text: str
    hole: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The source around the line that raises."""

    html: Markup
    """Its lines. A template would take twenty times as long to write them."""
    left_out: int
    """How many lines of a very long excerpt are not shown."""


@dataclass(frozen=True, slots=True)
class PatternTest:
    """The result of a text tested against a record's pattern."""

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
    texts: Mapping[str, Sequence[Sequence[Segment]]]
    """Its texts by their names; one that is no list is a list of one."""
    headline: str
    """The message cut to a heading."""
    message: Sequence[MessagePiece]
    """The whole message."""
    language: str | None
    """The language of its code."""
    fix: Fix | None
    source: Excerpt | None
    strategy: str | None
    """How a program should handle it, in words; None for what has no words of ours."""
    related: Sequence[Related]
    cause: CauseItem | None
    pattern_test: PatternTest | None
    """Set when a text was tested against the pattern."""
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
    """A media type that a route accepts."""

    media_type: str
    description: str
    example: str


@dataclass(frozen=True, kw_only=True)
class DocsField:
    """A field of an answer."""

    name: str
    form: str
    """Its type in words, without the type that `refers_to` names."""
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
    snippets: Sequence[tuple[str, str, str]]
    """Code that calls it: what it is written in, its language, and the code."""
    problems: Sequence[str]
    """The statuses of the problem documents that it may answer."""


@dataclass(frozen=True, kw_only=True)
class ManualLink:
    """A page of docs/."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True)
class ManualPage(PageContext):
    """`/docs/{name}`: a page of docs/."""

    template: ClassVar[str] = "manual.html"

    name: str
    html: Markup
    contents: Sequence[tuple[str, str]]
    """Its headings: anchor and words."""
    manual: Sequence[ManualLink]
    """All pages of docs/."""


@dataclass(frozen=True, kw_only=True)
class DocsPage(PageContext):
    """`/docs`: the API, from its OpenAPI description."""

    template: ClassVar[str] = "docs.html"

    routes: Sequence[DocsRoute]
    forms: Sequence[DocsForm]
    """Those of the answers, and what they hold."""
    statuses: Sequence[tuple[int, str, str]]
    """Each status of a problem document, its name and what it means."""
    manual: Sequence[ManualLink]
    """The pages of docs/."""


@dataclass(frozen=True, kw_only=True)
class MatchPage(PageContext):
    """`/match`: the form for a paste, or its answer."""

    template: ClassVar[str] = "match.html"

    heading: str
    """The error to see first; empty without an answer."""
    examples: Sequence[Example]
    field: str
    """The text in the form."""
    words: str
    """The paste, when it is short enough to search for; else empty."""
    problem: str
    """Why there is no answer; empty otherwise."""
    answer: PasteView | None


@dataclass(frozen=True, kw_only=True)
class SharedPage(PageContext):
    """`/match/shared`: shared records, which wait for the values of the link."""

    template: ClassVar[str] = "shared.html"

    records: Sequence[MatchView | None]
    """In the order of the link; None for one that was not found."""
    missing: int
    """The number of shared records that were not found."""


@dataclass(frozen=True, kw_only=True)
class DraftPage(PageContext):
    """`/draft`: the form for the draft of a record."""

    template: ClassVar[str] = "draft.html"

    draft: RecordDraft
    pattern: str
    """The pattern that it has; empty without a message."""
    captures: Sequence[CapturedValue]
    """What the pattern captures from the first sample."""
    problems: Sequence[str]
    """Why the check would refuse it."""
    warnings: Sequence[str]
    unfinished: Sequence[str]
    """What its writer has still to say."""
    known: Sequence[StoredRecord]
    """Records that match its samples already."""
    yaml: str
    """The record file; empty without a message."""


@dataclass(frozen=True, kw_only=True)
class KeptAnswerPage(PageContext):
    """`/match/kept`: an answer that only the browser has."""

    template: ClassVar[str] = "kept.html"


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


PAGES: Sequence[type[PageContext]] = (
    HomePage,
    RecordPage,
    SearchPage,
    MatchPage,
    SharedPage,
    KeptAnswerPage,
    DraftPage,
    ValuesPage,
    ValuePage,
    CausesPage,
    CausePage,
    RepoPage,
    AboutPage,
    AboutDataPage,
    DocsPage,
    ManualPage,
    ErrorPage,
)
