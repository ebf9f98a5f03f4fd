"""The head of a page at every width: nothing of it stands alone in a row of its own."""

from __future__ import annotations

import pytest
from tests.browser.browsing import letter_widths

ROWS = """() => {
  const middles = [...document.querySelector(".bar").children].map((each) => {
    const box = each.getBoundingClientRect();
    return [each.className || each.localName, Math.round((box.top + box.bottom) / 2)];
  });
  return Object.fromEntries(middles);
}"""


@pytest.mark.parametrize("width", [640, 700, 768, 860, 900, 950, 991, 992, 1024, 1280, 2560])
@pytest.mark.parametrize("address", ["/about", "/"])
def test_the_button_for_the_theme_stands_beside_the_ways(open_page, width, address):
    page = open_page(address, viewport={"width": width, "height": 700})
    for _ in letter_widths(page):
        middles = page.evaluate(ROWS)
        assert abs(middles["theme"] - middles["nav"]) <= 2, middles
        assert page.locator(".theme").bounding_box()["height"] < 50


@pytest.mark.parametrize("width", [320, 360, 480, 639])
def test_on_a_narrow_page_it_stands_beside_the_name(open_page, width):
    page = open_page("/about", viewport={"width": width, "height": 700})
    for _ in letter_widths(page):
        middles = page.evaluate(ROWS)
        assert abs(middles["theme"] - middles["brand"]) <= 2, middles
        assert page.locator(".theme").bounding_box()["height"] < 50
