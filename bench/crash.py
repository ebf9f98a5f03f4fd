"""Killed hundreds of times, out of room, damaged: never wrong data, and the next run mends.

    python -m bench.crash [--kills 300]

SIGKILL comes at random moments, spread over the whole length of a run, into ingestion
(with and without processes that build the index), reindexing, migration and a reader
that takes up new versions. After each kill the place must hold one whole dataset, old or
new. The other scenes are told in `SCENES`.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bench import crash_packs, crash_runs
from bench.crash_runs import LATER, Place, Wrong, run_ingest, run_reindex
from bench.figures import Figure, Result

from errdex.ingest import IngestionRunning
from errdex.store import StoreError
from errdex.store.sqlite.migrations import MIGRATIONS

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["bench.crash_runs"])
Told = Counter[str]
SERVED_WRONG = "served wrong"


def kill_at(delay: float, run: Callable[..., None], *arguments: object) -> bool:
    """Start it and send SIGKILL after so many seconds; False when it had ended before."""
    process = _CONTEXT.Process(target=run, args=arguments)
    process.start()
    process.join(delay)
    process.kill()
    process.join()
    if process.exitcode not in (0, -signal.SIGKILL):
        raise RuntimeError(f"{run.__name__} ended with {process.exitcode}")
    return process.exitcode != 0


def length_of(run: Callable[..., None], *arguments: object) -> float:
    """Seconds that it takes when nobody kills it."""
    begun = time.perf_counter()
    process = _CONTEXT.Process(target=run, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{run.__name__} ended with {process.exitcode}")
    return time.perf_counter() - begun


def kill_ingestions(folder: Path, kills: int, chance: random.Random) -> Told:
    """Half of them with processes beside that build the index."""
    place, told = Place(folder), Told()
    generations = itertools.count(1)
    run_ingest(place, 0)
    serving = 0
    for workers in (False, True):
        length = min(
            length_of(crash_runs.run_ingest, place, next(generations), workers) for _ in range(3)
        )  # the first takes longer, and a kill that comes too late is none
        for number in range(kills // 2):
            generation = next(generations)
            delay = length * (number + chance.random()) / (kills // 2)
            killed = kill_at(delay, crash_runs.run_ingest, place, generation, workers)
            before, (serving, state) = serving, place.check()
            if state != "whole":
                raise Wrong(f"the index of the served version is {state}")
            told["killed" if killed else "ended before"] += 1
            told["new data" if serving == generation else "old data"] += serving >= before
    run_ingest(place, next(generations))
    _no_leftovers(place)
    return told


def kill_reindexing(folder: Path, kills: int, chance: random.Random) -> Told:
    """Searches may be told that there is no index; the next run builds it."""
    place, told = Place(folder), Told()
    run_ingest(place, 0)
    length = length_of(crash_runs.run_reindex, place)
    for number in range(kills):
        if number % 3 == 0:
            shutil.rmtree(folder / "index", ignore_errors=True)  # one killed made none
        delay = length * (number + chance.random()) / kills
        told["killed" if kill_at(delay, run_reindex, place) else "ended before"] += 1
        told[f"index {place.check()[1]}"] += 1
    run_reindex(place)
    if place.check() != (0, "whole"):
        raise Wrong("the index is not mended")
    _no_leftovers(place)
    return told


def kill_migrations(folder: Path, kills: int, chance: random.Random) -> Told:
    """Each step is there whole or not at all, and the rest follows."""
    place, told = Place(folder), Told()
    run_ingest(place, 0)
    place.store.close()
    kept = folder / "kept"
    kept.mkdir()
    for path in filter(Path.is_file, folder.glob("errdex.db*")):
        shutil.copy(path, kept)

    def restore() -> None:
        for path in filter(Path.is_file, folder.glob("errdex.db*")):
            path.unlink()
        for path in kept.iterdir():
            shutil.copy(path, folder)

    length = length_of(crash_runs.run_migration, place)
    for number in range(kills):
        restore()
        delay = length * (number + chance.random()) / kills
        told["killed" if kill_at(delay, crash_runs.run_migration, place) else "ended before"] += 1
        told[f"{_steps_done(place)} steps"] += 1
        crash_runs.run_migration(place)
        if _steps_done(place) != len(LATER):
            raise Wrong("a migration is not completed")
    return told


def _steps_done(place: Place) -> int:
    """How many migrations went through; raises Wrong for a part of one."""
    import sqlite3

    with closing(sqlite3.connect(place.folder / "errdex.db")) as connection:
        done = connection.execute("SELECT max(number) FROM applied_migration").fetchone()[0]
        columns = {row[1] for row in connection.execute("PRAGMA table_info(record)")}
        names = sorted(each for each in columns if each.startswith("later_"))
        if names != [f"later_{number}" for number in range(done - len(MIGRATIONS))]:
            raise Wrong(f"{done} migrations and the columns {names}")
        for name in names:
            missing = connection.execute(f"SELECT count(*) FROM record WHERE {name} IS NULL")
            if missing.fetchone()[0]:
                raise Wrong(f"a part of {name}")
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise Wrong("the database is damaged")
    return int(done)


def kill_swapping(folder: Path, kills: int, chance: random.Random) -> Told:
    """A reader that takes up versions while they come; it owns nothing that could be hurt."""
    place, told = Place(folder), Told()
    run_ingest(place, 0)
    for number in range(1, kills + 1):
        process = _CONTEXT.Process(target=crash_runs.run_swapping, args=(place,))
        process.start()
        time.sleep(chance.random() * 0.05)
        if number % 4 == 0:
            run_ingest(place, number)
        process.kill()
        process.join()
        if place.check()[1] != "whole":
            raise Wrong("a killed reader hurt the index")
        told["killed" if process.exitcode == -signal.SIGKILL else "ended before"] += 1
    return told


def kill_pack_writers(folder: Path, kills: int, chance: random.Random) -> Told:
    """See `crash_packs.kill_writers`."""
    place = Place(folder)
    run_ingest(place, 0)
    lengths = []
    for _ in range(3):  # the first takes longer, and a kill that comes too late is none
        shutil.rmtree(folder / "errdex.db.patterns")
        lengths.append(length_of(crash_packs.run_first_match, place))
    length = min(lengths)
    return crash_packs.kill_writers(folder, kills, chance, kill_at, length)


def pack_without_room(folder: Path, _: int, __: random.Random) -> Told:
    """No room for a pack: matched all the same, and nothing left."""
    place = Place(folder)
    run_ingest(place, 0)
    shutil.rmtree(folder / "errdex.db.patterns")
    length_of(crash_packs.run_without_room, place)
    crash_packs.check_without_room(place)
    return Told({"matched without": 1})


def fill_disk(folder: Path, _: int, __: random.Random) -> Told:
    """Ingestions on a file system that is all but full: refused clearly, the old served."""
    told = Told()
    if not _mounted(folder, "size=6m"):
        return Told({"skipped: only root can mount": 1})
    try:
        place = Place(folder)
        _command(place, 0)
        for number in range(1, 9):
            room = shutil.disk_usage(folder).free
            (folder / "ballast").write_bytes(b"x" * (room - min(number * 100_000, room)))
            told[_command(place, number)] += 1
            (folder / "ballast").unlink()
            if place.check()[1] == "damaged":
                raise Wrong("a full disk hurt the index")
        _command(place, 9)
        if place.check() != (9, "whole"):
            raise Wrong("not mended after there was room")
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
    return told


def read_only(folder: Path, _: int, __: random.Random) -> Told:
    """A read-only file system: what is there is served, writing is refused clearly."""
    if not _mounted(folder, "size=30m"):
        return Told({"skipped: only root can mount": 1})
    try:
        place = Place(folder)
        _command(place, 0)
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        told = Told({_command(place, 1): 1})
        if place.check() != (0, "whole"):
            raise Wrong("not served from a read-only file system")
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
    return told


def _command(place: Place, generation: int) -> str:
    """What `errdex ingest` of that generation says in the end. Raises Wrong when it is not
    a clear sentence."""
    with tempfile.TemporaryDirectory() as elsewhere:
        source = Place(Path(elsewhere), place.records).write(generation)
        return _ingest_by_command(place, source)


def _ingest_by_command(place: Place, source: Path) -> str:
    command = [sys.executable, "-c", "from errdex.cli import main; main()", "ingest", str(source)]
    environment = {
        **os.environ,
        "ERRDEX_DATABASE_URL": f"sqlite:///{place.folder}/errdex.db",
        "ERRDEX_INDEX_FOLDER": str(place.folder / "index"),
    }
    done = subprocess.run(
        [*command, "--dataset", "main", "--prune"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "Traceback" in done.stderr:
        raise Wrong(f"not refused clearly: {done.stderr[-500:]}")
    if done.returncode == 0:
        return "done"
    said = done.stderr.strip().splitlines()[-1]
    return f"refused: {said.replace(str(place.folder), '')[:70]}"


def _mounted(folder: Path, options: str) -> bool:
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def damage_index(folder: Path, times: int, chance: random.Random) -> Told:
    """A byte of the index changed, or a file cut: noticed, or without effect."""
    place, told = Place(folder), Told()
    run_ingest(place, 0)
    kept = folder / "kept"
    shutil.copytree(folder / "index", kept)
    for _ in range(times):
        shutil.rmtree(folder / "index")
        shutil.copytree(kept, folder / "index")
        files = [each for each in (folder / "index").rglob("*") if each.is_file()]
        _damage(chance.choice(files), chance)
        told[f"index {place.check()[1]}"] += 1
    run_reindex(place)
    if place.check() != (0, "whole"):
        raise Wrong("the index is not mended")
    return told


def damage_database(folder: Path, times: int, chance: random.Random) -> Told:
    """A page of the database overwritten, or one bit changed: noticed, or without effect."""
    place, told = Place(folder), Told()
    run_ingest(place, 0)
    _checkpoint(folder)
    whole = (folder / "errdex.db").read_bytes()
    for number in range(times):
        _write_database(folder, whole, chance, page=number % 2 == 0)
        kind = "page" if number % 2 == 0 else "byte"
        try:
            place.check()
            told[f"{kind}: without effect"] += 1
        except StoreError as error:
            told[f"{kind}: noticed ({type(error).__name__})"] += 1
        except (Wrong, ValueError):
            told[SERVED_WRONG] += 1
    (folder / "errdex.db").write_bytes(whole)
    return told


def _write_database(folder: Path, whole: bytes, chance: random.Random, page: bool) -> None:
    for path in folder.glob("errdex.db-*"):
        path.unlink()
    data = bytearray(whole)
    if page:
        at = chance.randrange(1, len(data) // 4096) * 4096
        data[at : at + 4096] = chance.randbytes(4096)
    else:
        at = chance.randrange(100, len(data))
        data[at] ^= 1 << chance.randrange(8)
    (folder / "errdex.db").write_bytes(bytes(data))


def _checkpoint(folder: Path) -> None:
    import sqlite3

    with closing(sqlite3.connect(folder / "errdex.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _damage(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    if not data or chance.random() < 0.2:
        path.write_bytes(bytes(data[: len(data) // 2]))
        return
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(bytes(data))


def two_at_once(folder: Path, times: int, _: random.Random) -> Told:
    """Two ingestions into one place: one waits for the other or is refused, both whole."""
    place, told = Place(folder), Told()
    run_ingest(place, 0)
    for number in range(1, 2 * max(times // 20, 2), 2):
        running = [
            _CONTEXT.Process(target=crash_runs.run_ingest, args=(place, generation))
            for generation in (number, number + 1)
        ]
        for each in running:
            each.start()
        for each in running:
            each.join()
        told["both done" if not any(each.exitcode for each in running) else "one refused"] += 1
        if place.check()[1] != "whole":
            raise Wrong("two ingestions hurt each other")
    return told


def clock_backwards(folder: Path, _: int, __: random.Random) -> Told:
    """A version is greater than the one before it whatever the clock says."""
    place = Place(folder)
    run_ingest(place, 0)
    first = place.store.current_version()
    length_of(crash_runs.run_backwards, place, 1)
    second = place.store.current_version()
    run_ingest(place, 2)
    if not first < second < place.store.current_version() or place.check() != (2, "whole"):
        raise Wrong("a version went backwards")
    return Told({"greater all the same": 1})


def _no_leftovers(place: Place) -> None:
    left = [path.name for path in (place.folder / "index").iterdir() if path.is_dir()]
    if len(left) > 2:
        raise Wrong(f"left-overs of killed runs: {left}")


SCENES: dict[str, tuple[Callable[[Path, int, random.Random], Told], float]] = {
    "ingestion killed": (kill_ingestions, 0.4),
    "reindexing killed": (kill_reindexing, 0.2),
    "migration killed": (kill_migrations, 0.2),
    "reader killed": (kill_swapping, 0.2),
    "pack writer killed": (kill_pack_writers, 0.2),
    "pack damaged under a reader": (crash_packs.damage_under_reader, 0.3),
    "no room for a pack": (pack_without_room, 0.0),
    "disk full": (fill_disk, 0.0),
    "read-only file system": (read_only, 0.0),
    "index damaged": (damage_index, 0.3),
    "database damaged": (damage_database, 0.6),
    "two ingestions at once": (two_at_once, 0.2),
    "clock backwards": (clock_backwards, 0.0),
}


def play(name: str, kills: int, seed: int = 2026) -> Told:
    """One scene with its share of so many kills. Raises Wrong."""
    scene, share = SCENES[name]
    with tempfile.TemporaryDirectory(prefix="errdex-crash-") as folder:
        return scene(Path(folder), max(round(kills * share), 2), random.Random(seed))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("scenes", nargs="*", default=list(SCENES))
    wanted = parser.parse_args()
    figures, failed = [], 0
    for name in wanted.scenes:
        try:
            told = play(name, wanted.kills)
        except (Wrong, IngestionRunning) as error:
            failed += 1
            print(f"WRONG {name}: {error}", flush=True)
            continue
        said = ", ".join(f"{number} {what}" for what, number in sorted(told.items()))
        print(f"{name}: {said}", flush=True)
        figures.append(Figure(name, "wrong", told[SERVED_WRONG], "allowed", 1, False, said))
    told = f"{wanted.kills} kills asked for; after each the whole place is read and compared"
    Result("crash", "Crash safety", told, figures).save()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
