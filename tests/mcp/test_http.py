"""/mcp keeps to the limits of the server, and to what it promises of pastes."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from typing import Any

import orjson
import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import SHOP, load
from tests.mcp.test_protocol import LOG

from errdex.config import Settings, open_store
from errdex.knowledge import Knowledge
from errdex.main import create_app
from errdex.store import StoreBusy
from errdex.workers.cancellation import clock

HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2025-11-25",
}
SECRET = "hunter2-of-a-paste"  # noqa: S105 (of no one)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        database_url=f"sqlite:///{tmp_path / 'errdex.db'}",
        max_body_bytes=20_000,
        cors_origins=("https://errdex.example",),
    )


@pytest.fixture
def client(settings: Settings, tmp_path: Path) -> Iterator[TestClient]:
    load(tmp_path, *open_store(settings), SHOP)
    with TestClient(create_app(settings), raise_server_exceptions=False) as opened:
        yield opened


def test_a_body_may_be_as_long_as_any_other(client: TestClient) -> None:
    long = client.post("/mcp", json=call("match_log", log="x" * 20_000), headers=HEADERS)
    assert long.status_code == 413
    assert long.headers["content-type"] == "application/problem+json"
    good = client.post("/mcp", json=call("match_log", log=LOG), headers=HEADERS)
    assert good.json()["result"]["structuredContent"]["found"] is True
    assert good.headers["cache-control"] == "no-store"
    assert 'route="/mcp"' in client.get("/metrics").text


def test_only_pages_of_the_allowed_origins_may_call_it(client: TestClient) -> None:
    asked = call("list_causes")
    theirs = client.post("/mcp", json=asked, headers=HEADERS | {"Origin": "https://evil.example"})
    assert theirs.status_code == 403
    ours = client.post("/mcp", json=asked, headers=HEADERS | {"Origin": "https://errdex.example"})
    assert ours.status_code == 200
    assert ours.headers["access-control-allow-origin"] == "https://errdex.example"


def test_there_is_nothing_to_get(client: TestClient) -> None:
    for answer in (client.get("/mcp"), client.delete("/mcp")):
        assert answer.status_code == 405
        assert "POST" in answer.headers["allow"]


def test_what_is_no_message_is_a_protocol_error(client: TestClient) -> None:
    for body in (b"", b"{", b"[]", b'{"jsonrpc": "2.0"}'):
        answer = client.post("/mcp", content=body, headers=HEADERS)
        assert answer.status_code == 400, body
        assert answer.json()["error"]["code"] < 0


def test_addresses_of_pages_are_those_of_the_server(client: TestClient) -> None:
    answer = client.post("/mcp", json=call("match_log", log=LOG), headers=HEADERS).json()
    (error,) = answer["result"]["structuredContent"]["errors"]
    assert client.get(error["record"]["link"]["url"]).status_code == 200


def test_who_does_not_get_a_place_is_told_to_come_again(settings: Settings, tmp_path: Path) -> None:
    load(tmp_path, *open_store(settings), SHOP)
    app = create_app(settings.model_copy(update={"waiting_matches": 0, "concurrent_matches": 1}))
    with TestClient(app) as client:
        lane = app.state.context.matching.lanes.short
        lane._run["somebody"] = lane.running
        busy = client.post("/mcp", json=call("match_log", log=LOG), headers=HEADERS).json()
        lane._run.clear()
    assert busy["result"]["isError"] is True
    assert "Try again in" in busy["result"]["content"][0]["text"]


@pytest.mark.parametrize("path", ["reply", "fault"])
def test_a_paste_is_kept_nowhere(
    client: TestClient,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
) -> None:
    def fail(*_: object) -> None:
        raise ValueError(SECRET)

    if path == "fault":
        monkeypatch.setattr(Knowledge, "match", fail)
    caplog.set_level(logging.DEBUG)
    log = f"{LOG}{SECRET}\n"
    answer = client.post("/mcp", json=call("match_log", log=log), headers=HEADERS).json()
    assert answer["result"].get("isError", False) is (path == "fault")
    client.post("/mcp", json=call("match_log", log={"text": SECRET}), headers=HEADERS)
    client.post("/mcp", content=orjson.dumps(call("match_log"))[:-2] + SECRET.encode(),
                headers=HEADERS)  # fmt: skip
    if path == "fault":
        assert SECRET not in str(answer)
    assert SECRET not in caplog.text
    assert SECRET not in "".join(capfd.readouterr())
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert kept
    assert [file for file in kept if SECRET.encode() in file.read_bytes()] == []


def test_work_ends_when_its_client_leaves(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), Event()

    def match_until_cancelled(*_: object) -> None:
        begun.set()
        while clock() < math.inf:
            time.sleep(0.01)
        ended.set()
        raise StoreBusy("given up")

    monkeypatch.setattr(Knowledge, "match", match_until_cancelled)
    host, port = address.removeprefix("http://").split(":")
    connection = HTTPConnection(host, int(port))
    connection.request("POST", "/mcp", orjson.dumps(call("match_log", log=LOG)), HEADERS)
    assert begun.wait(60)
    connection.close()
    assert ended.wait(60)


def test_without_the_extra_there_is_no_such_address(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(tmp_path, *open_store(settings), SHOP)
    monkeypatch.setattr("errdex.main.find_spec", lambda name: None)
    with TestClient(create_app(settings)) as client:
        assert client.post("/mcp", json=call("list_causes"), headers=HEADERS).status_code == 404
