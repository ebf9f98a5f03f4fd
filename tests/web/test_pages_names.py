"""Lists of names: a filter, two orders, and addresses that keep both."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage, harmful

NAMES = [f"tool-{number:03}" for number in range(130)]


@pytest.fixture(scope="module")
def many(serve_records) -> TestClient:
    records = [
        record(f"Failure {{x}} of {name}", tags=[name, "Zebra" if number % 2 else "100%_sure"])
        for number, name in enumerate(NAMES)
    ]
    return serve_records([*records, record("Other {x}", tags=["äpfel", "alpha"])])


def read(client, address, status=200):
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    return HtmlPage(answer.text)


def tags_on(page):
    return [link[6:] for link in page.links if link.startswith("/tags/")]


def test_names_are_listed_by_number_and_by_name(many):
    assert tags_on(read(many, "/tags"))[:2] == ["100%25_sure", "Zebra"]
    by_name = read(many, "/tags?sort=name")
    assert tags_on(by_name)[:3] == ["100%25_sure", "alpha", "tool-000"]
    assert "/tags" in by_name.links
    assert "/tags?sort=name" in read(many, "/tags").links


@pytest.mark.parametrize("sort", ["", "&sort=name"])
def test_a_filter_and_an_order_stay_from_page_to_page(many, sort):
    address, seen = f"/tags?q=TOOL-{sort}", []
    while address:
        page = read(many, address)
        seen += tags_on(page)
        (field,) = [e for e in page.named("input") if e.attributes.get("id") == "names"]
        assert field.attributes["value"] == "TOOL-"
        address = next((link for link in page.links if "cursor=" in link), None)
        assert address is None or "q=TOOL-" in address
        assert not address or (sort in address)
    assert seen == NAMES


def test_a_filter_is_text_not_a_pattern(many):
    assert tags_on(read(many, "/tags?q=0%25_s")) == ["100%25_sure"]
    assert tags_on(read(many, "/tags?q=%25ool")) == []
    assert tags_on(read(many, "/tags?q=tool_0")) == []
    page = read(many, "/tags?q=%3Cscript%3E'%22%5C")
    assert "No name contains" in page.text
    assert harmful(page) == []
    assert "/tags" in page.links


def test_a_cursor_of_another_order_is_refused(many):
    cursor = next(link for link in read(many, "/tags").links if "cursor=" in link)
    assert many.get(cursor).status_code == 200
    assert many.get(cursor + "&sort=name").status_code in (400, 404, 422)


def test_a_filtered_list_is_not_for_search_engines(many):
    assert 'content="noindex' in many.get("/tags?q=tool").text
    assert 'content="noindex' not in many.get("/tags").text


def test_a_repository_shows_its_errors_first_and_keeps_itself_as_a_filter(many):
    page = many.get("/repos/acme/shop").text
    assert page.index("/errors/") < page.index("<h2>Classes</h2>")
    links = HtmlPage(page).links
    assert "/search?repo=acme%2Fshop&class=ShopError" in links
    assert any(link.startswith("/search?repo=acme%2Fshop&tag=") for link in links)


def test_a_short_list_of_errors_is_sorted_as_people_read(serve_records):
    texts = ["Shelf 10 is full", "shelf 9 is full", "Shelf 1 is full", "Basket full", "Shelf ٣"]
    page = read(serve_records([record(text) for text in texts]), "/repos/acme/shop")
    said = [each.text for each in page.named("a") if "said" in each.attributes.get("class", "")]
    assert said == ["Basket full", "Shelf 1 is full", "shelf 9 is full", "Shelf 10 is full",
                    "Shelf ٣"]  # fmt: skip
