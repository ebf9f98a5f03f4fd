"""The page of a record: every part that the record has, the fix first, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage

Serve = Callable[[list[dict[str, Any]]], TestClient]

ID = "00000000000000aa"
WHOLE = record(
    "Cart {cart_id} is frozen",
    id=ID,
    slug="cart-is-frozen",
    errorCode="E_FROZEN",
    httpStatus=409,
    errorType="state",
    severity="warning",
    language="python",
    filePath="shop/cart.py",
    lineNumber=41,
    function="Cart.add",
    raisedWhen="self.frozen",
    sourceCode="def add(self):\n    if self.frozen:\n        raise ShopError(self.id)",
    sourceCodeStart=39,
    sourceCodeEnd=41,
    githubUrl="https://github.com/acme/shop/blob/abcdef1234567890/shop/cart.py#L39-L41",
    documentation="A cart is frozen while it is being paid.",
    triggerScenarios="Adding an article during payment.",
    commonSituations="Two tabs of one shop.",
    solutions=["Wait for the payment.", "Thaw the cart first."],
    exampleFix="cart.thaw()\ncart.add(article)",
    handlingStrategy="retry-later",
    validationCode="assert not cart.frozen",
    typeGuard="def is_open(cart): return not cart.frozen",
    tryCatchPattern="try: cart.add(article)",
    preventionTips=["Ask the cart before."],
    references=["https://example.com/carts"],
    tags=["cart"],
    backgroundTag="wrong-state",
    analyzedSha="abcdef1234567890",
    analyzedAt="2026-08-28T10:00:00Z",
)
BARE = record("Nothing else is known", id="00000000000000bb", errorClass=None)
KIN = record("Cart {cart_id} is gone", id="00000000000000cc", tags=["cart"])


@pytest.fixture(scope="module")
def pages(serve_records: Serve) -> TestClient:
    return serve_records([WHOLE, BARE, KIN])


def read(client: TestClient, address: str) -> HtmlPage:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return HtmlPage(answer.text)


@pytest.fixture(scope="module")
def whole(pages: TestClient) -> HtmlPage:
    return read(pages, f"/errors/{ID}")


def test_the_message_is_the_only_first_heading(whole):
    assert [each.text for each in whole.named("h1")] == ["Cart {cart_id} is frozen"]


def test_a_message_that_is_the_heading_is_not_said_again(whole):
    assert "Error message" not in [each.text for each in whole.named("h2")]


def test_the_fix_stands_above_the_source_and_all_that_is_for_later(whole):
    order = ["Solutions", "Example fix", "When it happens", "Source", "Defensive patterns"]
    order += ["Prevention", "Related errors"]
    assert [each.text for each in whole.named("h2") if each.text in order] == order


@pytest.mark.parametrize(
    "words",
    [
        "A cart is frozen while it is being paid.",
        "Adding an article during payment.",
        "Two tabs of one shop.",
        "Wait for the payment.",
        "Thaw the cart first.",
        "cart.thaw()",
        "E_FROZEN",
        "409",
        "shop/cart.py:41",
        "Cart.add",
        "self.frozen",
        "raise ShopError(self.id)",
        "retry-later",
        "assert not cart.frozen",
        "def is_open(cart): return not cart.frozen",
        "try: cart.add(article)",
        "Ask the cart before.",
        "acme/shop@abcdef1234",
        "2026-08-28",
        "Cart {cart_id} is gone",
        "same tag: cart",
    ],
)
def test_each_part_is_shown(whole, words):
    assert words in whole.text


@pytest.mark.parametrize(
    "address",
    [
        WHOLE["githubUrl"],
        "https://example.com/carts",
        f"/api/errors/{ID}",
        "/repos/acme/shop",
        "/classes/ShopError",
        "/tags/cart",
        "/causes/wrong-state",
    ],
)
def test_each_link_is_there(whole, address):
    assert address in whole.links


def test_lines_are_numbered_from_the_start_of_the_excerpt_and_the_raising_one_is_marked(whole):
    marked = [each for each in whole.elements if each.attributes.get("aria-current") == "true"]
    assert [each.text for each in marked] == ["raise ShopError(self.id)"]
    numbers = [each.attributes["data-n"] for each in whole.elements if "data-n" in each.attributes]
    assert numbers == ["39", "40", "41"]


def test_parts_that_a_record_lacks_are_left_out(pages):
    page = read(pages, f"/errors/{BARE['id']}")
    lacking = {"What it means", "Solutions", "Example fix", "When it happens", "Source"}
    lacking |= {"Defensive patterns", "Prevention", "References"}
    assert not lacking & {each.text for each in page.named("h2", "h3")}
    assert "None" not in page.text
    assert "null" not in page.text


@pytest.mark.parametrize("address", [f"/errors/{ID}", f"/errors/{ID}/from-an-older-message"])
def test_a_bare_or_stale_address_leads_to_the_right_one_for_good(pages, address):
    answer = pages.get(address, follow_redirects=False)
    assert answer.status_code in {301, 308}
    assert answer.headers["location"] == f"/errors/{ID}/cart-is-frozen"


@pytest.mark.parametrize("address", ["/errors/ffffffffffffffff", "/errors/x/y", "/errors/%00"])
def test_an_unknown_record_is_a_page_that_says_so(pages, address):
    answer = pages.get(address)
    assert answer.status_code == 404
    assert "No record has the id" in HtmlPage(answer.text).text


PLACED = record(
    "Cart {cart_id} is cold",
    id="00000000000000dd",
    filePath="shop/cart.py",
    lineNumber=41,
    function="Cart.add",
    raisedWhen="self.cold",
    sourceCode="raise ShopError(self.id)",
    sourceCodeStart=41,
    places=[
        {
            "filePath": "shop/<b>.py",
            "lineNumber": 7,
            "function": "Cart.<i>",
            "raisedWhen": "a < b && c",
            "sourceCode": "    if a < b:\n        raise ShopError('<script>')",
            "sourceCodeStart": 6,
            "githubUrl": "javascript:alert(1)",
            "documentation": "It is <u>cold</u>.",
        },
        {"filePath": "shop/far.py", "githubUrl": "https://example.com/far.py"},
        *({"filePath": f"shop/f{n}.py", "lineNumber": 1, "sourceCode": "raise ShopError(n)",
           "sourceCodeStart": 1} for n in range(198)),
    ],
    placesLeftOut=1234,
)  # fmt: skip


def test_every_further_place_is_listed_as_text(serve_records):
    page = read(serve_records([PLACED]), f"/errors/{PLACED['id']}")
    assert "or in 1,434 other places" in page.text
    assert "Raised by Cart.<i> in shop/<b>.py:7 when a < b && c." in page.text
    assert "It is <u>cold</u>." in page.text
    assert "raise ShopError('<script>')" in page.text
    assert "1,234 more places are not listed." in page.text
    assert "https://example.com/far.py" in page.links
    assert not [link for link in page.links if link.startswith("javascript")]
    ids = [each.attributes["id"] for each in page.elements if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    assert [each for each in ids if each.startswith("place-")] == [
        f"place-{n}" for n in range(1, 201)
    ]
    assert sum("raise ShopError(n)" in each.text for each in page.named("details")) == 18


def test_an_answer_links_to_the_place_that_the_stack_names(serve_records):
    client = serve_records([PLACED])
    paste = (
        'Traceback (most recent call last):\n  File "/env/shop/far.py", line 9, in f\n'
        "ShopError: Cart 7 is cold\n"
    )
    page = HtmlPage(client.post("/match", files={"paste": (None, paste)}).text)
    assert f"/errors/{PLACED['id']}/cart-is-cold#place-2" in page.links
    assert "Raised in shop/far.py." in page.text
    bare = HtmlPage(
        client.post("/match", files={"paste": (None, "ShopError: Cart 7 is cold")}).text
    )
    assert f"/errors/{PLACED['id']}/cart-is-cold" in bare.links
    assert "when self.cold, or in 1,434 other places." in bare.text


@pytest.mark.parametrize("seed", ["002_b50cfdfc33be0e10.txt", "004_212f8ca52812d7d5.txt"])
def test_the_reference_documents_are_shown_whole(shared, serve_records, seed):
    body = orjson.loads((shared / "seeds" / seed).read_bytes())["record"]
    page = read(serve_records([body]), f"/errors/{body['id']}")
    texts = [body["errorMessage"], body["documentation"], body["triggerScenarios"]]
    texts += [body["commonSituations"], *body["solutions"], *body["preventionTips"]]
    texts += [line.strip() for line in body["sourceCode"].split("\n")]
    shown = page.text
    for text in texts:
        assert " ".join(text.split()) in shown
    assert body["githubUrl"] in page.links
    marked = [each for each in page.elements if each.attributes.get("aria-current") == "true"]
    lines = body["sourceCode"].split("\n")
    raising = lines[body["lineNumber"] - body["sourceCodeStart"]]
    assert [each.text for each in marked] == [raising.strip()]
