"""Known errors of open log files: a diagnostic for each, and its fix when one points at it.

What an editor opens is matched when it has not changed for a moment. It is neither stored nor
logged.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from errdex import lazy_re as re
from errdex.formats.answer import ErrorEvent, PasteAnswer
from errdex.formats.card import first_fix
from errdex.formats.markdown import write_event
from errdex.records.printable import on_one_line
from errdex.records.problems import Trouble

PAUSE = 0.3
"""Seconds without a change after which a file is matched."""
MOST_CHARACTERS = 5_000_000
"""Of a file; a larger one has no diagnostics."""
MOST_DIAGNOSTICS = 500
_TITLE = 300
_LINE_END = re.compile(r"\r\n|\r|\n")

# It logs what it cannot handle, which may be a piece of a file.
logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)

Match = Callable[[str], PasteAnswer]


@dataclass(frozen=True, slots=True)
class KnownError:
    """A known error and where the file has it."""

    range: types.Range
    event: ErrorEvent


class Documents:
    """The open files of one editor, and what was found in them."""

    def __init__(self, server: LanguageServer, match: Match) -> None:
        self._server = server
        self._match = match
        self._found: dict[str, list[KnownError]] = {}
        self._looking: dict[str, asyncio.Task[None]] = {}

    def changed(self, uri: str) -> None:
        """Match a file when it pauses."""
        self._forget(uri)
        self._looking[uri] = asyncio.ensure_future(self._look(uri))

    def closed(self, uri: str) -> None:
        """Show nothing more of a file."""
        self._forget(uri)
        self._publish(uri, [])
        del self._found[uri]

    def find(self, uri: str, position: types.Position) -> KnownError | None:
        """What was found at a place of a file."""
        found = self._found.get(uri, ())
        return next((each for each in found if _holds(each.range, position)), None)

    def _forget(self, uri: str) -> None:
        if (task := self._looking.pop(uri, None)) is not None:
            task.cancel()

    async def _look(self, uri: str) -> None:
        await asyncio.sleep(PAUSE)
        text = self._server.workspace.get_text_document(uri).source
        if len(text) > MOST_CHARACTERS:
            self._publish(uri, [])
            return
        try:
            answer = await asyncio.to_thread(self._match, text)
        except Trouble as trouble:
            self._server.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"Errdex: {trouble}")
            )
            return
        places = _Places(text, self._server.workspace.position_codec.client_num_units)
        self._publish(uri, [KnownError(places.range_of(event), event) for event in _known(answer)])

    def _publish(self, uri: str, found: list[KnownError]) -> None:
        self._found[uri] = found
        diagnostics = [_diagnostic(each) for each in found]
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics)
        )


def _known(answer: PasteAnswer) -> list[ErrorEvent]:
    events = (answer.events[number] for number in answer.reading_order)
    return [event for event in events if event.matches][:MOST_DIAGNOSTICS]


class _Places:
    """Offsets of a text as an editor counts them: by lines, and by its own units in them."""

    def __init__(self, text: str, units: Callable[[str], int]) -> None:
        self._text = text
        self._units = units
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]

    def range_of(self, event: ErrorEvent) -> types.Range:
        """Where the best record matches."""
        place = event.matches[0].place
        return types.Range(self._position(place.start), self._position(place.end))

    def _position(self, offset: int) -> types.Position:
        line = bisect_right(self._starts, offset) - 1
        return types.Position(line, self._units(self._text[self._starts[line] : offset]))


def _holds(wanted: types.Range, position: types.Position) -> bool:
    return wanted.start <= position <= wanted.end


def _diagnostic(found: KnownError) -> types.Diagnostic:
    event = found.event
    best = event.matches[0]
    record = best.record
    fix = first_fix(best)
    title = on_one_line(record.heading)[:_TITLE]
    softer = event.handled or event.severity == "warning"
    return types.Diagnostic(
        range=found.range,
        message=f"{title}\nFix: {fix}" if fix else title,
        severity=types.DiagnosticSeverity.Warning if softer else types.DiagnosticSeverity.Error,
        code=record.id,
        code_description=types.CodeDescription(record.url) if record.url else None,
        source="errdex",
    )


def build_server(match: Match, site: str | None) -> LanguageServer:
    """The server. `site` is the scheme and host for addresses of records, if there is one."""
    server = LanguageServer("errdex", version("errdex"))
    documents = Documents(server, match)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        documents.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        documents.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        documents.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        found = documents.find(params.text_document.uri, params.position)
        if found is None:
            return None
        text = types.MarkupContent(types.MarkupKind.Markdown, write_event(found.event, site))
        return types.Hover(text, found.range)

    return server


def serve_stdio(match: Match, site: str | None = None) -> None:
    """Answer an editor over standard input and output until it ends."""
    build_server(match, site).start_io()
