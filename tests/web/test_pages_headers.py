"""The headers of every kind of answer of the site: what may be kept and for how long, HEAD,
conditions, and where redirects lead."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.web.html_page import HtmlPage

from errdex.web.http.assets import static_url
from errdex.web.http.redirects import DETOURS

RECORD = "00000000000000aa"
RECORDS = [
    {"repo": "acme/shop", "errorMessage": "Quiet is {what}", "id": RECORD, "tags": ["calm"]},
    {"repo": "acme/shop", "errorMessage": "Bell rang", "id": "00000000000000bb"},
]
KEPT = [
    "/",
    "/match",
    "/match?example=python",
    f"/match/shared?r={RECORD}",
    "/match/kept?n=1",
    "/draft",
    "/search",
    "/search?q=quiet",
    f"/errors/{RECORD}/quiet-is",
    *("/repos", "/repos/acme/shop", "/tags", "/tags/calm", "/classes", "/causes"),
    *("/about", "/about/data", "/docs"),
    *("/feed.xml", "/sitemap.xml", "/sitemaps/lists.xml", "/opensearch.xml", "/robots.txt"),
    f"/sitemaps/records/{RECORD}.xml",
    f"/api/errors/{RECORD}",
]
NEVER_KEPT = ["/no", "/tags/no", "/tags?cursor=x", "/match/shared", "/healthz", "/readyz",
              "/metrics", "/api/no", "/static/000000000000/no.css"]  # fmt: skip
MOVED = [f"/errors/{RECORD}", f"/errors/{RECORD}/", f"/errors/{RECORD}/an-old-name",
         "/favicon.ico", "/static/000000000000/site.css", *DETOURS]  # fmt: skip
OF_ITS_OWN = {"date", "x-request-id"}


@pytest.fixture(scope="module")
def client(serve_records):
    return serve_records(RECORDS)


def headers_of(answer):
    return {name: value for name, value in answer.headers.items() if name not in OF_ITS_OWN}


@pytest.mark.parametrize("address", KEPT)
def test_what_is_there_may_be_kept_and_asked_for_again(client, address):
    first = client.get(address)
    assert first.status_code == 200
    assert first.headers["cache-control"] == "public, max-age=60"
    etag = first.headers["etag"]
    for sent in (etag, etag.removeprefix("W/"), f'"other", {etag}', "*"):
        again = client.get(address, headers={"If-None-Match": sent})
        assert again.status_code == 304, sent
        assert again.content == b""
        assert again.headers["etag"] == etag
        assert again.headers["cache-control"] == first.headers["cache-control"]
        assert "content-type" not in again.headers
        assert "Accept-Encoding" in again.headers["vary"]
        assert "content-security-policy" in again.headers
        head = client.head(address, headers={"If-None-Match": sent})
        assert (head.status_code, head.content) == (304, b"")
    for other in ('"other"', "W/", "", "W/" + etag):
        assert client.get(address, headers={"If-None-Match": other}).status_code == 200


def test_each_address_has_an_etag_of_its_own(client):
    etags = [client.get(address).headers["etag"] for address in KEPT]
    assert len(set(etags)) == len(KEPT)


@pytest.mark.parametrize("address", NEVER_KEPT)
def test_what_is_not_there_or_only_for_now_is_not_kept(client, address):
    answer = client.get(address, headers={"If-None-Match": "*"})
    assert answer.status_code != 304
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers


def test_no_answer_to_a_paste_is_kept(client):
    for path, body in (("/match", {"files": {"paste": (None, "x\ny")}}),
                       ("/match", {"files": {"paste": (None, "quiet")}}),
                       ("/match", {"content": b"x"}),
                       (f"/errors/{RECORD}/pattern", {"files": {"text": (None, "Quiet")}}),
                       ("/api/errors/match", {"json": {"text": "x"}})):  # fmt: skip
        answer = client.post(path, follow_redirects=False, **body)
        assert answer.headers["cache-control"] == "no-store", path
        assert "etag" not in answer.headers


@pytest.mark.parametrize("address", MOVED)
def test_where_something_went_is_told_whatever_one_has(client, address):
    plain = client.get(address, follow_redirects=False)
    assert plain.status_code in {301, 302}
    assert "etag" not in plain.headers
    assert plain.headers["cache-control"] in {
        "public, max-age=60",
        "public, max-age=3600",
        "no-cache",
    }
    assert client.get(plain.headers["location"], follow_redirects=False).status_code == 200
    again = client.get(address, headers={"If-None-Match": "*"}, follow_redirects=False)
    assert again.status_code == plain.status_code


@pytest.mark.parametrize("address", [*KEPT, *MOVED, *NEVER_KEPT])
def test_head_is_get_without_a_body(client, address):
    shown = client.get(address, follow_redirects=False)
    head = client.head(address, follow_redirects=False)
    assert head.status_code == shown.status_code
    assert head.content == b""
    told, expected = headers_of(head), headers_of(shown)
    if address == "/metrics":  # which counts the one before
        del told["content-length"], expected["content-length"]
    assert told == expected


def test_a_kept_page_has_the_headers_of_its_first_answer(serve_records):
    client = serve_records(RECORDS)
    first, kept = (client.get(f"/errors/{RECORD}/quiet-is") for _ in range(2))
    assert headers_of(kept) == headers_of(first)


@pytest.mark.parametrize("name", ["site.css", "site.js", "theme.js", "favicon.svg", "card.png"])
def test_files_are_kept_for_good_under_their_hash(client, name):
    address = static_url(name)
    assert re.fullmatch(rf"/static/[0-9a-f]{{12}}/{re.escape(name)}", address)
    answer = client.get(address)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "words",
    ["a\rSet-Cookie: x=1", "//evil.example/", "x\u2028y\x85z", "https://evil.example/#?&=%0d%0a",
     "ünï 码 🙂", "<script>alert(1)</script>", "%", "\x0b\x1b[31m"],
)  # fmt: skip
def test_a_short_paste_leads_to_nowhere_but_the_search_for_it(client, words):
    answer = client.post("/match", files={"paste": (None, words)}, follow_redirects=False)
    location = answer.headers.get("location", "")
    if answer.status_code == 303:
        assert re.fullmatch(r"/search\?q=[\w.~%+*-]+", location, re.ASCII)
        assert parse_qs(urlsplit(location).query)["q"] == [words.strip()]
    else:
        assert (answer.status_code, location) == (200, "")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("slug", ["//evil.example", "..%2f..", "%E7%A0%81", "?a=%0a", "x%09y"])
def test_a_wrong_slug_leads_to_the_right_one_alone(client, slug):
    answer = client.get(f"/errors/{RECORD}/{slug}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (301, f"/errors/{RECORD}/quiet-is")
    assert HtmlPage(client.get(answer.headers["location"]).text).named("h1")


def test_a_line_break_in_an_address_is_in_no_header(client):
    for address in (f"/errors/{RECORD}/%0d%0aSet-Cookie:%20x", "/%0d%0aSet-Cookie:%20x/"):
        answer = client.get(address, follow_redirects=False)
        assert answer.status_code == 404
        assert not {"location", "set-cookie"} & set(answer.headers)


def test_a_detour_keeps_the_question(client):
    for address in ("/search/?q=quiet&tag=calm", "/errors?q=quiet&tag=calm"):
        answer = client.get(address, follow_redirects=False)
        assert answer.headers["location"] == "/search?q=quiet&tag=calm"
