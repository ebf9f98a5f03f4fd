"""The page of an error says what is wrong and what to do, in words for who reads pages."""

from __future__ import annotations

import pytest
from tests.web.html_page import HtmlPage, harmful

from errdex.web.http import errors


def page_of(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    page = HtmlPage(answer.text)
    assert harmful(page) == []
    assert str(status) in page.text
    return page


@pytest.mark.parametrize(
    ("address", "status", "heading", "words"),
    [
        ("/no/such/page", 404, "Page not found", "There is no page at this address."),
        ("/tags/nope", 404, "Page not found", "No record has the tag “nope”."),
        ("/tags?cursor=x", 422, "Invalid request", "This page of the list does not exist"),
        ("/search?q=a&cursor=x", 422, "Invalid request", "This page of the list does not exist"),
        ("/search?q=" + "x" * 2500, 422, "Invalid request", "give at most 2000"),
        ("/about?" + "x" * 40_000, 414, "Address too long", "the most it may be"),
    ],
)
def test_the_page_of_an_error_says_what_is_wrong(client, address, status, heading, words):
    page = page_of(client.get(address), status)
    assert [each.text for each in page.named("h1")] == [heading]
    assert words in page.text
    assert "API" not in " ".join(each.text for each in page.named("main"))


def test_what_only_readers_of_the_api_need_is_not_on_a_page(client):
    page = page_of(client.post("/about"), 405)
    assert "cannot receive data" in page.text
    assert not any(detail in page.text for detail in (errors.DETAILS[404], errors.DETAILS[405]))
    assert client.get("/api/no").json()["detail"] == errors.DETAILS[404]


def test_a_list_is_begun_again_where_only_its_place_is_wrong(client):
    page = page_of(client.get("/search?q=basket&cursor=x"), 422)
    assert page.link("Go to the first page") == "/search?q=basket"
    page = page_of(client.get("/search?q=" + "x" * 2500 + "&cursor=x"), 422)
    assert not [each for each in page.named("a") if "first page" in each.text]


def test_a_paste_that_is_too_large_leads_back_to_its_field(client):
    page = page_of(client.post("/match", files={"paste": (None, "x\n" * 2_600_000)}), 413)
    assert "the lines around the first error are enough" in page.text
    assert page.link("Paste again") == "/match"
    page = page_of(client.post("/tags", content=b"x" * 1_100_000), 413)
    assert not [each for each in page.named("a") if each.text == "Paste again"]
