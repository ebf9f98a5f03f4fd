"""`errdex lsp`, spoken with by pygls's client as an editor does."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.workspace import Workspace
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store
from errdex.formats.answer import PasteAnswer
from errdex.lsp import server as server_module
from errdex.records.problems import Trouble

URI = "file:///var/log/shop.log"
LOG = """\
10:00 all is well \U0001f600\r
Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    checkout(4711)
\U0001f600 shop.ShopError: Basket 4711 is empty
NeverSeenError: what is this
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("known")
    url = f"sqlite:///{folder / 'errdex.db'}"
    load(folder, *open_store(Settings(database_url=url)), SHOP)
    return url


class Editor:
    """A client that has begun, with the diagnostics that it receives."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.received: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.received.put_nowait(params)

    def open(self, text: str) -> None:
        item = types.TextDocumentItem(URI, "log", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, version: int, text: str) -> None:
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=URI, version=version),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def diagnostics(self) -> list[types.Diagnostic]:
        params = await asyncio.wait_for(self.received.get(), 120)
        assert params.uri == URI
        return list(params.diagnostics)

    async def hover(self, line: int, character: int) -> types.Hover | None:
        return await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(URI), types.Position(line, character))
        )


def edit(database: str, session: Callable[[Editor], Awaitable[None]], **environment: str) -> None:
    """Run a session with the command."""

    async def run() -> None:
        client = LanguageClient("tests", "1")
        editor = Editor(client)
        await client.start_io(
            sys.executable, "-c", "from errdex.cli import main; main()", "lsp",
            "--database", database,
            env={"PATH": os.environ["PATH"],
                 "PYTHONPATH": str(Path(__file__).parents[2] / "app"), **environment},
        )  # fmt: skip
        capabilities = types.ClientCapabilities()
        begun = await client.initialize_async(types.InitializeParams(capabilities))
        assert begun.server_info.name == "errdex"
        client.initialized(types.InitializedParams())
        await session(editor)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    asyncio.run(asyncio.wait_for(run(), 300))


def text_at(text: str, where: types.Range) -> str:
    """The text of a range on one line, whose characters are units of UTF-16."""
    line = text.replace("\r\n", "\n").split("\n")[where.start.line]
    units = line.encode("utf-16-le")
    return units[where.start.character * 2 : where.end.character * 2].decode("utf-16-le")


def test_a_known_error_has_a_diagnostic_and_its_fix(database: str) -> None:
    async def session(editor: Editor) -> None:
        editor.open(LOG)
        (found,) = await editor.diagnostics()
        assert found.message.splitlines() == [
            "Basket {basket_id} is empty",
            "Fix: Add an article before checkout.",
        ]
        assert (found.source, found.severity) == ("errdex", types.DiagnosticSeverity.Error)
        assert found.code_description.href.startswith("https://errdex.example/errors/")
        assert found.range.start.line == 4
        assert text_at(LOG, found.range) == "Basket 4711 is empty"
        hover = await editor.hover(4, found.range.start.character + 1)
        assert hover.contents.kind == types.MarkupKind.Markdown
        assert "1. Add an article before checkout." in hover.contents.value
        for line, character in ((4, 0), (5, 3), (99, 0)):
            assert await editor.hover(line, character) is None

    edit(database, session, ERRDEX_PUBLIC_URL="https://errdex.example")


def test_what_is_shown_follows_the_file(database: str) -> None:
    async def session(editor: Editor) -> None:
        editor.open("all is well\n")
        assert await editor.diagnostics() == []
        for version in range(2, 30):  # as someone types, or a log grows
            editor.change(version, "all is well\n" * version)
        editor.change(30, LOG)
        (found,) = await editor.diagnostics()
        assert found.code_description is None
        editor.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI))
        )
        assert await editor.diagnostics() == []
        assert await editor.hover(4, found.range.start.character) is None

    edit(database, session)


def test_trouble_is_shown_in_the_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> PasteAnswer:
        raise Trouble("The database cannot be read.")

    async def run() -> list[str]:
        server = server_module.build_server(fail, None)
        server.protocol._workspace = workspace = Workspace(None)
        workspace.put_text_document(types.TextDocumentItem(URI, "log", 1, LOG))
        shown: list[types.ShowMessageParams] = []
        monkeypatch.setattr(server, "window_show_message", shown.append)
        documents = server_module.Documents(server, fail)
        documents.changed(URI)
        await documents._looking[URI]
        return [each.message for each in shown]

    assert asyncio.run(run()) == ["Errdex: The database cannot be read."]


def test_a_file_that_is_too_large_is_not_matched(database: str) -> None:
    async def session(editor: Editor) -> None:
        editor.open(LOG + "x" * server_module.MOST_CHARACTERS)
        assert await editor.diagnostics() == []

    edit(database, session)
