"""A server on a system that nobody may write to: of the whole tree of files, the database's folder
alone can be written, and there is no place for temporary files.

That is what `docker run --read-only` gives the image. A namespace of our own stands in for it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from tests.knowledge_base import SHOP

ERRDEX = Path(sys.executable).with_name("errdex")
READ_ONLY = (
    "mount --make-rprivate / && mount --bind {folder} {folder} && mount -o remount,bind,ro /"
)


def in_namespace(script: str) -> list[str]:
    return ["unshare", "--mount", "sh", "-c", script]


@pytest.fixture
def read_only(tmp_path: Path) -> str:
    """What makes all else than the folder read-only, where this process may do so."""
    script = READ_ONLY.format(folder=tmp_path)
    probe = f"{script} && touch {tmp_path}/inside && ! touch {Path(__file__).parent}/outside"
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare on this machine")
    if subprocess.run(in_namespace(probe), capture_output=True).returncode:
        pytest.skip("this process may not make a read-only namespace")
    return script


@pytest.mark.parametrize("workers", [1, 2])
def test_all_of_it_works_with_one_folder_to_write(
    read_only: str, tmp_path: Path, port: int, workers: int
) -> None:
    (tmp_path / "shop.json").write_text(json.dumps(SHOP))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nowhere",
        "PYTHONDONTWRITEBYTECODE": "1",
        "ERRDEX_DATABASE_URL": f"sqlite:///{tmp_path}/errdex.db",
        "ERRDEX_PORT": str(port),
    }
    ingest = f"{ERRDEX} ingest {tmp_path}/shop.json"
    serve = f"exec {ERRDEX} serve --workers {workers}"
    with (tmp_path / "said").open("wb") as said:
        server = subprocess.Popen(
            in_namespace(f"{read_only} && cd / && {ingest} && {serve}"),
            env=environment,
            stdout=said,
            stderr=said,
        )
    try:
        while True:
            assert server.poll() is None, (tmp_path / "said").read_text()
            try:
                with urlopen(f"http://127.0.0.1:{port}/readyz") as ready:
                    if ready.status == 200:
                        break
            except OSError:
                time.sleep(0.1)
        paste = b"ShopError: Basket 4711 is empty\n" * 4000  # large: a process of its own
        address = f"http://127.0.0.1:{port}/api/errors/match"
        with urlopen(Request(address, paste, {"Content-Type": "text/plain"})) as answer:
            assert json.loads(answer.read())["found"] is True
        with urlopen(f"http://127.0.0.1:{port}/metrics") as metrics:
            assert b"errdex_" in metrics.read()
    finally:
        server.terminate()
        server.wait(timeout=600)
    assert "Traceback" not in (tmp_path / "said").read_text()
