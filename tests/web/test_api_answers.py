from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import SHOP

from errdex.config import Settings, open_store
from errdex.ingest import ingest
from errdex.main import create_app
from errdex.web.http import cache_headers


def test_the_reference_documents_survive_file_ingestion_and_api(
    shared: Path, tmp_path: Path
) -> None:
    originals = []
    for name in ("002_b50cfdfc33be0e10", "004_212f8ca52812d7d5"):
        text = (shared / "seeds" / f"{name}.txt").read_text()
        (tmp_path / f"{name}.json").write_text(text)
        originals.append(json.loads(text))
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}")
    store, indexes = open_store(settings)
    report = ingest([tmp_path], store=store, indexes=indexes, dataset="seeds")
    assert (report.added, report.refused) == (2, 0)
    with TestClient(create_app(settings)) as client:
        for original in originals:
            served = client.get(f"/api/errors/{original['record']['id']}").json()
            assert served["record"] == original["record"]
            assert list(served["record"]) == list(original["record"])
            assert set(served) == set(original)
            assert served["datasetVersion"] == report.version


def test_nulls_unknown_keys_and_big_numbers_survive(tmp_path: Path) -> None:
    body = {
        "id": "00000000000000aa",
        "repo": "acme/shop",
        "slug": "odd",
        "errorMessage": "odd <script>\u2028 message",
        "messagePattern": "odd <script> message",
        "httpStatus": None,
        "tags": ["b", "a", "b"],
        "x-unknown": {"deep": [1, 2.5, None, 12345678901234567890123, {"ü": "😀"}]},
    }
    (tmp_path / "odd.json").write_text(json.dumps(body))
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}")
    store, indexes = open_store(settings)
    report = ingest([tmp_path], store=store, indexes=indexes, dataset="odd")
    assert report.ok, [str(each) for each in report.problems]
    with TestClient(create_app(settings)) as client:
        assert client.get("/api/errors/00000000000000aa").json()["record"] == body


def test_a_search_answers_with_facets_and_marks(client: TestClient) -> None:
    answer = client.get("/api/errors", params={"q": "basket empty"}).json()
    first = answer["items"][0]
    assert first["record"]["errorMessage"] == "Basket {basket_id} is empty"
    assert first["allWords"]
    marked = [first["record"]["errorMessage"][a:b] for a, b in first["messageSpans"]]
    assert {"Basket", "empty"} <= set(marked)
    assert {"value": "acme/shop", "count": answer["total"]} in answer["facets"]["repo"]


@pytest.mark.parametrize(
    ("params", "total"),
    [
        ({}, 4),
        ({"repo": "acme/shop"}, 3),
        ({"class": "LockError"}, 1),
        ({"tag": "checkout"}, 2),
        ({"type": "validation"}, 1),
        ({"severity": "warning"}, 1),
        ({"language": "javascript"}, 1),
        ({"background": "empty-input"}, 2),
        ({"repo": "acme/shop", "severity": "error"}, 2),
        ({"q": "ERR_STOCK_UNKNOWN"}, 1),
        ({"q": "code:ERR_STOCK_UNKNOWN"}, 1),
        ({"q": "basket -locked"}, 1),
        ({"q": "basket", "class": "LockError"}, 1),
        ({"tag": "nothing"}, 0),
    ],
)
def test_filters_and_words_are_combined(client: TestClient, params, total: int) -> None:
    assert client.get("/api/errors", params=params).json()["total"] == total


@pytest.mark.parametrize("query", ["", "error", "basket order"])
def test_pages_lead_to_every_entry_once(client: TestClient, query: str) -> None:
    seen, cursor = [], None
    while True:
        params = {"q": query, "limit": 1} | ({"cursor": cursor} if cursor else {})
        page = client.get("/api/errors", params=params).json()
        seen += [item["record"]["id"] for item in page["items"]]
        cursor = page["nextCursor"]
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == page["total"] + page["partial"]


@pytest.mark.parametrize(
    "query",
    ["\x00", '"', "****", "AND OR NOT", "(" * 900, "a:b:c:", "\\", "🙂" * 200, "-", "class:"],
)
def test_a_query_of_any_characters_is_answered(client: TestClient, query: str) -> None:
    answer = client.get("/api/errors", params={"q": query})
    assert answer.status_code == 200
    assert answer.json()["total"] >= 0


def test_lists_count_their_values(client: TestClient) -> None:
    tags = client.get("/api/tags?limit=2").json()
    assert tags["items"] == [{"value": "basket", "count": 2}, {"value": "checkout", "count": 2}]
    rest = client.get("/api/tags", params={"cursor": tags["nextCursor"]}).json()
    assert [each["value"] for each in rest["items"]] == ["orders", "stock"]
    assert client.get("/api/classes").json()["total"] == 3
    assert client.get("/api/backgrounds").json()["items"] == [{"value": "empty-input", "count": 2}]
    assert client.get("/api/repos/acme/shop").json()["records"] == 3
    assert client.get("/api/stats").json()["records"] == len(SHOP)


def test_a_client_that_has_the_answer_is_told_so(client: TestClient) -> None:
    record_id = client.get("/api/errors?limit=1").json()["items"][0]["record"]["id"]
    for url in (f"/api/errors/{record_id}", "/api/errors?q=basket", "/api/tags", "/api/stats"):
        first = client.get(url)
        etag = first.headers["etag"]
        assert "max-age" in first.headers["cache-control"]
        for sent in (etag, f'"other", {etag}', etag.removeprefix("W/"), "*"):
            again = client.get(url, headers={"If-None-Match": sent})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
        assert client.get(url, headers={"If-None-Match": '"other"'}).status_code == 200


def test_an_etag_is_of_one_address_and_version_only(client: TestClient) -> None:
    urls = ("/api/stats", "/api/tags", "/api/errors?q=basket", "/api/errors?q=order", "/", "/about")
    etags = [client.get(url).headers["etag"] for url in urls]
    assert len(set(etags)) == len(urls)
    for url in ("/api/errors/0000000000000000", "/api/repos/acme/nothing", "/errors/x"):
        for sent in (*etags, "*"):
            assert client.get(url, headers={"If-None-Match": sent}).status_code == 404
    assert client.get("/api/errors?limit=0", headers={"If-None-Match": "*"}).status_code == 422


def test_a_304_tells_what_the_answer_would_have_told(client: TestClient) -> None:
    record_id = client.get("/api/errors?limit=1").json()["items"][0]["record"]["id"]
    for url in (f"/api/errors/{record_id}", "/api/errors?q=basket"):
        first = client.get(url)
        sent = {"If-None-Match": first.headers["etag"], "Origin": "https://example.org"}
        for method in ("GET", "HEAD"):
            again = client.request(method, url, headers=sent)
            assert again.status_code == 304
            assert "content-length" not in again.headers or again.headers["content-length"] == "0"
            for name in ("etag", "cache-control"):
                assert again.headers[name] == first.headers[name]
            assert _list_of(first.headers["vary"]) <= _list_of(again.headers["vary"])
            assert again.headers["access-control-allow-origin"] == "*"


def _list_of(header: str) -> set[str]:
    return {each.strip().lower() for each in header.split(",")}


def test_a_web_page_may_ask_whether_an_answer_is_still_right(client: TestClient) -> None:
    asked = {
        "Origin": "https://example.org",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "If-None-Match",
    }
    answer = client.options("/api/stats", headers=asked)
    assert answer.status_code == 200
    assert "If-None-Match" in answer.headers["access-control-allow-headers"]


def test_head_is_answered_as_get_without_a_body(client: TestClient) -> None:
    got, head = client.get("/api/stats"), client.head("/api/stats")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == got.headers["content-type"]


def test_long_answers_are_compressed(client: TestClient) -> None:
    answer = client.get("/api/errors", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in answer.headers["vary"].lower()


def test_any_web_page_may_read_the_api(client: TestClient) -> None:
    answer = client.get("/api/stats", headers={"Origin": "https://example.org"})
    assert answer.headers["access-control-allow-origin"] == "*"


def test_it_is_alive_and_ready(client: TestClient) -> None:
    assert client.get("/healthz").json()["status"] == "alive"
    ready = client.get("/readyz").json()
    assert ready["status"] == "ready"
    assert ready["datasetVersion"] == client.get("/api/stats").json()["datasetVersion"]


def test_a_changed_template_is_a_changed_answer(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cache_headers._fingerprint()
    assert before in client.get("/api/stats").headers["etag"]
    (tmp_path / "home.html").write_text("changed")
    monkeypatch.setattr(cache_headers, "TEMPLATES", tmp_path)
    assert cache_headers._fingerprint() != before


def test_a_line_in_the_search_field_is_matched_first(client: TestClient) -> None:
    line = "LockError: Basket 77 is locked by another session"
    page = client.get("/api/errors", params={"q": line}).json()
    assert [item["matched"] for item in page["items"]][:1] == [True]
    assert page["items"][0]["record"]["errorClass"] == "LockError"
    assert page["total"] == 1
    narrowed = client.get("/api/errors", params={"q": line, "class": "Other"}).json()
    assert narrowed["items"] == []
    words = client.get("/api/errors", params={"q": "basket locked"}).json()
    assert not any(item["matched"] for item in words["items"])
