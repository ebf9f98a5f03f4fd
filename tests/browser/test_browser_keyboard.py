"""The keyboard alone suffices."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from tests.browser.site_records import PAGES, WHOLE_PAGE

FIELD = "input[type=search]"
OPTIONS = "[role=listbox] [role=option]"
CHOSEN = "[role=option][aria-selected=true]"
FOCUS_SHOWN = """() => {
  const style = getComputedStyle(document.activeElement);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
}"""
FOCUSED = """() => {
  const at = document.activeElement, box = at.getBoundingClientRect();
  return {name: at.tagName, text: (at.getAttribute("aria-label") || at.textContent).trim(),
    seen: box.width > 0 && box.height > 0, known: at.dataset.tabbed === "yes"};
}"""


def test_the_first_stop_is_a_visible_way_past_the_top(open_page):
    page = open_page("/about")
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.parametrize("name", ["home", "search", "record", "docs"])
def test_every_stop_shows_that_it_has_the_focus(open_page, name):
    page = open_page(PAGES[name])
    page.evaluate("document.activeElement.blur()")
    stops = 0
    while stops < 60:
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at["name"] == "BODY" or at["known"]:
            break
        page.evaluate("document.activeElement.dataset.tabbed = 'yes'")
        assert at["seen"], at
        assert page.evaluate(FOCUS_SHOWN), at
        stops += 1
    assert stops > 8


def test_a_slash_leads_to_the_field_and_types_nothing(open_page):
    page = open_page(WHOLE_PAGE)
    page.keyboard.press("/")
    expect(page.locator(FIELD)).to_be_focused()
    expect(page.locator(FIELD)).to_have_value("")
    page.keyboard.type("a/b")
    expect(page.locator(FIELD)).to_have_value("a/b")


def test_arrows_choose_and_enter_opens(open_page):
    page = open_page("/about")
    page.keyboard.press("/")
    page.keyboard.type("basket")
    expect(page.locator(OPTIONS)).to_have_count(2)
    expect(page.locator(FIELD)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(OPTIONS).nth(1)).to_have_attribute("aria-selected", "true")
    expect(page.locator(CHOSEN)).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(page.locator(CHOSEN)).to_have_count(0)
    page.keyboard.press("ArrowUp")
    chosen = page.locator(CHOSEN)
    active = page.locator(FIELD).get_attribute("aria-activedescendant")
    assert active == chosen.get_attribute("id")
    where = chosen.get_attribute("data-page")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{where}")


def test_enter_without_a_choice_searches(open_page):
    page = open_page("/about")
    page.keyboard.press("/")
    page.keyboard.type("basket")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=basket")
    expect(page.locator("main h1")).to_contain_text("basket")


def test_escape_closes_what_was_found_and_keeps_the_words(open_page):
    page = open_page("/about")
    page.keyboard.press("/")
    page.keyboard.type("basket")
    expect(page.locator(OPTIONS)).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("[role=listbox]")).to_be_hidden()
    expect(page.locator(FIELD)).to_have_value("basket")
    expect(page.locator(FIELD)).to_have_attribute("aria-expanded", "false")


def test_a_record_opens_by_the_pointer_too(open_page):
    page = open_page("/about")
    page.locator(FIELD).click()
    page.keyboard.type("locked by another")
    page.locator(OPTIONS).filter(has_text="locked by another").click()
    page.wait_for_url(re.compile("/errors/.*locked"))
