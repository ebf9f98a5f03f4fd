"""Building the pack of a version: its compiled patterns, aside from those that are being used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from errdex.ingest.errors import PackNotBuilt
from errdex.knowledge.packs import PackFolder
from errdex.matching.patterns.pack.build import build_pack, update_pack
from errdex.matching.patterns.pack.sections import PackError
from errdex.store import Store, StoredRecord


class PackBuild:
    """The pack of `version`, made from that of the version before it and what changed. Where the
    earlier one is missing or damaged the new one is built whole."""

    def __init__(self, store: Store, packs: PackFolder, version: str, previous: str) -> None:
        self._store = store
        self._packs = packs
        self._version = version
        self._previous = previous
        self._changed: dict[str, str | None] = {}

    def put(self, record_id: str, pattern: str) -> None:
        """Add the pattern of a record, or replace it."""
        self._changed[record_id] = pattern

    def delete(self, record_id: str) -> None:
        """Take a record out."""
        self._changed[record_id] = None

    def finish(self, unchanged: Callable[[], Iterable[StoredRecord]]) -> None:
        """Make the pack durable. `unchanged` gives the records that were neither put nor deleted,
        and is called only where there is no pack to start from. Raises PackNotBuilt."""
        try:
            with self._store.snapshot() as snapshot:  # of the version before
                base = self._packs.open(self._previous, snapshot.count_records())
        except (PackError, OSError):
            rows = [(each.id, each.pattern) for each in unchanged()]
            rows += [
                (key, pattern) for key, pattern in self._changed.items() if pattern is not None
            ]
            pack = build_pack(sorted(rows))
        else:
            pack = update_pack(base.facts, self._changed)
        with _explained():
            self._packs.write(self._version, pack)


def ensure_pack(store: Store, packs: PackFolder) -> bool:
    """Build the pack of the version that is served, if there is none that is whole. Says whether
    it did. Raises PackNotBuilt."""
    with store.snapshot() as snapshot:
        if not snapshot.version:
            return False
        try:
            packs.open(snapshot.version, snapshot.count_records())
        except (PackError, OSError):
            pack = build_pack(snapshot.patterns())
            with _explained():
                packs.write(snapshot.version, pack)
            return True
    return False


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PackNotBuilt(
            f"The compiled patterns could not be written ({error}): what was served before is "
            "unchanged. Free some space or correct the rights to their folder, then try again."
        ) from error
