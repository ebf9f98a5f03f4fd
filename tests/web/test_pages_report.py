"""Links that open a report of a problem, where the server names a place for reports."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage

MODULE = record("No module named '{module}'", id="00000000000000aa", errorClass="ImportError")
PASTE = "one\nImportError: No module named 'hunter2'\n"
FORM = "https://issues.example/new?title={problem}+{record}&body={version}&other={other}"


def links(serve_records, **settings):
    client = serve_records([MODULE], **settings)
    page = HtmlPage(client.post("/match", files={"paste": (None, PASTE)}).text)
    return [each for each in page.named("a") if "issues.example" in each.attributes["href"]]


def test_without_a_place_there_is_no_link(serve_records):
    assert links(serve_records) == []


def test_a_report_holds_the_record_and_versions_and_nothing_of_the_paste(serve_records):
    found = links(serve_records, report_url=FORM)
    assert [each.text for each in found] == [
        "Wrong record",
        "The fix does not work",
        "Something is missing",
    ]
    for each in found:
        url = each.attributes["href"]
        assert url.startswith("https://issues.example/new?title=")
        assert "00000000000000aa" in url
        assert each.text in unquote(url)
        assert "Errdex 0." in unquote(url)
        assert "hunter2" not in url
        assert {"noopener", "noreferrer"} <= set(each.attributes["rel"].split())


@pytest.mark.parametrize("form", ["https://x.example/\"'{record}", "https://x.example/<b>"])
def test_an_address_with_characters_of_html_is_refused(serve_records, form):
    with pytest.raises(ValueError, match="report_url"):
        serve_records([MODULE], report_url=form)
