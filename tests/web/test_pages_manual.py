"""The pages of docs/ on the website."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.web.html_page import HtmlPage, harmful

NAMES = sorted(file.stem for file in (Path(__file__).parents[2] / "docs").glob("*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_each_page_of_the_docs_is_a_page_of_the_site(client, name):
    answer = client.get(f"/docs/{name}")
    assert answer.status_code == 200
    page = HtmlPage(answer.text)
    assert len(page.named("h1")) == 1
    assert harmful(page) == []
    assert "<!--" not in answer.text
    assert "&lt;!--" not in answer.text
    ids = [each.attributes["id"] for each in page.elements if each.attributes.get("id")]
    assert len(ids) == len(set(ids))


def test_every_link_within_the_docs_leads_somewhere(client):
    wrong, named = [], set()
    for name in NAMES:
        page = HtmlPage(client.get(f"/docs/{name}").text)
        ids = {each.attributes.get("id") for each in page.elements}
        for link in page.links:
            if link.startswith("#"):
                wrong += [(name, link)] if link[1:] not in ids else []
            elif ".md" in link:
                wrong.append((name, link))
            elif link.startswith("/docs"):
                named.add(link.partition("#")[0])
    assert len(named) >= len(NAMES)
    assert wrong == []
    assert [link for link in sorted(named) if client.get(link).status_code != 200] == []


def test_the_navigation_has_all_pages_and_marks_its_own(client):
    for address in ("/docs", "/docs/records"):
        page = HtmlPage(client.get(address).text)
        assert {f"/docs/{name}" for name in NAMES} <= set(page.links)
    marked = re.findall(r'href="([^"]*)" aria-current="page"', client.get("/docs/records").text)
    assert "/docs/records" in marked


def test_the_text_of_a_page_is_there_with_its_code(client):
    page = HtmlPage(client.get("/docs/api").text)
    assert "curl -s http://127.0.0.1:8000/api/errors/match" in page.text
    assert page.named("table") or HtmlPage(client.get("/docs/cli").text).named("table")


@pytest.mark.parametrize("name", ["none", "..", "%2e%2e%2fREADME", "API", "records.md", "pictures"])
def test_nothing_else_is_read(client, name):
    assert client.get(f"/docs/{name}").status_code in (404, 200, 307)
    assert "Contributing" not in client.get(f"/docs/{name}").text
    if name not in ("..",):
        assert client.get(f"/docs/{name}").status_code == 404
