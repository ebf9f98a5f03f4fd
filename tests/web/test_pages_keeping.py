"""Pages that are kept: the same as made anew, never out of date, never too many."""

from __future__ import annotations

import gzip
import random

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import load, record

from errdex.config import Settings, open_store
from errdex.ingest.lock import ingestion_lock
from errdex.main import create_app
from errdex.store import PageFile
from errdex.web.pages.cache.page_cache import PageCache

BELL = record("The bell {name} does not ring", id="00000000000000aa", documentation="No clapper.")
ADDRESS = "/errors/00000000000000aa/the-bell-does-not-ring"
IN_FILE = ADDRESS
JSON_ADDRESS = "/api/errors/00000000000000aa"
OTHER = record(
    "Nothing of the kind", repo="some/where", errorClass="Else", filePath="else.py", tags=[]
)


@pytest.fixture
def settings(tmp_path):
    return Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}", watch_seconds=0.05)


@pytest.fixture
def base(settings, tmp_path):
    """A client, and what ingests records into the knowledge base that it asks."""
    store, indexes = open_store(settings)

    def ingest(*records):
        load(tmp_path, store, indexes, list(records))

    ingest(BELL)
    with TestClient(create_app(settings)) as client:
        yield client, ingest


@pytest.mark.parametrize("address", ["/", ADDRESS])
def test_a_kept_page_is_the_same_page(base, address):
    client, _ = base
    made = client.get(address)
    again = client.get(address)
    plain = client.get(address, headers={"Accept-Encoding": "identity"})
    assert made.text == again.text == plain.text
    assert "content-encoding" not in plain.headers
    for answer in (made, again, plain):
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["vary"].lower().count("accept-encoding") == 1
        assert answer.headers["etag"] == made.headers["etag"]


@pytest.mark.parametrize("encoding", ["gzip", "identity", "br, gzip;q=0.5"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_short_way_to_a_kept_page_answers_as_the_long_one_does(base, method, encoding):
    client, _ = base
    headers = {"Accept-Encoding": encoding, "X-Request-ID": "one"}
    client.get(ADDRESS)
    short = client.request(method, ADDRESS, headers=headers)
    long = client.request(method, ADDRESS + "?", headers=headers | {"Range": "bytes=0-"})
    assert short.text == long.text
    for answer in (short, long):
        assert "accept-encoding" in answer.headers.pop("vary").lower()
    assert short.headers == long.headers
    assert {"content-security-policy", "etag", "x-request-id"} <= set(short.headers)


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("accept", ["*/*", "application/json"])
@pytest.mark.parametrize("documentation", ["No clapper.", "No clapper. " * 200])
def test_the_short_way_to_a_record_answers_as_the_long_one_does(
    base, method, encoding, accept, documentation
):
    client, ingest = base
    ingest({**BELL, "documentation": documentation})
    headers = {"Accept-Encoding": encoding, "X-Request-ID": "one", "Accept": accept}
    answers = [client.request(method, JSON_ADDRESS, headers=headers) for _ in range(3)]
    long = client.request(method, JSON_ADDRESS, headers=headers | {"Range": "bytes=0-"})
    varied = {each.strip().lower() for each in long.headers.pop("vary").split(",")}
    for short in answers:
        assert short.text == long.text
        assert varied <= {each.strip().lower() for each in short.headers.pop("vary").split(",")}
        # The sizes of two compressors may differ.
        for name in ("content-length",) if encoding == "gzip" else ():
            assert (name in short.headers) == (name in long.headers)
            short.headers[name] = long.headers.get(name, "")
        assert short.headers == long.headers
    if method == "GET":
        assert long.json()["record"]["documentation"] == documentation


def test_records_that_are_asked_for_otherwise_go_the_long_way(base):
    client, ingest = base
    assert client.get(JSON_ADDRESS).json()["record"]["documentation"] == "No clapper."
    text = client.get(JSON_ADDRESS, headers={"Accept": "text/plain"})
    assert text.headers["content-type"].startswith("text/plain")
    etag = client.get(JSON_ADDRESS).headers["etag"]
    assert client.get(JSON_ADDRESS, headers={"If-None-Match": etag}).status_code == 304
    assert client.get(JSON_ADDRESS + "?x=1").status_code == 422
    assert client.get("/api/errors/00000000000000bb").status_code == 404
    assert client.get("/api/errors/nothing").status_code == 404
    ingest({**BELL, "documentation": "The rope is torn."})
    new = client.get(JSON_ADDRESS)
    assert new.json()["record"]["documentation"] == "The rope is torn."
    assert new.headers["etag"] != etag


def test_the_short_way_is_counted_and_logged_as_its_route(base, caplog):
    client, _ = base
    caplog.set_level("INFO", "errdex.access")
    for _ in range(3):
        client.get(JSON_ADDRESS)
    counted = [line for line in client.get("/metrics").text.splitlines() if "{record_id}" in line]
    total = [line for line in counted if line.startswith("errdex_requests_total")]
    assert total == [
        'errdex_requests_total{method="GET",route="/api/errors/{record_id}",status="200"} 3.0'
    ]
    assert sum('"route":"/api/errors/{record_id}"' in line for line in caplog.messages) == 3


def test_a_page_for_another_origin_goes_the_long_way(base):
    client, _ = base
    client.get(ADDRESS)
    answer = client.get(ADDRESS, headers={"Origin": "https://else.example"})
    assert answer.headers["access-control-allow-origin"] == "*"


def test_kept_pages_count_for_the_rate_limit(tmp_path):
    settings = Settings(
        database_url=f"sqlite:///{tmp_path / 'errdex.db'}", rate_per_minute=1, rate_burst=3
    )
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, [BELL])
    with TestClient(create_app(settings)) as client:
        assert [client.get(ADDRESS).status_code for _ in range(5)][-2:] == [429, 429]


def test_a_new_dataset_version_is_shown_at_once(base):
    client, ingest = base
    before = client.get(ADDRESS)
    ingest({**BELL, "documentation": "The rope is torn."})
    after = client.get(ADDRESS)
    assert "No clapper." in before.text
    assert "The rope is torn." in after.text
    assert after.headers["etag"] != before.headers["etag"]
    assert client.get(ADDRESS, headers={"If-None-Match": before.headers["etag"]}).status_code == 200
    assert client.get(ADDRESS, headers={"If-None-Match": after.headers["etag"]}).status_code == 304


def test_a_kept_page_names_no_host_of_a_request(base):
    client, _ = base
    pages = {client.get(ADDRESS, headers={"Host": host}).text for host in ("one.example", "two")}
    assert len(pages) == 1
    assert f'href="{ADDRESS}"' in pages.pop()


def test_what_is_no_page_is_not_kept(base):
    client, ingest = base
    assert client.get("/errors/00000000000000bb/x").status_code == 404
    ingest({**BELL, "id": "00000000000000bb", "slug": "x"})
    assert client.get("/errors/00000000000000bb/x").status_code == 200


@pytest.fixture
def file(settings, tmp_path):
    file = PageFile(tmp_path / "errdex.db.pages", 1 << 20)
    yield file
    file.close()


def mark(file):
    """Put a mark into the page in the file, to be known again by."""
    page = file.find(IN_FILE)
    body = gzip.compress(gzip.decompress(page.body) + b"<!-- from the file -->")
    file.put(IN_FILE, page._replace(body=body))
    return page


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_page_in_the_file_is_sent_after_a_restart(base, settings, file, encoding):
    client, _ = base
    made = client.get(ADDRESS)
    mark(file)
    with TestClient(create_app(settings)) as other:
        again = other.get(ADDRESS, headers={"Accept-Encoding": encoding})
        from_memory = other.get(ADDRESS, headers={"Accept-Encoding": encoding})
    assert again.text == made.text + "<!-- from the file -->" == from_memory.text
    assert again.headers["etag"] == made.headers["etag"]


def test_a_page_that_shows_the_same_in_a_new_version_is_not_made_again(base, file):
    client, ingest = base
    before = client.get(ADDRESS)
    mark(file)
    ingest({**OTHER, "id": "00000000000000cc"})
    after = client.get(ADDRESS)
    assert after.text == before.text + "<!-- from the file -->"
    assert after.headers["etag"] != before.headers["etag"]
    assert file.find(IN_FILE).etag == after.headers["etag"]


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"documentation": "The rope is torn."}, "The rope is torn."),
        ({"id": "00000000000000dd", "errorMessage": "The bell {name} is mute"}, "is mute"),
    ],
)
def test_a_page_is_made_again_when_it_or_a_related_record_changed(base, file, changed, shown):
    client, ingest = base
    client.get(ADDRESS)
    mark(file)
    ingest({**BELL, **changed})
    after = client.get(ADDRESS).text
    assert shown in after
    assert "from the file" not in after


def test_a_page_made_while_there_is_no_index_is_not_kept(settings, tmp_path, file):
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, [BELL])
    indexes.sweep(set())
    # Nobody builds the index anew while another process ingests.
    with (
        ingestion_lock(store.path, on_wait=pytest.fail),
        TestClient(create_app(settings)) as client,
    ):
        page = client.get(ADDRESS)
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-store"
    assert file.find(IN_FILE) is None


def test_no_file_is_made_when_none_is_wanted(tmp_path):
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}", page_file_mb=0)
    store, indexes = open_store(settings)
    load(tmp_path, store, indexes, [BELL])
    with TestClient(create_app(settings)) as client:
        assert client.get(ADDRESS).status_code == 200
    assert not list(tmp_path.glob("*.pages"))


def test_the_cache_stays_within_its_bytes_and_drops_the_longest_unused():
    cache = PageCache(most_bytes=10_000)
    dice = random.Random(7)
    for number in range(500):
        cache.put(("site", str(number % 90)), bytes(dice.randrange(2000)))
        cache.get(("site", "0"))
        assert cache.bytes <= 10_000
    assert cache.get(("site", "0")) is not None
    assert cache.get(("site", "1")) is None
    cache.put(("site", "large"), bytes(20_000))
    assert cache.get(("site", "large")) is None


def test_a_page_put_again_counts_once():
    cache = PageCache(most_bytes=10_000)
    for _ in range(3):
        cache.put(("site", "a"), gzip.compress(b"page"))
    once = PageCache(most_bytes=10_000)
    once.put(("site", "a"), gzip.compress(b"page"))
    assert cache.bytes == once.bytes
