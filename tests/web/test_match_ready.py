"""The process that answers large pastes is there before the first of them, and ends with the
server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

import psutil
import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import SHOP, load

from errdex import main
from errdex.config import Settings, match_limits, open_store
from errdex.formats.options import WriteOptions
from errdex.knowledge import Knowledge
from errdex.main import create_app
from errdex.web.match import process, work
from errdex.web.match.api import write_answer
from errdex.web.match.body import Body
from errdex.web.match.slots import lanes_of
from errdex.web.match.work import MatchWork
from errdex.web.pages.rendering.lexing import make_ready

WRITE_JSON = partial(write_answer, format_name="json", options=WriteOptions(site=""))

LARGE = b"ShopError: Basket 4711 is empty\n" + b"all is well\n" * 6_000


@dataclass(frozen=True)
class Opening:
    """Opens the knowledge base, and writes down in which process."""

    settings: Settings
    opened: Path

    def __call__(self) -> Knowledge:
        with self.opened.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return Knowledge(*open_store(self.settings))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}")
    load(tmp_path, *open_store(settings), SHOP)
    return settings


@pytest.mark.slow
def test_the_first_large_paste_finds_a_process_that_is_ready(
    settings: Settings, tmp_path: Path
) -> None:
    opened = tmp_path / "opened"
    work = MatchWork(
        Knowledge(*open_store(settings)),
        Opening(settings, opened),
        lanes_of(1, 1, 60),
        match_limits(settings),
        settings.match_bytes,
        stream_seconds=60,
    )

    async def match() -> tuple[str, bool]:
        await work.make_ready()
        ready = opened.read_text()
        answer = await work.run(Body(LARGE, "text/plain", ""), WRITE_JSON)
        work.close()
        return ready, answer.found

    ready, found = asyncio.run(match())
    assert found
    assert len(ready.splitlines()) == 1
    assert opened.read_text() == ready


def wait_for(is_so: Callable[[], bool]) -> None:
    while not is_so():  # for as long as a test may take
        Event().wait(0.1)


def workers() -> set[int]:
    return {each.pid for each in psutil.Process().children() if is_worker(each)}


def is_worker(process: psutil.Process) -> bool:
    try:
        return any("errdex.workers.companion" in part for part in process.cmdline())
    except psutil.Error:  # it ends meanwhile
        return False


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_LET_OTHERS_FIRST", 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("ready", [True, False])
def test_a_server_starts_a_process_and_ends_it(settings: Settings, ready: bool) -> None:
    """Also one that is still being made ready."""
    make_ready()  # the process that reads code is the program's, not the server's
    before = workers()
    with TestClient(create_app(settings)) as client:
        assert client.get("/readyz").status_code == 200
        wait_for(lambda: workers() > before)
        if ready:
            answer = client.post(
                "/api/errors/match", content=LARGE, headers={"Content-Type": "text/plain"}
            )
            assert answer.json()["found"]
    wait_for(lambda: workers() == before)


@pytest.mark.slow
def test_a_process_that_cannot_be_made_ready_is_no_end(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    empty = Settings(database_url=f"sqlite:///{tmp_path / 'nowhere' / 'errdex.db'}")
    work = MatchWork(
        Knowledge(*open_store(settings)),
        Opening(empty, tmp_path / "opened"),
        lanes_of(1, 1, 60),
        match_limits(settings),
        settings.match_bytes,
        stream_seconds=60,
    )

    async def run() -> None:
        new_version = asyncio.Event()
        new_version.set()
        keeping = asyncio.create_task(work.keep_ready(new_version))
        while not caplog.records:
            assert not keeping.done()
            await asyncio.sleep(0.05)
        keeping.cancel()
        work.close()

    asyncio.run(run())
    assert "No process could be made ready" in caplog.text


def test_memory_is_given_back_after_a_large_paste_and_a_new_version(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []
    monkeypatch.setattr(process, "give_back", lambda: given.append("paste"))
    monkeypatch.setattr(main, "give_back", lambda: given.append("version"))
    elsewhere = Opening(settings, tmp_path / "opened")
    body = Body(LARGE, "text/plain", "")
    limits = match_limits(settings)

    answer, _ = process.work_there(elsewhere, body, settings.match_bytes, limits, WRITE_JSON)
    assert (answer.found, given) == (True, ["paste"])
    process._opened(elsewhere).close()

    quick = settings.model_copy(update={"watch_seconds": 0.05})
    with TestClient(create_app(quick)):
        wait_for(lambda: given == ["paste", "version"])
        changed = [{**SHOP[0], "documentation": "FieldText in another way."}, *SHOP[1:]]
        load(tmp_path, *open_store(settings), changed)
        wait_for(lambda: given == ["paste", "version", "version"])
