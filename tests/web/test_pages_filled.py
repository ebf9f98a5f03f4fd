"""The holes of a record's texts, filled from a paste or shown as named blanks, in every view."""

from __future__ import annotations

import pytest
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage, harmful

MODULE = record(
    "No module named '{module}'",
    id="00000000000000aa",
    errorClass="ModuleNotFoundError",
    repo="python/cpython",
    language="python",
    documentation="Python found no {{module}} here. Helm writes {{ .Values }}.",
    solutions=[
        "Install it: `python -m pip install {{module}}`",
        "Look at\n```sh\nls {{module}}\n```",
    ],
    exampleFix="# before\nimport {{module}}\n# after\nimport os",
    preventionTips=["Pin {{module}}."],
    tryCatchPattern="import {{module}}",
)
LINE = "ModuleNotFoundError: No module named '{}'"
HOSTILE = ["<b>x</b>", "\U0010f000", "a`b`c", "x; rm -rf", "{{module}}", "&lt;", "**b**"]


@pytest.fixture(scope="module")
def client(serve_records):
    return serve_records([MODULE])


def answer(client, value):
    return client.post("/match", files={"paste": (None, LINE.format(value))}).text


def match(client, value):
    found = client.post("/api/errors/match", content=LINE.format(value))
    return found.json()["events"][0]["matches"][0]


def test_the_answer_page_holds_what_the_paste_said_marked(client):
    html = answer(client, "requestz")
    mark = '<mark class="taken" title="From your log: module">requestz</mark>'
    assert f"Python found no {mark} here." in html
    assert f"pip install {mark}" in html
    assert f"ls {mark}" in html
    assert "{{module}}" not in html
    assert "{{ .Values }}" in html


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_value_stays_text(client, value):
    html = answer(client, value)
    assert not harmful(HtmlPage(html))
    assert "\U0010f001" not in html


def test_a_refused_value_leaves_the_blank_and_the_reason(client):
    html = answer(client, "--target=/etc")
    assert '<i class="blank" title="Put your module here" data-hole="module">‹module›</i>' in html
    assert "‹module› is not filled in: it begins with a dash" in html


@pytest.mark.parametrize(
    "address", ["/errors/00000000000000aa", "/search?q=helm+writes", "/feed.xml"]
)
def test_no_page_shows_raw_braces(client, address):
    text = client.get(address, follow_redirects=True).text
    assert "{{module}}" not in text
    assert "‹module›" in text


def test_the_json_has_the_filled_texts_and_where_they_were_filled(client):
    found = match(client, "requestz")
    record, filled = found["record"], found["filled"]
    assert record["solutions"][0] == "Install it: `python -m pip install requestz`"
    assert record["exampleFix"].startswith("# before\nimport requestz")
    for place in filled:
        text = record[place["field"]]
        text = text if place["item"] is None else text[place["item"]]
        assert text[place["start"] : place["end"]] == "requestz" == place["value"]
    assert {each["field"] for each in filled} == {
        "documentation",
        "solutions",
        "exampleFix",
        "preventionTips",
    }


def test_the_json_says_why_a_value_was_refused(client):
    found = match(client, "../../x")
    assert found["record"]["solutions"][0] == "Install it: `python -m pip install ‹module›`"
    refused = {each["refused"] for each in found["filled"] if each["field"] == "solutions"}
    assert refused == {"its path has a .. part"}


def test_a_shortened_capture_is_never_part_of_a_command(client):
    found = match(client, "x" * 2500)
    assert "x" not in found["record"]["solutions"][0].split("install")[1]


def test_the_text_answer_is_filled(client):
    sent = client.post("/api/errors/match?format=text", content=LINE.format("requestz"))
    assert "python -m pip install requestz" in sent.text
    refused = client.post("/api/errors/match?format=text", content=LINE.format("-r"))
    assert "‹module› is not filled in: it begins with a dash." in refused.text


def test_the_record_itself_is_served_as_it_was_ingested(client):
    served = client.get("/api/errors/00000000000000aa").json()["record"]
    assert served["solutions"] == MODULE["solutions"]
    assert served["exampleFix"] == MODULE["exampleFix"]
