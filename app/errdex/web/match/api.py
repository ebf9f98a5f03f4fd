"""`POST /api/errors/match`: pastes answered, in every form that a body can have."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import orjson
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from errdex.formats.json import to_wire
from errdex.formats.text import match_text
from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.web.http.dependencies import Context, WebContext
from errdex.web.http.parameters import take_no_parameters
from errdex.web.http.site import site_of
from errdex.web.match.body import NDJSON, encoding_of, media_type, take_body
from errdex.web.match.docs import BODY, answers
from errdex.web.match.schemas import PasteAnswer
from errdex.web.match.stream import Written, answer_lines
from errdex.web.match.work import Work

router = APIRouter()
UNSTORED = {"Cache-Control": "no-store"}


@router.post(
    "/api/errors/match",
    name="match_paste",
    tags=["errors"],
    summary="Match a paste",
    openapi_extra=BODY,
    response_model=PasteAnswer,
    responses=answers(408, 413, 415, 422, 500, 503),
    dependencies=[Depends(take_no_parameters)],
)
async def match_paste(request: Request, context: Context) -> Response:
    """Which known errors are in a log: for each error found in it the records that match, why
    they do, what stands in their holes, and where; or that nothing is known, with what is
    similar. `readingOrder` says which to look at first. The log is neither stored nor logged.

    `Accept: text/plain` gives the answer as a text to read. With application/x-ndjson, lines
    are answered one by one as they come in, each with a line: read them while you send."""
    kind = media_type(request.headers.get("content-type", ""))
    if kind == NDJSON:
        encoding = encoding_of(request.headers.get("content-encoding", ""))
        lines = answer_lines(request, encoding, context.matching, write_json)
        return _LineStream(lines, media_type=NDJSON, headers=UNSTORED | {"X-Accel-Buffering": "no"})
    body = await take_body(request, context.matching.max_bytes)
    work, form = writer(request)
    answer = await context.matching.run(body, work)
    return Response(answer.data, media_type=form, headers=UNSTORED)


@router.get("/api/errors/match", include_in_schema=False)
async def refuse_get() -> None:
    """Told apart from a record of the id “match”, which there is none of."""
    raise HTTPException(405, headers={"Allow": "POST"})


async def match_line(request: Request, context: WebContext, line: str) -> Response:
    """The answer to one line, for `GET /api/errors?line=`."""
    work, form = writer(request)
    answer = await context.matching.run_small(line, work)
    return Response(answer.data, media_type=form, headers=UNSTORED)


def writer(request: Request) -> tuple[Work[Written], str]:
    """What writes the answer in the form that the request accepts, and that form."""
    if prefers_text(request.headers.get("accept", "")):
        return partial(write_text, site=site_of(request)), "text/plain"
    return write_json, "application/json"


def prefers_text(accept: str) -> bool:
    """Whether an Accept header wants text/plain rather than JSON (RFC 9110, section 12.5.1)."""
    weights = {"text/plain": 0.0, "application/json": 0.0}
    for each in accept.lower().split(","):
        kind, *options = (part.strip() for part in each.split(";"))
        if kind in weights:
            weights[kind] = next(
                (_weight(option) for option in options if option.startswith("q=")), 1.0
            )
    return weights["text/plain"] > weights["application/json"]


def _weight(option: str) -> float:
    try:
        return float(option.removeprefix("q="))
    except ValueError:
        return 0.0


def write_json(knowledge: Knowledge, paste: bytes | str, limits: MatchLimits) -> Written:
    """The answer to a paste as JSON."""
    answered = knowledge.match(paste, limits)
    return Written(orjson.dumps(to_wire(answered)), answered.answer.found)


def write_text(knowledge: Knowledge, paste: bytes | str, limits: MatchLimits, site: str) -> Written:
    """The answer to a paste as text."""
    answered = knowledge.match(paste, limits)
    text = match_text(to_wire(answered), site=site)
    return Written(text.encode("utf-8", "backslashreplace"), answered.answer.found)


class _LineStream(StreamingResponse):
    """A stream that is made while the request's body is read. Starlette's own would look for
    the client's leaving in that body, and take pieces of it away."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answers until the client has had them all, or left."""
        with suppress(ClientDisconnect):
            await self.stream_response(send)
