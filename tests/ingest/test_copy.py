"""`errdex copy`: all of it, checked, and never over what is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import PostgresServer

from errdex.ingest import CopyRefused, copy, ingest
from errdex.search.fake import FakeIndexStore
from errdex.store import Store, open_database
from errdex.store.sqlite.copying import DatabaseCopy

pytestmark = pytest.mark.slow

Body = dict[str, Any]
ROOT = Path(__file__).parents[2]
ERRDEX = Path(sys.executable).with_name("errdex")
BOTH = ("sqlite", pytest.param("postgres", marks=pytest.mark.tools("postgres")))


@pytest.fixture
def make_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, str], str]:
    """`make_url("sqlite", "name")`: the URL of an empty database."""

    def make(kind: str, name: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / f'{name}.db'}"
        return request.getfixturevalue("postgres").make_database()

    return make


@contextmanager
def opened(url: str, tmp_path: Path) -> Iterator[Store]:
    with closing(open_database(url, cache=tmp_path / "cache")) as store:
        yield store


def everything(store: Store) -> object:
    """All that readers get."""
    with store.snapshot() as snapshot:
        datasets = snapshot.stats().datasets
        causes = list(snapshot.causes().values())
        return (
            snapshot.version,
            list(snapshot.documents()),
            datasets,
            causes,
            snapshot.counts("tag"),
        )


@pytest.mark.parametrize("source_kind", BOTH)
@pytest.mark.parametrize("target_kind", BOTH)
def test_everything_arrives(
    make_url: Callable[[str, str], str], make_body: Callable[..., Body], write_lines: Callable,
    tmp_path: Path, source_kind: str, target_kind: str,
) -> None:  # fmt: skip
    source_url, target_url = make_url(source_kind, "source"), make_url(target_kind, "target")
    cause = {"tag": "frob", "title": "Frobnication", "text": "It frobnicates."}
    bodies = [make_body(n, formerIds=[f"{n + 5000:016x}"]) for n in range(700)]
    with opened(source_url, tmp_path) as source, opened(target_url, tmp_path) as target:
        for dataset, files in (("one", bodies[:600]), ("two", bodies[600:])):
            lines = write_lines(files, f"{dataset}.jsonl")
            ingest([lines], store=source, indexes=FakeIndexStore(), dataset=dataset)
        causes = write_lines([cause], "causes.jsonl")
        ingest([causes], store=source, indexes=FakeIndexStore(), dataset="two")
        indexes = FakeIndexStore()
        report = copy(source, target, indexes)
        assert everything(target) == everything(source)
        assert (report.records, report.causes) == (700, 1)
        assert indexes.versions[report.version].keys() == {f"{n:016x}" for n in range(700)}
        with pytest.raises(CopyRefused, match="has a dataset version already"):
            copy(source, target, indexes)
        # What is there is known again by the text in the files.
        again = ingest(
            [write_lines(bodies[:600])], store=target, indexes=indexes, dataset="one", prune=True
        )
        assert (again.unchanged, again.version) == (600, report.version)


def test_nothing_is_copied_from_nothing(make_url: Callable, tmp_path: Path) -> None:
    with (
        opened(make_url("sqlite", "source"), tmp_path) as source,
        opened(make_url("sqlite", "target"), tmp_path) as target,
    ):
        source.migrate()
        with pytest.raises(CopyRefused, match="has no records yet"):
            copy(source, target, FakeIndexStore())
        assert target.current_version() == ""


def test_what_arrives_otherwise_is_noticed(
    make_url: Callable, make_body: Callable[..., Body], write_lines: Callable, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    put = DatabaseCopy.put
    monkeypatch.setattr(DatabaseCopy, "put", lambda self, records: put(self, records[:-1]))
    with (
        opened(make_url("sqlite", "source"), tmp_path) as source,
        opened(make_url("sqlite", "target"), tmp_path) as target,
    ):
        lines = write_lines([make_body(n) for n in range(3)])
        ingest([lines], store=source, indexes=FakeIndexStore(), dataset="one")
        with pytest.raises(CopyRefused, match=r"differs from what was sent .2 records"):
            copy(source, target, FakeIndexStore())


def run(tmp_path: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "ERRDEX_CACHE_FOLDER": str(tmp_path / "cache"),
    }
    return subprocess.run(
        [ERRDEX, *words], capture_output=True, text=True, env=environment | more, timeout=600
    )


def test_the_command_says_what_it_did(
    make_body: Callable[..., Body], write_lines: Callable, tmp_path: Path
) -> None:
    here, there = f"sqlite:///{tmp_path}/a.db", f"sqlite:///{tmp_path}/b.db"
    missing = run(tmp_path, "copy", "--from", here, "--to", there)
    assert (missing.returncode, "There is no database at" in missing.stderr) == (3, True)
    lines = write_lines([make_body(1)])
    assert run(tmp_path, "ingest", str(lines), "--database", here).returncode == 0
    done = run(tmp_path, "copy", "--from", here, "--to", there)
    assert done.returncode == 0, done.stderr
    assert re.search(r"1 records? and 0 causes .* read again and\s+found equal", done.stdout)
    twice = run(tmp_path, "copy", "--from", here, "--to", there)
    assert twice.returncode == 3
    assert "Nothing was copied" in twice.stderr
    assert run(tmp_path, "search", "frobnicator", "--database", there).returncode == 0


def commands_under(heading: str) -> str:
    """The shell commands of a section of docs/operations.md."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = text.partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    blocks = re.findall(r"^```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert blocks, heading
    return "".join(blocks)


@pytest.mark.parametrize("kind", BOTH)
def test_the_documented_backup_can_be_restored(
    make_url: Callable[[str, str], str], make_body: Callable[..., Body], write_lines: Callable,
    tmp_path: Path, kind: str, request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    url = f"sqlite:///{tmp_path}/errdex.db" if kind == "sqlite" else make_url(kind, "")
    title = {"sqlite": "SQLite", "postgres": "PostgreSQL"}[kind]
    script = commands_under(f"Back up {title}"), commands_under(f"Restore {title}")
    places = [str(ERRDEX.parent), os.environ["PATH"]]
    if kind == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        places.insert(0, server.programs)
    environment = {
        "PATH": os.pathsep.join(places),
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "ERRDEX_CACHE_FOLDER": str(tmp_path / "cache"),
        "DATABASE": url.replace("+psycopg", ""),
    }

    def do(commands: str) -> None:
        done = subprocess.run(
            [str(shutil.which("sh")), "-e", "-c", commands],
            cwd=tmp_path, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    with opened(url, tmp_path) as store:
        lines = write_lines([make_body(n) for n in range(3)])
        ingest([lines], store=store, indexes=FakeIndexStore(), dataset="one")
        before = everything(store)
        do(script[0])
        lines = write_lines([make_body(n, errorMessage="changed since {x}") for n in range(2)])
        ingest([lines], store=store, indexes=FakeIndexStore(), dataset="one", prune=True)
        assert everything(store) != before
    do(script[1])
    assert run(tmp_path, "stats", "--database", url).returncode == 0
    with opened(url, tmp_path) as store:
        assert everything(store) == before
