"""The pages of causes: `/causes` and `/causes/{tag}`."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import RedirectResponse

from errdex.knowledge import CauseItem, Knowledge
from errdex.records.filters import Filters
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.dependencies import KnowledgeBase, context_of
from errdex.web.http.representation import Negotiation, chosen_type
from errdex.web.http.site import Site, origin_of
from errdex.web.http.texts import HTML, cause_text
from errdex.web.pages.contexts import CausePage, CausesPage, Crumb
from errdex.web.pages.rendering import prose
from errdex.web.pages.rendering.templating import page_url, render, search_url, value_url
from errdex.web.pages.values import Cursor, list_common, list_records

router = APIRouter(include_in_schema=False)
FRESH = [Depends(check_freshness)]
_LEAD = "What errors of different tools and languages have behind them, and what to check first."


@router.get("/causes", dependencies=FRESH)
def show_causes(knowledge: KnowledgeBase, site: Site, cursor: Cursor = None) -> Response:
    """All causes, those with the most records first."""
    page = knowledge.list_causes(limit=100, cursor=cursor)
    return render(
        CausesPage(
            title="Causes",
            description=_LEAD,
            section="causes",
            site=site,
            path="" if cursor else "/causes",
            json_url="/api/causes",
            lead=_LEAD,
            items=page.items,
            total=page.total,
            next_url=page_url("/causes", page.next_cursor) if page.next_cursor else None,
            first_url="/causes" if cursor else None,
        )
    )


@router.get("/causes/{tag:path}", dependencies=[Depends(Negotiation(HTML)), *FRESH])
def show_cause(
    tag: str, request: Request, knowledge: KnowledgeBase, site: Site, cursor: Cursor = None
) -> Response:
    """One cause: its text and its records."""
    if kind := chosen_type(request):
        return cause_text(knowledge.get_cause(tag).item, kind, origin_of(request))
    return render(_cause_page(knowledge.get_cause(tag).item, knowledge, site, cursor))


def _cause_page(found: CauseItem, knowledge: Knowledge, site: str, cursor: str | None) -> CausePage:
    filters = Filters(background_tag=found.tag)
    page = list_records(knowledge, filters, cursor)
    here = value_url("background", found.tag)
    cause = found.cause
    description = prose.first_sentence(cause.text, 200) if cause else ""
    return CausePage(
        title=f"{found.title} · cause",
        description=description or f"{found.records:,} known errors with this cause.",
        section="causes",
        crumbs=(Crumb(name="Causes", url="/causes"), Crumb(name=found.title)),
        site=site,
        path="" if cursor else here,
        json_url=here.replace("/causes/", "/api/causes/", 1) if here.startswith("/causes") else "",
        item=found,
        common=[] if cursor else list_common(knowledge, filters, "background", found.records),
        records=page.items,
        next_url=page_url(here, page.next_cursor) if page.next_cursor else None,
        first_url=here if cursor else None,
        search_within_url=search_url("", {"background": found.tag}),
    )


@router.get("/backgrounds")
@router.get("/backgrounds/{tag:path}")
def lead_to_causes(request: Request, tag: str = "") -> Response:
    """The addresses that causes had before."""
    address = value_url("background", tag) if tag else "/causes"
    kept = f"public, max-age={context_of(request).cache_seconds}"
    return RedirectResponse(address, 301, {"Cache-Control": kept})
