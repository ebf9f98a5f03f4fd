"""What a browser keeps of a paste: its answer over Back, Forward and Reload, the values of a
shared link; and nothing once it is forgotten."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from tests.browser.site_records import PASTE

FIELD = "textarea[name=paste]"
RECORD = "00000000000000dd"
ONLY_HERE = "only-in-this-paste"
STORED = "Object.values(sessionStorage).join()"


def answered(page, text=PASTE):
    page.goto("/match")
    page.locator(FIELD).fill(text)
    page.get_by_role("button", name="Find the fix").click()
    expect(page.locator("#event-1")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/match/kept\?n=[0-9a-f]{16}$"))


def shows_answer(page):
    expect(page.locator("#event-1")).to_contain_text("No module named 'requestz'")
    expect(page.locator("main h1")).to_have_text("No module named 'requestz'")
    expect(page).to_have_title(re.compile("^No module named 'requestz'"))


def test_reload_back_and_forward_keep_the_answer_and_send_no_paste(open_page):
    page = open_page("/")
    sent = []
    answered(page)
    page.on("request", lambda request: sent.append((request.method, request.url)))
    page.reload()
    shows_answer(page)
    page.locator("#event-1").get_by_role("link", name="Full record").click()
    expect(page.locator("main h1")).to_have_text("No module named '{module}'")
    page.go_back()
    shows_answer(page)
    expect(page.locator(FIELD)).to_have_value(PASTE.rstrip("\n") + "\n")
    page.locator("#at-1").click()
    page.reload()
    shows_answer(page)
    page.go_back()
    page.go_back()
    page.wait_for_url("**/match")
    page.go_forward()
    shows_answer(page)
    assert {method for method, _ in sent} == {"GET"}
    assert not [url for _, url in sent if "requestz" in url]


def test_a_kept_answer_is_as_usable_as_a_new_one(open_page):
    page = open_page("/", permissions=["clipboard-read", "clipboard-write"])
    answered(page)
    page.reload()
    shows_answer(page)
    page.keyboard.press("j")
    page.keyboard.press("c")
    expect(page.locator("#event-1 .copy").first).to_be_attached()
    page.get_by_role("button", name="Find the fix").click()
    shows_answer(page)


def test_forgetting_leaves_nothing_of_the_paste(open_page):
    page = open_page("/")
    answered(page, f"{PASTE}{ONLY_HERE}\n")
    answered(page, f"{ONLY_HERE}\n{PASTE}")
    assert ONLY_HERE in page.evaluate(STORED)
    page.get_by_role("button", name="Forget this paste").click()
    page.wait_for_url("**/match")
    assert ONLY_HERE not in page.evaluate(STORED)
    for _ in range(3):
        page.go_back()
        assert ONLY_HERE not in page.content()
        fields = "[...document.querySelectorAll('textarea')].map((each) => each.value).join()"
        assert ONLY_HERE not in page.evaluate(fields)


def test_another_tab_has_no_answer_and_says_so(open_page):
    page = open_page("/")
    answered(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("main h1")).to_have_text("This answer is no longer kept")
    expect(other.locator(FIELD)).to_be_visible()


def test_a_paste_that_is_too_long_is_left_out_of_what_is_kept(open_page):
    page = open_page("/match")
    lines = [f"2026-11-29 09:14:02 INFO step {number} done" for number in range(40_000)]
    log = {"name": "a.log", "mimeType": "text/plain", "buffer": "\n".join([*lines, PASTE]).encode()}
    page.evaluate("sessionStorage.setItem('other', 'x'.repeat(5_000_000))")
    page.locator("input[type=file]").set_input_files(log)
    expect(page.locator("#event-1")).to_be_visible()
    page.reload()
    shows_answer(page)
    expect(page.locator(".paste-lines")).to_contain_text("too long to be kept")


def shared(values):
    return f"/match/shared?r={RECORD}#v={quote(json.dumps(values))}"


def test_a_shared_link_is_filled_from_behind_the_sign_that_is_sent_to_no_server(open_page):
    page = open_page("/about")
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    page.goto(shared([{"module": "requestz"}]))
    expect(page.locator(".matched h2")).to_have_text("No module named 'requestz'")
    expect(page.locator(".fix .command code").first).to_contain_text("install requestz")
    expect(page.locator(".fix mark.taken").first).to_have_text("requestz")
    expect(page.locator(".values-note")).to_be_visible()
    assert not [url for url in sent if "requestz" in url]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("--index-url=https://evil.example", "begins with a dash"),
        ("a/../b", ".. part"),
        ("it's $(reboot)", "need quoting"),
        ("x" * 201, "longer than 200"),
        ("a\nb", "control character"),
        ("a\u202eb", "control character"),
        ("", "empty"),
    ],
)
def test_a_value_that_a_command_should_not_hold_stays_a_blank_with_the_reason(
    open_page, value, reason
):
    page = open_page(shared([{"module": value}]))
    expect(page.locator(".fix .command code").first).to_contain_text("‹module›")
    expect(page.locator(".fix .refused").first).to_contain_text(reason)


def test_a_value_with_blanks_is_quoted_in_a_command(open_page):
    page = open_page(shared([{"module": "a; reboot"}]))
    expect(page.locator(".fix .command code").first).to_contain_text("install 'a; reboot'")


@pytest.mark.parametrize(
    "fragment",
    ["", "#v=", "#v=%", "#v=[", "#v=7", "#v=[null]", "#v=[[1]]", '#v=[{"module":7}]', "#v=%22x%22",
     '#v=[{"module":{"a":1},"__proto__":{"module":"x"}}]', '#v=[{"other":"x"}]', "#event-1"],
)  # fmt: skip
def test_a_damaged_link_shows_the_record_with_blanks(open_page, fragment):
    page = open_page(f"/match/shared?r={RECORD}{fragment}")
    expect(page.locator(".fix .command code").first).to_contain_text("‹module›")
    expect(page.locator(".values-note")).to_be_hidden()


def test_without_javascript_a_shared_link_shows_named_blanks(open_page):
    page = open_page(shared([{"module": "requestz"}]), java_script_enabled=False)
    expect(page.locator(".fix .command code").first).to_contain_text("‹module›")
    expect(page.get_by_text("named blanks")).to_be_visible()


def test_the_next_errors_of_a_long_list_are_one_click_away_and_kept(open_page):
    page = open_page("/")
    answered(page, "\n".join(f"ValueError: case {'x' * number}" for number in range(1, 160)))
    page.get_by_role("button", name="Next errors").click()
    expect(page.locator("#event-101")).to_be_visible()
    expect(page.get_by_text("Errors 101 to 159 of 159.")).to_be_visible()
    page.reload()
    expect(page.locator("#event-159")).to_be_visible()
    page.get_by_role("button", name="Previous errors").click()
    expect(page.locator("#event-1")).to_be_visible()
