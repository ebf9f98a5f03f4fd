"""What is found while one types comes late on a slow line: it must not undo what one has done
meanwhile. What was pasted is not looked for as one types."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

SEARCH, PASTE = "input[type=search]", "textarea[name=paste]"
OPTIONS, LINKS = "[role=option]", ".quick a"
HOLD = """() => {
  const ask = window.fetch;
  window.held = [];
  window.fetch = async (...asked) => {
    const answer = await ask(...asked);
    if (asked[0].includes("q=basket*")) await new Promise((go) => window.held.push(go));
    return answer;
  };
}"""
"""From now on, the answer to `basket` is held back although it is there."""
IS_HELD = """async () => {
  while (!window.held.length) await new Promise((go) => setTimeout(go, 20));
}"""
RELEASE = """async () => {
  for (const go of window.held) go();
  await new Promise((go) => setTimeout(go, 100));
}"""


def typed_with_a_late_answer(open_page, address, field, found):
    """A page where records are shown for `bask`, and those for `basket` are still to come."""
    page = open_page(address)
    page.locator(field).press_sequentially("bask")
    expect(page.locator(found)).to_have_count(2)
    page.evaluate(HOLD)
    page.locator(field).press_sequentially("et")
    page.evaluate(IS_HELD)
    return page


def test_a_choice_stays_when_a_late_answer_comes(open_page):
    page = typed_with_a_late_answer(open_page, "/about", SEARCH, OPTIONS)
    page.keyboard.press("ArrowDown")
    chosen = page.locator(OPTIONS).first
    where = chosen.get_attribute("data-page")
    page.evaluate(RELEASE)
    expect(chosen).to_have_attribute("aria-selected", "true")
    expect(page.locator(SEARCH)).to_have_attribute("aria-activedescendant", "q-found-0")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{where}")


def test_a_focused_link_keeps_the_focus_when_a_late_answer_comes(open_page):
    page = typed_with_a_late_answer(open_page, "/", PASTE, LINKS)
    page.keyboard.press("ArrowDown")
    page.evaluate(RELEASE)
    expect(page.locator(LINKS).first).to_be_focused()


@pytest.mark.parametrize(
    ("address", "field", "found"), [("/about", SEARCH, OPTIONS), ("/", PASTE, LINKS)]
)
def test_what_was_closed_stays_closed_when_a_late_answer_comes(open_page, address, field, found):
    page = typed_with_a_late_answer(open_page, address, field, found)
    page.keyboard.press("Escape")
    page.evaluate(RELEASE)
    expect(page.locator(found).first).to_be_hidden()


def test_an_answer_to_words_that_stand_there_no_more_is_not_shown(open_page):
    page = typed_with_a_late_answer(open_page, "/about", SEARCH, OPTIONS)
    page.keyboard.type(" locked")
    first = page.locator(OPTIONS).first
    expect(first.locator("mark").last).to_have_text("locked")
    page.evaluate(RELEASE)
    expect(first.locator("mark").last).to_have_text("locked")


@pytest.mark.parametrize(
    ("address", "pasted_at", "field", "found"),
    [
        ("/about", SEARCH, SEARCH, OPTIONS),
        ("/", PASTE, PASTE, LINKS),
        ("/", "body", PASTE, LINKS),
    ],
)
def test_what_was_pasted_gets_into_no_address(open_page, address, pasted_at, field, found):
    page = open_page(address, permissions=["clipboard-read", "clipboard-write"])
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("navigator.clipboard.writeText('hunter2')")
    page.locator(pasted_at).press("ControlOrMeta+v")
    page.locator(field).press_sequentially(" bask", delay=200)
    assert page.locator(field).input_value() == "hunter2 bask"
    page.locator(field).press("ControlOrMeta+a")
    page.keyboard.press("Backspace")
    page.locator(field).press_sequentially("bask")
    expect(page.locator(found)).to_have_count(2)
    assert [each for each in asked if "hunter2" in each] == []
