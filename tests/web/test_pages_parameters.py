"""Parameters that a page does not know change nothing; one that looks like a filter is named."""

from __future__ import annotations

import re

import pytest
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage, harmful

ID = "00000000000000aa"
ADDED = "utm_source=x&fbclid=y&%3Cscript%3E=z"
PAGES = ("/", "/about", "/about/data", f"/errors/{ID}/quiet", "/repos", "/classes", "/match")


@pytest.fixture(scope="module")
def client(serve_records):
    return serve_records([record("Quiet", id=ID, repo="acme/shop")])


@pytest.mark.parametrize("address", PAGES)
def test_a_parameter_from_elsewhere_changes_nothing(client, address):
    usual, added = client.get(address), client.get(f"{address}?{ADDED}")
    assert (added.status_code, added.text) == (usual.status_code, usual.text)


def test_a_search_says_which_filter_was_misspelt(client):
    page = HtmlPage(client.get("/search?q=quiet&repos=acme/shop&Tag=x&utm_source=y").text)
    assert "There is no filter repos: did you mean repo?" in page.text
    assert "There is no filter Tag: did you mean tag?" in page.text
    assert "utm_source" not in page.text
    hostile = HtmlPage(client.get("/search?" + "&".join(["repo%3Cb%3E=x"] * 3)).text)
    assert harmful(hostile) == []


def test_thousands_of_parameters_are_a_bounded_work(client):
    address = "/search?" + "&".join(f"repo{n}=x" for n in range(3_000))
    page = client.get(address).text
    assert len(re.findall("There is no filter", page)) == 50
