"""A record that the disk has changed is told to be damaged, by the API and by its page, and
whoever runs the server is told what to do; every other record is served."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import SHOP, load, record

from errdex.config import Settings, open_store
from errdex.main import create_app

DAMAGED, SOUND = "00000000000000aa", "00000000000000bb"


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("damaged")
    path = folder / "errdex.db"
    settings = Settings(database_url=f"sqlite:///{path}", cache_seconds=0)
    store, indexes = open_store(settings)
    two = [record("The till {till} is shut", id=each, tags=["till"]) for each in (DAMAGED, SOUND)]
    load(folder, store, indexes, [*SHOP, *two])
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        changed = connection.execute(
            "UPDATE record_body SET body_json = replace(body_json, 'shut', 'open') "
            "WHERE body_json LIKE ?",
            (f"%{DAMAGED}%",),
        )
        assert changed.rowcount == 1
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        client.app.state.settings = settings
        yield client


def test_the_api_tells_it_in_a_problem_document_and_in_the_log(
    damaged: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = damaged.get(f"/api/errors/{DAMAGED}", headers={"X-Request-ID": "mine-7"})
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert "damaged" in problem["detail"]
    assert "open" not in answer.text
    (line,) = [each.getMessage() for each in caplog.records if each.name.startswith("errdex.")]
    assert "request id mine-7" in line
    assert f"the record {DAMAGED} is damaged" in line
    assert "ingest your record files again" in line


@pytest.mark.parametrize(
    "path",
    [f"/errors/{DAMAGED}/the-till-is-shut", "/api/errors?tag=till", "/tags/till"],
)
def test_nothing_that_would_show_it_is_served(damaged: TestClient, path: str) -> None:
    answer = damaged.get(path)
    assert answer.status_code == 500
    assert "damaged" in answer.text
    assert "is open" not in answer.text


@pytest.mark.parametrize(
    "path", [f"/api/errors/{SOUND}", f"/errors/{SOUND}/the-till-is-shut", "/api/errors?tag=basket"]
)
def test_the_others_are_served(damaged: TestClient, path: str) -> None:
    assert damaged.get(path).status_code == 200


def test_looking_for_damage_names_it_alone(damaged: TestClient) -> None:
    store, _ = open_store(damaged.app.state.settings)
    assert store.find_damage() == [f"The record {DAMAGED} is not what was written."]
    store.close()
