"""How many requests a client may make, and who a client is."""

from __future__ import annotations

import random

import pytest
from fastapi.testclient import TestClient

from errdex.config import Settings, open_store
from errdex.main import create_app
from errdex.web.http.limits.rate_limit import Buckets, client_of


class Clock:
    """A time that tests set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_more_than_the_burst_at_once_is_refused_and_told_when_to_come() -> None:
    clock = Clock()
    buckets = Buckets(per_minute=60, burst=3, clock=clock)
    assert [buckets.take(1) for _ in range(3)] == [0, 0, 0]
    assert buckets.take(1) == pytest.approx(1.0)
    assert buckets.take(2) == 0, "another client has a bucket of its own"
    clock.now += 0.5
    assert buckets.take(1) == pytest.approx(0.5)
    clock.now += 0.5
    assert buckets.take(1) == 0
    assert buckets.take(1) > 0


@pytest.mark.parametrize("burst", [1, 2, 10])
def test_no_window_has_more_than_the_burst_and_the_rate(burst: int) -> None:
    clock = Clock()
    buckets = Buckets(per_minute=30, burst=burst, clock=clock)
    chance = random.Random(burst)
    taken = []
    for _ in range(2000):
        clock.now += chance.expovariate(3)
        if not buckets.take("a"):
            taken.append(clock.now)
    for first, begun in enumerate(taken):
        in_a_minute = sum(1 for each in taken[first:] if each < begun + 60)
        assert in_a_minute <= burst + 30
    assert len(taken) >= (clock.now - 1000) / 3, "a client gets what it is promised"


def test_waiting_as_long_as_told_is_enough() -> None:
    clock = Clock()
    buckets = Buckets(per_minute=7, burst=2, clock=clock)
    for _ in range(50):
        while not (wait := buckets.take(1)):
            pass
        clock.now += wait
        assert buckets.take(1) == 0


def test_no_number_of_clients_takes_more_memory() -> None:
    buckets = Buckets(per_minute=1, burst=1, clients=100, clock=Clock())
    for client in range(10_000):
        assert buckets.take(client) == 0, "nobody is refused for the others"
    assert len(buckets) == 100
    assert buckets.take(9_999) > 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::2", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("<script>", "x" * 5000, True),
        ("", "unix:", True),
        # As a number, the first is the same as the network of the second.
        ("0.0.0.1", "0:0:0:1::", False),
    ],
)
def test_a_client_is_an_address_or_a_network(one: str, other: str, same: bool) -> None:
    clients = [client_of({"type": "http", "client": (host, 1)}) for host in (one, other)]
    assert (clients[0] == clients[1]) is same


def test_a_connection_without_an_address_is_a_client() -> None:
    assert client_of({"type": "http", "client": None}) == "unknown"


@pytest.fixture
def serve(tmp_path):
    url = f"sqlite:///{tmp_path / 'errdex.db'}"
    open_store(Settings(database_url=url))[0].migrate()

    def make(address: str = "192.0.2.1", **settings: object) -> TestClient:
        app = create_app(Settings(database_url=url, rate_per_minute=6, rate_burst=2, **settings))
        return TestClient(app, client=(address, 5000))

    return make


def statuses(client: TestClient, *forwarded: str, path: str = "/api/stats") -> list[int]:
    return [client.get(path, headers={"X-Forwarded-For": each}).status_code for each in forwarded]


@pytest.mark.parametrize("path", ["/api/stats", "/", "/nothing", "/static/nothing"])
def test_over_the_rate_a_problem_document_says_when_to_come(serve, path: str) -> None:
    client = serve()
    for _ in range(2):
        assert client.get(path).status_code != 429
    answer = client.get(path)
    assert answer.status_code == 429
    assert answer.headers["content-type"] == "application/problem+json"
    assert 1 <= int(answer.headers["retry-after"]) <= 10
    assert f"Try again in {answer.headers['retry-after']} s." in answer.json()["detail"]
    assert answer.json()["requestId"] == answer.headers["x-request-id"]


def test_orchestrators_are_not_limited(serve) -> None:
    client = serve()
    assert [client.get("/healthz").status_code for _ in range(9)] == [200] * 9


def test_a_client_cannot_choose_its_address(serve) -> None:
    untrusted = serve()
    assert statuses(untrusted, "203.0.113.1", "203.0.113.2", "203.0.113.3") == [200, 200, 429]
    behind = serve("10.0.0.9", trusted_proxies="10.0.0.0/8, 192.0.2.7")
    forged = [f"198.51.100.{each}, 203.0.113.5" for each in range(3)]
    assert statuses(behind, *forged) == [200, 200, 429], "what the proxy saw counts"
    chain = [f"198.51.100.{each}, 203.0.113.6, 192.0.2.7" for each in range(3)]
    assert statuses(behind, *chain) == [200, 200, 429], "through two proxies"


def test_clients_behind_a_trusted_proxy_are_told_apart(serve) -> None:
    behind = serve("10.0.0.9", trusted_proxies="10.0.0.9")
    apart = [f"203.0.113.{each}" for each in range(9)]
    assert statuses(behind, *apart) == [200] * 9


def test_without_the_setting_nobody_is_limited(tmp_path) -> None:
    url = f"sqlite:///{tmp_path / 'errdex.db'}"
    open_store(Settings(database_url=url))[0].migrate()
    client = TestClient(create_app(Settings(database_url=url)))
    assert [client.get("/api/stats").status_code for _ in range(200)] == [200] * 200
