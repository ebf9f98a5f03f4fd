"""Text that others wrote stays text, on every page, and its addresses lead back to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage, harmful

Serve = Callable[[list[dict[str, Any]]], TestClient]

ID = "00000000000000ee"
ODD_TAGS = [
    "a/b c",
    "..",
    ".",
    "../../etc/passwd",
    "x//y",
    "trailing/",
    "/leading",
    "100%",
    "%2e%2e",
    "what?",
    "a#b",
    "a&b=c;d",
    "+plus+",
    'quote"d',
    "it's",
    "ünï·码·🙂",
    "back\\slash",
    "<b>bold</b>",
]


def evil(field: str) -> str:
    """A text that tries to leave its place, and tells which field it was in."""
    return f"</title></pre></script><script>alert('{field}')</script>\" onload=\"{field}{{{{7*7}}}}"


TEXTS = [
    "errorMessage",
    "errorClass",
    "errorType",
    "errorCode",
    "language",
    "filePath",
    "function",
    "raisedWhen",
    "documentation",
    "triggerScenarios",
    "commonSituations",
    "exampleFix",
    "handlingStrategy",
    "validationCode",
    "typeGuard",
    "tryCatchPattern",
    "backgroundTag",
    "sourceCode",
]
LISTS = ("solutions", "preventionTips", "tags")
EVIL = record("x", id=ID, repo="acme/odd", lineNumber=3, sourceCodeStart=3)
EVIL |= {field: evil(field) for field in TEXTS}
EVIL |= {field: [evil(field)] for field in LISTS}
EVIL |= {"analyzedSha": "<script>", "analyzedAt": "<script>"}
EVIL |= {
    "githubUrl": "javascript:alert(1)",
    "references": [
        "javascript:alert(2)",
        "data:text/html,x",
        "//evil.example",
        "https://a@b.example",
    ],
}
ODD = record(
    "Odd labels {n}", slug="odd-labels-n", repo="acme/odd", id="00000000000000ff", tags=ODD_TAGS
)


@pytest.fixture(scope="module")
def pages(serve_records: Serve) -> TestClient:
    return serve_records([EVIL, ODD])


@pytest.mark.parametrize("field", [*TEXTS, *LISTS])
def test_script_tags_in_a_field_are_shown_as_text(pages, field):
    page = HtmlPage(pages.get(f"/errors/{ID}").text)
    assert evil(field) in page.text


@pytest.mark.parametrize(
    "address",
    [
        f"/errors/{ID}",
        f"/errors/{ODD['id']}",
        "/",
        "/search",
        "/search?q=alert",
        f"/search?q={quote(evil('q'))}",
        f"/search?tag={quote(evil('tags'))}&class={quote(evil('class'))}",
        "/repos",
        "/repos/acme/odd",
        "/classes",
        "/tags",
        "/causes",
        f"/classes/{quote(evil('errorClass'))}",
        f"/tags/{quote(evil('tags'))}",
        f"/causes/{quote(evil('backgroundTag'))}",
        f"/no/{quote(evil('path'))}",
        f"/errors/{quote(evil('id'), safe='')}/x",
    ],
)
def test_no_page_runs_or_loads_what_a_record_or_an_address_says(pages, address):
    answer = pages.get(address)
    assert answer.status_code in {200, 404}
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert harmful(HtmlPage(answer.text)) == []


def test_only_plain_web_addresses_become_links(pages):
    links = HtmlPage(pages.get(f"/errors/{ID}").text).links
    assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in links)


@pytest.mark.parametrize("tag", ODD_TAGS)
def test_the_link_of_an_odd_tag_leads_to_its_records(pages, tag):
    page = HtmlPage(pages.get(f"/errors/{ODD['id']}").text)
    links = {
        each.attributes.get("href", "") for each in page.named("a") if each.text == tag.strip()
    }
    found = [link for link in links if link.startswith(("/tags/", "/search?tag="))]
    assert len(found) == 1
    answer = pages.get(found[0])
    assert answer.status_code == 200
    listed = HtmlPage(answer.text)
    assert f"/errors/{ODD['id']}/odd-labels-n" in listed.links
    assert len([link for link in listed.links if link.startswith("/errors/")]) == 1


@pytest.mark.parametrize("tag", ["a/b c", "100%", "%2e%2e", "a#b", "ünï·码·🙂", "x//y", "what?"])
def test_an_odd_tag_narrows_a_search_and_is_taken_back(pages, tag):
    page = HtmlPage(pages.get("/search", params={"tag": tag}).text)
    assert [link for link in page.links if link.startswith("/errors/")]
    assert "/search" in page.links
