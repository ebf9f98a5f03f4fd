"""Tests a text against the pattern of one record. Like a paste, it is sent in the body of a
POST: it is in no address and no log, and it is not stored."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse

from errdex.knowledge import Knowledge, RecordAnswer
from errdex.matching.patterns.pattern import compile_pattern
from errdex.matching.patterns.refusal import PatternRefused
from errdex.records.messages.derived_pattern import group_names
from errdex.records.model import Record
from errdex.web.http.dependencies import context_of
from errdex.web.http.limits.rate_limit import client_of
from errdex.web.http.site import site_of
from errdex.web.match.body import PasteRefused, take_body, unpack
from errdex.web.match.contexts import CapturedValue
from errdex.web.match.paste_lines import visible
from errdex.web.match.view import MOST_CAPTURES, MOST_VALUE
from errdex.web.pages.contexts import PatternTest
from errdex.web.pages.record_page import RELATED, record_page
from errdex.web.pages.rendering.templating import mark, render

router = APIRouter(include_in_schema=False)
MOST_TESTED = 10_000
"""Characters that are tested; the rest is ignored."""


@router.post("/errors/{record_id}/pattern")
async def test_pattern(record_id: str, request: Request) -> Response:
    """The record's page with the result of the test."""
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
    record = RecordAnswer(related.record, related.version).record
    tested = text.replace("\r\n", "\n").strip()[:MOST_TESTED]
    page = render(record_page(related, site, run_pattern(record, tested)))
    page.headers["Cache-Control"] = "no-store"
    return page


def run_pattern(record: Record, text: str) -> PatternTest:
    """The result of a record's pattern on a text, as in the matcher."""
    text = visible(text)
    try:
        pattern = compile_pattern(record.pattern)
    except PatternRefused as refused:
        return PatternTest(text, mark(text, ()), str(refused), ())
    if not text:
        return PatternTest(text, mark(text, ()), "Enter a text to test.", ())
    found = pattern.search(text)
    if found is None:
        return PatternTest(text, mark(text, ()), "The pattern does not match this text.", ())
    names = group_names(record.pattern, record.error_message)
    captures = [
        CapturedValue(name, text[span[0] : span[1]][:MOST_VALUE], span[1] - span[0] > MOST_VALUE)
        for name, span in zip(names, found.groups, strict=False)
        if span is not None
    ]
    extent = "the whole text" if found.whole else "a part of the text"
    shown = mark(text, [found.span], MOST_TESTED)
    return PatternTest(text, shown, f"The pattern matches {extent}.", captures[:MOST_CAPTURES])
