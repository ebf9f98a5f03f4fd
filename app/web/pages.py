"""The HTML pages. Routes ask the knowledge base and fill the page's context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import version as installed_version
from typing import Annotated
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.responses import FileResponse, RedirectResponse

from app.knowledge import RecordAnswer, Related, ValueNotFound
from app.records.model import Record
from app.search.protocol import Filters
from app.store import Conditions
from app.web import contexts
from app.web.caching import check_freshness
from app.web.dependencies import KnowledgeBase
from app.web.facets import HEADINGS, facet_links
from app.web.templating import STATIC, page_url, record_url, render, search_url, static_url
from app.web.templating import value_url as url_of

router = APIRouter(include_in_schema=False)
FRESH = [Depends(check_freshness)]
YEAR = 31_536_000
RELATED = 6
Cursor = Annotated[str | None, Query(max_length=2000)]
Text = Annotated[str, Query(max_length=2000)]


@router.get("/", dependencies=FRESH)
def home(knowledge: KnowledgeBase) -> Response:
    """The search field, and what there is."""
    return render(
        contexts.HomePage(
            title="Errdex: find the fix for an error",
            description="A searchable knowledge base of errors: what they mean and how to fix them",
            stats=knowledge.get_stats(),
            repos=knowledge.list_values("repo", limit=12).items,
            backgrounds=knowledge.list_values("background", limit=12).items,
            languages=knowledge.list_values("language", limit=12).items,
            latest=knowledge.list_latest(limit=6),
        )
    )


@router.get("/errors/{record_id}", dependencies=FRESH)
def bare_record(record_id: str, knowledge: KnowledgeBase) -> Response:
    """The address without the slug leads to the one with it."""
    return RedirectResponse(record_url(knowledge.get_record(record_id).stored), 301)


@router.get("/errors/{record_id}/{slug}", dependencies=FRESH)
def record(record_id: str, slug: str, knowledge: KnowledgeBase) -> Response:
    """One record; a slug from before its message changed leads to the right one."""
    answer = knowledge.get_record(record_id)
    if slug != answer.stored.slug:
        return RedirectResponse(record_url(answer.stored), 301)
    related = knowledge.related_records(record_id, limit=RELATED)
    return render(record_context(answer, related))


def record_context(answer: RecordAnswer, related: Sequence[Related]) -> contexts.RecordPage:
    """The context of a record's page."""
    record = answer.record
    name = record.error_class or record.error_code or "Error"
    return contexts.RecordPage(
        title=f"{name}: {record.error_message[:120]}",
        description=(record.documentation or record.error_message)[:300],
        record=record,
        source=source_lines(record),
        related=related,
    )


def source_lines(record: Record) -> list[contexts.SourceLine]:
    """The excerpt line by line. Without a first line number, none can be said to raise."""
    if not record.source_code:
        return []
    start = record.source_code_start
    return [
        contexts.SourceLine(
            number=number, text=text, raising=start is not None and number == record.line_number
        )
        for number, text in enumerate(record.source_code.split("\n"), start or 1)
    ]


@router.get("/search", dependencies=FRESH)
def search(
    knowledge: KnowledgeBase,
    request: Request,
    q: Text = "",
    cursor: Cursor = None,
) -> Response:
    """Results with facets; the whole state is in the address."""
    chosen = {name: request.query_params.get(name, "")[:300] for name in HEADINGS}
    chosen = {name: value for name, value in chosen.items() if value}
    page = knowledge.search_records(q, filters_of(chosen), cursor=cursor)
    return render(
        contexts.SearchPage(
            title=f"{q[:80]} · search" if q else "Search",
            query=q,
            filters=chosen,
            items=page.items,
            total=page.total,
            facets=facet_links(q, chosen, page.facets),
            suggestion=page.suggestion,
            notes=page.notes,
            next_url=search_url(q, chosen, page.next_cursor) if page.next_cursor else None,
            first_url=search_url(q, chosen) if cursor else None,
        )
    )


def filters_of(chosen: Mapping[str, str]) -> Filters:
    """The exact conditions of a search page's parameters."""
    return Filters(
        repo=chosen.get("repo"),
        error_class=chosen.get("class"),
        tag=chosen.get("tag"),
        error_type=chosen.get("type"),
        severity=chosen.get("severity"),
        language=chosen.get("language"),
        background_tag=chosen.get("background"),
    )


@router.get("/repos/{owner}/{name}", dependencies=FRESH)
def repo(owner: str, name: str, knowledge: KnowledgeBase, cursor: Cursor = None) -> Response:
    """One repository: its classes, files, tags and records."""
    full = f"{owner}/{name}"
    answer = knowledge.get_repo(full)
    page = knowledge.list_records(Conditions(repo=full), cursor=cursor)
    return render(
        contexts.RepoPage(
            title=f"{full} · errors",
            description=f"{answer.records:,} known errors of {full}",
            name=full,
            total=answer.records,
            classes=answer.classes,
            files=answer.files,
            tags=answer.tags,
            records=page.items,
            next_url=page_url(url_of("repo", full), page.next_cursor) if page.next_cursor else None,
            search_within_url=search_url("", {"repo": full}),
        )
    )


def _add_facet(path: str, facet: str, kind: str, plural: str) -> None:
    """The list of a facet's values and, but for repositories, the page of each."""

    def list_values(knowledge: KnowledgeBase, cursor: Cursor = None) -> Response:
        page = knowledge.list_values(facet, limit=100, cursor=cursor)
        return render(
            contexts.ValuesPage(
                title=plural,
                facet=facet,
                items=page.items,
                total=page.total or 0,
                next_url=page_url(path, page.next_cursor) if page.next_cursor else None,
            )
        )

    def one_value(value: str, knowledge: KnowledgeBase, cursor: Cursor = None) -> Response:
        page = knowledge.list_records(filters_of({facet: value}), cursor=cursor)
        if not page.total:
            raise ValueNotFound(kind, value)
        next_url = page_url(url_of(facet, value), page.next_cursor) if page.next_cursor else None
        return render(
            contexts.ValuePage(
                title=f"{value} · {kind}",
                description=f"{page.total:,} known errors with the {kind} {value}",
                kind=kind,
                up_url=path,
                value=value,
                records=page.items,
                total=page.total,
                next_url=next_url,
                search_within_url=search_url("", {facet: value}),
            )
        )

    router.add_api_route(path, list_values, dependencies=FRESH)
    if facet != "repo":
        router.add_api_route(f"{path}/{{value:path}}", one_value, dependencies=FRESH)


_add_facet("/repos", "repo", "repository", "Repositories")
_add_facet("/tags", "tag", "tag", "Tags")
_add_facet("/classes", "class", "class", "Error classes")
_add_facet("/backgrounds", "background", "background", "Backgrounds")


@router.get("/about", dependencies=FRESH)
def about(knowledge: KnowledgeBase) -> Response:
    """What Errdex is."""
    return render(
        contexts.AboutPage(
            title="About Errdex",
            stats=knowledge.get_stats(),
            program_version=installed_version("errdex"),
        )
    )


@router.get("/static/{digest}/{name}")
def static(digest: str, name: str) -> Response:
    """A static file under an address that changes with its content, so it is kept for good;
    an address from before a change leads to the present one."""
    if name not in {file.name for file in STATIC.iterdir()}:
        raise ValueNotFound("static file", name)
    if static_url(name) != f"/static/{digest}/{name}":
        return RedirectResponse(static_url(name), 302)
    headers = {"Cache-Control": f"public, max-age={YEAR}, immutable"}
    return FileResponse(STATIC / name, headers=headers)


def error_page(request: Request, status: int, detail: str) -> Response:
    """The page of an error; a page that is not there offers a search for the address's words."""
    words = "".join(c if c.isalnum() else " " for c in unquote(request.url.path))
    answer = render(
        contexts.ErrorPage(
            title=HTTPStatus(status).phrase,
            status=status,
            detail=detail,
            words=" ".join(words.split())[:200] if status == 404 else "",
            request_id=getattr(request.state, "request_id", ""),
        ),
        status,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer
