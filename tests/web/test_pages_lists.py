"""Search, lists, and the pages of errors."""

from __future__ import annotations

import re

import pytest
from tests.web.html_page import HtmlPage, harmful

PAGES = [
    "/",
    "/search",
    "/search?q=basket",
    "/repos",
    "/repos/acme/shop",
    "/classes",
    "/classes/ShopError",
    "/tags",
    "/tags/checkout",
    "/causes",
    "/causes/empty-input",
    "/about",
    "/about/data",
    "/docs",
]


def read(client, address, status=200):
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    return HtmlPage(answer.text)


def records_on(page):
    """The records that a page lists, without their ids."""
    found = dict.fromkeys(link for link in page.links if re.match("/errors/[0-9a-f]{16}/", link))
    return [link.split("/")[3] for link in found]


@pytest.mark.parametrize("address", PAGES)
def test_each_page_has_its_landmarks_one_heading_and_a_way_past_the_top(client, address):
    page = read(client, address)
    for landmark in ("header", "nav", "main", "footer"):
        assert page.named(landmark), landmark
    assert len(page.named("main")) == 1
    assert len(page.named("h1")) == 1
    assert page.links[0] == "#" + page.named("main")[0].attributes["id"]
    assert page.named("html")[0].attributes["lang"] == "en"
    assert harmful(page) == []


@pytest.mark.parametrize("address", [*PAGES, "/nothing/here", "/search?cursor=x", "/api/stats"])
def test_every_answer_has_the_security_headers(client, address):
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] in {"same-origin", "no-referrer"}
    assert "camera=()" in headers["permissions-policy"]


@pytest.mark.parametrize("address", PAGES)
def test_an_unchanged_page_is_not_sent_again(client, address):
    first = client.get(address)
    if "etag" in first.headers:
        again = client.get(address, headers={"If-None-Match": first.headers["etag"]})
        assert again.status_code == 304
        assert again.content == b""
    else:
        assert address == "/docs"


def test_the_home_page_says_what_there_is(client):
    page = read(client, "/")
    assert re.search(r"\b4 (known )?errors\b", page.text)
    assert {"/repos/acme/shop", "/repos/acme/stock", "/causes/empty-input"} <= set(page.links)


def test_a_search_lists_what_has_the_words_and_marks_them(client):
    page = read(client, "/search?q=basket+empty")
    assert records_on(page)[0] == "basket-is-empty"
    assert {"basket", "empty"} <= {each.text.lower() for each in page.named("mark")}
    field = next(each for each in page.named("input") if each.attributes.get("name") == "q")
    assert field.attributes["value"] == "basket empty"


def test_a_facet_narrows_the_search_and_can_be_taken_back(client):
    page = read(client, "/search?q=basket")
    assert len(records_on(page)) == 2
    narrowed = read(client, next(u for u in page.links if "class=LockError" in u))
    assert records_on(narrowed) == ["basket-is-locked-by-another-session"]
    assert "/search?q=basket" in narrowed.links


def test_filters_are_combined(client):
    page = read(
        client, "/search?tag=checkout&repo=acme/shop&background=empty-input&type=validation"
    )
    assert records_on(page) == ["basket-is-empty"]


def test_a_search_without_words_lists_everything(client):
    assert len(records_on(read(client, "/search"))) == 4


def test_a_search_for_blanks_is_one_without_words(client):
    page = HtmlPage(client.get("/search?q=+%09+").text)
    assert "All errors" in page.text
    assert "Results for" not in page.text


def test_a_misspelling_is_led_to_what_is_there(client):
    page = read(client, "/search?q=baskat+sesion")
    assert page.text.count("No results for baskat sesion") == 1
    assert records_on(page) == records_on(read(client, "/search?q=basket+session"))
    assert [each.text for each in page.named("h1")] == ["Results for basket session"]
    (field,) = [each for each in page.named("input") if each.attributes["type"] == "search"]
    assert field.attributes["value"] == "basket session"
    assert "/search?q=basket+session&severity=warning" in page.links


def test_a_misspelling_beside_good_words_is_led_to_them_too(client):
    page = read(client, "/search?q=checkout+baskat")
    assert page.text.count("No results for checkout baskat") == 1
    assert records_on(page) == records_on(read(client, "/search?q=checkout+basket"))


def test_results_with_some_of_the_words_are_counted_apart(client):
    page = read(client, "/search?q=empty+basket+session")
    assert page.text.count("with some of the words") == 1
    assert page.text.count("Some of the words") >= 1
    assert "with some" not in read(client, "/search?q=basket").text


def test_a_line_in_the_search_field_is_matched_first(client):
    page = read(client, "/search?q=LockError:+Basket+77+is+locked+by+another+session")
    assert page.text.count("Matches this line") == 1


def test_a_misspelling_of_what_the_filters_leave_out_is_told(client):
    page = read(client, "/search?q=baskat&severity=nope")
    assert records_on(page) == []
    assert "No results for baskat" in page.text


def test_a_search_that_finds_nothing_says_what_to_try(client):
    page = read(client, "/search?q=zzzzqqqq&severity=warning")
    assert records_on(page) == []
    assert [each for each in page.named("h1", "h2") if each.text.startswith("No results")]
    assert "/search?q=zzzzqqqq" in page.links


@pytest.mark.parametrize("query", ['"', "class:", "a" * 2000, "-", "*", "\x00", "(((", "ünï 🙂"])
def test_any_query_gets_a_page(client, query):
    answer = client.get("/search", params={"q": query})
    assert answer.status_code == 200
    HtmlPage(answer.text)


@pytest.mark.parametrize(
    ("address", "slugs"),
    [
        ("/repos/acme/stock", ["err-stock-unknown-no-stock-for-article"]),
        ("/classes/LockError", ["basket-is-locked-by-another-session"]),
        ("/tags/orders", ["order-has-no-lines"]),
        ("/causes/empty-input", ["basket-is-empty", "order-has-no-lines"]),
    ],
)
def test_the_page_of_a_value_lists_its_records(client, address, slugs):
    assert sorted(records_on(read(client, address))) == slugs


@pytest.mark.parametrize(
    ("address", "links"),
    [
        ("/repos", ["/repos/acme/shop", "/repos/acme/stock"]),
        ("/classes", ["/classes/ShopError", "/classes/LockError", "/classes/StockError"]),
        ("/tags", ["/tags/basket", "/tags/checkout", "/tags/orders", "/tags/stock"]),
        ("/causes", ["/causes/empty-input"]),
    ],
)
def test_a_list_has_every_value(client, address, links):
    assert set(links) <= set(read(client, address).links)


@pytest.mark.parametrize(
    "address", ["/tags/none", "/classes/none", "/causes/none", "/repos/no/ne", "/repos/none"]
)
def test_an_unknown_value_is_not_found(client, address):
    read(client, address, 404)


def test_an_address_that_leads_nowhere_offers_a_search_for_its_words(client):
    page = read(client, "/docs2/basket-is_locked.html", 404)
    assert records_on(read(client, next(u for u in page.links if u.startswith("/search?q="))))


@pytest.mark.parametrize(
    "address", ["/search?cursor=x", "/tags?cursor=x", "/repos/acme/shop?cursor=!"]
)
def test_a_cursor_of_nowhere_is_told_on_a_page(client, address):
    page = read(client, address, 422)
    assert page.named("h1")
    assert "/" in page.links


@pytest.mark.parametrize("address", ["/tags", "/search?q=a+%26+b", "/repos/acme/shop"])
def test_a_cursor_of_nowhere_leads_to_the_first_page(client, address):
    mark = "&" if "?" in address else "?"
    page = read(client, f"{address}{mark}cursor=x", 422)
    assert page.link("Go to the first page") == address


def test_a_page_error_is_not_kept_by_caches(client):
    assert client.get("/nothing").headers["cache-control"] == "no-store"


def test_static_files_are_kept_for_good_under_the_address_of_their_content(client):
    page = read(client, "/")
    files = [each.attributes["href"] for each in page.named("link")]
    files += [
        each.attributes["src"] for each in page.named("script", "img") if "src" in each.attributes
    ]
    files = [each for each in files if each.startswith("/static/")]
    assert len(files) >= 2
    for file in files:
        answer = client.get(file)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        stale = re.sub("[0-9a-f]{8,}", "0" * 12, file)
        assert client.get(stale, follow_redirects=False).headers["location"] == file


@pytest.mark.parametrize(
    "name", ["none.css", "..%2f..%2fpyproject.toml", "%2e%2e/%2e%2e/pyproject.toml", "%00"]
)
def test_nothing_but_static_files_is_served_as_one(client, name):
    assert client.get(f"/static/000000000000/{name}").status_code == 404
