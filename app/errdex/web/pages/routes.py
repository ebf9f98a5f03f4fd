"""The HTML pages. Routes query the knowledge base and fill the page's context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib.metadata import version as installed_version
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from errdex.knowledge import Knowledge, ValueNotFound
from errdex.records.fields import FACETS
from errdex.records.filters import Filters
from errdex.store import StoredRecord
from errdex.web.http import redirects
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.dependencies import KnowledgeBase, context_of
from errdex.web.http.representation import Negotiation, choose, chosen_type
from errdex.web.http.site import Site, origin_of, site_of
from errdex.web.http.texts import HTML, record_text, results_text
from errdex.web.match import draft_page, pattern_page
from errdex.web.match import pages as match_pages
from errdex.web.match.example_pastes import EXAMPLES
from errdex.web.pages import contexts
from errdex.web.pages.cache.middleware import RECORD_ROUTE, PageDraft, cached_page
from errdex.web.pages.contexts import Crumb
from errdex.web.pages.facets import HEADINGS, facet_links
from errdex.web.pages.record_page import RELATED, record_page
from errdex.web.pages.rendering.templating import (
    list_url,
    page_url,
    record_url,
    render,
    search_url,
    shortened,
)
from errdex.web.pages.rendering.templating import value_url as url_of
from errdex.web.pages.values import Cursor, list_common, list_records

router = APIRouter(include_in_schema=False)
router.include_router(redirects.router)
router.include_router(match_pages.router)
router.include_router(pattern_page.router)
router.include_router(draft_page.router)
_MOST_PARAMETERS = 50
"""Of one address, that are looked at."""
FRESH = [Depends(check_freshness)]
Text = Annotated[str, Query(max_length=2000)]


@router.get("/", dependencies=FRESH)
async def home(request: Request, knowledge: KnowledgeBase, site: Site) -> Response:
    """The home page."""
    return await cached_page(request, site, lambda: render(_home(knowledge, site)))


def _home(knowledge: Knowledge, site: str) -> contexts.HomePage:
    return contexts.HomePage(
        title="Errdex: find the fix for an error",
        description="A searchable knowledge base of errors: what each one means, "
        "where it is raised, and how to fix it.",
        section="home",
        site=site,
        path="/",
        json_url="/api/stats",
        structured=_website(site),
        stats=knowledge.get_stats(),
        repos=knowledge.list_values("repo", limit=10).items,
        causes=knowledge.list_causes(limit=10).items,
        languages=knowledge.list_values("language", limit=10).items,
        examples=EXAMPLES,
        latest=_latest(knowledge),
    )


def _latest(knowledge: Knowledge) -> list[StoredRecord]:
    """The newest changes that say what helps: what a harvest found would hide all others."""
    latest = knowledge.list_latest(limit=100)
    return [each for each in latest if each.explained][:6] or latest[:6]


def _website(site: str) -> dict[str, object]:
    return {
        "@context": "https://schema.org",
        "@type": "WebSite",
        "name": "Errdex",
        "url": f"{site}/",
        "potentialAction": {
            "@type": "SearchAction",
            "target": {"@type": "EntryPoint", "urlTemplate": f"{site}/search?q={{words}}"},
            "query-input": "required name=words",
        },
    }


@router.get("/errors/{record_id}", dependencies=FRESH)
def bare_record(record_id: str, knowledge: KnowledgeBase) -> Response:
    """Redirects an address without the slug to the one with it."""
    return RedirectResponse(record_url(knowledge.get_record(record_id).stored), 301)


RECORD_PATH = "/errors/{record_id}/{slug:path}"


async def show_record(request: Request) -> Response:
    """One record. An outdated slug or a former id redirects to the current address."""
    request.scope["route"] = RECORD_ROUTE
    choose(request, HTML)
    await check_freshness(request)
    knowledge, site = context_of(request).knowledge, site_of(request)
    record_id, slug = request.path_params["record_id"], request.path_params["slug"]
    if kind := chosen_type(request):
        origin = origin_of(request)
        return await run_in_threadpool(_record_text, knowledge, record_id, slug, kind, origin)
    return await cached_page(request, site, lambda: draft_record(knowledge, record_id, slug, site))


def _record_text(knowledge: Knowledge, record_id: str, slug: str, kind: str, site: str) -> Response:
    """The same as text, with absolute links."""
    answer = knowledge.get_record(record_id)
    if slug != answer.stored.slug or record_id != answer.stored.id:
        return RedirectResponse(record_url(answer.stored), 301)
    return record_text(knowledge, answer, kind, site)


def draft_record(
    knowledge: Knowledge, record_id: str, slug: str, site: str
) -> Response | PageDraft:
    """The page of a record, to be rendered unless it is cached. A redirect if the slug is
    outdated; a page that is not cached while related records are incomplete."""
    related = knowledge.related_records(record_id, limit=RELATED)
    stored = related.record
    if slug != stored.slug or record_id != stored.id:
        return RedirectResponse(record_url(stored), 301)
    if not related.complete:
        page = render(record_page(related, site))
        page.headers["Cache-Control"] = "no-store"
        return page
    others = [(each.record, each.reasons) for each in related.items]
    shown = (stored.body_json, others, related.cause and related.cause.title)
    return PageDraft(repr(shown), lambda: render(record_page(related, site)))


@router.get("/search", dependencies=[Depends(Negotiation(HTML)), *FRESH])
def search(
    knowledge: KnowledgeBase, request: Request, q: Text = "", cursor: Cursor = None
) -> Response:
    """Results with facets; the whole state is in the address. If there are none and the query
    looks misspelt, the results of the corrected query."""
    q = q.strip()
    chosen = {name: request.query_params.get(name, "")[:300] for name in HEADINGS}
    chosen = {name: value for name, value in chosen.items() if value}
    misspelt = ""
    with context_of(request).timed("search"):
        page = knowledge.search_records(q, filters_of(chosen), cursor=cursor)
        if page.suggestion and not page.total:
            corrected = knowledge.search_records(page.suggestion, filters_of(chosen))
            if corrected.total:
                misspelt, q, page = q, page.suggestion, corrected
    if kind := chosen_type(request):
        return results_text(page, kind, origin_of(request))
    return render(
        contexts.SearchPage(
            title=f"{shortened(q, 80)} · search" if q else "All errors",
            section="search",
            query=q,
            filters=chosen,
            misspelt=misspelt,
            items=page.items,
            total=page.total,
            partial=page.partial,
            facets=facet_links(q, chosen, page.facets),
            causes=[] if cursor or chosen else knowledge.search_causes(q),
            suggestion=page.suggestion,
            notes=[*page.notes, *_misspelt_filters(request)],
            next_url=search_url(q, chosen, page.next_cursor) if page.next_cursor else None,
            first_url=search_url(q, chosen) if cursor else None,
        )
    )


def _misspelt_filters(request: Request) -> Iterator[str]:
    """A note for each parameter that looks like one of the page's. Pages ignore the others: links
    to them get parameters from elsewhere, which say nothing to us."""
    known = (*HEADINGS, "q", "cursor")
    for name in islice(request.query_params, _MOST_PARAMETERS):
        near = [] if name in known else get_close_matches(name[:100], known, n=1)
        if near:
            yield f"There is no filter {shortened(name, 40)}: did you mean {near[0]}?"


def filters_of(chosen: Mapping[str, str]) -> Filters:
    """The filters in a search page's parameters."""
    return Filters(**{attribute: chosen.get(facet) for facet, attribute in FACETS.items()})


@router.get("/repos/{owner}/{name}", dependencies=FRESH)
def repo(
    owner: str, name: str, knowledge: KnowledgeBase, site: Site, cursor: Cursor = None
) -> Response:
    """One repository: its classes, files, tags and records."""
    full = f"{owner}/{name}"
    answer = knowledge.get_repo(full)
    page = list_records(knowledge, Filters(repo=full), cursor)
    path = url_of("repo", full)
    return render(
        contexts.RepoPage(
            title=f"{full} · errors",
            description=f"{answer.records:,} known errors of {full}, each with its fix.",
            section="repos",
            crumbs=(Crumb(name="Repositories", url="/repos"), Crumb(name=full)),
            site=site,
            path="" if cursor else path,
            json_url=f"/api{path}",
            name=full,
            total=answer.records,
            classes=answer.classes,
            files=answer.files,
            tags=answer.tags,
            records=page.items,
            next_url=page_url(path, page.next_cursor) if page.next_cursor else None,
            first_url=path if cursor else None,
            search_within_url=search_url("", {"repo": full}),
        )
    )


def _add_facet(facet: str, kind: str, path: str, plural: str, lead: str) -> None:
    """Adds the list of a facet's values and, except for repositories, the page of each."""

    def list_values(
        knowledge: KnowledgeBase,
        site: Site,
        q: Text = "",
        sort: Text = "",
        cursor: Cursor = None,
    ) -> Response:
        """The values of the facet; the whole state is in the address."""
        wanted, by_name = q.strip(), sort == "name"
        page = knowledge.find_values(
            facet, contains=wanted, by_name=by_name, limit=100, cursor=cursor
        )
        first = list_url(path, wanted, sort="name" if by_name else "")
        here = list_url(path, wanted, sort="name" if by_name else "", cursor=page.next_cursor)
        return render(
            contexts.ValuesPage(
                title=plural,
                description=lead,
                section=path[1:],
                site=site,
                path="" if cursor or wanted or by_name else path,
                json_url=f"/api{path}",
                facet=facet,
                lead=lead,
                wanted=wanted,
                by_name=by_name,
                orders=(
                    ("Most errors first", list_url(path, wanted)),
                    ("A–Z", list_url(path, wanted, sort="name")),
                ),
                list_path=path,
                items=page.items,
                total=page.total,
                next_url=here if page.next_cursor else None,
                first_url=first if cursor else None,
            )
        )

    def one_value(
        value: str, knowledge: KnowledgeBase, site: Site, cursor: Cursor = None
    ) -> Response:
        filters = filters_of({facet: value})
        page = list_records(knowledge, filters, cursor)
        if not page.total:
            raise ValueNotFound(kind, value)
        here = url_of(facet, value)
        common = [] if cursor else list_common(knowledge, filters, facet, page.total)
        return render(
            contexts.ValuePage(
                title=f"{value} · {kind}",
                description=f"{page.total:,} known errors with the {kind} {value}, "
                "each with its fix.",
                section=path[1:],
                crumbs=(Crumb(name=plural, url=path), Crumb(name=value)),
                site=site,
                path="" if cursor else here,
                json_url=search_url("", {facet: value}).replace("/search", "/api/errors", 1),
                facet=facet,
                kind=kind,
                value=value,
                common=common,
                records=page.items,
                total=page.total,
                next_url=page_url(here, page.next_cursor) if page.next_cursor else None,
                first_url=here if cursor else None,
                search_within_url=search_url("", {facet: value}),
            )
        )

    router.add_api_route(path, list_values, dependencies=FRESH)
    if facet != "repo":
        router.add_api_route(f"{path}/{{value:path}}", one_value, dependencies=FRESH)


_add_facet(
    "repo",
    "repository",
    "/repos",
    "Repositories",
    "Projects with known errors.",
)
_add_facet("tag", "tag", "/tags", "Tags", "Topics of errors: tools, libraries, kinds of problems.")
_add_facet(
    "class",
    "class",
    "/classes",
    "Error classes",
    "Types that programs raise: exceptions, errors, panics.",
)


@router.get("/about", dependencies=FRESH)
def about(knowledge: KnowledgeBase, site: Site) -> Response:
    """The page about Errdex."""
    return render(
        contexts.AboutPage(
            title="About Errdex",
            description="What Errdex is, what this server contains, and how to search it.",
            section="about",
            site=site,
            path="/about",
            stats=knowledge.get_stats(),
            program_version=installed_version("errdex"),
        )
    )


@router.get("/about/data", dependencies=FRESH)
async def about_data(request: Request, knowledge: KnowledgeBase, site: Site) -> Response:
    """The page about the records: where they come from and how they are verified."""
    return await cached_page(request, site, lambda: render(_about_data(knowledge, site)))


def _about_data(knowledge: Knowledge, site: str) -> contexts.AboutDataPage:
    return contexts.AboutDataPage(
        title="Where the records come from",
        description="Where the records of this knowledge base come from, how they are "
        "verified, and how many each topic has.",
        section="about",
        crumbs=(Crumb(name="About", url="/about"), Crumb(name="The records")),
        site=site,
        path="/about/data",
        verified=knowledge.get_verification(),
        datasets=knowledge.get_stats().datasets,
    )
