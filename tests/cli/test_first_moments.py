"""What a command imports, and what becomes of it when it is interrupted meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.knowledge_base import SHOP, load

from errdex.cli import INTERRUPTED
from errdex.config import Settings, open_store

pytestmark = pytest.mark.slow

HEAVY = {"sqlalchemy", "sqlmodel", "numpy", "whoosh", "yaml", "fastapi", "uvicorn"}
ROOMS = {f"errdex.{room}" for room in ("store", "search", "matching", "knowledge", "ingest", "web")}

_LOADED = """
import sys
from errdex.cli import main
try:
    main()
finally:
    print(*sorted(set(sys.argv.pop().split(",")) & set(sys.modules)), file=sys.stderr)
"""
_INTERRUPTED = """
import os, signal, sys, time

module = sys.argv.pop(1)

class Interrupt:
    def find_spec(self, name, *_):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
sys.meta_path.insert(0, Interrupt())
from errdex.cli import main
main()
"""


def _run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "app"), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def _loaded(modules: set[str], *arguments: str) -> set[str]:
    program = _LOADED.replace("sys.argv.pop()", repr(",".join(modules)))
    ran = _run(program, *arguments)
    assert ran.returncode == 0, ran.stderr
    return set(ran.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("asked", [["--version"], ["version"], ["--help"], ["match", "--help"]])
def test_saying_what_it_is_loads_none_of_the_rooms(asked: list[str]) -> None:
    assert _loaded(HEAVY | ROOMS, *asked) == set()


@pytest.mark.parametrize("command", ["match", "show", "stats"])
def test_what_reads_records_does_without_what_writes_them(tmp_path: Path, command: str) -> None:
    url = f"sqlite:///{tmp_path / 'errdex.db'}"
    store, indexes = open_store(Settings(database_url=url))
    load(tmp_path, store, indexes, SHOP)
    with store.snapshot() as snapshot:
        known = next(snapshot.documents()).id
    (tmp_path / "known.log").write_text("ShopError: Basket 4711 is empty\n")
    argument = {"match": [str(tmp_path / "known.log")], "show": [known], "stats": []}[command]
    loaded = _loaded(HEAVY | ROOMS, command, *argument, "--database", url)
    assert loaded & HEAVY == set()
    assert "errdex.ingest" not in loaded
    assert "errdex.store" in loaded


@pytest.mark.parametrize(
    "module",
    [
        "typer",
        "errdex.cli.commands.match",
        "pydantic",
        "errdex.config",
        "errdex.matching.patterns.engine",
    ],
)
def test_interrupted_while_it_is_loading_it_ends_in_silence(tmp_path: Path, module: str) -> None:
    log = tmp_path / "a.log"
    log.write_text("nothing\n")
    ran = _run(_INTERRUPTED, module, "match", str(log))
    assert (ran.returncode, ran.stdout, ran.stderr) == (INTERRUPTED, "", "")


def test_a_reader_that_goes_away_is_told_nothing() -> None:
    """`errdex --help | true`"""
    program = f"{sys.executable} -c 'from errdex.cli import main; main()' --help | true"
    ran = subprocess.run(
        ["sh", "-c", program],
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "app")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.stderr == ""
