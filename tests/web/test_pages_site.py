"""Absolute addresses are those of the host that was asked for, and of nothing that is no host."""

from __future__ import annotations

import re

import pytest

from errdex.web.http.site import site_of_scope

RECORD = "/errors/00000000000000aa/quiet"
PAGES = ("/", "/about", "/about/data", RECORD, "/repos", "/match", "/search?q=quiet", "/nothing")
DOCUMENTS = (
    "/docs",
    "/feed.xml",
    "/sitemap.xml",
    "/sitemaps/lists.xml",
    "/opensearch.xml",
    "/robots.txt",
)


@pytest.fixture(scope="module")
def client(serve_records):
    quiet = {"repo": "acme/shop", "errorMessage": "Quiet", "id": "00000000000000aa"}
    return serve_records([quiet])


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("errdex.example", "http://errdex.example"),
        ("ERRDEX.example:8000", "http://ERRDEX.example:8000"),
        ("127.0.0.1:80", "http://127.0.0.1:80"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("", ""),
        ("a b", ""),
        ("user@evil.example", ""),
        ("evil.example/x?y#", ""),
        ("javascript:alert(1)//", ""),
        ('a"</loc></script><script>', ""),
        ("a\x0b\x85", ""),
        ("a:123456", ""),
        ("[", ""),
    ],
)
def test_a_host_is_taken_over_if_it_may_be_one(host, site):
    scope = {"type": "http", "scheme": "http", "headers": [(b"host", host.encode("latin-1"))]}
    assert site_of_scope(scope) == site
    assert site_of_scope({**scope, "scheme": "data"}) == ""
    served = {**scope, "root_path": "/errdex", "path": "/errdex/", "query_string": b""}
    assert site_of_scope(served) == (f"{site}/errdex" if site else "")


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "other.example"},
        {"Host": "evil.example/x?y#&z"},
        {"X-Forwarded-Host": "other.example", "X-Forwarded-Proto": "https"},
        {"Forwarded": "host=other.example;proto=https"},
        {"X-Original-URL": "/other", "X-Rewrite-URL": "/other", "X-Forwarded-Prefix": "/other"},
        {"X-HTTP-Method-Override": "DELETE", "X-Forwarded-Scheme": "nohttps"},
        {"Cookie": "other=1", "Authorization": "other", "Accept-Language": "xx"},
    ],
    ids=str,
)
def test_a_page_is_the_same_for_every_client(client, address, headers):
    usual = client.get(address)
    asked = client.get(address, headers=headers)
    hidden = re.compile(r"[0-9a-f]{32}")  # a request id
    assert hidden.sub("", asked.text) == hidden.sub("", usual.text)
    assert asked.status_code == usual.status_code
    assert asked.headers.get("etag") == usual.headers.get("etag")
    assert "http://testserver" not in usual.text


def test_pages_are_kept_once_for_all_hosts(client):
    pages = client.app.state.context.pages
    client.get(RECORD)
    kept = len(pages._pages)
    for number in range(20):
        client.get(RECORD, headers={"Host": f"host{number}.example"})
    assert len(pages._pages) == kept


@pytest.mark.parametrize("address", DOCUMENTS)
def test_what_is_no_host_is_on_no_page(client, address):
    answer = client.get(address, headers={"Host": "evil.example/x?y#&z"})
    assert answer.status_code == 200
    assert "evil" not in answer.text
    assert not any("evil" in value for value in answer.headers.values())
    named = client.get(address, headers={"Host": "other.example"}).text
    assert re.search(r"http://other\.example\b", named)
