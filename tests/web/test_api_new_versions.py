"""A running server goes from one dataset version to the next without a failed request."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
import uvicorn
from tests.knowledge_base import load, record

from errdex.config import Settings, open_store
from errdex.main import create_app

pytestmark = pytest.mark.slow

VERSIONS = 8
LASTING = 12
"""Records that every version has; each version has some of its own beside them."""


def records_of(generation: int) -> list[dict[str, Any]]:
    """The dataset of a version: lasting records tell its number, passing ones come and go."""
    lasting = [
        record(
            f"lasting error {number:02} of the shop: {{what}}",
            id=f"{number * 16:016x}",
            tags=[f"generation-{generation}"],
            documentation=f"As told in generation {generation}.",
        )
        for number in range(LASTING)
    ]
    passing = [
        record(
            f"passing error {generation} {number}: {{what}}",
            id=f"{number * 32 + generation + 1:016x}",
            tags=[f"generation-{generation}"],
        )
        for number in range(LASTING // 2)
    ]
    return lasting + passing


@contextmanager
def served(settings: Settings) -> Iterator[httpx.Client]:
    """A client of a real server in a thread; the server ends without an error."""
    config = uvicorn.Config(create_app(settings), port=0, log_level="critical", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        threading.Event().wait(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(600)
        assert not thread.is_alive(), "the server did not end"


def get(client: httpx.Client, url: str, **params: object) -> dict[str, Any]:
    answer = client.get(url, params=params or None)
    assert answer.status_code == 200, f"{url} {params}: {answer.status_code} {answer.text}"
    return answer.json()


def generation_of(text: str) -> str:
    """The one generation that an answer is of."""
    (generation,) = set(re.findall(r"generation[- ](\d+)", text)) or {"none"}
    return generation


def ask_record(client: httpx.Client, seen: dict[str, str]) -> None:
    answer = get(client, f"/api/errors/{16:016x}")
    known = seen.setdefault(answer["datasetVersion"], generation_of(str(answer)))
    assert known == generation_of(str(answer)), "two answers of one version differ"


def ask_search(client: httpx.Client, seen: dict[str, str]) -> None:
    answer = get(client, "/api/errors", q="lasting", limit=50)
    assert answer["total"] == len(answer["items"]) == LASTING
    facets = answer["facets"]["tag"]
    assert [each["count"] for each in facets] == [LASTING], "the index is of another version"
    known = seen.setdefault(answer["datasetVersion"], generation_of(str(answer["items"])))
    assert known == generation_of(str(answer["items"])) == generation_of(str(facets))


def ask_pages(client: httpx.Client, _: dict[str, str]) -> None:
    """Every lasting record once, whatever happens between the pages."""
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = get(client, "/api/errors", limit=4, **cursor)
        found += [item["record"]["id"] for item in page["items"]]
        if not page["nextCursor"]:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == sorted(set(found))
    assert {f"{number * 16:016x}" for number in range(LASTING)} <= set(found)


def ask_readiness(client: httpx.Client, _: dict[str, str]) -> None:
    get(client, "/readyz")


ASKERS: list[Callable[[httpx.Client, dict[str, str]], None]] = [
    ask_record,
    ask_search,
    ask_pages,
    ask_readiness,
]


def test_no_request_fails_while_versions_come(tmp_path: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}", watch_seconds=0.05)
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, records_of(0), prune=True)
    done = threading.Event()
    with served(settings) as client, ThreadPoolExecutor(len(ASKERS)) as pool:

        def keep_asking(ask: Callable[[httpx.Client, dict[str, str]], None]) -> int:
            seen: dict[str, str] = {}
            times = 0
            while not done.is_set() or not times:
                ask(client, seen)
                times += 1
            return times

        asking = [pool.submit(keep_asking, ask) for ask in ASKERS]
        first = client.get("/api/stats").headers["etag"]
        try:
            for generation in range(1, VERSIONS):
                load(tmp_path, store, indexes, records_of(generation), prune=True)
        finally:
            done.set()
        assert all(each.result() for each in asking)
        last = get(client, f"/api/errors/{16:016x}")
        assert generation_of(str(last)) == str(VERSIONS - 1)
        assert get(client, "/readyz")["datasetVersion"] == last["datasetVersion"]
        assert client.get(f"/api/errors/{1:016x}").status_code == 404
        answer = client.get("/api/stats", headers={"If-None-Match": first})
        assert (answer.status_code, answer.headers["etag"] == first) == (200, False)


def test_a_server_ends_while_it_builds_an_index(tmp_path: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}", watch_seconds=0.05)
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, records_of(0))
    indexes.sweep(set())
    before = watchers()  # of servers that other tests have running
    with served(settings) as client:
        assert client.get("/healthz").status_code == 200
        assert watchers() > before
    assert watchers() <= before


def watchers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "version watcher"}


def test_servers_that_began_empty_find_what_another_process_ingests(tmp_path: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}", watch_seconds=0.05)
    store, indexes = open_store(settings)
    store.migrate()
    with served(settings) as one, served(settings) as other:
        assert get(one, "/readyz")["datasetVersion"] == ""
        report = load(tmp_path, store, indexes, records_of(5))
        for client in (one, other):
            assert generation_of(str(get(client, "/api/errors", q="lasting")["items"])) == "5"
            assert get(client, "/readyz")["datasetVersion"] == report.version
