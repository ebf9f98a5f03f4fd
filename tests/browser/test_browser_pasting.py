"""From a failing log to its fix, each way of bringing it, with and without JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from tests.browser.browsing import stop_the_clock
from tests.browser.site_records import PASTE, WHOLE_PAGE
from tests.browser.test_browser_access import BEYOND, SIZES, THEMES, violations

FIELD = "textarea[name=paste]"
FIRST = "#event-1"
PASTE_EVENT = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.body.dispatchEvent(
    new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""
DROP = """(text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "app.log", { type: "text/plain" }));
  for (const kind of ["dragover", "drop"])
    document.body.dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def answered(page):
    """Wait for the answer, and look at what every one has."""
    expect(page.locator(FIRST)).to_contain_text("No module named 'requestz'")
    expect(page.locator(FIRST)).to_contain_text("start here")
    expect(page).to_have_url(re.compile(r"/match(/kept\?n=\w+)?(#[\w-]+)?$"))


@pytest.mark.parametrize("javascript", [True, False])
def test_a_paste_is_answered_root_cause_first(open_page, javascript):
    page = open_page("/", java_script_enabled=javascript)
    page.locator(FIELD).fill(PASTE)
    page.get_by_role("button", name="Find the fix").click()
    answered(page)
    expect(page.locator(FIRST)).to_contain_text("Install it")
    expect(page.locator(".captures").first).to_have_text(re.compile(r"module\s+is\s+requestz"))
    expect(page.locator("mark").first).to_have_text("No module named 'requestz'")
    expect(page.get_by_text("start here")).to_be_visible()
    for number in (3, 4):
        page.locator(f"#event-{number} > details > summary").click()
    expect(page.get_by_text("2 records fit equally well")).to_be_visible()
    expect(page.get_by_text("Similar, but not a match").first).to_be_visible()
    page.locator("#at-1").click()
    expect(page).to_have_url(re.compile("#event-1$"))
    page.locator(FIRST).get_by_role("link", name="Full record").click()
    expect(page.locator("main h1")).to_have_text("No module named '{module}'")


def test_lines_pasted_into_the_search_field_are_answered_as_a_paste(open_page):
    page = open_page("/about")
    field = page.locator("input[type=search]")
    into_field = PASTE_EVENT.replace("document.body", "document.activeElement")
    field.focus()
    page.evaluate(into_field, "one line alone\n")
    expect(page).to_have_url(re.compile("/about$"))
    page.evaluate(into_field, PASTE)
    answered(page)
    page.go_back()
    expect(page.locator("main h1")).to_have_text("About Errdex")
    assert page.locator("form").count() == 1


@pytest.mark.parametrize("javascript", [True, False])
def test_a_few_words_search(open_page, javascript):
    page = open_page("/", java_script_enabled=javascript)
    page.locator(FIELD).fill("locked")
    page.get_by_role("button", name="Find the fix").click()
    page.wait_for_url(re.compile("/match"))
    page.get_by_role("button", name="Search for these words").click()
    page.wait_for_url("**/search?q=locked")


@pytest.mark.parametrize("javascript", [True, False])
def test_a_file_is_answered(open_page, javascript):
    page = open_page("/", java_script_enabled=javascript)
    log = {"name": "app.log", "mimeType": "text/plain", "buffer": PASTE.encode("utf-16")}
    page.locator("input[type=file]").set_input_files(log)
    if not javascript:
        page.get_by_role("button", name="Find the fix").click()
    answered(page)


@pytest.mark.parametrize("address", ["/", "/match"])
def test_pasting_anywhere_on_the_page_goes(open_page, address):
    page = open_page(address)
    page.evaluate("document.activeElement.blur()")
    page.evaluate(PASTE_EVENT, PASTE)
    answered(page)


def test_pasting_a_few_words_anywhere_fills_the_field(open_page):
    page = open_page("/")
    page.evaluate("document.activeElement.blur()")
    page.evaluate(PASTE_EVENT, "locked")
    expect(page.locator(FIELD)).to_have_value("locked")
    expect(page.locator(FIELD)).to_be_focused()


def test_a_file_dropped_anywhere_goes(open_page):
    page = open_page("/")
    page.evaluate(DROP, PASTE)
    answered(page)


def test_enter_goes_with_one_line_and_control_enter_with_many(open_page):
    page = open_page("/")
    page.locator(FIELD).fill("first line\n")
    page.keyboard.press("Enter")
    page.keyboard.type("ModuleNotFoundError: No module named 'requestz'")
    expect(page).to_have_url(re.compile("/$"))
    page.keyboard.press("Control+Enter")
    expect(page.locator(FIRST)).to_contain_text("requestz")
    page.goto("/")
    page.locator(FIELD).fill("locked")
    page.keyboard.press("Shift+Enter")
    expect(page.locator(FIELD)).to_have_value("locked\n")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/match"))


def test_while_typing_words_the_first_records_can_be_reached_by_arrows(open_page):
    page = open_page(WHOLE_PAGE)
    page.goto("/")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    expect(page.locator(FIELD)).to_be_focused()
    page.keyboard.type("basket")
    found = page.get_by_role("list", name="Records").get_by_role("link")
    expect(found).to_have_count(2)
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(found.nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(found.first).to_be_hidden()
    expect(page.locator(FIELD)).to_be_focused()
    page.keyboard.type(" locked")
    expect(found.first).to_contain_text("locked")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_contain_text("locked")


@pytest.mark.parametrize("javascript", [True, False])
def test_each_example_is_one_click(open_page, javascript):
    page = open_page("/", java_script_enabled=javascript)
    links = page.get_by_role("link", name=re.compile("^A (Python|Node|Rust)"))
    expect(links).to_have_count(3)
    for number in range(3):
        page.goto("/")
        links.nth(number).click()
        expect(page.locator(FIRST)).to_be_visible()


def test_the_link_to_share_is_copied_and_shows_the_record(open_page):
    page = open_page("/match", permissions=["clipboard-read", "clipboard-write"])
    page.locator(FIELD).fill(PASTE)
    page.get_by_role("button", name="Find the fix").click()
    expect(page.get_by_role("button", name="Copy the link")).to_be_visible()
    stop_the_clock(page)
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copy the link")).to_have_text("Copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "worker" not in link
    page.goto(link)
    expect(page.locator("main")).to_contain_text("requestz")


def test_an_answer_is_for_every_reader(open_page):
    page = open_page("/match")
    page.locator(FIELD).fill(PASTE + "ValueError: " + "long" * 200)
    page.get_by_role("button", name="Find the fix").click()
    expect(page.locator(FIRST)).to_be_visible()
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert violations(page) == [], f"{theme}, {width} px"
    for width in (320, 768, 2560):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate(BEYOND) == [], f"{width} px"


def test_twenty_thousand_lines_stay_usable(open_page):
    lines = [f"2026-11-29 09:14:02 INFO step {number} done" for number in range(20_000)]
    lines[12_000:12_000] = PASTE.splitlines()
    page = open_page("/match")
    log = {"name": "a.log", "mimeType": "text/plain", "buffer": "\n".join(lines).encode()}
    page.locator("input[type=file]").set_input_files(log)
    answered(page)
    expect(page.locator(".paste mark").first).to_be_in_viewport()
    assert page.evaluate("document.querySelectorAll('*').length") < 600
    fold = page.get_by_text(re.compile("^Lines 1 to "))
    fold.click()
    expect(page.get_by_text("step 7 done").first).to_be_attached()
