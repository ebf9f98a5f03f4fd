"""The pages of causes, and the links that lead to them."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import SHOP
from tests.web.html_page import HtmlPage, harmful

CAUSE = {
    "tag": "empty-input",
    "title": "Empty input",
    "text": "Nothing is in it.\n\nA second paragraph with `code`.",
    "tell": "The message names the input.",
    "checks": ["Print it.\n`shop show BASKET`", "Ask who <script>alert(1)</script> writes it."],
}
UNUSED = {"tag": "worn/out", "title": "Worn out", "text": "Nothing has it yet."}


@pytest.fixture(scope="module")
def explained(serve_records) -> TestClient:
    return serve_records([*SHOP, CAUSE, UNUSED])


def read(client, address, status=200):
    answer = client.get(address, follow_redirects=False)
    assert answer.status_code == status, answer.text
    return HtmlPage(answer.text)


def test_a_cause_has_its_text_checks_and_records(explained):
    page = read(explained, "/causes/empty-input")
    assert [each.text for each in page.named("h1")] == ["Empty input"]
    headings = [each.text for each in page.named("h2")]
    assert headings[:3] == ["What to check first", "Which of its errors you have", "Its errors"]
    assert "A second paragraph with code." in page.text
    assert "shop show BASKET" in page.text
    assert "Basket {basket_id} is empty" in page.text
    assert harmful(page) == []
    links = page.links
    assert "/search?background=empty-input" in links
    assert "/search?background=empty-input&tag=checkout" in links


def test_a_cause_without_a_text_or_records_is_shown_too(explained, client):
    bare = read(client, "/causes/empty-input")
    assert [each.text for each in bare.named("h1")] == ["Empty input"]
    assert "Which of its errors" not in bare.text
    unused = read(explained, "/causes/worn/out")
    assert "No record names this cause yet." in unused.text
    read(client, "/causes/nothing-of-this-kind", 404)


def test_all_causes_are_listed_with_their_numbers(explained):
    page = read(explained, "/causes")
    assert "Nothing is in it." in page.text
    assert "2 errors" in page.text
    assert "/causes/empty-input" in page.links


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/backgrounds", "/causes"),
        ("/backgrounds/empty-input", "/causes/empty-input"),
        ("/backgrounds/a/b%20c", "/causes/a/b%20c"),
        ("/backgrounds//evil.example", "/search?background=%2Fevil.example"),
    ],
)
def test_the_former_addresses_lead_there(client, old, new):
    answer = client.get(old, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (301, new)


def test_records_and_searches_lead_to_the_cause(explained):
    found = explained.get("/api/errors?q=basket+empty").json()["items"][0]
    page = read(explained, found["record"]["url"])
    assert "/causes/empty-input" in page.links
    assert "Cause: Empty input" in page.text
    assert "Cause: Empty input (2 errors)" in read(explained, "/search?q=empty+input").text
    assert "Cause:" not in read(explained, "/search?q=basket").text
    home = read(explained, "/")
    assert "/causes" in home.links
    assert "Empty input" in home.text


def test_the_api_gives_causes(explained):
    listed = explained.get("/api/causes?limit=1").json()
    assert listed["total"] == 1
    url = "http://testserver/causes/empty-input"
    item = {"tag": "empty-input", "title": "Empty input", "records": 2, "url": url}
    assert listed["items"] == [item]
    whole = explained.get("/api/causes/empty-input").json()
    assert whole["text"] == CAUSE["text"]
    assert whole["checks"] == CAUSE["checks"]
    assert whole["datasetVersion"] == listed["datasetVersion"]
    assert explained.get("/api/causes/nothing").status_code == 404


def test_an_answer_leads_to_the_cause_of_its_record(explained):
    paste = {"content": b"ShopError: Basket 7 is empty\n"}
    text = explained.post("/api/errors/match", **paste, headers={"Accept": "text/plain"}).text
    assert "Cause: empty input (" in text
    assert "/causes/empty-input)" in text
    page = explained.post("/match", files={"text": (None, "ShopError: Basket 7 is empty")})
    assert "/causes/empty-input" in HtmlPage(page.text).links
