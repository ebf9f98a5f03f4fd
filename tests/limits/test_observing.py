"""What is kept of a request: counters and a line of JSON, and nothing that anybody wrote."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from tests.knowledge_base import SHOP, load
from tests.limits.serving import running

from errdex.config import Settings, open_store
from errdex.main import create_app

SECRET = "hunter2"  # noqa: S105


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}")


@pytest.fixture
def client(settings: Settings, tmp_path: Path) -> Iterator[TestClient]:
    load(tmp_path, *open_store(settings), SHOP)
    with TestClient(create_app(settings), raise_server_exceptions=False) as opened:
        yield opened


def lines_of(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    messages = [each.getMessage() for each in caplog.records if each.name == "errdex.access"]
    return [json.loads(message) for message in messages]


ORDER = ("route", "method", "status", "version", "found", "stage")


def name_of(sample: Sample) -> str:
    """With its labels behind it."""
    return " ".join(
        [sample.name, *(sample.labels[name] for name in ORDER if name in sample.labels)]
    )


def values_of(client: TestClient) -> dict[str, float]:
    """Each sample's value, under its name with its labels."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    return {
        name_of(sample): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


ASKED = [
    ("GET", f"/search?q={SECRET}"),
    ("GET", f"/api/errors?q={SECRET}"),
    ("GET", f"/api/errors?line={SECRET}"),
    ("GET", f"/{SECRET}"),
    ("GET", f"/tags/{SECRET}"),
    ("GET", f"/errors/{SECRET}/{SECRET}"),
    ("GET", f"/api/errors/{SECRET}"),
    ("GET", f"/api/repos/{SECRET}/{SECRET}"),
    ("POST", f"/match?{SECRET}"),
    ("POST", f"/api/errors/match?{SECRET}"),
    ("PUT", f"/api/errors?q={SECRET}"),
    (SECRET.upper(), "/"),
    ("GET", f"/api/errors?cursor={SECRET}"),
    ("GET", f"/metrics?{SECRET}"),
]


@pytest.mark.parametrize(("method", "url"), ASKED)
def test_what_was_asked_is_neither_logged_nor_counted(
    client: TestClient, caplog: pytest.LogCaptureFixture, method: str, url: str
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.INFO, "errdex.access")
    sent = {
        "User-Agent": SECRET, "Referer": f"https://{SECRET}.example", "Cookie": SECRET,
        "Authorization": SECRET, "X-Request-ID": f"{SECRET} {SECRET}", "Content-Type": "text/plain",
    }  # fmt: skip
    answer = client.request(method, url, headers=sent, content=f"ShopError: {SECRET} is locked")
    (line,) = lines_of(caplog)
    assert line["status"] == answer.status_code
    assert line["id"] == answer.headers["x-request-id"]
    ours = [each for each in caplog.records if not each.name.startswith(("httpx", "asyncio"))]
    written = json.dumps([each.getMessage() for each in ours]) + client.get("/metrics").text
    assert SECRET not in written.lower()


def test_a_line_says_what_happened(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "errdex.access")
    answer = client.get("/tags/checkout?", headers={"X-Request-ID": "mine-1"})
    client.head("/tags/checkout")
    client.get("/nothing")
    found, head, missed = lines_of(caplog)
    assert found["id"] == "mine-1"
    assert found["path"] == "/tags/checkout"
    assert (found["method"], found["route"], found["status"]) == ("GET", "/tags/{value}", 200)
    assert found["bytes"] == int(answer.headers["content-length"])
    assert found["client"] == "testclient"
    assert found["ms"] > 0
    assert (head["method"], head["route"], head["bytes"]) == ("HEAD", "/tags/{value}", 0)
    assert (missed["route"], missed["status"]) == ("none", 404)
    assert "path" not in missed


@pytest.mark.parametrize(
    "sent", ["", "a b", "x" * 65, "ä", "a\tb", '"', "<script>", "a;b", "..%2f", "a\nb"]
)
def test_only_a_plain_request_id_is_taken_over(client: TestClient, sent: str) -> None:
    headers = [(b"X-Request-ID", sent.encode())]
    given = client.get("/healthz", headers=headers).headers["x-request-id"]
    assert len(given) == 32
    assert given != client.get("/healthz", headers=headers).headers["x-request-id"]


def test_requests_are_counted_by_template_and_status(client: TestClient) -> None:
    for path in ("/tags/checkout", "/tags/basket", "/tags/none-such", "/nothing", "/nothing/2"):
        client.get(path)
    client.request("BREW", "/nothing")
    values = values_of(client)
    assert values["errdex_requests_total /tags/{value} GET 200"] == 2
    assert values["errdex_requests_total /tags/{value} GET 404"] == 1
    assert values["errdex_requests_total none GET 404"] == 2
    assert values["errdex_requests_total none other 404"] == 1
    assert values["errdex_request_seconds_count /tags/{value}"] == 3
    assert values["errdex_requests_under_way"] == 1, "the one that asks"


@pytest.mark.slow
def test_pastes_and_stages_are_counted(client: TestClient) -> None:
    known, unknown = "ShopError: Basket 7 is empty\n", "KeyError: 'unheard of'"
    large = known * 4000  # matched in another process
    for paste in (known, "all is well", unknown, large):
        headers = {"Content-Type": "text/plain"}
        sent = client.post("/api/errors/match", content=paste, headers=headers)
        assert sent.status_code == 200
    for path in ("/api/errors?q=basket", "/search?q=basket"):
        assert client.get(path).status_code == 200
    values = values_of(client)
    assert values["errdex_matches_total yes"] == 2
    assert values["errdex_matches_total no"] == 2
    assert values["errdex_stage_seconds_count match"] == 4
    steps = ("read", "events", "engine", "ranking", "render")
    assert [values[f"errdex_stage_seconds_count {each}"] for each in steps] == [4] * len(steps)
    assert values["errdex_stage_seconds_count similar"] == 2  # the two that no record matches
    whole = values["errdex_stage_seconds_sum match"]
    assert 0 < sum(values[f"errdex_stage_seconds_sum {each}"] for each in steps) <= whole
    assert values["errdex_stage_seconds_count search"] == 2


def test_the_dataset_version_is_the_one_served(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    first = client.get("/api/stats").json()["datasetVersion"]
    assert values_of(client)[f"errdex_dataset_info {first}"] == 1
    store, indexes = open_store(settings)
    second = load(tmp_path, store, indexes, SHOP[:1], prune=True).version
    values = values_of(client)
    assert values[f"errdex_dataset_info {second}"] == 1
    assert f"errdex_dataset_info {first}" not in values
    assert values["errdex_records"] == 1
    assert values["errdex_dataset_time_seconds"] > 1.7e9


def test_a_database_that_cannot_be_read_is_said(client: TestClient, settings: Settings) -> None:
    open_store(settings)[0].path.write_bytes(b"no database" * 1000)
    assert values_of(client)["errdex_store_up"] == 0


def test_metrics_can_be_turned_off(settings: Settings) -> None:
    open_store(settings)[0].migrate()
    client = TestClient(create_app(settings.model_copy(update={"metrics": False})))
    answer = client.get("/metrics")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.slow
def test_workers_are_counted_together(tmp_path: Path) -> None:
    with running(tmp_path, workers=2) as server:
        for _ in range(40):  # whichever worker takes each
            server.ask("/tags/checkout")
        answer = server.ask("/metrics")
        text = answer.partition(b"\r\n\r\n")[2].decode()
        assert 'errdex_requests_total{method="GET",route="/tags/{value}",status="200"} 40.0' in text
        assert text.count("errdex_dataset_info{") == 1
        assert server.end() == 0
    lines = [json.loads(each) for each in server.stdout.read_text().splitlines()]
    assert sum(line["route"] == "/tags/{value}" for line in lines) == 40
