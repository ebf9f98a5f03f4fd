"""What bench.crash kills: each is run in a process of its own, on the place of `Place`."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from errdex.ingest import ingest, rebuild_index
from errdex.knowledge import Knowledge
from errdex.records.filters import Filters
from errdex.search.protocol import IndexDamaged, IndexMissing
from errdex.search.whoosh.build import BuildLimits
from errdex.search.whoosh.index import WhooshIndexStore
from errdex.store import Store, open_database
from errdex.store.schema.migration import Migration
from errdex.store.sqlite.migrations import MIGRATIONS, migrate

LATER = (
    *MIGRATIONS,
    *(
        Migration(
            f"column {number}",
            (
                f"ALTER TABLE record ADD COLUMN later_{number} VARCHAR",
                f"UPDATE record SET later_{number} = slug || '{number}'",
                f"CREATE INDEX later_index_{number} ON record (later_{number})",
            ),
        )
        for number in range(6)
    ),
)
"""Migrations as later versions might have them: each changes every row."""


class Wrong(Exception):
    """Something was served that is not one whole dataset."""


@dataclass(frozen=True)
class Place:
    """A database and its index, filled with generations of made-up records."""

    folder: Path
    records: int = 240

    @property
    def store(self) -> Store:
        return open_database(f"sqlite:///{self.folder / 'errdex.db'}")

    def indexes(self, workers: bool = False) -> WhooshIndexStore:
        limits = BuildLimits(workers_from=20 if workers else 10**9)
        return WhooshIndexStore(self.folder / "index", limits)

    def ids(self, generation: int) -> set[str]:
        """Two thirds of all ids, others each time."""
        return {f"{n:016x}" for n in range(self.records) if n % 3 != generation % 3}

    def body(self, record_id: str, generation: int) -> dict[str, object]:
        """The record of that generation; each of its texts tells which."""
        told = f"generation{generation}"
        return {
            "id": record_id,
            "repo": "owner/name",
            "errorMessage": f"the frobnicator of {told} refused {record_id}",
            "errorClass": "FrobnicationError",
            "documentation": f"In {told} it was asked for too much. " * 20,
            "tags": [f"tag-{generation}", "frob"],
        }

    def write(self, generation: int) -> Path:
        """The record file of a generation."""
        path = self.folder / f"generation-{generation}.jsonl"
        lines = (json.dumps(self.body(each, generation)) for each in sorted(self.ids(generation)))
        path.write_text("\n".join(lines) + "\n")
        return path

    def check(self) -> tuple[int, str]:
        """The generation that is served, and the state of its index: "whole", "missing" or
        "damaged" (which searches are told of). Raises Wrong for a mixture."""
        store = self.store
        try:
            with store.snapshot() as snapshot:
                found = {each.id: json.loads(each.body_json) for each in snapshot.documents()}
                generations = {str(body["tags"][0]) for body in found.values()}
                if len(generations) != 1:
                    raise Wrong(f"generations {generations} in one snapshot")
                generation = int(generations.pop().removeprefix("tag-"))
                right = {each: self.body(each, generation) for each in self.ids(generation)}
                served = {
                    each: {name: body[name] for name in right.get(each, body)}
                    for each, body in found.items()
                }
                if served != right:
                    raise Wrong(f"the records of generation {generation} are others")
                return generation, self._index_state(snapshot.version, generation)
        finally:
            store.close()

    def _index_state(self, version: str, generation: int) -> str:
        try:
            index = self.indexes().open(version)
        except IndexMissing:
            return "missing"
        except IndexDamaged:
            return "damaged"
        try:
            hits = index.search(f"generation{generation}", Filters(), limit=self.records).hits
        except IndexDamaged:
            return "damaged"
        finally:
            index.close()
        if {hit.record_id for hit in hits} != self.ids(generation):
            raise Wrong("the index is of other records than the rows")
        return "whole"


def run_ingest(place: Place, generation: int, workers: bool = False) -> None:
    """Replace the dataset by that generation."""
    path = place.write(generation)
    store = place.store
    report = ingest([path], store=store, indexes=place.indexes(workers), dataset="main", prune=True)
    if not report.ok:
        raise RuntimeError(str(report.problems[:3]))
    store.close()


def run_reindex(place: Place) -> None:
    """Build the index of what is served anew."""
    rebuild_index(place.store, place.indexes(workers=True))


def run_migration(place: Place) -> None:
    """Bring the database to the later form, one step after the other."""
    path = place.folder / "errdex.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, LATER)


def run_swapping(place: Place) -> None:
    """As a server does: look for the newest version, open its index, answer, for ever."""
    knowledge = Knowledge(place.store, place.indexes())
    while True:
        knowledge.prepare()
        knowledge.search_records("frobnicator", limit=5)
        time.sleep(0.001)


def run_backwards(place: Place, generation: int) -> None:
    """Ingest on a machine whose clock has gone back by some days."""
    from errdex.store import versions

    class Back(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) - timedelta(days=400)  # type: ignore[arg-type]

    versions.datetime = Back  # type: ignore[misc]
    run_ingest(place, generation)
