"""The answer's page: the fix above the fold, keys, commands that are copied whole."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.browser.site_records import PASTE

FIELD = "textarea[name=paste]"
ONE = """Traceback (most recent call last):
  File "app.py", line 3, in <module>
    import requestz
ModuleNotFoundError: No module named 'requestz'
"""
COPIED = """() => { window.copied = [];
  navigator.clipboard.writeText = async (text) => { copied.push(text); }; }"""


def answered(open_page, text, **settings):
    page = open_page("/match", **settings)
    page.locator(FIELD).fill(text)
    page.get_by_role("button", name="Find the fix").click()
    page.locator("#event-1").wait_for()
    return page


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
@pytest.mark.parametrize("text", [ONE, PASTE])
def test_the_first_command_is_above_the_fold(open_page, size, text):
    width, height = size
    page = answered(open_page, text, viewport={"width": width, "height": height})
    box = page.locator(".fix .command").first.bounding_box()
    assert box
    assert box["y"] + box["height"] <= height


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1366])
def test_axe_finds_nothing_in_an_answer_of_several_errors(open_page, scheme, width):
    page = answered(open_page, PASTE, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    found = Axe().run(page).response["violations"]
    assert not [(rule["id"], node["html"][:200]) for rule in found for node in rule["nodes"]]


def test_keys_move_between_errors_and_copy_the_filled_command(open_page):
    page = answered(open_page, PASTE)
    page.evaluate(COPIED)
    page.keyboard.press("c")
    assert page.evaluate("copied") == ["python -m pip install requestz"]
    page.keyboard.press("j")
    expect(page.locator("#event-2 > details")).to_have_attribute("open", "")
    page.keyboard.press("k")
    expect(page.locator("#event-1 > details > summary")).to_be_focused()


def test_several_lines_pasted_into_the_empty_field_are_sent(open_page):
    page = open_page("/match")
    page.locator(FIELD).focus()
    page.evaluate(
        """(text) => { const data = new DataTransfer(); data.setData("text/plain", text);
        const field = document.activeElement; field.value = text;
        field.value = ""; const event = new ClipboardEvent("paste", {clipboardData: data,
        bubbles: true}); field.dispatchEvent(event); field.value = text; }""",
        ONE,
    )
    page.locator("#event-1").wait_for()


def test_an_answer_is_copied_as_markdown(open_page):
    page = answered(open_page, ONE, permissions=["clipboard-read", "clipboard-write"])
    page.evaluate(COPIED)
    page.get_by_role("button", name="Copy as Markdown").click()
    (text,) = page.evaluate("copied")
    assert text.startswith("```text\nModuleNotFoundError: No module named 'requestz'\n```")
    assert "install requestz" in text
    assert "/errors/00000000000000dd/" in text
