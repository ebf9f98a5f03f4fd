"""Two optional fields, from the record file to everything that shows them."""

from __future__ import annotations

import pytest

TITLED = {
    "id": "00000000000000aa",
    "repo": "acme/press",
    "errorMessage": "E17: feed from tray {number} stalled",
    "errorCode": "E17",
    "title": "The paper tray is empty",
    "severity": "error",
}
PLAIN = {"id": "00000000000000bb", "repo": "acme/press", "errorMessage": "Ink of {colour} is out"}


@pytest.fixture(scope="module")
def client(serve_records):
    return serve_records([TITLED, PLAIN])


def test_a_title_heads_the_page_and_the_tab_and_the_message_is_still_there(client) -> None:
    page = client.get(f"/errors/{TITLED['id']}/e17").text
    assert "<h1>The paper tray is empty</h1>" in page.replace("<wbr>", "")
    assert "The paper tray is empty" in page.partition("<title>")[2].partition("</title>")[0]
    assert "E17: " in page.partition('id="message"')[2]


@pytest.mark.parametrize("path", ["/repos/acme/press", "/search?q=paper+empty", "/feed.xml"])
def test_a_title_heads_the_entries_of_lists(client, path: str) -> None:
    page = client.get(path).text.replace("<mark>", "").replace("</mark>", "")
    assert "The paper tray is empty" in page
    assert "E17: feed from tray {number} stalled" not in page


def test_a_record_is_found_by_its_title_and_the_api_gives_it(client) -> None:
    found = client.get("/api/errors", params={"q": "paper empty"}).json()["items"]
    assert [item["record"]["title"] for item in found] == ["The paper tray is empty"]
    other = client.get("/api/errors", params={"q": "ink"}).json()["items"]
    assert [item["record"]["title"] for item in other] == [None]


def test_a_match_comes_with_the_title_as_data_and_heads_the_text_with_it(client) -> None:
    paste = {"content": b"error: E17: feed from tray 2 stalled\n"}
    answer = client.post("/api/errors/match", **paste, headers={"Accept": "application/json"})
    [match] = answer.json()["events"][0]["matches"]
    assert match["record"]["title"] == "The paper tray is empty"
    text = client.post("/api/errors/match", **paste, headers={"Accept": "text/plain"}).text
    assert "The paper tray is empty  (acme/press" in text


def test_what_a_record_was_verified_with_is_shown_under_either_spelling(serve_records) -> None:
    verified = {**TITLED, "reproducedWith": "lpd <1.2>"}
    client = serve_records([verified])
    page = client.get(f"/errors/{TITLED['id']}/e17").text
    assert "Verified with lpd &lt;1.2&gt;" in page.replace("<wbr>", "")
    record = client.get(f"/api/errors/{TITLED['id']}").json()["record"]
    assert record["verifiedWith"] == "lpd <1.2>"
    assert "reproducedWith" not in record
    paste = b"error: E17: feed from tray 2 stalled\n"
    answer = client.post("/api/errors/match", content=paste)
    [match] = answer.json()["events"][0]["matches"]
    assert match["record"]["verifiedWith"] == "lpd <1.2>"


def test_the_versions_of_a_record_are_shown_in_its_head_and_with_a_match(serve_records) -> None:
    client = serve_records([{**TITLED, "appliesTo": "lpd 2 <and> later", "fixedIn": "lpd 3"}])
    page = client.get(f"/errors/{TITLED['id']}/e17").text.replace("<wbr>", "")
    head = page.partition("</header>\n\n<section")[0]
    assert "Applies to lpd 2 &lt;and&gt; later" in head
    assert "Fixed in lpd 3" in head
    answer = client.post("/api/errors/match", content=b"error: E17: feed from tray 2 stalled\n")
    [match] = answer.json()["events"][0]["matches"]
    assert match["record"]["appliesTo"] == "lpd 2 <and> later"
    assert match["record"]["fixedIn"] == "lpd 3"


@pytest.mark.parametrize(
    ("strategy", "shown"),
    [("retry", "Try again, with growing pauses."), ("pray", "Strategy: <strong>pray</strong>")],
)
def test_a_known_strategy_is_shown_in_words(serve_records, strategy: str, shown: str) -> None:
    client = serve_records([{**TITLED, "handlingStrategy": strategy}])
    assert shown in client.get(f"/errors/{TITLED['id']}/e17").text


def test_a_severity_is_shown_when_it_is_not_that_of_most(serve_records) -> None:
    client = serve_records([{**TITLED, "severity": "error"}])
    assert "sev-error" not in client.get(f"/errors/{TITLED['id']}/e17").text
    client = serve_records([{**TITLED, "severity": "fatal"}])
    assert "sev-fatal" in client.get(f"/errors/{TITLED['id']}/e17").text
