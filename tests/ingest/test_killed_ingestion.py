"""Killed at any moment, an ingestion has either happened or not happened at all.

Every record of a generation carries the generation's number in its message, and each
generation has records that the one before it lacks and the other way round. Readers
look all the while: two generations in one answer, a version without its index, or an
index of other records than the rows are a failure. A watcher is anything that can be
called again and again and raises AssertionError, so that a server can be watched too.
"""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.search.protocol import Filters
from app.search.whoosh_index import WhooshIndexStore
from app.store import Store

KILLS = 24
RECORDS = 240
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
                "documentation": "It was asked for something that it cannot do. " * 20,
                "tags": [f"tag-{generation}", "frob"],
            }
            lines.write(json.dumps(body) + "\n")
    return path


def _watch_store(folder: Path) -> Watcher:
    """Looks into the store and the index of the version that the store shows."""
    store = Store(f"sqlite:///{folder / 'errdex.db'}")
    indexes = WhooshIndexStore(folder / "index")

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
        try:
            assert index.version == records[0].changed_version
            assert index.count() == len(records)
            result = index.search(f"generation{generation}", Filters(), limit=RECORDS)
            assert {hit.record_id for hit in result.hits} == _ids_of(generation)
        finally:
            index.close()

    return look


def _in(message: str) -> list[str]:
    return _GENERATION.findall(message)


@contextmanager
def _watching(*watchers: Watcher) -> Iterator[Callable[[], int]]:
    """Call each watcher over and over in a thread of its own; gives the number of looks so
    far. Raises what the first failing watcher raised."""
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
    try:
        yield lambda: min(looks)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


class _Ingestion:
    """A child process that has imported everything and then starts."""

    def __init__(self, folder: Path, records: Path) -> None:
        script = Path(__file__).with_name("killed_child.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(folder), str(records)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def kill_after(self, seconds: float) -> str | None:
        """SIGKILL it; the phase that it told of last, "" before any, None if it had ended."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
        phases, _ = self._process.communicate()
        if self._process.returncode == 0:
            return None
        assert self._process.returncode == -signal.SIGKILL
        return phases.split()[-1] if phases else ""

    def complete(self) -> float:
        """Wait for its end; the seconds it took."""
        started = time.perf_counter()
        self._process.communicate(timeout=120)
        assert self._process.returncode == 0
        return time.perf_counter() - started


def test_killed_at_any_moment_the_old_data_or_the_new_is_served_whole(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    _Ingestion(place, _write_generation(tmp_path, 0)).complete()
    duration = _Ingestion(place, _write_generation(tmp_path, 1)).complete()
    look = _watch_store(place)
    look()

    moments = random.Random(2026)
    phases: list[str | None] = []
    with _watching(look) as looks:
        for number in range(KILLS):
            # One moment in each of as many equal parts of the whole run.
            delay = duration * (number + moments.random()) / KILLS
            ingestion = _Ingestion(place, _write_generation(tmp_path, 2 + number))
            phases.append(ingestion.kill_after(delay))
        watched = looks()
        _Ingestion(place, _write_generation(tmp_path, 2 + KILLS)).complete()
    look()
    assert len([phase for phase in phases if phase is not None]) >= 20, phases
    assert {"", "indexing"} <= set(phases), phases
    assert watched > KILLS, "nobody looked"
    with Store(f"sqlite:///{place / 'errdex.db'}").snapshot() as snapshot:
        assert f"generation{2 + KILLS} " in next(snapshot.documents()).error_message
    left = [path.name for path in (place / "index").iterdir() if path.is_dir()]
    assert len(left) <= 2, f"left-overs of killed runs: {left}"
