"""Reading a record and moving between pages, with and without JavaScript."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.browsing import stop_the_clock
from tests.browser.site_records import PAGES, WHOLE, WHOLE_PAGE

NARROW = {"width": 360, "height": 740}
WIDE = {"width": 1280, "height": 800}
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_theme_follows_the_system_until_one_is_chosen_by_hand(open_page, system):
    page = open_page("/about", color_scheme=system)
    other = "light" if system == "dark" else "dark"
    follows = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme=other)
    opposite = page.evaluate(BACKGROUND)
    assert opposite != follows
    page.emulate_media(color_scheme=system)
    page.get_by_role("button", name=f"Switch to the {other} theme").click()
    assert page.evaluate(BACKGROUND) == opposite
    page.goto("/docs")
    assert page.evaluate(BACKGROUND) == opposite
    page.get_by_role("button", name=f"Switch to the {system} theme").click()
    page.reload()
    assert page.evaluate(BACKGROUND) == follows
    page.emulate_media(color_scheme=other)
    assert page.evaluate(BACKGROUND) == opposite


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("the error message", WHOLE["errorMessage"]),
        ("the fixed code", "cart.thaw()\ncart.add(article)"),
        (
            "the source",
            'def add(self, article):\n    """Put an article in."""\n'
            "    if self.frozen:  # while it is being paid\n        raise ShopError(\n"
            '            f"Cart {self.id} is frozen"\n        )\n    self.articles += 1',
        ),
        ("type guard", WHOLE["typeGuard"]),
    ],
)
def test_what_is_copied_is_the_text_alone(open_page, what, text):
    page = open_page(WHOLE_PAGE, permissions=["clipboard-read", "clipboard-write"])
    button = page.get_by_role("button", name=f"Copy {what}", exact=True)
    stop_the_clock(page)
    button.click()
    expect(button).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.clock.run_for(2_000)
    expect(button).to_have_text("Copy")


def test_copying_that_is_refused_is_told(open_page):
    page = open_page(WHOLE_PAGE)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error()); }")
    stop_the_clock(page)
    page.get_by_role("button", name="Copy the error message").click()
    expect(page.get_by_text("Not allowed")).to_be_visible()


def test_selected_source_has_no_line_numbers(open_page):
    page = open_page(WHOLE_PAGE)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.numbered code'))")
    selected = page.evaluate("getSelection().toString()")
    assert "if self.frozen" in selected
    assert "41" not in selected


def test_a_line_has_an_address_that_marks_it(open_page):
    page = open_page(f"{WHOLE_PAGE}#L40")
    line = page.locator("#L40")
    expect(line).to_be_in_viewport()
    plain = page.locator("#L39").evaluate("each => getComputedStyle(each).backgroundColor")
    assert line.evaluate("each => getComputedStyle(each).backgroundColor") != plain
    expect(page.locator(".raising")).to_have_attribute("id", "L41")


def test_the_contents_follow_what_is_read_on_wide_screens(open_page):
    page = open_page(WHOLE_PAGE, viewport=WIDE)
    contents = page.get_by_role("navigation", name="On this page")
    for part in ("Solutions", "Example fix", "Source"):
        contents.get_by_role("link", name=part).click()
        expect(contents.locator("[aria-current]")).to_have_text(part)
    expect(contents).to_be_in_viewport()
    page.set_viewport_size(NARROW)
    expect(contents).to_be_hidden()


def test_what_is_current_or_chosen_is_told_without_colours_of_ours(open_page):
    page = open_page("/tags", viewport=WIDE, forced_colors="active")
    edge = "each => getComputedStyle(each).borderBottomColor"
    paper = page.locator("body").evaluate("each => getComputedStyle(each).backgroundColor")
    here, elsewhere = (
        page.locator(".bar nav a[aria-current]"),
        page.get_by_role("link", name="API").first,
    )
    assert elsewhere.evaluate(edge) == paper
    assert here.evaluate(edge) != paper
    page.locator("#q").press_sequentially("basket")
    options = page.locator("[role=option]")
    options.nth(1).wait_for()
    page.keyboard.press("ArrowDown")
    expect(options.nth(0)).to_have_css("outline-style", "solid")
    expect(options.nth(1)).to_have_css("outline-style", "none")


def test_reduced_motion_is_respected(open_page):
    page = open_page(WHOLE_PAGE, reduced_motion="reduce")
    scrolling = "getComputedStyle(document.documentElement).scrollBehavior"
    assert page.evaluate(scrolling) == "auto"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(scrolling) == "smooth"


def test_print_is_black_on_white_and_has_the_record_alone(open_page):
    page = open_page(WHOLE_PAGE, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for gone in (".top", ".foot", ".toc", ".copy"):
        expect(page.locator(gone).first).to_be_hidden()
    for kept in ("#message", "#solutions", "#source", "main h1"):
        expect(page.locator(kept)).to_be_visible()
    ink = page.evaluate("getComputedStyle(document.querySelector('main h1')).color")
    assert sum(int(part) for part in ink.strip("rgb()").split(",")) < 200


@pytest.mark.parametrize("name", PAGES)
def test_without_javascript_nothing_is_missing(open_page, name):
    page = open_page(PAGES[name], java_script_enabled=False)
    expect(page.locator("main h1")).to_be_visible()
    for button in page.locator("button").all():
        if button.is_visible():
            kind = button.get_attribute("type") or "submit"
            assert kind == "submit", button.inner_text()


def test_without_javascript_one_searches_narrows_and_reads(open_page):
    page = open_page("/", java_script_enabled=False)
    page.goto("/about")
    page.locator("input[type=search]").fill("shelf")
    page.locator("input[type=search]").press("Enter")
    page.wait_for_url("**/search?q=shelf")
    page.get_by_role("link", name="Next page").click()
    page.get_by_role("link", name="First page").click()
    page.locator(".facets").get_by_role("link", name="shelf").click()
    expect(page.get_by_role("list", name="Filters")).to_contain_text("shelf")
    page.get_by_role("link", name="Remove the filter").first.click()
    page.locator(".row a").first.click()
    expect(page.locator("main h1")).to_contain_text("Shelf")
    page.get_by_role("navigation", name="Breadcrumbs").get_by_role("link", name="acme/shop").click()
    expect(page.locator("main h1")).to_have_text("acme/shop")


@pytest.mark.parametrize("javascript", [True, False])
def test_a_line_is_tried_against_the_pattern(open_page, javascript):
    page = open_page(WHOLE_PAGE, java_script_enabled=javascript)
    page.get_by_text("Pattern", exact=True).click()
    page.get_by_label("Test a line or message against the pattern").fill(
        "Cart 17 is frozen while payment 'P-4' is under way"
    )
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("The pattern matches the whole text.")
    expect(page.get_by_role("status")).to_be_in_viewport()
    expect(page.locator(".captures")).to_contain_text("17")
    assert "frozen" not in page.url


def test_a_misspelt_word_and_a_lost_address_lead_on(open_page):
    page = open_page("/search?q=baskat")
    expect(page.locator(".row")).to_have_count(2)
    expect(page.locator("main")).to_contain_text("No results for baskat.")
    page.goto("/search?q=checkout+baskat")
    expect(page.locator("main h1")).to_contain_text("checkout basket")
    expect(page.locator("main")).to_contain_text("No results for checkout baskat.")
    page.goto("/errors/basket-locked.html")
    page.locator(".row a").first.click()
    expect(page.locator("main h1")).to_contain_text("locked")


def test_the_state_of_a_search_is_in_its_address(open_page):
    page = open_page("/search?q=shelf")
    page.locator(".facets").get_by_role("link", name="checkout").click()
    expect(page.get_by_role("list", name="Filters")).to_contain_text("checkout")
    page.get_by_role("link", name="Next page").click()
    page.wait_for_url("**cursor=**")
    first = page.locator(".row").first.inner_text()
    page.goto(page.url)
    expect(page.locator(".row").first).to_have_text(first, use_inner_text=True)
    page.go_back()
    page.go_back()
    expect(page.get_by_role("list", name="Filters")).to_have_count(0)
