"""`POST /api/errors/match`: pastes answered, in every form that a body can have."""

from __future__ import annotations

from contextlib import aclosing, suppress
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from errdex.formats.answer import PasteAnswer
from errdex.formats.build import build_answer
from errdex.formats.chosen_fields import ChosenFields, UnknownField, parse_fields
from errdex.formats.options import WriteOptions
from errdex.formats.selection import Only, keep_only
from errdex.formats.table import FORMATS, OutputFormat, UnknownFormat, get_format, list_media_types
from errdex.knowledge import Knowledge
from errdex.matching.ranking import MatchLimits
from errdex.web.api.schemas import MatchQuery
from errdex.web.http.accept import best_media_type
from errdex.web.http.dependencies import Context, WebContext
from errdex.web.http.limits.rate_limit import client_of
from errdex.web.http.parameters import invalid_error, refuse_repeated
from errdex.web.http.site import origin_of
from errdex.web.match.body import NDJSON, encoding_of, media_type, writers_of
from errdex.web.match.docs import BODY, answers
from errdex.web.match.doing import Work
from errdex.web.match.read_ahead import FLOOR
from errdex.web.match.stream import Written, answer_lines
from errdex.web.match.work import MatchWork

router = APIRouter()
UNSTORED = {"Cache-Control": "no-store"}
JSON = FORMATS["json"]
_WITH_FIELDS = ("json", "ndjson")
TEXT_ERRORS = 10
"""The most errors in formats for people."""


@router.post(
    "/api/errors/match",
    name="match_paste",
    tags=["errors"],
    summary="Match a paste",
    openapi_extra=BODY,
    response_model=PasteAnswer,
    responses=answers(406, 408, 413, 415, 422, 500, 503),
    dependencies=[Depends(refuse_repeated)],
)
async def match_paste(
    request: Request, context: Context, query: Annotated[MatchQuery, Query()]
) -> Response:
    """Finds the errors in a log. Each has the records that match, the evidence, the values in
    the holes of their messages and the range of the log; an unknown error has similar records.
    `readingOrder` lists what to read first. The log is neither stored nor logged.

    `format` or `Accept` chooses how the answer is written. With application/x-ndjson, each line
    is answered as soon as it arrives: read responses while you send. The header `X-Stream` names
    the one writer of all records that are sent, which are then matched together."""
    kind = media_type(request.headers.get("content-type", ""))
    if kind == NDJSON and not writers_of(request).given:
        if query.format and choose_format(request, query.format) is not JSON:
            raise _wrong_format("a stream of lines is answered as JSON", "leave it out")
        encoding = encoding_of(request.headers.get("content-encoding", ""))
        work = _work(JSON, request, query)
        return _LineStream(request, encoding, context.matching, work)
    form = choose_format(request, query.format)
    answer = await context.matching.answer(request, _work(form, request, query))
    return Response(answer.data, media_type=form.content_type, headers=UNSTORED)


@router.get("/api/errors/match", include_in_schema=False)
async def refuse_get() -> None:
    """Without this route, “match” would be looked up as a record's id."""
    raise HTTPException(405, headers={"Allow": "POST"})


async def match_line(
    request: Request, context: WebContext, line: str, format_name: str | None
) -> Response:
    """The answer to one line, for `GET /api/errors?line=`."""
    form = choose_format(request, format_name)
    client = client_of(request.scope)
    answer = await context.matching.run_small(line, _work(form, request), client)
    return Response(answer.data, media_type=form.content_type, headers=UNSTORED)


def choose_format(request: Request, name: str | None) -> OutputFormat:
    """The format that `?format=` names, or else the one that `Accept` prefers. Raises
    RequestValidationError and, when no format is accepted, a 406."""
    if name is not None:
        try:
            return get_format(name)
        except UnknownFormat as error:
            raise _wrong_format("it is unknown", f"give one of {error.known}") from None
    offered = list_media_types()
    best = best_media_type(request.headers.get("accept", ""), list(offered))
    if best is None:
        detail = (
            f"Accept allows none of the formats {', '.join(offered)}: name one of them, or choose "
            f"a format with ?format={'|'.join(FORMATS)}."
        )
        raise HTTPException(406, detail)
    return offered[best]


def _wrong_format(reason: str, remedy: str) -> RequestValidationError:
    return _wrong("format", reason, remedy)


def _wrong(parameter: str, reason: str, remedy: str) -> RequestValidationError:
    return RequestValidationError([invalid_error(parameter, reason, remedy)])


def _work(form: OutputFormat, request: Request, query: MatchQuery | None = None) -> Work[Written]:
    """The work that answers a paste. It can be pickled, so it holds the format's name only. Raises
    RequestValidationError."""
    query = query or MatchQuery()
    return partial(
        write_answer,
        format_name=form.name,
        only=query.only,
        options=WriteOptions(
            site=origin_of(request), limit=TEXT_ERRORS, fields=_chosen_fields(query.fields, form)
        ),
    )


def _chosen_fields(names: str | None, form: OutputFormat) -> ChosenFields | None:
    if names is None:
        return None
    if form.name not in _WITH_FIELDS:
        formats = " and ".join(_WITH_FIELDS)
        raise _wrong("fields", f"only {formats} have them", "leave it out, or choose one of these")
    try:
        return parse_fields(names)
    except UnknownField as error:
        hint = f"did you mean {error.near}? It takes" if error.near else "it takes"
        raise _wrong(
            "fields", f"there is no field “{error.name}”", f"{hint} {error.known}"
        ) from None


def write_answer(
    knowledge: Knowledge,
    paste: bytes | str,
    limits: MatchLimits,
    format_name: str,
    options: WriteOptions,
    only: Only | None = None,
) -> Written:
    """The answer to a paste in a format."""
    answer = build_answer(knowledge.match(paste, limits), options.site)
    data = get_format(format_name).write(keep_only(answer, only), options)
    return Written(data, answer.found)


class _LineStream(StreamingResponse):
    """A response that is written while the request's body is read. Starlette's own watches the
    body for a disconnect, and so would lose pieces of it."""

    def __init__(
        self, request: Request, encoding: str, matching: MatchWork, work: Work[Written]
    ) -> None:
        headers = UNSTORED | {"X-Accel-Buffering": "no"}
        super().__init__((), media_type=NDJSON, headers=headers)
        self._request = request
        self._encoding = encoding
        self._matching = matching
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answers until the client has had them all, or left. Raises MemoryFull before
        the first."""
        with self._matching.memory.share(client_of(scope)) as share:
            share.take(FLOOR)
            lines = answer_lines(self._request, self._encoding, self._matching, self._work, share)
            async with aclosing(lines):
                self.body_iterator = lines
                with suppress(ClientDisconnect):
                    await self.stream_response(send)
