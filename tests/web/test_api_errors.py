"""Every error of the API has the one shape, says what is wrong and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.knowledge import Knowledge
from app.main import MAX_BODY_BYTES, create_app
from app.store import StoreBusy, StoreDamaged

CASES = [
    ("GET", "/api/nothing", 404, "/docs"),
    ("GET", "/api/errors/0000000000000000", 404, "no record with the id"),
    ("GET", "/api/errors/..%2F..%2Fetc%2Fpasswd", 404, ""),
    ("GET", "/api/errors/%00", 404, "16 of the characters"),
    ("GET", "/api/errors/ABCDEF0123456789", 404, "16 of the characters"),
    ("GET", "/api/errors/0000000000000000/related", 404, "no record with the id"),
    ("GET", "/api/repos/acme/nothing", 404, "acme/nothing"),
    ("GET", "/api/errors/", 404, ""),
    ("POST", "/api/stats", 405, "Allow"),
    ("DELETE", "/api/errors/0000000000000000", 405, "Allow"),
    ("GET", "/api/errors?qeury=x", 422, "no such parameter"),
    ("GET", "/api/stats?verbose=1", 422, "no such parameter"),
    ("GET", "/api/errors?limit=0", 422, "limit"),
    ("GET", "/api/errors?limit=many", 422, "limit"),
    ("GET", "/api/errors?limit=201", 422, "limit"),
    ("GET", "/api/errors?cursor=nonsense", 422, "ask again without it"),
    ("GET", "/api/errors?q=basket&cursor=nonsense", 422, "ask again without it"),
    ("GET", "/api/tags?cursor=%FF%FE", 422, "ask again without it"),
    ("GET", f"/api/errors?q={'x' * 2001}", 422, "2000"),
]


@pytest.mark.parametrize(("method", "url", "status", "says"), CASES)
def test_an_error_is_a_problem_document(
    client: TestClient, method: str, url: str, status: int, says: str
) -> None:
    answer = client.request(method, url)
    assert_problem(answer, status)
    assert says in answer.json()["detail"]


def assert_problem(answer, status: int) -> None:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert set(body) - {"errors"} == {"type", "title", "status", "detail", "instance", "requestId"}
    assert body["status"] == status
    assert body["type"] == f"/docs#problem-{status}"
    assert body["requestId"] == answer.headers["x-request-id"]
    assert body["detail"].endswith((".", "`")), body["detail"]


def test_a_method_that_is_not_taken_names_those_that_are(client: TestClient) -> None:
    assert "GET" in client.post("/api/stats").headers["allow"]


def test_each_wrong_parameter_is_named(client: TestClient) -> None:
    errors = client.get("/api/errors?limit=0&sort=up").json()["errors"]
    assert {each["field"] for each in errors} == {"limit", "sort"}
    assert all(set(each) == {"field", "reason", "remedy"} for each in errors)


def test_a_body_that_is_too_large_is_refused(client: TestClient) -> None:
    answer = client.post("/api/errors", content=b"x" * (MAX_BODY_BYTES + 1))
    assert_problem(answer, 413)


@pytest.fixture
def failing(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def make(error: Exception) -> TestClient:
        def fail(_: Knowledge) -> None:
            raise error

        monkeypatch.setattr(Knowledge, "get_stats", fail)
        return TestClient(create_app(settings), raise_server_exceptions=False)

    return make


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreBusy("The database /secret/place is locked by another process: try again."), 503),
        (StoreDamaged("The file /secret/place is damaged: restore a copy."), 500),
        (RuntimeError("secret"), 500),
    ],
)
def test_a_fault_of_ours_tells_only_the_request_id(failing, client, error, status) -> None:
    answer = failing(error).get("/api/stats", headers={"X-Request-ID": "mine-1"})
    assert_problem(answer, status)
    assert answer.headers["x-request-id"] == "mine-1"
    assert status == 503 or "secret" not in answer.text
    assert ("retry-after" in answer.headers) == (status == 503)


def test_a_request_id_that_could_split_a_log_is_replaced(client: TestClient) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": "a b;c"})
    assert answer.headers["x-request-id"] != "a b;c"
