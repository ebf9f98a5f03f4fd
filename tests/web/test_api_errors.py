"""Every error of the API has the one shape, says what is wrong and what to do."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from errdex.config import Settings
from errdex.knowledge import Knowledge
from errdex.main import create_app
from errdex.store import (
    StoreBusy,
    StoreDamaged,
    StoreMissing,
    StoreReadOnly,
    StoreTooNew,
    StoreTooOld,
)
from errdex.web.http.errors import STATUS_OF

CASES = [
    ("GET", "/api/nothing", 404, "/docs"),
    ("GET", "/api/errors/0000000000000000", 404, "No record has the id"),
    ("GET", "/api/errors/..%2F..%2Fetc%2Fpasswd", 404, ""),
    ("GET", "/api/errors/%00", 404, "16 of the characters"),
    ("GET", "/api/errors/ABCDEF0123456789", 404, "16 of the characters"),
    ("GET", "/api/errors/0000000000000000/related", 404, "No record has the id"),
    ("GET", "/api/repos/acme/nothing", 404, "acme/nothing"),
    ("GET", "/api/errors/", 404, ""),
    ("POST", "/api/stats", 405, "Allow"),
    ("DELETE", "/api/errors/0000000000000000", 405, "Allow"),
    ("GET", "/api/errors/match", 405, "Allow"),
    ("GET", "/openapi.json/x", 404, "/docs"),
    ("GET", "/api//errors", 404, ""),
    ("PUT", "/api/errors", 405, "Allow"),
    ("TRACE", "/readyz", 405, "Allow"),
    ("GET", "/api/errors?sevrity=x", 422, "did you mean severity?"),
    ("GET", "/api/errors?verbose=1", 422, "it takes limit, cursor, q, repo"),
    ("GET", "/api/tags?q=x", 422, "it takes limit, cursor"),
    ("GET", "/api/stats?verbose=1", 422, "it takes none"),
    ("GET", "/api/errors/0000000000000000?x=1", 422, "it takes none"),
    ("GET", "/api/errors/0000000000000000/related?x=1", 422, "it takes limit"),
    ("GET", "/healthz?x", 422, "it takes none"),
    ("GET", "/readyz?x", 422, "it takes none"),
    ("GET", "/api/errors?q=a&tag=x&tag=y", 422, "tag: it is given more than once"),
    ("GET", "/api/errors?limit=0", 422, "limit: it is too small; give at least 1."),
    ("GET", "/api/errors?limit=many", 422, "limit: it is not a whole number"),
    ("GET", "/api/errors?limit=1.5", 422, "limit: it is not a whole number"),
    ("GET", "/api/errors?limit=201", 422, "limit: it is too large; give at most 200."),
    ("GET", "/api/errors?limit=" + "9" * 5000, 422, "limit"),
    ("GET", "/api/errors?cursor=nonsense", 422, "ask again without it"),
    ("GET", "/api/errors?q=basket&cursor=nonsense", 422, "ask again without it"),
    ("GET", "/api/tags?cursor=%FF%FE", 422, "ask again without it"),
    ("GET", f"/api/errors?q={'x' * 2001}", 422, "q: it is too long; give at most 2000 characters."),
    ("GET", f"/api/errors?q={'x' * 33_000}", 414, "32,768 bytes"),
    ("GET", f"/api/{'x' * 33_000}", 414, "32,768 bytes"),
]


# RFC 9110's, whatever Python's version calls them.
TITLES = {
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    414: "URI Too Long",
    422: "Unprocessable Content",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


@pytest.mark.parametrize(("method", "url", "status", "says"), CASES)
def test_an_error_is_a_problem_document(
    client: TestClient, method: str, url: str, status: int, says: str
) -> None:
    answer = client.request(method, url, headers={"Accept": "text/html"})
    assert_problem(answer, status)
    assert says in answer.json()["detail"]


def assert_problem(answer, status: int) -> None:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert set(body) - {"errors"} == {"type", "title", "status", "detail", "instance", "requestId"}
    assert body["status"] == status
    assert body["title"] == TITLES[status]
    assert body["type"] == f"/docs#problem-{status}"
    assert body["requestId"] == answer.headers["x-request-id"]
    assert body["detail"].endswith((".", "`")), body["detail"]


@pytest.mark.parametrize(
    ("method", "url", "status"),
    [
        ("GET", "/apiary", 404),
        ("POST", "/", 405),
        ("GET", f"/search?q={'x' * 33_000}", 414),
        ("GET", f"/search?q={'x' * 2_001}", 422),
    ],
)
def test_errors_outside_of_the_api_are_pages(client: TestClient, method, url, status) -> None:
    answer = client.request(method, url)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-store"


def test_a_method_that_is_not_taken_names_those_that_are(client: TestClient) -> None:
    for method in ("GET", "DELETE"):
        assert "POST" in client.request(method, "/api/errors/match").headers["allow"]
    for url in ("/api/stats", "/api/errors/0000000000000000", "/search"):
        assert client.post(url).headers["allow"] == "GET, HEAD, OPTIONS"
        answer = client.options(url)
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


def test_head_of_what_is_not_there_says_so_without_a_body(client: TestClient) -> None:
    answer = client.head("/api/errors/0000000000000000")
    assert (answer.status_code, answer.content) == (404, b"")
    assert answer.headers["content-type"] == "application/problem+json"


def test_each_wrong_parameter_is_named(client: TestClient) -> None:
    errors = client.get("/api/errors?limit=0&sort=up").json()["errors"]
    assert {each["field"] for each in errors} == {"limit", "sort"}
    assert all(set(each) == {"field", "reason", "remedy"} for each in errors)
    (error,) = client.get("/api/tags?cursor=x").json()["errors"]
    assert error["field"] == "cursor"


def test_a_body_that_is_too_large_is_refused(client: TestClient) -> None:
    answer = client.post("/api/errors", content=b"x" * (Settings().max_body_bytes + 1))
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
        (StoreMissing("There is no database at /secret/place."), 503),
        (StoreTooNew("The database /secret/place is of a later version."), 503),
        (StoreTooOld("The database /secret/place is of an earlier version."), 503),
        (StoreReadOnly("The database /secret/place cannot be written."), 500),
        (StoreDamaged("The file /secret/place is damaged: restore a copy."), 500),
        (RuntimeError("secret"), 500),
    ],
)
def test_a_fault_of_ours_tells_only_the_request_id(failing, client, error, status) -> None:
    sent = {"X-Request-ID": "mine-1", "Origin": "https://example.org"}
    answer = failing(error).get("/api/stats", headers=sent)
    assert_problem(answer, status)
    assert answer.headers["x-request-id"] == "mine-1"
    assert "secret" not in answer.text
    assert ("retry-after" in answer.headers) == (status == 503)
    assert "content-security-policy" in answer.headers
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("error", [StoreDamaged("The file is damaged."), RuntimeError("broken")])
def test_a_fault_of_ours_is_logged_under_its_request_id(failing, caplog, error) -> None:
    with caplog.at_level(logging.ERROR):
        failing(error).get("/api/stats", headers={"X-Request-ID": "mine-1"})
    (line,) = [each for each in caplog.records if each.name.startswith("errdex.")]
    assert "GET /api/stats failed (request id mine-1)" in line.getMessage()
    assert str(error) in caplog.text


def test_a_fault_is_logged_with_its_route_and_not_with_what_was_sent(failing, caplog) -> None:
    with caplog.at_level(logging.DEBUG):
        failing(RuntimeError("broken")).get("/api/stats", headers={"Host": "a/pasted\x1b[2J"})
    lines = [each.getMessage() for each in caplog.records if each.name.startswith("errdex.")]
    assert any("GET /api/stats failed" in line for line in lines)
    assert not [line for line in lines if "pasted" in line]


def test_of_very_many_wrong_parameters_the_first_are_told(client) -> None:
    asked = "&".join(f"wrong{each}=1" for each in range(500))
    answer = client.get(f"/api/errors?{asked}")
    assert_problem(answer, 422)
    assert [each["field"] for each in answer.json()["errors"]] == [f"wrong{at}" for at in range(10)]


def test_what_was_asked_is_not_logged(failing, caplog) -> None:
    with caplog.at_level(logging.DEBUG):
        assert failing(RuntimeError("broken")).get("/about?q=pasted").status_code == 500
    lines = [each.getMessage() for each in caplog.records if each.name.startswith("errdex.")]
    assert any("/about failed" in line for line in lines)
    assert not [line for line in lines if "pasted" in line]


def test_a_request_id_that_could_split_a_log_is_replaced(client: TestClient) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": "a b;c"})
    assert answer.headers["x-request-id"] != "a b;c"


def test_the_documentation_explains_every_status_that_a_problem_leads_to(client) -> None:
    page = client.get("/docs").text
    for status in {400, 408, 413, 414, 415, 422, 429, 431, *STATUS_OF.values()}:
        assert f'id="problem-{status}"' in page
