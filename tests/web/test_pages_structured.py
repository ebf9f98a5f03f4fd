"""What a page tells programs of itself, JSON-LD and Open Graph, is what was meant, whatever
text the record holds: it is read from the served HTML as a browser does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage

SITE = "http://testserver"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script> -->",
    "<!--<script",
    "]]>--!>",
    "line\u2028and\u2029paragraph",
    "\"double\" 'single' `tick`",
    "back\\slash \\",
    "\\ud800 \\u003c/script\\u003e",
    "&lt;/script&gt;&quot;&#34;&amp;",
    "hard\xa0zero\u200bleft\u202e",
    "ünï·码·🙂·\ufffe",
    "${7*7}{{7*7}}{%raw%}",
]
NUMBERS = range(len(HOSTILE))


def id_of(number: int) -> str:
    return f"{0xACE0000 + number:016x}"


def of_one_line(number: int) -> str:
    """The text for fields that are refused with a line break in them."""
    return HOSTILE[number].replace("\u2028", " ").replace("\u2029", " ")


def hostile(number: int) -> dict[str, Any]:
    """A record with that text in every field that may hold any. Control characters and halves
    of character pairs are refused in all."""
    text = of_one_line(number)
    fields = ("errorCode", "errorType", "backgroundTag", "analyzedAt", "function")
    return record(
        f"{HOSTILE[number]} said",
        documentation=f"{HOSTILE[number]} documentation",
        id=id_of(number),
        repo="acme/odd",
        errorClass=f"{text} class",
        tags=[f"{text} tag", "plain"],
        **{field: f"{text} {field}" for field in fields},
    )


@pytest.fixture(scope="module")
def client(serve_records):
    dated = record(
        "Dated", id="00000000000000dd", analyzedAt="2026-08-28T10:00:00Z", documentation="Why."
    )
    return serve_records([*map(hostile, NUMBERS), dated], public_url=SITE)


def told(page: HtmlPage) -> list[Any]:
    """The JSON-LD of a page, parsed."""
    return [
        json.loads("".join(each.words))
        for each in page.named("script")
        if each.attributes.get("type") == "application/ld+json"
    ]


def properties(page: HtmlPage) -> dict[str, str]:
    """The Open Graph properties of a page, each given once."""
    named = [each.attributes for each in page.named("meta") if "property" in each.attributes]
    found = {each["property"]: each["content"] for each in named}
    assert len(found) == len(named)
    return found


def canonical(page: HtmlPage) -> str:
    (link,) = [e for e in page.named("link") if e.attributes.get("rel") == "canonical"]
    return link.attributes["href"]


def as_words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("number", NUMBERS)
def test_json_ld_says_what_the_record_says(client, number):
    answer = client.get(f"/errors/{id_of(number)}")
    page = HtmlPage(answer.text)
    (graph,) = told(page)
    assert graph["@context"] == "https://schema.org"
    article, crumbs = graph["@graph"]
    assert article["@type"] == "TechArticle"
    assert article["headline"].startswith(f"{of_one_line(number)} class: ")
    # `{7*7}` is a hole of that record's message, so its name in the texts is a named blank.
    documentation = HOSTILE[number].replace("{{7*7}}", "‹7*7›")
    assert article["description"] == as_words(f"{documentation} documentation")
    assert article["keywords"] == [f"{of_one_line(number)} tag", "plain"]
    assert article["about"] == {"@type": "SoftwareSourceCode", "name": "acme/odd"}
    assert article["mainEntityOfPage"] == canonical(page) == str(answer.url)
    assert "dateModified" not in article
    assert [each["name"] for each in crumbs["itemListElement"]] == [
        "Repositories",
        "acme/odd",
        f"{of_one_line(number)} class",
    ]
    assert [each["position"] for each in crumbs["itemListElement"]] == [1, 2, 3]
    for each in crumbs["itemListElement"]:
        assert client.get(each["item"]).status_code == 200


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_of_it_is_an_end_or_a_comment_to_a_browser(client, number):
    source = client.get(f"/errors/{id_of(number)}").text
    start = source.index('type="application/ld+json">')
    inside = source[start : source.index("</script>", start)].partition(">")[2]
    assert not set("<>&'\u2028\u2029") & set(inside)
    assert inside.isascii()


def test_a_date_is_told_where_there_is_one(client):
    (graph,) = told(HtmlPage(client.get("/errors/00000000000000dd").text))
    assert graph["@graph"][0]["dateModified"] == "2026-08-28T10:00:00Z"


def test_the_home_page_tells_how_to_search_it(client):
    (site,) = told(HtmlPage(client.get("/").text))
    template = site["potentialAction"]["target"]["urlTemplate"]
    assert client.get(template.replace("{words}", "dated")).status_code == 200


@pytest.mark.parametrize("number", NUMBERS)
def test_open_graph_says_what_the_record_says(client, number):
    page = HtmlPage(client.get(f"/errors/{id_of(number)}").text)
    said = properties(page)
    (graph,) = told(page)
    assert said["og:title"] == graph["@graph"][0]["headline"]
    assert said["og:description"] == graph["@graph"][0]["description"]
    assert said["og:type"] == "article"


@pytest.mark.parametrize(
    "address",
    ["/", "/match", "/repos", "/repos/acme/odd", "/tags", "/tags/plain", "/classes", "/causes",
     "/classes/ShopError", "/about", "/about/data", "/docs", "/errors/00000000000000dd/dated"],
)  # fmt: skip
def test_what_may_be_indexed_can_be_shared(client, address):
    page = HtmlPage(client.get(address).text)
    said = properties(page)
    assert said["og:url"] == canonical(page) == SITE + address
    assert said["og:title"]
    assert said["og:description"]
    assert said["og:site_name"] == "Errdex"
    assert said["og:image"].startswith(f"{SITE}/static/")
    image = client.get(said["og:image"])
    assert image.headers["content-type"] == "image/png"
    width, height = (int.from_bytes(image.content[at : at + 4]) for at in (16, 20))
    assert (str(width), str(height)) == (said["og:image:width"], said["og:image:height"])
    (description,) = [e for e in page.named("meta") if e.attributes.get("name") == "description"]
    assert description.attributes["content"] == said["og:description"]


@pytest.mark.parametrize("address", ["/search?q=x", "/tags?cursor=x", "/no", "/match/shared"])
def test_what_may_not_be_indexed_says_so(client, address):
    page = HtmlPage(client.get(address).text)
    assert properties(page) == {}
    robots = [
        e.attributes["content"] for e in page.named("meta") if e.attributes.get("name") == "robots"
    ]
    assert robots == ["noindex, follow"]
