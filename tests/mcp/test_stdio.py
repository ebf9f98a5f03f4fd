"""`errdex mcp`: greets before it opens what matches, and asks a server where one is named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from tests.mcp.conftest import command
from tests.mcp.test_protocol import LOG, reply, talk, trouble
from tests.other_server import says, serving


def test_what_matches_is_not_loaded_before_the_greeting() -> None:
    code = """
import sys
import errdex.cli.commands.agents, errdex.config, errdex.mcp.stdio
print([name for name in ("errdex.matching.ranking", "errdex.knowledge", "sqlalchemy", "numpy")
       if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_is_wrong_with_a_database_is_the_result_of_the_tool(tmp_path: Path) -> None:
    path = tmp_path / "no.db"
    path.write_text("not a database" * 1000)

    async def conversation(client: Client) -> None:
        await client.list_tools()
        assert str(path) in await trouble(client, "match_log", log=LOG)
        assert str(path) in await trouble(client, "get_record", id="0" * 16)

    talk(Client(stdio_client(command("--database", f"sqlite:///{path}"))), conversation)


def test_a_server_and_a_database_contradict_each_other() -> None:
    started = command("--server", "localhost:1", "--database", "sqlite:///no.db")
    done = subprocess.run(
        [started.command, *started.args], env=started.env, input="", capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "give one of them" in done.stderr


def test_addresses_are_those_of_the_server(address: str) -> None:
    async def conversation(client: Client) -> None:
        (error,) = (await reply(client, "match_log", log=LOG))["errors"]
        assert error["record"]["link"]["url"].startswith(f"{address}/errors/")

    talk(Client(stdio_client(command("--server", address))), conversation)


def result(value: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": value}).encode()


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, b"", "does not answer as Errdex does"),
        (200, b"[]", "does not answer as Errdex does"),
        (200, b'{"error": 7}', "does not answer as Errdex does"),
        (200, result(None), "does not answer as Errdex does"),
        (200, result({"structuredContent": "text"}), "does not answer as Errdex does"),
        (200, result({"isError": True, "content": []}), "does not answer as Errdex does"),
        (404, b"Not here", "has no /mcp: it needs the extra errdex[mcp]"),
        (503, b'{"detail": "Come again."}', "refuses (503): Come again."),
    ],
)
def test_what_is_wrong_with_a_server_is_the_result_of_the_tool(
    status: int, body: bytes, said: str
) -> None:
    async def conversation(client: Client) -> None:
        assert said in await trouble(client, "match_log", log=LOG)

    with serving(says(status, body)) as address:
        talk(Client(stdio_client(command("--server", address))), conversation)


def test_a_server_that_is_not_there_does_not_keep_the_command_from_starting() -> None:
    async def conversation(client: Client) -> None:
        assert len((await client.list_tools()).tools) == 5
        assert "cannot be reached" in await trouble(client, "get_record", id="0" * 16)

    with serving(says(200, b"")) as address:
        pass
    talk(Client(stdio_client(command("--server", address))), conversation)
