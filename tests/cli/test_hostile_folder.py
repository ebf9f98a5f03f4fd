"""Commands that are run in a stranger's checkout import nothing from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import pytest
from tests.ports import reserved_port

pytestmark = pytest.mark.slow

RECORD = {
    "repo": "a/b",
    "errorMessage": "the pump of {unit} stopped at once",
    "sourceCode": "x = 1",
}
SEVERAL_FILES = 40
"""More than a worker takes at once, so that there are workers."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with modules named as all those that a worker could look for, each of which
    leaves a note when it is imported."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    note = f"open({str(tmp_path / 'imported')!r}, 'a').write(__name__ + '\\n')\n"
    names = {*sys.stdlib_module_names, "errdex", "numpy", "orjson", "sitecustomize", "pygments"}
    for name in names:
        (folder / f"{name}.py").write_text(note)
    for number in range(SEVERAL_FILES):
        text = f'def check(x):\n    raise ValueError(f"valve {{x}} of pump {number} is stuck")\n'
        (folder / f"file_{number}.py").write_text(text)
    (folder / "records.json").write_text(json.dumps([RECORD]))
    return folder


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """The command as an installed one is: a script in a folder of its own."""
    script = tmp_path / "bin" / "start.py"
    script.parent.mkdir()
    script.write_text("from errdex.cli import main\nif __name__ == '__main__':\n    main()\n")
    return [sys.executable, str(script)]


def environment(tmp_path: Path) -> dict[str, str]:
    source = str(Path(__file__).parents[2] / "app")
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    url = f"sqlite:///{tmp_path / 'data' / 'errdex.db'}"
    return {**kept, "PYTHONPATH": source, "ERRDEX_DATABASE_URL": url}


def run(command: list[str], checkout: Path, *arguments: str) -> str:
    (checkout.parent / "data").mkdir(exist_ok=True)
    ran = subprocess.run(
        [*command, *arguments],
        cwd=checkout,
        env=environment(checkout.parent),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


def assert_nothing_imported(checkout: Path) -> None:
    note = checkout.parent / "imported"
    assert not note.exists(), note.read_text()


def test_harvest(checkout: Path, command: list[str]) -> None:
    said = run(command, checkout, "harvest", ".", "--workers", "2", "-o", "../records.jsonl")
    assert f"harvested: {SEVERAL_FILES} records" in said
    assert_nothing_imported(checkout)


@pytest.mark.slow
def test_ingestion_and_pages(checkout: Path, command: list[str]) -> None:
    run(command, checkout, "ingest", "records.json")
    run(command, checkout, "pages", "--workers", "2")
    assert_nothing_imported(checkout)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_server(checkout: Path, command: list[str], workers: int) -> None:
    run(command, checkout, "ingest", "records.json")
    with reserved_port() as port:
        server = subprocess.Popen(
            [*command, "serve", "--port", str(port), "--workers", str(workers)],
            cwd=checkout,
            env=environment(checkout.parent),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    try:
        while not is_ready(port):
            assert server.poll() is None
            time.sleep(0.05)
        # Long enough for a process of its own.
        paste = b"the pump of unit 4 stopped at once\n" * 10_000
        with closing(HTTPConnection("127.0.0.1", port, timeout=600)) as connection:
            connection.request("POST", "/api/errors/match", paste, {"Content-Type": "text/plain"})
            assert json.loads(connection.getresponse().read())["found"]
    finally:
        server.terminate()
        server.wait(600)
    assert_nothing_imported(checkout)


def is_ready(port: int) -> bool:
    with closing(HTTPConnection("127.0.0.1", port, timeout=600)) as connection, suppress(OSError):
        connection.request("GET", "/readyz")
        return connection.getresponse().status == HTTPStatus.OK
    return False
