"""Settings from the environment, and what the web side makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError
from typer.testing import CliRunner

from errdex.cli.app import app as command
from errdex.config import Settings, index_folder_of, open_store, own_database_url
from errdex.main import create_app


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ERRDEX_{name.upper()}", raising=False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "70000"),
        ("BUSY_TIMEOUT_MS", "-1"),
        ("WATCH_SECONDS", "0"),
        ("CACHE_SECONDS", "-1"),
        ("MAX_BODY_BYTES", "1 MB"),
        ("PUBLIC_URL", "errdex.example"),
        ("PUBLIC_URL", "javascript:alert(1)"),
        ("REPORT_URL", "javascript:alert(1)"),
        ("PUBLIC_URL", "https://errdex.example/sub/folder"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(monkeypatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"ERRDEX_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("*", ("*",)),
        ("https://a.example", ("https://a.example",)),
        (" https://a.example, https://b.example", ("https://a.example", "https://b.example")),
    ],
)
def test_origins_are_a_list_with_commas(monkeypatch, text: str, origins: tuple[str, ...]) -> None:
    monkeypatch.setenv("ERRDEX_CORS_ORIGINS", text)
    assert Settings().cors_origins == origins


def test_the_database_lies_in_the_user_s_data_folder_unless_moved(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    store, _ = open_store(Settings(database_url=own_database_url()))
    assert store.path.is_relative_to(tmp_path / "data")
    assert index_folder_of(store.path).parent == store.path.parent
    store.migrate()
    assert open_store(Settings())[0].path == store.path
    monkeypatch.setenv("ERRDEX_DATABASE_URL", f"sqlite:///{tmp_path / 'elsewhere.db'}")
    assert open_store(Settings())[0].path == tmp_path / "elsewhere.db"


def test_the_command_names_every_setting() -> None:
    text = CliRunner().invoke(command, ["serve", "--help"], env={"COLUMNS": "200"}).output
    assert [name for name in Settings.model_fields if f"ERRDEX_{name.upper()}" not in text] == []


@pytest.fixture
def client_of(tmp_path: Path):
    def make(**settings: object) -> TestClient:
        url = f"sqlite:///{tmp_path / 'errdex.db'}"
        store, _ = open_store(Settings(database_url=url))
        store.migrate()
        return TestClient(create_app(Settings(database_url=url, **settings)))

    return make


def test_absolute_addresses_are_those_that_the_public_uses(client_of) -> None:
    client = client_of(public_url="https://errdex.example/")
    docs = client.get("/docs", headers={"Host": "internal:8000"}).text
    assert "https://errdex.example/api/errors" in docs
    assert "internal:8000" not in docs


def test_only_the_origins_named_may_read(client_of) -> None:
    client = client_of(cors_origins=("https://a.example",))
    for origin, allowed in (("https://a.example", True), ("https://b.example", False)):
        answer = client.get("/api/stats", headers={"Origin": origin})
        assert (answer.headers.get("access-control-allow-origin") == origin) is allowed


def test_answers_may_be_kept_as_long_as_it_says(client_of) -> None:
    answer = client_of(cache_seconds=300).get("/api/stats")
    assert answer.headers["cache-control"] == "public, max-age=300"


def test_a_body_over_the_limit_is_refused(client_of) -> None:
    client = client_of(max_body_bytes=10)
    assert client.post("/api/stats", content=b"x" * 11).status_code == 413
    assert client.post("/api/stats", content=b"x" * 10).status_code == 405
