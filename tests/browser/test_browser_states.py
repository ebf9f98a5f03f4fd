"""The states of an answer: known, unknown, several errors, nothing found, a long log, a draft.
Each for every reader: axe, no sideways scrolling, by keyboard alone, without JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from tests.browser.site_records import PASTE
from tests.browser.test_browser_access import BEYOND, SIZES, THEMES, violations
from tests.browser.test_browser_keyboard import FOCUS_SHOWN, FOCUSED

FIELD = "textarea[name=paste]"
KNOWN = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'requestz'\n"
UNKNOWN = """Traceback (most recent call last):
  File "/home/ada/shop/tenants.py", line 31, in open
shop.errors.TenantMissing: tenant 'acme' is not on db7.internal.corp:5432 (asked by ada@acme.com)
"""
LONG_WORD = f"ValueError: {'long' * 200} at /srv/{'deep/' * 60}x.py\n"
QUIET = "2026-11-29 09:14:02 INFO all is well\n"
PASTES = {
    "known": KNOWN,
    "unknown": UNKNOWN,
    "several": PASTE,
    "nothing": QUIET * 5,
    "long": QUIET * 300 + PASTE + QUIET * 300,
    "long-words": LONG_WORD + UNKNOWN,
}


def answered(open_page, text, **settings):
    page = open_page("/match", **settings)
    page.locator(FIELD).fill(text)
    page.get_by_role("button", name="Find the fix").click()
    page.locator(".answer-head").wait_for()
    return page


def drafted(open_page, **settings):
    page = answered(open_page, UNKNOWN, **settings)
    page.get_by_role("button", name="Draft a record").click()
    page.locator("#draft-result .code").wait_for()
    return page


def for_every_reader(page):
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert violations(page) == [], f"{theme}, {width} px"
    for width in (320, 768, 2560):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate(BEYOND) == [], f"{width} px"
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", PASTES)
def test_each_state_of_an_answer_is_for_every_reader(open_page, name):
    for_every_reader(answered(open_page, PASTES[name]))


def test_a_draft_is_for_every_reader(open_page):
    for_every_reader(drafted(open_page))


@pytest.mark.parametrize("name", ["unknown", "several"])
def test_every_stop_of_an_answer_shows_the_focus(open_page, name):
    page = answered(open_page, PASTES[name])
    page.evaluate("document.activeElement.blur()")
    names = []
    while len(names) < 90:
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at["name"] == "BODY" or at["known"]:
            break
        page.evaluate("document.activeElement.dataset.tabbed = 'yes'")
        assert at["seen"], at
        assert page.evaluate(FOCUS_SHOWN), at
        names.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert {"Edit paste", "Forget this paste", "Find the fix"} <= set(names)
    if name == "unknown":
        assert {"Draft a record", "Stack Overflow", "Copy as Markdown"} <= set(names)


def press_until(page, name):
    """Go on with Tab until the element of that text has the focus."""
    for _ in range(90):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"no stop {name}")


def test_by_keyboard_alone_from_a_paste_to_a_downloaded_draft(open_page):
    page = open_page("/match", accept_downloads=True)
    page.keyboard.press("/")
    page.locator(FIELD).fill(UNKNOWN)  # as pasting does
    page.keyboard.press("Control+Enter")
    page.locator(".answer-head").wait_for()
    press_until(page, "Draft a record")
    page.keyboard.press("Enter")
    page.locator("#draft-result .code").wait_for()
    press_until(page, "Download draft.yaml")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "draft.yaml"
    text = waiting.value.path().read_text(encoding="utf-8")
    assert "errorMessage: tenant '{tenant}' is not on {host}:{number}" in text
    assert "db7" not in text


def test_a_draft_is_checked_while_one_types_and_copied(open_page):
    page = drafted(open_page, permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator(".good")).to_be_visible()
    page.get_by_label("Message").fill("tenant {tenant} is somewhere else")
    expect(page.locator("#draft-result")).to_contain_text("is not matched by the pattern")
    page.get_by_label("Sample", exact=True).fill("tenant acme is somewhere else")
    expect(page.locator(".good")).to_be_visible()
    page.get_by_role("button", name="Copy the record file").click()
    text = page.evaluate("navigator.clipboard.readText()")
    assert "errorMessage: tenant {tenant} is somewhere else" in text
    expect(page).to_have_url(re.compile("/draft$"))


def test_without_javascript_an_unknown_error_leads_to_a_checked_draft(open_page):
    page = answered(open_page, UNKNOWN, java_script_enabled=False)
    expect(page.get_by_text("No matching record yet.")).to_be_visible()
    expect(page.get_by_role("button", name="Forget this paste")).to_be_hidden()
    expect(page.get_by_role("link", name="Stack Overflow")).to_be_visible()
    page.get_by_role("button", name="Draft a record").click()
    expect(page.locator(".good")).to_be_visible()
    page.get_by_label("Message").fill("something else")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#draft-result")).to_contain_text("is not matched by the pattern")


@pytest.mark.parametrize("name", PASTES)
def test_without_javascript_each_answer_is_whole(open_page, name):
    page = answered(open_page, PASTES[name], java_script_enabled=False)
    expect(page).to_have_url(re.compile("/match$"))
    assert page.locator(".answer-head h1").inner_text()
    lines = page.locator(".lines").first
    expect(lines).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(lines).to_be_hidden()
    page.locator(".log > summary").click()
    expect(page.locator(".paste-lines").first).to_be_visible()
