"""Killed at any moment, an ingestion has either happened or not happened at all.

Every record of a generation carries the generation's number in its message, and each
generation has records that the one before it lacks and the other way round. Readers
look all the while: two generations in one answer, a version without its index, or an
index of other records than the rows are a failure. A watcher is anything that can be
called again and again and raises AssertionError, so that a server can be watched too.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import random
import re
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx2 as httpx
import pytest
from tests.ports import reserved_port

from errdex.knowledge.packs import PackFolder
from errdex.records.filters import Filters
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import database_path, open_database

RECORDS = 240
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["errdex.ingest", "errdex.search.whoosh.index"])
_GENERATION = re.compile(r"generation(\d+)")
Watcher = Callable[[], None]


def _ids_of(generation: int) -> set[str]:
    """Two thirds of all ids, others each time."""
    return {f"{n:016x}" for n in range(RECORDS) if n % 3 != generation % 3}


def _write_generation(folder: Path, generation: int) -> Path:
    path = folder / f"generation-{generation}.jsonl"
    with path.open("w", encoding="utf-8") as lines:
        for record_id in sorted(_ids_of(generation)):
            body = {
                "id": record_id,
                "repo": "owner/name",
                "errorMessage": f"the frobnicator of generation{generation} refused {record_id}",
                "errorClass": "FrobnicationError",
                "documentation": f"In generation{generation} it was asked for too much. " * 20,
                "tags": [f"tag-{generation}", "frob"],
            }
            lines.write(json.dumps(body) + "\n")
    return path


def _watch_store(url: str, folder: Path) -> Watcher:
    """Looks into the store and the index of the version that the store shows."""
    store = open_database(url, cache=folder)
    indexes = WhooshIndexStore(folder / "index")
    packs = PackFolder(store.path)

    def look() -> None:
        with store.snapshot() as snapshot:
            records = list(snapshot.documents())
            generations = {int(found) for each in records for found in _in(each.error_message)}
            assert len(generations) == 1, f"generations {generations} in one snapshot"
            (generation,) = generations
            assert {each.id for each in records} == _ids_of(generation)
            assert all(f"generation{generation} " in each.body_json for each in records)
            assert snapshot.count_records() == len(records)
            assert {each.changed_version for each in records} == {snapshot.version}
            tags = {value for value, _ in snapshot.counts("tag")}
            assert tags == {f"tag-{generation}", "frob"}
            index = indexes.open(snapshot.version)
            patterns = packs.open(snapshot.version, len(records))
            assert set(patterns.facts.ids) == _ids_of(generation)
            assert all(f"generation{generation} " in each for each in patterns.facts.sources)
        try:
            assert index.version == records[0].changed_version
            assert index.count() == len(records)
            result = index.search(f"generation{generation}", Filters(), limit=RECORDS)
            assert {hit.record_id for hit in result.hits} == _ids_of(generation)
        finally:
            index.close()

    return look


def _in(text: str) -> list[str]:
    """The generations that a text names, each once."""
    return sorted(set(_GENERATION.findall(text)))


@contextmanager
def _watching(*watchers: Watcher) -> Iterator[Callable[[], int]]:
    """Call each watcher over and over in a thread of its own; gives the number of looks so
    far. Raises what the first failing watcher raised, as that number does too."""
    stop = threading.Event()
    failures: list[BaseException] = []
    looks = [0] * len(watchers)

    def watch(number: int) -> None:
        while not stop.is_set() and not failures:
            try:
                watchers[number]()
                looks[number] += 1
            except BaseException as failure:  # noqa: BLE001 (raised again below)
                failures.append(failure)

    threads = [threading.Thread(target=watch, args=(n,)) for n in range(len(watchers))]
    for thread in threads:
        thread.start()

    def count() -> int:
        if failures:
            raise failures[0]
        return min(looks)

    try:
        yield count
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


@contextmanager
def _server(url: str, folder: Path) -> Iterator[Watcher]:
    """A server of the folder, and what looks at its answers from outside."""
    with reserved_port() as port:
        environment = os.environ | {
            "ERRDEX_DATABASE_URL": url,
            "ERRDEX_CACHE_FOLDER": str(folder),
            "ERRDEX_INDEX_FOLDER": str(folder / "index"),
            "ERRDEX_WATCH_SECONDS": "0.05",
        }
        command = [sys.executable, "-c", "from errdex.cli import main; main()", "serve", "--port"]
        process = subprocess.Popen(
            [*command, str(port)], env=environment, stderr=subprocess.DEVNULL
        )
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as client:
                while not _is_ready(client):
                    assert process.poll() is None, "the server ended"
                    time.sleep(0.05)
                yield partial(_look_at_answers, client)
        finally:
            process.terminate()
            process.wait(600)


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:  # it does not listen yet
        return False


def _look_at_answers(client: httpx.Client) -> None:
    for query in ({"limit": 200}, {"limit": 200, "q": "frobnicator"}):
        answer = client.get("/api/errors", params=query)
        assert answer.status_code == 200, f"{query}: {answer.status_code} {answer.text}"
        found = [item["record"] for item in answer.json()["items"]]
        generations = {each for record in found for each in _in(str(record))}
        assert len(generations) == 1, f"{query}: generations {generations} in one answer"
        (generation,) = map(int, generations)
        assert {record["id"] for record in found} == _ids_of(generation)
    record_id = found[0]["id"]
    answer = client.get(f"/api/errors/{record_id}")
    assert answer.status_code in (200, 404), f"{answer.status_code} {answer.text}"
    if answer.status_code == 200:
        body = answer.json()["record"]
        assert _in(body["errorMessage"]) == _in(body["documentation"])


class _Ingestion:
    """One run in a process of its own, forked from one that has imported everything."""

    def __init__(self, url: str, folder: Path, generation: int, *, workers: bool) -> None:
        self._phases, told = _CONTEXT.Pipe(duplex=False)
        arguments = {
            "url": url,
            "folder": folder,
            "records": _write_generation(folder.parent, generation),
            "phases": told,
            "workers": workers,
        }
        script = str(Path(__file__).with_name("killed_child.py"))
        self._process = _CONTEXT.Process(
            target=runpy.run_path, args=(script,), kwargs={"init_globals": {"arguments": arguments}}
        )
        self._process.start()
        told.close()
        self._seen = [""]

    def kill_after(self, seconds: float) -> str | None:
        """SIGKILL it; the phase that it told of last, "" before any, None if it had ended."""
        self._process.join(seconds)
        self._process.kill()
        self._process.join()
        if self._process.exitcode == 0:
            return None
        assert self._process.exitcode == -signal.SIGKILL
        return self._told()[-1]

    def kill_in(self, phase: str) -> str | None:
        """The same as soon as it tells of the phase; that it may have left already."""
        while self._seen[-1] != phase:
            self._seen.append(self._phases.recv())
        return self.kill_after(0)

    def complete(self) -> float:
        """Wait for its end; the seconds it took."""
        started = time.perf_counter()
        self._process.join(120)
        assert self._process.exitcode == 0
        assert "committing" in self._told()
        return time.perf_counter() - started

    def _told(self) -> list[str]:
        with self._phases:
            try:
                while True:
                    self._seen.append(self._phases.recv())
            except EOFError:
                return self._seen


@pytest.mark.slow
@pytest.mark.timeout(1800)  # forty runs, watched all the while
@pytest.mark.parametrize(
    "kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.tools("postgres"))]
)
def test_killed_at_any_moment_the_old_data_or_the_new_is_served_whole(tmp_path, kind, request):
    place = tmp_path / "place"
    place.mkdir()
    url = f"sqlite:///{place / 'errdex.db'}"
    if kind == "postgres":
        url = request.getfixturevalue("postgres").make_database()
    database = database_path(url, place)
    generations = itertools.count()
    moments = random.Random(2026)
    killed: list[str | None] = []
    _Ingestion(url, place, next(generations), workers=False).complete()
    with _server(url, place) as look_at_server:
        look_at_store = _watch_store(url, place)
        look_at_store()
        look_at_server()
        with _watching(look_at_store, look_at_server) as looks:
            for workers, kills in ((False, 16), (True, 10)):
                duration = _Ingestion(url, place, next(generations), workers=workers).complete()
                done = 0
                # One moment in each of as many equal parts of the whole run; once more
                # around where a run had ended before its moment came.
                for number in range(5 * kills):
                    delay = duration * (number % kills + moments.random()) / kills
                    ingestion = _Ingestion(url, place, next(generations), workers=workers)
                    killed.append(ingestion.kill_after(delay))
                    if killed[-1] is None:  # the one that was measured may have been slow
                        duration = delay
                    done += killed[-1] is not None
                    if done >= kills:
                        break
            for phase in 20 * ("", "indexing"):  # either may be too short for chance
                if phase not in killed:
                    ingestion = _Ingestion(url, place, next(generations), workers=False)
                    killed.append(ingestion.kill_in(phase))
            while looks() < 5:
                time.sleep(0.05)
            last = next(generations)
            _Ingestion(url, place, last, workers=False).complete()
        look_at_store()
        look_at_server()
    assert len([phase for phase in killed if phase is not None]) >= 20, killed
    assert {"", "indexing"} <= set(killed), killed
    with open_database(url, cache=place).snapshot() as snapshot:
        assert _in(next(snapshot.documents()).error_message) == [str(last)]
    left = [path.name for path in (place / "index").iterdir() if path.is_dir()]
    assert len(left) <= 2, f"left-overs of killed runs: {left}"
    packs = [path.name for path in database.with_name("errdex.db.patterns").glob("*.pack")]
    assert len(packs) <= 2, f"packs that killed runs left: {packs}"
