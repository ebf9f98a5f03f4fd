"""Commands of an install without extras: each names the extra that it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# As if none of these were installed, and nothing that they need.
PROGRAM = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
from errdex.cli import main
main()
"""
SERVER = ("fastapi", "starlette", "uvicorn", "jinja2", "pygments", "anyio", "isal",
          "prometheus_client", "python_multipart")  # fmt: skip
HARVEST = ("tree_sitter", "dulwich")
AGENTS = ("mcp", "mcp_types")
EDITORS = ("pygls", "lsprotocol")
ARCHIVES = ("pyspark", "pyarrow", "pandas")


def run(missing: tuple[str, ...], tmp_path: Path, *words: str, stdin: str = "", **more: str):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(missing=missing), *words],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(__file__).parents[2] / "app"),
            "ERRDEX_DATABASE_URL": f"sqlite:///{tmp_path}/errdex.db",
            **more,
        },
        input=stdin,
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.parametrize("command", ["serve", "pages"])
def test_what_serves_names_the_extra_server(tmp_path: Path, command: str) -> None:
    done = run(SERVER, tmp_path, command, ERRDEX_PUBLIC_URL="https://errdex.example")
    assert (done.returncode, done.stdout) == (3, "")
    assert f"`errdex {command}` needs the package" in done.stderr
    assert "pip install 'errdex[server]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("missing", "command"), [(AGENTS, "mcp"), (EDITORS, "lsp")])
def test_what_serves_another_program_names_its_extra(
    tmp_path: Path, missing: tuple[str, ...], command: str
) -> None:
    done = run(missing, tmp_path, command)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"`errdex {command}` needs the package" in done.stderr
    assert f"pip install 'errdex[{command}]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_matches_an_archive_names_the_extra_spark(tmp_path: Path) -> None:
    done = run(ARCHIVES, tmp_path, "bulk", str(tmp_path), "-o", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (3, "")
    assert "`errdex bulk` needs the package pyspark" in done.stderr
    assert "pip install 'errdex[spark]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_reads_another_language_names_the_extra_harvest(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a.go").write_text('package a\nvar Err = errors.New("a basket is gone")\n')
    done = run(HARVEST, tmp_path, "harvest", str(tmp_path / "tree"), "--repo", "acme/shop")
    assert done.returncode != 0
    assert "errdex[harvest]" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_terminal_needs_neither(tmp_path: Path) -> None:
    missing = SERVER + HARVEST + AGENTS + EDITORS + ARCHIVES
    record = '[{"repo": "acme/shop", "errorMessage": "Basket {id} is empty"}]'
    assert run(missing, tmp_path, "ingest", "-", stdin=record).returncode == 0
    for words in (["match"], ["search", "basket"], ["stats"], ["export"], ["verify"], ["reindex"]):
        done = run(missing, tmp_path, *words, stdin="Basket 4711 is empty\n")
        assert done.returncode == 0, (words, done.stderr)
    (tmp_path / "a.py").write_text("def f(n):\n    raise ValueError(f'bad {n}')\n")
    assert run(missing, tmp_path, "check", "-", stdin=record).returncode == 0
