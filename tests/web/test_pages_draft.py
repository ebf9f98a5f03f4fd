"""The form for the draft of a record: checked, downloaded, kept nowhere."""

from __future__ import annotations

import logging

import pytest
import yaml
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage, harmful

KNOWN = record(
    "No module named '{module}'",
    id="00000000000000aa",
    errorClass="ModuleNotFoundError",
    repo="python/cpython",
)
GOOD = {
    "repo": "acme/shop",
    "message": "the till cannot hold {coins} coins",
    "class": "TillError",
    "language": "python",
    "meaning": "The till is full.",
    "solutions": "Empty it: `till empty --keep {{coins}}`.\r\nBuy another one.",
    "sample": "TillError: the till cannot hold 200 coins",
}


@pytest.fixture(scope="module")
def client(serve_records):
    return serve_records([KNOWN])


def send(client, address="/draft", **changed):
    fields = {**GOOD, **changed}
    return client.post(address, files={name: (None, value) for name, value in fields.items()})


def page_of(answer, status=200):
    assert answer.status_code == status, answer.text
    page = HtmlPage(answer.text)
    assert harmful(page) == []
    return page


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"message": "{anything}", "class": "", "sample": "x"}, "would match nearly any line"),
        ({"sample": "something else"}, "is not matched by the pattern"),
        ({"pattern": "(?=x)"}, "messagePattern"),
        ({"pattern": "the till (", "sample": ""}, "messagePattern"),
        ({"repo": ""}, "repo"),
        ({"message": "a \x00 b \x1b[31m"}, "is not matched by the pattern"),
    ],
)
def test_what_the_check_would_refuse_is_named(client, changed, words):
    page = page_of(send(client, **changed))
    assert "To correct" in page.text
    assert words in page.text
    assert "accepts" not in page.text


def test_a_good_draft_is_accepted_with_what_its_pattern_captures(client):
    page = page_of(send(client))
    assert "The check accepts this record." in page.text
    assert "coins is 200" in " ".join(page.text.split())
    assert "till empty --keep {{coins}}" in page.text


def test_what_is_still_to_be_written_is_named(client):
    assert "Still to write" not in page_of(send(client)).text
    page = page_of(send(client, repo="owner/name", meaning="", solutions=""))
    for words in ("Still to write", "Name the project", "what the error means", "what fixes it"):
        assert words in page.text


def test_a_record_that_matches_the_sample_already_is_named(client):
    page = page_of(send(client, sample2="ModuleNotFoundError: No module named 'till'"))
    assert "Records that match this sample already" in page.text
    assert page.link("No module named '{module}'").startswith("/errors/00000000000000aa")


def test_the_download_is_a_record_file(client):
    answer = send(client, "/draft.yaml")
    assert answer.headers["content-disposition"] == 'attachment; filename="draft.yaml"'
    assert answer.headers["cache-control"] == "no-store"
    (body,) = yaml.safe_load(answer.text)
    assert body["errorMessage"] == GOOD["message"]
    assert body["solutions"] == [
        "Empty it: `till empty --keep {{coins}}`.",
        "Buy another one.",
    ]
    assert body["samples"] == [GOOD["sample"]]
    assert "messagePattern" not in body


@pytest.mark.parametrize("address", ["/draft", "/draft.yaml"])
def test_what_is_sent_is_neither_kept_nor_logged(client, caplog, address):
    with caplog.at_level(logging.DEBUG):
        answer = send(client, address, meaning="hunter2")
    assert answer.headers["cache-control"] == "no-store"
    assert "hunter2" not in caplog.text


def test_a_hostile_draft_stays_text(client):
    evil = "</textarea><script>alert(1)</script>\"'{{7*7}}"
    page = page_of(send(client, **dict.fromkeys(GOOD, evil)))
    assert not [each for each in page.named("script") if "alert" in each.text]
    (body,) = yaml.safe_load(send(client, "/draft.yaml", **dict.fromkeys(GOOD, evil)).text)
    assert body["documentation"] == evil


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/x"])
def test_another_type_is_refused(client, kind):
    assert client.post("/draft", content=b"a=b", headers={"content-type": kind}).status_code == 415


def test_a_damaged_form_is_refused(client):
    headers = {"content-type": "multipart/form-data; boundary=x"}
    assert client.post("/draft", content=b"--x\r\nrubbish", headers=headers).status_code == 422


def test_the_empty_form_says_what_it_is_for(client):
    page = page_of(client.get("/draft"))
    assert "errdex draft" in page.text
    assert "To correct" not in page.text


def test_what_takes_long_to_search_is_cut(client):
    page = page_of(send(client, message="till " * 1_000, sample="till " * 5_000))
    assert page.named("textarea")  # the form
    (body,) = yaml.safe_load(
        send(client, "/draft.yaml", message="till " * 1_000, sample="till " * 5_000).text
    )
    assert len(body["errorMessage"]) <= 1_000
    assert len(body["samples"][0]) <= 5_000


def test_a_draft_waits_for_a_place_as_a_paste_does(client):
    """A stranger's pattern is searched for; the threads that make pages are for others."""
    lane = client.app.state.context.matching.lanes.short
    taken = []
    enter = lane.take

    def take(*arguments, **named):
        taken.append(arguments)
        return enter(*arguments, **named)

    lane.take = take
    try:
        page_of(send(client, sample=""))
    finally:
        del lane.take
    assert len(taken) == 1
