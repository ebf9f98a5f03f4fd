"""The pages of the matcher: a field for a paste, its answer, and what of it can be shared.

A paste comes in the body of a POST, so that it is in no address, no history and no log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.responses import HTMLResponse, RedirectResponse

from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.matching.reading.decoding import clean_surrogates, decode
from errdex.matching.reading.terminal import strip_codes
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.dependencies import KnowledgeBase, context_of
from errdex.web.http.site import Site, site_of
from errdex.web.match.body import PasteRefused, take_body
from errdex.web.match.contexts import MatchedRecord
from errdex.web.match.example_pastes import EXAMPLES, PASTES
from errdex.web.match.paste_lines import visible
from errdex.web.match.view import Told, match_view, read_shared, shared_record, told_once
from errdex.web.pages import contexts
from errdex.web.pages.rendering.templating import render, search_url

router = APIRouter(include_in_schema=False)
SHORT = 200
"""Characters of a line that may be meant as a search."""
EDITABLE = 50_000
"""Characters of a paste that its field is filled with again."""
NEVER_KEPT = {"Cache-Control": "no-store"}
_DESCRIPTION = "Paste a failing log or a traceback: what each error in it means, and how to fix it."


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """The page that answers a paste, or the search that a short one leads to."""

    html: str
    search: str = ""
    found: bool = False
    """Whether a record matched."""


@router.get("/match", dependencies=[Depends(check_freshness)])
def match_form(
    knowledge: KnowledgeBase, site: Site, example: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """The field for a paste; an example answered."""
    if example not in PASTES:
        return HTMLResponse(_page(site))
    _, paste = PASTES[example]
    return HTMLResponse(answer_page(knowledge, paste, MatchLimits()).html)


@router.post("/match")
async def match(request: Request) -> Response:
    """The answer to a paste, or the search for a short text."""
    matching = context_of(request).matching
    try:
        body = await take_body(request, matching.max_bytes)
        answer = await matching.run(body, answer_page)
    except PasteRefused as refused:
        reason = refused.errors()[0]["msg"]
        trouble = (
            f"That cannot be answered: {reason}. Paste a log or a traceback, or choose a file."
        )
        return HTMLResponse(_page(site_of(request), trouble), 422, NEVER_KEPT)
    if answer.search:
        return RedirectResponse(answer.search, 303, NEVER_KEPT)
    return HTMLResponse(answer.html, headers=NEVER_KEPT)


@router.get("/match/shared", dependencies=[Depends(check_freshness)])
def shared(
    knowledge: KnowledgeBase,
    r: Annotated[list[Annotated[str, Query(max_length=6000)]], Query(max_length=20)] = [],  # noqa: B006
) -> Response:
    """Records with what was captured, from an address that `match_view.share_url` made."""
    records: list[MatchedRecord] = []
    told: Told = {}
    for record_id, captures in read_shared(r):
        if found := knowledge.find_record(record_id):
            record = shared_record(found.stored, captures)
            records.append(told_once(record, len(records) + 1, told))
    page = contexts.SharedPage(
        title="A shared answer",
        section="match",
        records=records,
        missing=len(r) - len(records),
    )
    return render(page, 200 if records else 404)


def answer_page(knowledge: Knowledge, paste: bytes | str, limits: MatchLimits) -> PageAnswer:
    """Answer a paste with a page. Raises StoreError."""
    text = decode(paste) if isinstance(paste, bytes) else clean_surrogates(paste)
    # Browsers send the line breaks of a field so, whatever was pasted.
    text = text.replace("\r\n", "\n")
    words = strip_codes(text)[0].strip()
    short = 0 < len(words) <= SHORT and "\n" not in words
    answered = knowledge.match(text, limits)
    if short and not any(each.matches or each.event.error_class for each in answered.answer.events):
        return PageAnswer("", search_url(words, {}))
    page = contexts.MatchPage(
        title="What the paste says",
        description=_DESCRIPTION,
        section="match",
        examples=EXAMPLES,
        field=visible(text) if len(text) <= EDITABLE else "",
        words=words if short else "",
        trouble="",
        answer=match_view(answered, text),
    )
    return PageAnswer(str(render(page).body, "utf-8"), found=answered.answer.found)


def _page(site: str, trouble: str = "") -> str:
    page = contexts.MatchPage(
        title="Paste an error, get the fix",
        description=_DESCRIPTION,
        section="match",
        site=site,
        path="/match",
        examples=EXAMPLES,
        field="",
        words="",
        trouble=trouble,
        answer=None,
    )
    return str(render(page).body, "utf-8")
