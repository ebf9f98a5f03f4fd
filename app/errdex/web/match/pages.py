"""The pages of the matcher: the form for a paste, its answer, and the answer to share.

A paste is sent in the body of a POST, so that it is in no address, no history and no log.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.responses import HTMLResponse

from errdex.formats.build import build_answer
from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.matching.reading.decoding import clean_surrogates, decode
from errdex.matching.reading.terminal import strip_codes
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.dependencies import KnowledgeBase, context_of
from errdex.web.http.site import Site, origin_of, site_of
from errdex.web.match.body import PasteRefused
from errdex.web.match.example_pastes import EXAMPLES, PASTES
from errdex.web.match.paste_lines import visible
from errdex.web.match.sharing import MOST_SHARED, shared_record
from errdex.web.match.view import heading_of, paste_view
from errdex.web.pages import contexts
from errdex.web.pages.rendering.templating import render, shortened

router = APIRouter(include_in_schema=False)
SHORT = 200
"""Characters of a single line that may be a search."""
EDITABLE = 50_000
"""Characters of a paste up to which the form is filled with it again."""
UNCACHED = {"Cache-Control": "no-store"}
_DESCRIPTION = "Paste a failing log or traceback to see what each error means and how to fix it."


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """The page that answers a paste."""

    html: str
    found: bool = False
    """Whether a record matched."""


@router.get("/match", dependencies=[Depends(check_freshness)])
def match_form(
    knowledge: KnowledgeBase, site: Site, example: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """The form for a paste, or the answer to an example."""
    if example not in PASTES:
        return HTMLResponse(_page(site))
    _, paste = PASTES[example]
    return HTMLResponse(answer_page(knowledge, paste, MatchLimits(), keep=False).html)


@router.post("/match")
async def match(
    request: Request, start: Annotated[int, Query(alias="from", ge=0, le=100_000)] = 0
) -> Response:
    """The answer to a paste, from the error `from` on. It leads to no other address, which
    would hold the paste."""
    context = context_of(request)
    try:
        work = partial(
            answer_page, start=start, site=origin_of(request), report_url=context.report_url
        )
        answer = await context.matching.answer(request, work)
    except PasteRefused as refused:
        reason = refused.errors()[0]["msg"]
        problem = f"Invalid request: {reason}. Paste a log or a traceback, or choose a file."
        return HTMLResponse(_page(site_of(request), problem), 422, UNCACHED)
    return HTMLResponse(answer.html, headers=UNCACHED)


@router.get("/match/shared", dependencies=[Depends(check_freshness)])
def shared(
    knowledge: KnowledgeBase,
    r: Annotated[list[Annotated[str, Query(max_length=100)]], Query(max_length=20)] = [],  # noqa: B006
) -> Response:
    """Records, by their ids; the script fills them with the values behind the address's `#`."""
    found = [knowledge.find_record(each) for each in r[:MOST_SHARED]]
    records = [shared_record(each.stored) if each else None for each in found]
    page = contexts.SharedPage(
        title="Shared answer",
        section="match",
        records=records,
        missing=len(r) - sum(each is not None for each in records),
    )
    return render(page, 200 if any(records) else 404)


@router.get("/match/kept", dependencies=[Depends(check_freshness)])
def kept(n: Annotated[str, Query(max_length=100)] = "") -> Response:
    """The page into which a browser puts an answer that it kept for this tab; `n` is the random
    number under which it did."""
    return render(contexts.KeptAnswerPage(title="Your answer", section="match"))


def answer_page(
    knowledge: Knowledge,
    paste: bytes | str,
    limits: MatchLimits,
    *,
    start: int = 0,
    site: str = "",
    report_url: str | None = None,
    keep: bool = True,
) -> PageAnswer:
    """The page that answers a paste; `keep` lets the browser keep it for its tab. Raises
    StoreError."""
    text = decode(paste) if isinstance(paste, bytes) else clean_surrogates(paste)
    # Browsers send the line breaks of a form as \r\n.
    text = text.replace("\r\n", "\n")
    words = strip_codes(text)[0].strip()
    short = 0 < len(words) <= SHORT and "\n" not in words
    answer = build_answer(knowledge.match(text, limits))
    view = paste_view(answer, text, start=start, site=site, report_url=report_url)
    page = contexts.MatchPage(
        title=shortened(heading := heading_of(answer), 100),
        heading=heading,
        description=_DESCRIPTION,
        section="match",
        examples=EXAMPLES,
        field=visible(text) if len(text) <= EDITABLE else "",
        words=words if short else "",
        problem="",
        answer=replace(view, keep=keep),
    )
    return PageAnswer(str(render(page).body, "utf-8"), found=answer.found)


def _page(site: str, problem: str = "") -> str:
    page = contexts.MatchPage(
        title="Match a log",
        heading="",
        description=_DESCRIPTION,
        section="match",
        site=site,
        path="/match",
        examples=EXAMPLES,
        field="",
        words="",
        problem=problem,
        answer=None,
    )
    return str(render(page).body, "utf-8")
