"""Packs of `bench.crash`: killed while one is written, damaged under a reader, without room.

Each time a line of the served generation must be answered with its record, and nothing be left.
"""

from __future__ import annotations

import random
import resource
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench.crash_runs import Place, Wrong, run_ingest

from errdex.knowledge import Knowledge
from errdex.knowledge.packs import PackFolder
from errdex.matching.patterns.pack.sections import PackError

Told = Counter[str]
Kill = Callable[..., bool]
SMALL_FILE = 36_864
"""Bytes of a file that may be written where there is no room: less than a pack has, and
enough for what readers of SQLite share."""


def answer(knowledge: Knowledge, place: Place, generation: int) -> None:
    """Raises Wrong unless each of some lines is answered with its record."""
    for record_id in sorted(place.ids(generation))[::40]:
        line = f"FrobnicationError: {place.body(record_id, generation)['errorMessage']}"
        events = knowledge.match(line).answer.events
        found = {match.record.id for each in events for match in each.matches}
        if found != {record_id}:
            raise Wrong(f"{line} was answered with {found or 'nothing'}")


def run_first_match(place: Place) -> None:
    """Match without a pack, which is then built and written."""
    answer(Knowledge(place.store, place.indexes()), place, 0)


def run_without_room(place: Place) -> None:
    """The same where no file of a pack's size can be written."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_FILE, SMALL_FILE))
    run_first_match(place)


def kill_writers(
    folder: Path, kills: int, chance: random.Random, kill: Kill, length: float
) -> Told:
    """Readers killed while they write the pack: it is whole, or missing and built again."""
    place, told = Place(folder), Told()
    for number in range(kills):
        _remove_packs(place)
        # The pack is written at the end.
        delay = length * (0.6 + 0.6 * (number + chance.random()) / kills)
        told["killed" if kill(delay, run_first_match, place) else "ended before"] += 1
        told[f"pack {_state(place)}"] += 1
        run_first_match(place)
        if _state(place) != "whole":
            raise Wrong("the pack is not written again")
    return told


def damage_under_reader(folder: Path, times: int, chance: random.Random) -> Told:
    """A pack overwritten or cut while a reader has it mapped: built again, with right answers."""
    place, told = Place(folder), Told()
    run_ingest(place, 0)
    knowledge = Knowledge(place.store, place.indexes())
    answer(knowledge, place, 0)
    for number in range(times):
        (path,) = _packs(place)
        data = bytearray(path.read_bytes())
        if number % 3 == 0:
            with path.open("r+b") as file:
                file.truncate(chance.randrange(len(data)))
        else:
            at = chance.randrange(len(data))
            with path.open("r+b") as file:
                file.seek(at)
                file.write(chance.randbytes(min(4096, len(data) - at)))
        answer(knowledge, place, 0)
        if _state(place) != "whole":
            raise Wrong("a damaged pack was not written again")
        told["cut" if number % 3 == 0 else "overwritten"] += 1
    return told


def check_without_room(place: Place) -> None:
    """Raises Wrong when a reader left something where it had no room."""
    if any(_folder(place).glob("*")):
        raise Wrong("a part of a pack was left")
    run_first_match(place)
    if _state(place) != "whole":
        raise Wrong("the pack is not written once there is room")


def _remove_packs(place: Place) -> None:
    for path in _folder(place).glob("*"):
        path.unlink()


def _packs(place: Place) -> list[Path]:
    return list(_folder(place).glob("*.pack"))


def _folder(place: Place) -> Path:
    return place.folder / "errdex.db.patterns"


def _state(place: Place) -> str:
    with place.store.snapshot() as snapshot:
        version, records = snapshot.version, snapshot.count_records()
    if not _packs(place):
        return "missing"
    try:
        PackFolder(place.folder / "errdex.db").open(version, records)
    except PackError as error:
        raise Wrong(f"the pack has its name and is not whole: {error}") from None
    return "whole"
