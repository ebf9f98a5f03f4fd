"""Records, causes and search results as text and Markdown, by `Accept`."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import record

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
MARKDOWN, TEXT = "text/markdown", "text/plain"
HOSTILE = record(
    "Cart {id} <img src=x onerror=alert(1)> @everyone [click](https://evil.example)",
    title="# heading\u202e @admin <script>alert(1)</script> ![x](https://evil.example/x.png)",
    documentation="See [here](javascript:alert(1)) and @octocat, #1, <b>bold</b>.\n\n# Not a title",
    solutions=["First.\n2. Second?\n\n```sh\nrm -rf .\n```", "Use `a` and <!-- hidden -->."],
    exampleFix="```\nbreak out\n```",
    language="py`thon",
    references=["https://docs.example/a?b=1", "javascript:alert(1)"],
    repo="acme/carts",
)


def addresses(client: TestClient) -> dict[str, str]:
    item = client.get("/api/errors?q=basket+empty").json()["items"][0]["record"]
    return {
        "page of a record": item["url"].removeprefix("http://testserver"),
        "record": f"/api/errors/{item['id']}",
        "page of a search": "/search?q=basket",
        "search": "/api/errors?q=basket",
        "page of a cause": "/causes/empty-input",
    }


@pytest.mark.parametrize("accept", [None, "*/*", BROWSER, "image/png", "text/html", "nonsense"])
def test_who_does_not_ask_for_text_gets_what_is_usual(
    client: TestClient, accept: str | None
) -> None:
    headers = {} if accept is None else {"Accept": accept}
    for name, address in addresses(client).items():
        for _ in range(2):  # the second time from the kept pages
            answer = client.get(address, headers=headers)
            usual = "text/html; charset=utf-8" if "page" in name else "application/json"
            assert answer.headers["content-type"] == usual, (name, accept)
            assert "accept" in answer.headers["vary"].lower().replace("accept-encoding", "")


@pytest.mark.parametrize("kind", [MARKDOWN, TEXT])
def test_who_asks_for_text_gets_it_with_absolute_addresses(client: TestClient, kind: str) -> None:
    for name, address in addresses(client).items():
        usual = client.get(address)
        answer = client.get(address, headers={"Accept": f"{kind}, text/html;q=0.5, */*;q=0.1"})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8", name
        assert answer.headers["etag"] != usual.headers["etag"]
        assert "http://testserver/" in answer.text, name
        assert "<html" not in answer.text
        again = client.get(
            address, headers={"Accept": kind, "If-None-Match": usual.headers["etag"]}
        )
        assert again.status_code == 200
        same = client.get(
            address, headers={"Accept": kind, "If-None-Match": answer.headers["etag"]}
        )
        assert same.status_code == 304
        assert "Accept" in same.headers["vary"].split(", ")
        assert "empty" in answer.text.lower()


def test_the_fix_comes_first(client: TestClient) -> None:
    page = addresses(client)["page of a record"]
    text = client.get(page, headers={"Accept": TEXT}).text
    assert text.index("Add an article before checkout.") < text.index("Checkout was asked")
    markdown = client.get(page, headers={"Accept": MARKDOWN}).text
    assert markdown.startswith("# Basket {basket\\_id} is empty\n")
    assert "## Solutions\n\n1. Add an article before checkout.\n" in markdown
    assert "[Empty input](http://testserver/causes/empty-input)" not in markdown  # it has no text


def test_what_is_missing_is_an_error_as_ever(client: TestClient) -> None:
    for address in ("/api/errors/0123456789abcdee", "/errors/0123456789abcdee/x", "/causes/none"):
        assert client.get(address, headers={"Accept": MARKDOWN}).status_code == 404
    moved = client.get(addresses(client)["page of a record"] + "x", headers={"Accept": TEXT},
                       follow_redirects=False)  # fmt: skip
    assert moved.status_code == 301


def test_texts_of_records_stay_text_in_markdown(serve_records) -> None:
    client = serve_records([HOSTILE])
    item = client.get("/api/errors").json()["items"][0]["record"]
    for address in (f"/api/errors/{item['id']}", "/api/errors?q=cart"):
        text = client.get(address, headers={"Accept": MARKDOWN}).text
        code = re.compile(r"^(`{3,}).*?^\1$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
        outside = code.sub("", text)
        assert not re.search(r"(?<!\\)<(?!https://docs\.example)", outside), outside
        assert not re.search(r"@(?=\w)", outside), outside
        assert "javascript:" not in re.sub(r"\\\[here\\\]\(javascript:alert\(1\)\)", "", outside)
        assert not re.search(r"(?<!\\)\[(?!(\\.|[^\]\\])*\]\(http://testserver/)", outside), outside
        assert "\u202e" not in text
    whole = client.get(f"/api/errors/{item['id']}", headers={"Accept": MARKDOWN}).text
    assert "\n````text\n```\nbreak out\n```\n````\n" in whole
    assert "- <https://docs.example/a?b=1>" in whole
    assert "\n   2. Second?" in whole  # within the first step


def test_llms_txt_leads_to_what_a_model_needs(client: TestClient) -> None:
    answer = client.get("/llms.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith("# Errdex\n\n> ")
    links = re.findall(r"\]\(http://testserver(/[^)]*)\)", answer.text)
    assert "/causes/empty-input" in links
    for link in links:
        if not link.endswith("/ID"):
            assert client.get(link).status_code in (200, 405), link


def test_further_places_are_listed_as_code(serve_records) -> None:
    places = [
        {"filePath": "shop/`b`.py", "lineNumber": 7, "function": "<b>", "raisedWhen": "a < `b`"},
        *({"filePath": f"shop/f{n}.py"} for n in range(30)),
    ]
    placed = record("Kettle {id} is wet", id="00000000000000aa", filePath="a.py", places=places)
    client = serve_records([placed])
    markdown = client.get("/api/errors/00000000000000aa", headers={"Accept": MARKDOWN}).text
    assert "## Other places\n\n- `` shop/`b`.py:7 `` in `<b>` when `` a < `b` ``\n" in markdown
    assert "- `shop/f18.py`\n- … and 11 more\n" in markdown
    text = client.get("/api/errors/00000000000000aa", headers={"Accept": TEXT}).text
    assert "Other places\n  shop/`b`.py:7 in <b> when a < `b`\n" in text
