"""What is answered while the full-text index is not there, and when it is again."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from anyio import create_task_group, sleep
from fastapi.testclient import TestClient
from starlette.concurrency import run_in_threadpool
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, index_folder_of, open_store
from errdex.formats.options import WriteOptions
from errdex.ingest.lock import ingestion_lock
from errdex.main import OTHER_THREADS, SWITCH_SECONDS, create_app
from errdex.web.match.api import write_answer
from errdex.web.match.work import MatchWork

WRITE_JSON = partial(write_answer, format_name="json", options=WriteOptions(site=""))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The database of the small knowledge base."""
    database = tmp_path / "errdex.db"
    store, indexes = open_store(_settings(database))
    load(tmp_path, store, indexes, SHOP)
    store.close()
    return database


def _settings(database: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{database}", watch_seconds=0.05)


@pytest.fixture
def served(place: Path) -> Iterator[TestClient]:
    """A client of a server that began without its index and may not build it yet."""
    shutil.rmtree(index_folder_of(place))
    with (
        ingestion_lock(place, on_wait=pytest.fail),
        TestClient(create_app(_settings(place)), raise_server_exceptions=False) as client,
    ):
        yield client


def test_without_an_index_all_but_searches_is_answered(served: TestClient) -> None:
    for url in ("/readyz", "/api/errors?q=basket"):
        answer = served.get(url)
        assert answer.status_code == 503
        assert "being built" in answer.json()["detail"]
        assert int(answer.headers["retry-after"]) > 0
    record_id = served.get("/api/errors").json()["items"][0]["record"]["id"]
    for url in ("/healthz", "/api/stats", "/api/tags", f"/api/errors/{record_id}/related", "/"):
        assert served.get(url).status_code == 200
    assert served.get("/search?q=basket").status_code == 503


@pytest.mark.parametrize("harm", ["missing", "damaged", "half"])
def test_an_index_that_is_not_whole_is_built_anew(place: Path, harm: str) -> None:
    folder = index_folder_of(place)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    if harm == "missing":
        shutil.rmtree(folder)
    for file in files if harm == "damaged" else files[:1] if harm == "half" else []:
        file.chmod(0o600)
        file.write_bytes(b"x" * file.stat().st_size)
    with TestClient(create_app(_settings(place)), raise_server_exceptions=False) as client:
        _await_ready(client)
        answer = client.get("/api/errors?q=basket")
        assert (answer.status_code, answer.json()["total"]) == (200, 2)


def test_before_any_ingestion_it_is_ready_and_empty(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "new" / "errdex.db")
    store, _ = open_store(settings)
    store.migrate()
    store.close()
    with TestClient(create_app(settings)) as client:
        ready = client.get("/readyz").json()
        assert (ready["status"], ready["datasetVersion"]) == ("ready", "")
        for url in ("/api/errors", "/api/errors?q=x"):
            assert client.get(url).json()["items"] == []
        assert client.get("/api/errors/0000000000000000").status_code == 404


def _await_ready(client: TestClient) -> None:
    while client.get("/readyz").status_code != 200:  # for as long as a test may take
        time.sleep(0.05)


def test_a_server_works_in_few_threads(place: Path) -> None:
    """They take turns: behind forty of them whatever is quickly answered would wait long."""
    app = create_app(_settings(place))
    together, most = 0, 0
    lock, all_at_work = threading.Lock(), threading.Event()

    def work() -> None:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
            if together == OTHER_THREADS:
                all_at_work.set()
        all_at_work.wait(600)
        time.sleep(0.05)  # for one too many to come
        with lock:
            together -= 1

    async def many() -> None:
        async with create_task_group() as tasks:
            for _ in range(30):
                tasks.start_soon(run_in_threadpool, work)

    app.add_api_route("/api/many", many)
    app.router.routes.insert(0, app.router.routes.pop())
    with TestClient(app) as client:
        assert client.get("/api/many").status_code == 200
    assert most == OTHER_THREADS


def test_a_paste_does_not_wait_for_the_threads_of_others(place: Path) -> None:
    app = create_app(_settings(place))
    matched = threading.Event()
    waited: list[bool] = []

    async def beside_others() -> bool:
        async with create_task_group() as tasks:
            for _ in range(2 * OTHER_THREADS):
                tasks.start_soon(run_in_threadpool, lambda: waited.append(matched.wait(600)))
            await sleep(0.1)
            work: MatchWork = app.state.context.matching
            answer = await work.run_small("ShopError: Basket 4711 is empty", WRITE_JSON)
            matched.set()
        return answer.found

    app.add_api_route("/api/beside", beside_others)
    app.router.routes.insert(0, app.router.routes.pop())
    with TestClient(app) as client:
        assert client.get("/api/beside").json() is True
    assert waited == [True] * 2 * OTHER_THREADS


def test_a_server_hands_the_interpreter_on_soon(place: Path) -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.005)
    try:
        with TestClient(create_app(_settings(place))):
            assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("installed", [(), ("mcp",), ("mcp", "opentelemetry.proto")], ids=str)
def test_it_says_which_extras_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: tuple[str, ...]
) -> None:
    monkeypatch.setattr("errdex.main.find_spec", lambda name: name if name in installed else None)
    paths = {"mcp": "/mcp", "opentelemetry.proto": "/v1/logs"}
    settings = _settings(tmp_path / "errdex.db")
    load(tmp_path, *open_store(settings), SHOP)
    with TestClient(create_app(settings)) as client:
        assert client.get("/readyz").json()["extras"] == [paths[name] for name in installed]
        for name, path in paths.items():
            assert (client.post(path).status_code == 404) is (name not in installed)
