"""Text that wants to become a script stays text in a real browser: in every field of a
record, in every parameter, in a paste and in what is shared of its answer.

Each payload would set `window.hacked`, open a dialog, add an element of the class `injected`
or an attribute of that name. The fixture `open_page` fails for whatever the browser complains
of, which a script stopped by the Content-Security-Policy would be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect
from tests.knowledge_base import record
from tests.serving import served

PAYLOADS = (
    "</title></textarea></style></script><script>window.hacked = 1; alert(1)</script>",
    '"><img class=injected src=x onerror="window.hacked = 1"><b injected="',
    "'><svg class=injected onload='window.hacked = 1'><b injected='",
    "javascript:window.hacked=1//",
    "data:text/html,<script class=injected>parent.hacked=1</script>",
    "<iframe class=injected srcdoc=\"<script>parent.hacked = 1</script>\"></iframe>",
    "`${window.hacked = 1}`{{constructor.constructor('window.hacked = 1')()}}",
    "<a class=injected href=\"jAvAsCrIpT:window.hacked=1\" autofocus onfocus=\"hacked = 1\">x</a>",
    "--><!--<math class=injected><mtext></p><style><img src=x onerror=window.hacked=1>",
    "</pre><details class=injected open ontoggle=window.hacked=1>",
    "<!--<script>window.hacked = 1</script><!-- --!> \\ud800 \\u003c/script\\u003e '\"\\",
    "]]><b class=injected>x</b><![CDATA[ &lt;b class=injected&gt; \\u003cb class=injected\\u003e",
)  # fmt: skip
TEXTS = (
    "errorClass", "errorType", "errorCode", "language", "filePath", "function",
    "raisedWhen", "documentation", "triggerScenarios", "commonSituations", "exampleFix",
    "handlingStrategy", "validationCode", "typeGuard", "tryCatchPattern", "backgroundTag",
    "sourceCode", "analyzedSha", "analyzedAt", "githubUrl",
)  # fmt: skip
LISTS = ("solutions", "preventionTips", "tags")
LISTED = ("/", "/repos", "/repos/acme/odd", "/search?q=window", "/tags", "/classes",
          "/causes", "/about", "/about/data", "/docs")  # fmt: skip
PARAMETERS = ("q", "repo", "class", "tag", "type", "severity", "language", "background", "cursor")
XML = ("/feed.xml", "/opensearch.xml", "/sitemap.xml", "/sitemaps/lists.xml",
       "/sitemaps/records/0000000000000000.xml")  # fmt: skip
INJECTED = """[...document.querySelectorAll('*')].flatMap(e => [...e.attributes]
    .filter(a => /^on/i.test(a.name) || a.name === 'injected' || a.value === 'injected'
        || /^\\s*(javascript|data|vbscript):/i.test(a.value)
            && /^(href|src|action|formaction|data|srcdoc|poster|xlink:href)$/i.test(a.name))
    .map(a => `${e.localName} ${a.name}=${a.value.slice(0, 80)}`))"""
NUMBERS = range(len(PAYLOADS))
SCRIPTS = """[...document.scripts].map(each => each.src && new URL(each.src).pathname
    || `${each.type} in ${each.parentNode.localName}`)"""


def id_of(number: int) -> str:
    return f"{0xBAD0000 + number:016x}"


def evil(number: int) -> dict[str, Any]:
    """A record that has the payload in every field."""
    payload = PAYLOADS[number]
    body = record(f"{payload} cannot take {{value}}", id=id_of(number), repo="acme/odd")
    body |= {"lineNumber": 3, "sourceCodeStart": 3, "moreOfOurs": payload}
    body |= {field: f"{payload} {field}" for field in TEXTS}
    body |= {field: [f"{payload} {field}"] for field in LISTS}
    return body | {"references": [payload, f"https://x.example/{payload}"]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """In place of the usual one: a server with nothing but these."""
    with served(tmp_path_factory.mktemp("hostile"), [evil(number) for number in NUMBERS]) as site:
        yield site


def look_at(page: Page) -> None:
    """Press what can be pressed, as a reader might, and see that nothing ran."""
    page.wait_for_load_state("load")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.keyboard.press("Tab")
    assert page.evaluate("window.hacked") is None
    assert page.evaluate(INJECTED) == []
    assert page.locator("iframe, math, img:not([src^='/static/'])").count() == 0


def watched(page: Page) -> Page:
    """The page, on which a dialog is a failure of whatever comes next."""
    page.on("dialog", lambda _: page.evaluate("window.hacked = 'dialog'"))
    return page


@pytest.mark.parametrize("number", NUMBERS)
def test_every_field_of_a_record_stays_text(open_page, number: int) -> None:
    page = watched(open_page(f"/errors/{id_of(number)}"))
    look_at(page)
    *own, structured = page.evaluate(SCRIPTS)
    assert all(each.startswith("/static/") for each in own)
    assert structured == "application/ld+json in head"
    article, crumbs = page.evaluate("JSON.parse([...document.scripts].pop().text)['@graph']")
    assert article["keywords"] == [f"{PAYLOADS[number]} tags"]
    assert crumbs["itemListElement"][2]["name"] == f"{PAYLOADS[number]} errorClass"
    said = page.locator("main").text_content() or ""
    assert all(f"{PAYLOADS[number]} {field}" in said for field in ("exampleFix", "typeGuard"))
    page.locator("#pattern textarea").fill(f"a {PAYLOADS[number]} cannot take {PAYLOADS[number]}")
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.locator("#pattern")).to_contain_text("The pattern matches")
    look_at(page)


def test_lists_of_them_stay_text(open_page) -> None:
    page = watched(open_page("/"))
    for path in LISTED:
        assert page.goto(path).status == 200, path
        look_at(page)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_parameter_stays_text(open_page, number: int) -> None:
    words = quote(PAYLOADS[number], safe="")
    page = watched(open_page("/about"))
    for path in (
        "/search?" + "&".join(f"{name}={words}" for name in PARAMETERS),
        "/search?" + "&".join(f"{name}={words}" for name in PARAMETERS[:-1]),
        f"/search?q={words}",
        f"/tags/{words}",
        f"/classes/{quote(PAYLOADS[number] + ' errorClass', safe='')}",
        f"/causes/{words}",
        f"/repos/{words}/{words}",
        f"/errors/{words}",
        f"/match?example={words}",
        f"/{words}?{words}={words}",
    ):
        page.goto(path)
        look_at(page)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_paste_and_what_is_shared_of_its_answer_stay_text(open_page, number: int) -> None:
    payload = PAYLOADS[number]
    page = watched(open_page("/match"))
    page.locator("textarea").first.fill(
        f'Traceback (most recent call last):\n  File "{payload}", line 3, in {payload}\n'
        f"ValueError: {payload} cannot take {payload}\nmore {payload}\n"
    )
    with page.expect_navigation():
        page.locator("form:has(textarea) button").first.click()
    look_at(page)
    assert payload in page.locator("main").inner_text()
    for value in (payload, f"</a>{payload}"):
        fragment = quote(json.dumps([{"value": value, "__proto__": value}]))
        page.goto("/about")
        page.goto(f"/match/shared?r={id_of(number)}#v={fragment}")
        look_at(page)
        said = page.locator("main").inner_text()
        assert (
            value in said or "is not filled in" in said or not page.locator("[data-hole]").count()
        )


@pytest.mark.parametrize("path", XML)
def test_documents_for_programs_hold_no_elements_of_theirs(open_page, site: str, path: str) -> None:
    answer = open_page("/about").request.get(site + path)
    assert answer.status == 200
    root = ElementTree.fromstring(answer.body())  # noqa: S314 (our own document)
    names = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert not names & {"script", "b", "img", "svg", "math", "iframe", "a", "details"}
    links = [each.get("href") or "" for each in root.iter()] + [each.text or "" for each in
             root.iter() if each.tag.endswith(("}loc", "}id"))]  # fmt: skip
    assert all(not each or each.startswith((f"{site}/", "http", "urn:", "tag:")) for each in links)
