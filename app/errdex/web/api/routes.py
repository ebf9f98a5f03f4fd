"""The JSON API. Routes query the knowledge base and return its answer in their schema."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from errdex.knowledge import Knowledge
from errdex.web.api import schemas
from errdex.web.api.examples import example, problems
from errdex.web.api.record_json import record_json
from errdex.web.api.schemas import Count, FoundError, PageQuery
from errdex.web.http.cache_headers import check_freshness, let_keep
from errdex.web.http.dependencies import Context, KnowledgeBase
from errdex.web.http.parameters import (
    invalid_error,
    refuse_parameters,
    refuse_repeated,
    take_no_parameters,
)
from errdex.web.http.representation import Negotiation, choose, chosen_type
from errdex.web.http.site import Origin, origin_of
from errdex.web.http.texts import JSON, record_text, results_text
from errdex.web.match.api import match_line

router = APIRouter()
PLAIN = [Depends(take_no_parameters), Depends(check_freshness)]
ASKED = [Depends(refuse_repeated), Depends(check_freshness)]
CauseTag = Annotated[str, Path(description="The `backgroundTag` of its records.")]
RecordId = Annotated[str, Path(description="16 of the characters 0-9 and a-f.")]
Owner = Annotated[str, Path(description="The part of the repository before the slash.")]
Name = Annotated[str, Path(description="The part of the repository after the slash.")]


@router.get(
    "/api/errors/{record_id}",
    tags=["errors"],
    summary="One record",
    response_model=schemas.RecordEnvelope,
    responses=example("record", text=True) | problems(404, 422, 500),
)
async def get_error(record_id: RecordId, knowledge: KnowledgeBase, request: Request) -> Response:
    """The record exactly as it was ingested, including nulls and unknown keys. A former id
    redirects to the record that had it. `Accept: text/markdown` or `text/plain` returns it to be
    read, the fix first."""
    # Read in the event loop: it takes 100 µs, less than handing it to a thread.
    refuse_parameters(request)
    choose(request, JSON)
    answer = knowledge.get_record(record_id)
    let_keep(request, answer.version)
    if answer.stored.id != record_id:
        return RedirectResponse(f"/api/errors/{answer.stored.id}", 308)
    if kind := chosen_type(request):
        origin = origin_of(request)
        return await run_in_threadpool(record_text, knowledge, answer, kind, origin)
    return Response(record_json(answer), media_type="application/json")


@router.get(
    "/api/errors",
    tags=["errors"],
    summary="Search and list",
    response_model=schemas.ErrorList,
    responses=example("errors", text=True) | problems(406, 422, 500, 503),
    dependencies=[Depends(Negotiation(JSON)), *ASKED],
)
async def list_errors(
    request: Request, context: Context, query: Annotated[schemas.ErrorsQuery, Query()]
) -> schemas.ErrorList | Response:
    """The best records first, by the words that they have and where. If `q` is a line that a
    program printed, the records that match it come before all others. Without words, lists the
    records that match the filters, by id. With `line`, matches a line of a log.
    `Accept: text/markdown` or `text/plain` returns a page to be read."""
    if query.line is None and query.format is None:
        kind, origin = chosen_type(request), origin_of(request)
        with context.timed("search"):
            return await run_in_threadpool(_list_errors, context.knowledge, query, origin, kind)
    if query.line is None:
        error = invalid_error("format", "it needs line", "leave it out: lists are JSON")
        raise RequestValidationError([error])
    if others := query.model_fields_set - {"line", "format"}:
        reason = f"it is given together with {sorted(others)[0]}"
        remedy = "give line alone to match a line of a log, or q and filters to search"
        raise RequestValidationError([invalid_error("line", reason, remedy)])
    return await match_line(request, context, query.line, query.format)


def _list_errors(
    knowledge: Knowledge, query: schemas.ErrorsQuery, site: str, kind: str
) -> schemas.ErrorList | Response:
    page = knowledge.search_records(
        query.q, query.filters(), limit=query.limit, cursor=query.cursor
    )
    if kind:
        return results_text(page, kind, site)
    return schemas.ErrorList(
        items=[FoundError.of(item, site) for item in page.items],
        total=page.total,
        partial=page.partial,
        facets={name: [Count.of(each) for each in values] for name, values in page.facets.items()},
        suggestion=page.suggestion,
        notes=list(page.notes),
        next_cursor=page.next_cursor,
        dataset_version=page.version,
    )


@router.get(
    "/api/errors/{record_id}/related",
    tags=["errors"],
    summary="Related records, with reasons",
    responses=example("related") | problems(404, 422, 500),
    dependencies=ASKED,
)
def list_related(
    record_id: RecordId,
    knowledge: KnowledgeBase,
    site: Origin,
    query: Annotated[schemas.RelatedQuery, Query()],
) -> schemas.RelatedList:
    """Records with the same cause, tags, file or class, or a similar message."""
    related = knowledge.related_records(record_id, limit=query.limit)
    return schemas.RelatedList(
        items=[schemas.RelatedError.of(each, site) for each in related.items],
        dataset_version=related.version,
    )


def _count_route(path: str, facet: str, what: str) -> None:
    def list_values(
        knowledge: KnowledgeBase, query: Annotated[PageQuery, Query()]
    ) -> schemas.CountList:
        page = knowledge.list_values(facet, limit=query.limit, cursor=query.cursor)
        return schemas.CountList(
            items=[Count.of(value) for value in page.items],
            total=page.total,
            next_cursor=page.next_cursor,
            dataset_version=page.version,
        )

    router.add_api_route(
        path,
        list_values,
        methods=["GET"],
        name=f"list_{facet}_values",
        tags=["lists"],
        summary=f"{what}, most frequent first",
        description=f"{what}, each with its number of records.",
        responses=example(facet) | problems(422, 500),
        dependencies=ASKED,
    )


_count_route("/api/repos", "repo", "Repositories")
_count_route("/api/tags", "tag", "Tags")
_count_route("/api/classes", "class", "Error classes")
_count_route("/api/backgrounds", "background", "Causes (the former name)")


@router.get(
    "/api/causes",
    tags=["lists"],
    summary="Causes, those with the most records first",
    responses=example("causes") | problems(422, 500),
    dependencies=ASKED,
)
def list_causes(
    knowledge: KnowledgeBase, site: Origin, query: Annotated[PageQuery, Query()]
) -> schemas.CauseSummaries:
    """What several errors have behind them, each with its number of records."""
    page = knowledge.list_causes(limit=query.limit, cursor=query.cursor)
    return schemas.CauseSummaries(
        items=[schemas.CauseSummary.of(each, site) for each in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        dataset_version=page.version,
    )


@router.get(
    "/api/causes/{tag}",
    tags=["lists"],
    summary="One cause",
    responses=example("cause") | problems(404, 422, 500),
    dependencies=PLAIN,
)
def get_cause(tag: CauseTag, knowledge: KnowledgeBase, site: Origin) -> schemas.CauseDocument:
    """What is behind its errors, how to distinguish them, and what to check first. For its
    records, list /api/errors with `background`."""
    answer = knowledge.get_cause(tag)
    item = answer.item
    text = item.cause.to_dict() if item.cause else {}
    values = {key: text[key] for key in ("text", "tell", "checks") if key in text}
    summary = schemas.CauseSummary.of(item, site)
    return schemas.CauseDocument(**summary.model_dump(), **values, dataset_version=answer.version)


@router.get(
    "/api/repos/{owner}/{name}",
    tags=["lists"],
    summary="One repository",
    responses=example("one_repo") | problems(404, 422, 500),
    dependencies=PLAIN,
)
def get_repo(owner: Owner, name: Name, knowledge: KnowledgeBase) -> schemas.Repo:
    """The repository's most frequent classes, files and tags."""
    answer = knowledge.get_repo(f"{owner}/{name}")
    return schemas.Repo(
        name=answer.name,
        records=answer.records,
        classes=[Count.of(each) for each in answer.classes],
        files=[Count.of(each) for each in answer.files],
        tags=[Count.of(each) for each in answer.tags],
        dataset_version=answer.version,
    )


@router.get(
    "/api/stats",
    tags=["lists"],
    summary="The knowledge base in numbers",
    responses=example("stats") | problems(422, 500),
    dependencies=PLAIN,
)
def get_stats(knowledge: KnowledgeBase) -> schemas.Stats:
    """The numbers of records, datasets and different values."""
    return schemas.Stats.of(knowledge.get_stats())


@router.get(
    "/healthz",
    tags=["operation"],
    summary="Liveness check",
    responses=example("health") | problems(422),
    dependencies=[Depends(take_no_parameters)],
)
async def check_health() -> schemas.Health:
    """Returns 200 while the process runs; does not use the database."""
    return schemas.Health(status="alive", dataset_version="")


@router.get(
    "/readyz",
    tags=["operation"],
    summary="Readiness check",
    responses=example("ready") | problems(422, 500, 503),
    dependencies=[Depends(take_no_parameters)],
)
def check_readiness(context: Context) -> schemas.Readiness:
    """Returns 503 until the database is readable and its index is open."""
    version = context.knowledge.prepare()
    return schemas.Readiness(status="ready", dataset_version=version, extras=list(context.extras))
