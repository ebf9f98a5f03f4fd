"""A line tried against the pattern of one record. It comes in the body of a POST, as pastes do:
it is in no address and in no log, and nothing of it is kept."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse

from errdex.knowledge import Knowledge, RecordAnswer
from errdex.matching.patterns.pattern import compile_pattern
from errdex.matching.patterns.refusal import PatternRefused
from errdex.records.derived_pattern import group_names
from errdex.records.model import Record
from errdex.web.http.dependencies import context_of
from errdex.web.http.rate_limit import client_of
from errdex.web.http.site import site_of
from errdex.web.match.body import PasteRefused, take_body, unpack
from errdex.web.match.contexts import CapturedValue
from errdex.web.match.paste_lines import visible
from errdex.web.match.view import MOST_CAPTURES, MOST_VALUE
from errdex.web.pages.contexts import PatternTest
from errdex.web.pages.record_page import RELATED, record_page
from errdex.web.pages.rendering.templating import mark, render

router = APIRouter(include_in_schema=False)
MOST_TRIED = 10_000
"""Characters that are tried; what is behind them is left out."""


@router.post("/errors/{record_id}/pattern")
async def try_pattern(record_id: str, request: Request) -> Response:
    """The record's page with what its pattern finds in the text that was sent."""
    matching = context_of(request).matching
    with matching.memory.share(client_of(request.scope)) as share:
        body = await take_body(request, matching.max_bytes, share)

        def make() -> Response:
            try:
                sent = unpack(replace(body, content_encoding=""), len(body.data))
            except PasteRefused:
                sent = ""
            text = sent.decode("utf-8", "replace") if isinstance(sent, bytes) else sent
            return _page(context_of(request).knowledge, record_id, text, site_of(request))

        return await run_in_threadpool(make)


def _page(knowledge: Knowledge, record_id: str, text: str, site: str) -> HTMLResponse:
    related = knowledge.related_records(record_id, limit=RELATED)
    answer = RecordAnswer(related.record, related.version)
    tried = text.replace("\r\n", "\n").strip()[:MOST_TRIED]
    page = render(record_page(answer, related.items, site, run_pattern(answer.record, tried)))
    page.headers["Cache-Control"] = "no-store"
    return page


def run_pattern(record: Record, text: str) -> PatternTest:
    """What a record's pattern finds in a text, as the matcher would."""
    text = visible(text)
    try:
        pattern = compile_pattern(record.pattern)
    except PatternRefused as refused:
        return PatternTest(text, mark(text, ()), str(refused), ())
    if not text:
        return PatternTest(text, mark(text, ()), "There was no text to try.", ())
    found = pattern.search(text)
    if found is None:
        return PatternTest(text, mark(text, ()), "The pattern does not match this text.", ())
    names = group_names(record.pattern, record.error_message)
    captures = [
        CapturedValue(name, text[span[0] : span[1]][:MOST_VALUE], span[1] - span[0] > MOST_VALUE)
        for name, span in zip(names, found.groups, strict=False)
        if span is not None
    ]
    verdict = (
        "The pattern matches the whole text." if found.whole else "The pattern matches a part."
    )
    shown = mark(text, [found.span], MOST_TRIED)
    return PatternTest(text, shown, verdict, captures[:MOST_CAPTURES])
