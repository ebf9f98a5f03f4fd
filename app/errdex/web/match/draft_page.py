"""The form for the draft of a record, its check, and the record file to download.

What is sent is in the body of a POST, like a paste: in no address and no log, and not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import PlainTextResponse

from errdex.formats.draft import RecordDraft, list_unfinished, write_drafts
from errdex.ingest.draft_checks import check_draft
from errdex.knowledge import Knowledge
from errdex.matching.patterns.pattern import compile_pattern
from errdex.matching.patterns.refusal import PatternRefused
from errdex.matching.ranking import MatchLimits
from errdex.records.messages.derived_pattern import group_names
from errdex.store import StoredRecord
from errdex.web.http.cache_headers import check_freshness
from errdex.web.http.dependencies import context_of
from errdex.web.http.limits.rate_limit import client_of
from errdex.web.match.body import read_fields, take_body
from errdex.web.match.contexts import CapturedValue
from errdex.web.match.paste_lines import visible
from errdex.web.match.view import MOST_CAPTURES, MOST_VALUE
from errdex.web.pages import contexts
from errdex.web.pages.rendering.templating import render

router = APIRouter(include_in_schema=False)
MOST = 20_000
"""Characters of a field that are read."""
_MOST_OF = {"message": 1_000, "pattern": 1_000, "sample": 5_000, "sample2": 5_000}
"""Of those that a stranger's pattern is made of, and searched for in: the time that takes grows
with the product of both."""
_UNCACHED = {"Cache-Control": "no-store"}
_KNOWN = 3


@router.get("/draft", dependencies=[Depends(check_freshness)])
def show_form() -> Response:
    """The empty form."""
    return render(_page(RecordDraft(), ()))


@router.post("/draft")
async def show_draft(request: Request) -> Response:
    """The form as it was sent, with what the check says of it."""
    draft = await _read(request)
    matching, client = context_of(request).matching, client_of(request.scope)
    sample = "\n".join(draft.samples)
    known: Sequence[StoredRecord] = ()
    if sample.strip():
        known = (await matching.run_small(sample, find_known, client)).records
    page = await matching.in_short_turn(lambda: render(_page(draft, known)), client)
    page.headers.update(_UNCACHED)
    return page


@router.post("/draft.yaml")
async def download(request: Request) -> Response:
    """The record file."""
    text = write_drafts([await _read(request)])
    named = {"Content-Disposition": 'attachment; filename="draft.yaml"'}
    return PlainTextResponse(text, headers=_UNCACHED | named, media_type="application/yaml")


@dataclass(frozen=True, slots=True)
class SampleMatches:
    """The records that match the samples of a draft already."""

    records: Sequence[StoredRecord]

    @property
    def found(self) -> bool:
        """Whether there are any."""
        return bool(self.records)


def find_known(knowledge: Knowledge, sample: bytes | str, limits: MatchLimits) -> SampleMatches:
    """The records that match this text."""
    result = knowledge.match(sample, limits)
    ids = [match.record.id for each in result.answer.events for match in each.matches[:_KNOWN]]
    return SampleMatches([result.records[each] for each in dict.fromkeys(ids)][:_KNOWN])


async def _read(request: Request) -> RecordDraft:
    matching = context_of(request).matching
    with matching.memory.share(client_of(request.scope)) as share:
        fields = read_fields(await take_body(request, matching.max_bytes, share))
    return _draft({name: text.replace("\r\n", "\n") for name, text in fields.items()})


def _draft(fields: Mapping[str, str]) -> RecordDraft:
    def line(name: str) -> str:
        return " ".join(text(name).split())

    def text(name: str) -> str:
        return visible(fields.get(name, "")[: _MOST_OF.get(name, MOST)]).strip()

    return RecordDraft(
        repo=line("repo"),
        error_message=text("message"),
        message_pattern=text("pattern"),
        error_class=line("class"),
        error_code=line("code"),
        language=line("language"),
        documentation=text("meaning"),
        solutions=[each.strip() for each in text("solutions").split("\n") if each.strip()],
        samples=[each for name in ("sample", "sample2") if (each := text(name))],
    )


def _page(draft: RecordDraft, known: Sequence[StoredRecord]) -> contexts.DraftPage:
    empty = not draft.error_message
    problems, warnings = ([], []) if empty else check_draft(draft.body())
    return contexts.DraftPage(
        title="Draft a record",
        description="Write a record for an error, checked while you type.",
        section="match",
        path="" if not empty else "/draft",
        draft=draft,
        pattern="" if empty else draft.pattern,
        captures=() if empty else _captures(draft),
        problems=problems,
        warnings=warnings,
        unfinished=() if empty else list_unfinished(draft),
        known=known,
        yaml="" if empty else write_drafts([draft]),
    )


def _captures(draft: RecordDraft) -> Sequence[CapturedValue]:
    """What the pattern captures from the first sample."""
    try:
        found = compile_pattern(draft.pattern).search("".join(draft.samples[:1]))
    except PatternRefused:
        return ()
    if found is None:
        return ()
    text = draft.samples[0]
    names = group_names(draft.pattern, draft.error_message)
    return [
        CapturedValue(name, text[span[0] : span[1]][:MOST_VALUE], span[1] - span[0] > MOST_VALUE)
        for name, span in zip(names, found.groups, strict=False)
        if span is not None
    ][:MOST_CAPTURES]
