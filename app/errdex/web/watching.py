"""What a server does beside answering: it takes up new versions, and builds a missing index."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread
from time import monotonic

from errdex.ingest import IngestError, IngestionRunning, catch_up, follow, rebuild_index
from errdex.knowledge import Knowledge, SearchUnavailable
from errdex.search.protocol import IndexStore, SearchError
from errdex.store import Replica, Store, StoreError

log = logging.getLogger("errdex")

RETRY_SECONDS = 30.0
"""How long to leave an index alone that could not be built."""
_STOP_SECONDS = 0.5
"""How long a stop may go unnoticed."""
_END_SECONDS = 10.0
"""How long an end is waited for."""


class BackgroundRebuild:
    """Builds the index of the served version in a thread, one at a time."""

    def __init__(self, store: Store, indexes: IndexStore) -> None:
        self._store = store
        self._indexes = indexes
        self._lock = Lock()
        self._not_before = 0.0

    def __call__(self) -> bool:
        """Start building unless that is under way; the index is not there yet: False."""
        if monotonic() >= self._not_before and self._lock.acquire(blocking=False):
            Thread(target=self._run, name="index rebuild", daemon=True).start()
        return False

    def _run(self) -> None:
        wait = RETRY_SECONDS
        try:
            log.warning("The full-text index is missing or damaged and is being built anew.")
            built = rebuild_index(self._store, self._indexes, wait_seconds=0)
            log.info("The full-text index of %s is built.", built)
            wait = 0.0
        except IngestionRunning:  # or another worker of this server, which builds it too
            log.info("Another process is writing; the full-text index is looked for again soon.")
            wait = 1.0
        except (IngestError, SearchError, StoreError) as error:
            log.error("The full-text index could not be built: %s", error)
        finally:
            self._not_before = monotonic() + wait
            self._lock.release()


class Watcher:
    """Opens the index of a new dataset version ahead of the first request that needs it, and
    then calls `tell`, in a thread. Where the data are held elsewhere, it first copies them."""

    def __init__(
        self,
        knowledge: Knowledge,
        store: Store,
        indexes: IndexStore,
        seconds: float,
        tell: Callable[[], object],
    ) -> None:
        self._knowledge = knowledge
        self._store = store
        self._indexes = indexes
        self._seconds = seconds
        self._tell = tell
        self._served = ""
        self._stop = Event()
        self._thread = Thread(target=self._run, name="version watcher", daemon=True)
        self._said: dict[str, str] = {}
        self._follows = isinstance(store, Replica)
        """Whether the primary can be waited for."""

    def start(self) -> None:
        """Begin to watch. Where the data are held elsewhere, they are here before this returns;
        raises StoreError and IngestError where they cannot be, and there are none to serve."""
        if sentence := catch_up(self._store, self._indexes):
            log.warning("%s", sentence)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait until it has ended, unless a database server leaves it waiting."""
        self._stop.set()
        self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        self._prepare()
        while not self._pause():
            self._prepare()

    def _pause(self) -> bool:
        """Until there may be something new. Whether to end."""
        if not self._follows:
            return self._stop.wait(self._seconds)
        try:
            served, end = self._store.current_version(), monotonic() + self._seconds
            while not self._stop.is_set() and (left := end - monotonic()) > 0:
                slice_seconds = min(left, _STOP_SECONDS)
                if self._store.wait_for_version(served, slice_seconds) != served:
                    break
        except StoreError as error:
            self._say("primary", f"{error} Serving what is on this host meanwhile.")
            return self._stop.wait(self._seconds)
        return self._stop.is_set()

    def _prepare(self) -> None:
        try:
            if isinstance(self._store, Replica):
                self._follow()
            served = self._knowledge.prepare()
            self._say(
                "version", f"Serving dataset version {served or 'none: nothing is ingested yet'}."
            )
            if served != self._served:
                self._served = served
                self._tell()
        except (SearchUnavailable, StoreError) as error:
            self._say("version", str(error))
        except Exception:
            log.exception("The dataset version could not be looked at; trying again.")

    def _follow(self) -> None:
        self._follows = False
        try:
            follow(self._store, self._indexes, wait_seconds=0)
            self._follows = True
            self._say("primary", f"Following {self._store.name}.")
        except IngestionRunning:  # another worker of this server follows
            pass
        except (IngestError, SearchError, StoreError) as error:
            self._say("primary", f"{error} Serving what is on this host meanwhile.")

    def _say(self, about: str, sentence: str) -> None:
        if sentence != self._said.get(about):
            log.info("%s", sentence)
            self._said[about] = sentence
