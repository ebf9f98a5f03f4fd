"""A text tried against a record's pattern, on the record's page."""

from __future__ import annotations

import logging

import pytest
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage, harmful

ID = "00000000000000aa"
BELL = record("The bell {name} rang %s times", id=ID, slug="bell", filePath="bell.py")


@pytest.fixture(scope="module")
def client(serve_records):
    return serve_records([BELL])


def attempt(client, text, record_id=ID, status=200):
    answer = client.post(f"/errors/{record_id}/pattern", files={"text": (None, text)})
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    page = HtmlPage(answer.text)
    assert harmful(page) == []
    return page


@pytest.mark.parametrize(
    ("text", "verdict", "marked"),
    [
        ("", "Enter a text to test.", []),
        ("The bell is silent", "The pattern does not match this text.", []),
        ("The bell Big Ben rang 12 times", "The pattern matches the whole text.", 1),
        (
            "<b>\nThe bell &amp; rang 12 times\x1b[0m today",
            "The pattern matches a part of the text.",
            1,
        ),
        ("x" * 50_000 + "The bell a rang b times", "The pattern does not match this text.", []),
    ],
)
def test_the_verdict_the_place_and_the_holes_are_shown(client, text, verdict, marked):
    page = attempt(client, text)
    assert verdict in page.text
    fold = next(each for each in page.named("details"))
    assert "open" in fold.attributes
    assert len(page.named("mark")) == (marked or 0)
    if marked:
        assert "name is " in page.text


def test_an_unknown_record_is_not_found(client):
    attempt(client, "x", "00000000000000bb", 404)


def test_the_page_itself_has_the_field_folded_and_stays_at_its_address(client):
    page = HtmlPage(client.get(f"/errors/{ID}/bell").text)
    assert "open" not in next(each for each in page.named("details")).attributes
    form = next(each for each in page.named("form") if "try" in each.attributes["class"])
    assert form.attributes["method"] == "post"
    answer = client.get(f"/errors/{ID}/pattern", follow_redirects=False)
    assert answer.headers["location"] == f"/errors/{ID}/bell"
    tried = attempt(client, "x")
    canonical = next(e for e in tried.named("link") if e.attributes["rel"] == "canonical")
    assert canonical.attributes["href"].endswith(f"/errors/{ID}/bell")


def test_what_is_tried_is_not_logged_nor_shown_to_others(client, caplog):
    text = "The bell never-to-be-told rang 3 times"
    with caplog.at_level(logging.DEBUG):
        attempt(client, text)
    assert "never-to-be-told" not in caplog.text
    assert "never-to-be-told" not in client.get(f"/errors/{ID}/bell").text
