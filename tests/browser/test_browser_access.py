"""Every page for every reader: no axe violation in either theme at either width, nothing
that has to be scrolled sideways, not even with text of twice the size."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.browser.browsing import letter_widths
from tests.browser.site_records import PAGES

AXE = Axe()
SIZES = {360: 740, 1280: 800}
THEMES = ("light", "dark")
BEYOND = """() => {
  const wide = document.documentElement.clientWidth;
  const scrolls = (each) => each && each !== document.body &&
    (getComputedStyle(each).overflowX !== "visible" || scrolls(each.parentElement));
  return [...document.body.querySelectorAll("*")]
    .filter((each) => each.getBoundingClientRect().right > wide + 1 && !scrolls(each))
    .map((each) => each.outerHTML.slice(0, 120));
}"""


def violations(page):
    """What axe finds: rule, place and what it says."""
    found = AXE.run(page).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_in_either_theme_at_either_width(open_page, name):
    page = open_page(PAGES[name])
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert violations(page) == [], f"{theme}, {width} px"


@pytest.mark.parametrize("name", PAGES)
def test_nothing_reaches_beyond_the_window_nor_does_text_of_twice_the_size(open_page, name):
    page = open_page(PAGES[name])
    for width, size in ((320, 1), (360, 1), (768, 1), (1280, 1), (2560, 1), (1280, 2)):
        page.set_viewport_size({"width": width, "height": 700})
        page.evaluate(f"document.documentElement.style.fontSize = '{size}00%'")
        assert page.evaluate(BEYOND) == [], f"{width} px"
        assert page.evaluate("document.documentElement.scrollWidth") <= width


OUT_OF_COLUMN = """() => [...document.querySelectorAll(".wide")].flatMap((column) => {
  const style = getComputedStyle(column), box = column.getBoundingClientRect();
  const right = box.right - parseFloat(style.paddingRight);
  return [...column.children].filter((each) => each.getBoundingClientRect().right > right + 1)
    .map((each) => each.outerHTML.slice(0, 120));
})"""
BROKEN_NUMBERS = """() => [...document.querySelectorAll(".num")].filter((each) => {
  const text = document.createRange();
  text.selectNodeContents(each);
  return text.getClientRects().length > 1;
}).map((each) => each.parentElement.textContent)"""


@pytest.mark.parametrize("name", ["search", "record-wide", "repo", "tags", "match-answer"])
def test_a_narrow_page_keeps_its_margin_and_its_numbers_whole(open_page, name):
    page = open_page(PAGES[name], viewport={"width": 320, "height": 700})
    page.evaluate(
        "document.querySelectorAll('.num').forEach((each) => { each.textContent = '12,345'; })"
    )
    for _ in letter_widths(page):
        assert page.evaluate(OUT_OF_COLUMN) == []
        assert page.evaluate(BROKEN_NUMBERS) == []
        rows = page.locator(".bar nav li:visible").evaluate_all(
            "all => new Set(all.map((each) => each.getBoundingClientRect().top)).size"
        )
        assert rows == 1


def test_what_axe_is_to_find_it_finds(open_page):
    page = open_page("/about")
    page.evaluate("document.querySelector('h1').style.color = '#ddd'")
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert {each.split(":")[0] for each in violations(page)} == {"color-contrast", "button-name"}


def test_what_reaches_beyond_the_window_is_found(open_page):
    page = open_page("/about", viewport={"width": 320, "height": 700})
    page.evaluate("document.querySelector('h1').style.width = '400px'")
    assert page.evaluate(BEYOND)
