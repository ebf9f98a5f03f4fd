"""`errdex pages`: what a server would make when it is asked, made before."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from fastapi.testclient import TestClient

from errdex.config import Settings, open_store
from errdex.main import create_app
from errdex.web.pages import routes

pytestmark = pytest.mark.slow

ERRDEX = Path(sys.executable).with_name("errdex")
SITE = "https://errdex.example"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        database_url=f"sqlite:///{tmp_path / 'errdex.db'}", public_url=SITE, watch_seconds=0.05
    )


@pytest.fixture
def errdex(settings: Settings, tmp_path: Path):
    def run(*words: str, **changed: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "LC_ALL": "C.UTF-8",
            "ERRDEX_DATABASE_URL": settings.database_url,
            "ERRDEX_PUBLIC_URL": SITE,
        }
        return subprocess.run(
            [ERRDEX, *words],
            capture_output=True,
            text=True,
            env={name: value for name, value in (environment | changed).items() if value},
            cwd=tmp_path,
            timeout=120,
        )

    return run


@pytest.fixture
def ingest(errdex, tmp_path: Path):
    def load(count: int, documentation: str = "") -> None:
        file = tmp_path / "records.jsonl"
        file.write_text(
            "".join(
                json.dumps(
                    {
                        "repo": "acme/tower",
                        "errorMessage": f"Bell {number} rings no more in {{tower}}",
                        "documentation": documentation if number == 7 else "It is worn.",
                    }
                )
                + "\n"
                for number in range(count)
            )
        )
        assert errdex("ingest", str(file)).returncode == 0

    return load


def addresses(settings: Settings) -> list[str]:
    with TestClient(create_app(settings)) as client:
        items = client.get("/api/errors?limit=100").json()["items"]
        return [item["record"]["url"] for item in items]


def test_no_page_is_made_when_it_is_asked_for(errdex, ingest, settings, monkeypatch):
    ingest(130)  # more than a batch
    unkept = settings.model_copy(update={"page_file_mb": 0})
    asked = addresses(unkept)
    with TestClient(create_app(unkept)) as client:
        made = {path: client.get(path).text for path in asked}
    ran = errdex("pages", "--workers", "2")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "ready: 130 pages, of which 130 were made or looked through now\n"
    monkeypatch.delattr(routes, "draft_record")
    with TestClient(create_app(settings)) as client:
        assert {path: client.get(path).text for path in asked} == made
    again = errdex("pages", "--workers", "1")
    assert again.stdout == "ready: 130 pages, of which 0 were made or looked through now\n"


def test_after_an_ingestion_the_pages_are_those_of_the_new_version(errdex, ingest, settings):
    ingest(12, "Its rope is torn.")
    assert errdex("pages").returncode == 0
    ingest(12, "Its rope is gone.")
    ran = errdex("pages")
    assert ran.stdout == "ready: 12 pages, of which 12 were made or looked through now\n"
    with TestClient(create_app(settings)) as client:
        shown = [client.get(path).text for path in addresses(settings)]
    assert sum("Its rope is gone." in page for page in shown) == 1
    assert not any("Its rope is torn." in page for page in shown)


@pytest.mark.parametrize(
    ("changed", "code", "says"),
    [
        ({"ERRDEX_PUBLIC_URL": "errdex.example"}, 2, "ERRDEX_PUBLIC_URL cannot be used"),
        ({"ERRDEX_PAGE_FILE_MB": "0"}, 2, "no file to keep pages in"),
        ({}, 3, "errdex ingest"),
    ],
)
def test_what_is_missing_is_said(errdex, changed, code, says):
    ran = errdex("pages", **changed)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr


def test_that_there_are_no_records_is_said(errdex, settings):
    store, _ = open_store(settings)
    store.migrate()
    store.close()
    ran = errdex("pages")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "There are no records yet: run `errdex ingest` first." in ran.stderr


def test_a_file_that_cannot_be_written_is_said(errdex, ingest, tmp_path):
    ingest(12)
    (tmp_path / "errdex.db.pages").mkdir()
    ran = errdex("pages")
    assert ran.returncode == 3
    assert "12 pages could not be kept" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_bound_that_is_too_small_is_said(errdex, ingest):
    ingest(300)
    ran = errdex("pages", "--workers", "1", ERRDEX_PAGE_FILE_MB="1")
    assert ran.returncode == 0
    assert "had to make room for others: raise ERRDEX_PAGE_FILE_MB" in ran.stderr


@pytest.mark.parametrize("workers_at_work", [False, True])
def test_ctrl_c_keeps_the_pages_that_were_made(settings, ingest, tmp_path, workers_at_work):
    ingest(3000)
    file = tmp_path / "errdex.db.pages"
    running = subprocess.Popen(
        [ERRDEX, "pages"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "ERRDEX_DATABASE_URL": settings.database_url,
            "ERRDEX_PUBLIC_URL": SITE,
        },
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    workers = psutil.Process(running.pid)
    while running.poll() is None and not (file.exists() if workers_at_work else workers.children()):
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    said, complained = running.communicate(timeout=300)
    assert (running.returncode, said) == (130, "")
    assert complained == "errdex: Cancelled; the pages that were made are kept.\n"


def test_a_damaged_record_is_named(errdex, ingest, tmp_path):
    ingest(12)
    database = tmp_path / "errdex.db"
    content = database.read_bytes()
    assert content.count(b"It is worn.") >= 11
    at = content.index(b"It is worn.")
    database.write_bytes(content[:at] + b"It is wern." + content[at + 11 :])
    ran = errdex("pages")
    assert ran.returncode == 3
    assert "errdex: " in ran.stderr
    assert "damaged" in ran.stderr
    assert "Traceback" not in ran.stderr
