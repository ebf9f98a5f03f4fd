"""The processes that build an index: what they come to when one of them or their parent ends."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.search.documents import ALL
from tests.search.index_folders import SMALL, build, names

from errdex.search.protocol import IndexMissing, SearchError
from errdex.search.whoosh import worker
from errdex.search.whoosh.index import WhooshIndexStore

pytestmark = pytest.mark.slow


def test_a_worker_that_ends_too_soon_is_an_error(folder: Path) -> None:
    others = set(psutil.Process().children())  # of other tests
    writer = WhooshIndexStore(folder, SMALL).begin("v1")
    for document in ALL:
        writer.put(document)
    for child in set(psutil.Process().children()) - others:
        child.kill()
        child.wait()
    with pytest.raises(SearchError, match="has ended"):
        writer.finish()
    assert names(folder) == set()


def test_a_worker_that_cannot_write_is_an_error(folder: Path) -> None:
    writer = WhooshIndexStore(folder, SMALL).begin("v1")
    (building,) = (path for path in folder.iterdir() if path.is_dir())
    for n, document in enumerate(ALL):
        if n == SMALL.workers_from - 1:
            shutil.rmtree(building)
            building.touch()
        writer.put(document)
    with pytest.raises(SearchError, match=r"could not be built: .*Not a directory"):
        writer.finish()
    assert names(folder) == {building.name}


class FullInTheEnd:
    """A companion that fails when all operations were taken."""

    def call(self, function: Callable[..., object], *_: object) -> None:
        if function is worker._finish:
            raise OSError("no room")

    def close(self) -> None:
        pass


def test_an_error_in_the_end_is_raised(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "Companion", FullInTheEnd)
    building = worker.Worker(folder, SMALL)
    building.send(ALL)
    building.end()
    with pytest.raises(SearchError, match=r"could not be built: no room \(OSError\)"):
        building.finish()


@pytest.fixture
def killed_parent(folder: Path) -> Iterator[list[psutil.Process]]:
    """The workers of a build whose process has been killed in the middle."""
    code = (
        "import sys; from pathlib import Path\n"
        "from errdex.search.whoosh.index import WhooshIndexStore\n"
        "from tests.search.documents import ALL\n"
        "from tests.search.test_index_files import SMALL\n"
        "writer = WhooshIndexStore(Path(sys.argv[1]), SMALL).begin('v2')\n"
        "for document in ALL: writer.put(document)\n"
        "print('under way', flush=True); input()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "under way\n"
    workers = psutil.Process(process.pid).children()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=600)
    yield workers
    for each in workers:
        if each.is_running():
            each.kill()


def test_a_killed_build_ends_its_workers_and_is_swept(
    folder: Path, killed_parent: list[psutil.Process]
) -> None:
    assert len(killed_parent) == SMALL.workers
    _, alive = psutil.wait_procs(killed_parent, timeout=600)
    assert not alive
    store = build(folder, "v1")
    assert any(name.startswith("building-") for name in names(folder))
    store.sweep({"v1"})
    assert names(folder) == {"index-v1"}
    with pytest.raises(IndexMissing):
        store.open("v2")
