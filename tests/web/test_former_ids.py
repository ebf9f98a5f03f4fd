"""An id that a record once had leads to it, for as long as the record says so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.knowledge_base import load, record

from errdex.config import Settings, open_store
from errdex.ingest import check
from errdex.knowledge import Knowledge, RecordNotFound
from errdex.main import create_app
from errdex.store import StoreDamaged

FORMER, ELSEWHERE, NOW, OTHER = ("f" * 16, "e" * 16, "1" * 16, "2" * 16)
MOVED = record("Basket {id} is empty", id=NOW, formerIds=[FORMER, ELSEWHERE])


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}")
    load(tmp_path, *open_store(settings), [MOVED])
    return settings


def test_its_page_and_its_json_redirect_for_good(settings: Settings) -> None:
    with TestClient(create_app(settings), follow_redirects=False) as client:
        page = f"/errors/{NOW}/basket-is-empty"
        for address in (f"/errors/{FORMER}", f"/errors/{FORMER}/basket-is-empty",
                        f"/errors/{ELSEWHERE}/old-slug"):  # fmt: skip
            answer = client.get(address)
            assert (answer.status_code, answer.headers["Location"]) == (301, page)
        answer = client.get(f"/api/errors/{FORMER}")
        assert (answer.status_code, answer.headers["Location"]) == (308, f"/api/errors/{NOW}")
        found = client.get(f"/api/errors/{FORMER}", follow_redirects=True).json()
        assert found["record"] == {**MOVED, **found["record"]}
        assert client.get(f"/api/errors/{FORMER}/related").status_code == 200
        assert client.get(f"/api/errors/{'d' * 16}").status_code == 404


def test_a_record_with_that_id_goes_first(settings: Settings, tmp_path: Path) -> None:
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, [MOVED, record("Order {id} has no lines", id=FORMER)])
    assert Knowledge(store, indexes).get_record(FORMER).stored.id == FORMER
    assert Knowledge(store, indexes).get_record(ELSEWHERE).stored.id == NOW


def test_what_a_record_no_longer_says_leads_nowhere(settings: Settings, tmp_path: Path) -> None:
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, [{**MOVED, "formerIds": [ELSEWHERE, ELSEWHERE]}])
    knowledge = Knowledge(store, indexes)
    assert knowledge.get_record(ELSEWHERE).stored.id == NOW
    with pytest.raises(RecordNotFound):
        knowledge.get_record(FORMER)
    load(tmp_path, store, indexes, [record("Other", id=OTHER)], prune=True)
    with pytest.raises(RecordNotFound):
        knowledge.get_record(ELSEWHERE)


def test_a_damaged_row_leads_nowhere(settings: Settings) -> None:
    store, indexes = open_store(settings)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE former_id SET former_key = former_key - 1")
    with pytest.raises(StoreDamaged):
        Knowledge(store, indexes).get_record("f" * 15 + "e")


def test_a_database_from_before_knows_them_after_its_migration(settings: Settings) -> None:
    store, indexes = open_store(settings)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.executescript("DROP TABLE former_id; DROP TABLE cause")
        connection.execute(
            "DELETE FROM applied_migration WHERE number >="
            " (SELECT number FROM applied_migration WHERE name = 'former ids')"
        )
    store.migrate()
    assert Knowledge(store, indexes).get_record(FORMER).stored.id == NOW


@pytest.mark.parametrize("wrong", ["1" * 16, ["not an id"], [7], {"a": 1}])
def test_anything_but_a_list_of_ids_is_refused(tmp_path: Path, wrong: object) -> None:
    from orjson import dumps

    file = tmp_path / "records.json"
    file.write_bytes(dumps([{**MOVED, "formerIds": wrong}]))
    (found,) = check([file]).problems
    assert found.problem.field.startswith("formerIds")
