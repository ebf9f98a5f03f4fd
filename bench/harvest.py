"""How fast source becomes records, how much memory it takes, and whether what is raised is
found again.

    python -m bench.harvest [FOLDER]

Read are the standard library, the packages installed beside this program, and those in
FOLDER (`pip install --no-deps --target FOLDER …`, outside of the repository). Then all records
are ingested, and a random part of them is raised and matched (see bench.raised). Memory is
the greatest sum of the resident sets of the process and its children. Of packages only the
Python files are read.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import orjson
from bench.raised import printed_error
from bench.watching import watched

from errdex.harvest.reading import Tally
from errdex.harvest.run import harvest
from errdex.harvest.sources.installed import open_installed
from errdex.harvest.sources.selection import Selection
from errdex.harvest.sources.source_tree import Tree, open_tree
from errdex.ingest import ingest
from errdex.knowledge import Knowledge
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import open_database

RAISED = 1_000


def measure_harvest(folder: Path | None) -> dict[str, Any]:
    """All figures, by their names."""
    with tempfile.TemporaryDirectory(prefix="errdex-bench-") as scratch:
        records = Path(scratch) / "records.jsonl"
        asked = ["--run", str(records), *([str(folder)] if folder else [])]
        figures, peak = watched("bench.harvest", *asked)
        figures["peak_mb"] = round(peak / 2**20)
        knowledge, loaded = _ingested(records, Path(scratch))
        figures.update(loaded)
        for name, frames in (("with_frames", True), ("without_frames", False)):
            figures[f"right_{name}"] = _share_right(knowledge, records, frames=frames)
        knowledge.close()
        return figures


def run(output: Path, folder: Path | None) -> dict[str, Any]:
    """Harvest, and say how it went."""
    start = time.perf_counter()
    tally = Tally()
    with output.open("wb") as file:
        for line in harvest(list_trees(folder), Selection(), tally=tally):
            file.write(line)
    seconds = time.perf_counter() - start
    spent = time.process_time() + sum(os.times()[2:4])
    return {
        "files": tally.files,
        "records": tally.records,
        "files_per_s": round(tally.files / seconds),
        "files_per_s_of_two_free_cores": round(2 * tally.files / spent),
        "skipped": dict(tally.skipped),
        "left_out": dict(tally.left_out),
    }


def list_trees(folder: Path | None) -> list[Tree]:
    """The Python files of the standard library, of what is installed and of the folder."""
    trees = open_installed([], Selection())
    if folder is not None:
        trees.append(open_tree(folder, Selection(), repo="pypi/packages"))
    for tree in trees:
        tree.files = [file for file in tree.files if file.path.endswith(".py")]
    return trees


def _ingested(records: Path, scratch: Path) -> tuple[Knowledge, dict[str, Any]]:
    store = open_database(f"sqlite:///{scratch}/errdex.db")
    indexes = WhooshIndexStore(scratch / "index")
    report = ingest([records], store=store, indexes=indexes, dataset="harvested")
    figures = {"ingested": report.added, "refused": report.refused, "seconds": report.seconds}
    return Knowledge(store, indexes), {f"ingest_{name}": value for name, value in figures.items()}


def _share_right(knowledge: Knowledge, records: Path, *, frames: bool) -> float:
    chance = random.Random(20261129)
    lines = records.read_bytes().splitlines()
    right = 0
    for line in chance.sample(lines, min(RAISED, len(lines))):
        record = orjson.loads(line)
        answer = knowledge.match(printed_error(record, chance, frames=frames)).answer
        right += is_first(record["id"], answer.events)
    return round(right / min(RAISED, len(lines)), 4)


def is_first(wanted: str, events: Any) -> bool:
    """Whether the record, or one that cannot be told from it, is the best match of an event."""
    return any(
        match.record.id == wanted and match.group == event.matches[0].group
        for event in events
        for match in event.matches
    )


def main() -> None:
    """Measure, or be the process that is measured."""
    words = sys.argv[1:]
    if words[:1] == ["--run"]:
        print(json.dumps(run(Path(words[1]), Path(words[2]) if words[2:] else None)))
        return
    print(json.dumps(measure_harvest(Path(words[0]) if words else None), indent=2))


if __name__ == "__main__":
    main()
