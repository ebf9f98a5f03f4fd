"""A session that goes on while another host ingests."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from tests.knowledge_base import SHOP, load
from tests.mcp.conftest import command
from tests.mcp.test_protocol import reply, talk
from tests.postgres import PostgresServer

from errdex.search.fake import FakeIndexStore
from errdex.store import open_database


@pytest.mark.tools("postgres")
def test_an_agent_gets_what_another_host_ingests(postgres: PostgresServer, tmp_path: Path) -> None:
    url = postgres.make_database()
    started = command("--database", url)
    started.env = {
        **(started.env or {}),
        "ERRDEX_CACHE_FOLDER": str(tmp_path / "agent"),
        "ERRDEX_WATCH_SECONDS": "0.1",
    }
    with closing(open_database(url, cache=tmp_path / "writer")) as writer:
        load(tmp_path, writer, FakeIndexStore(), SHOP[:1])

        async def conversation(client: Client) -> None:
            found = await reply(client, "search_errors", query="basket")
            assert len(found["items"]) == 1
            load(tmp_path, writer, FakeIndexStore(), SHOP)
            while len(found["items"]) == 1:
                found = await reply(client, "search_errors", query="basket")
            assert len(found["items"]) == 2

        talk(Client(stdio_client(started)), conversation)
