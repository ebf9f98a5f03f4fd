"""A server whose data are held elsewhere takes them up, whatever happens there."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load

from errdex.knowledge import Knowledge
from errdex.search.fake import FakeIndexStore
from errdex.store import Replica, Store, StoreUnreachable, open_database
from errdex.web.watching import Watcher


class Primary:
    """One in SQLite, which may be out of reach."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.name = "the other database"
        self.gone = False

    def __getattr__(self, name: str) -> object:
        if self.gone and name not in ("close", "name"):
            raise StoreUnreachable(f"{self.name} is gone.")
        return getattr(self._inner, name)


@pytest.fixture
def primary(tmp_path: Path) -> Primary:
    return Primary(open_database(f"sqlite:///{tmp_path / 'primary.db'}"))


@pytest.fixture
def open_host(primary: Primary, tmp_path: Path) -> Iterator[Callable[[str], Replica]]:
    opened = []

    def open_on(name: str) -> Replica:
        copy = open_database(f"sqlite:///{tmp_path / name / 'errdex.db'}")
        opened.append(Replica(primary, copy))  # type: ignore[arg-type]
        return opened[-1]

    yield open_on
    for each in opened:
        each.close()


def wait_until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.01)


def test_it_takes_up_what_another_host_ingests_and_outlives_the_primary(
    primary: Primary, open_host: Callable[[str], Replica], tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.INFO, "errdex")
    writer, server = open_host("writer"), open_host("server")
    load(tmp_path, writer, FakeIndexStore(), SHOP[:2])
    indexes = FakeIndexStore()
    knowledge = Knowledge(server, indexes)
    told = threading.Event()
    watcher = Watcher(knowledge, server, indexes, 0.05, told.set)
    watcher.start()
    with closing(knowledge):
        assert knowledge.get_stats().records == 2, "it is there before the first request"
        load(tmp_path, writer, FakeIndexStore(), SHOP[:3])
        wait_until(lambda: knowledge.get_stats().records == 3)
        assert told.wait(600)
        primary.gone = True
        wait_until(lambda: "is gone. Serving what is on this host meanwhile." in caplog.text)
        assert knowledge.get_stats().records == 3
        assert len(knowledge.search_records("basket").items) == 2
        primary.gone = False
        load(tmp_path, writer, FakeIndexStore(), SHOP)
        wait_until(lambda: knowledge.get_stats().records == 4)
        watcher.stop()
    said = [each.getMessage() for each in caplog.records]
    gone = [each for each in said if "is gone" in each]
    assert len(gone) == 1, "each thing is said once"


def test_a_long_wait_for_news_does_not_hold_back_the_end(
    primary: Primary, open_host: Callable[[str], Replica], tmp_path: Path
) -> None:
    server, indexes = open_host("server"), FakeIndexStore()
    load(tmp_path, server, indexes, SHOP)
    watcher = Watcher(Knowledge(server, indexes), server, indexes, 3600.0, lambda: None)
    watcher.start()
    watcher.stop()
    assert not watcher._thread.is_alive()


def test_with_nothing_here_and_no_primary_it_does_not_start(
    primary: Primary, open_host: Callable[[str], Replica]
) -> None:
    server, indexes = open_host("server"), FakeIndexStore()
    primary.gone = True
    with pytest.raises(StoreUnreachable, match="is gone"):
        Watcher(Knowledge(server, indexes), server, indexes, 1.0, lambda: None).start()
