"""Pastes answered on a page, and what of it can be shared."""

from __future__ import annotations

import json
import logging
import re
from urllib.parse import unquote, unquote_plus

import pytest
from tests.knowledge_base import record
from tests.web.html_page import HtmlPage, harmful

MODULE = record(
    "No module named '{module}'",
    id="00000000000000aa",
    errorClass="ModuleNotFoundError",
    repo="python/cpython",
    language="python",
    documentation="Python found no module of this name.",
    solutions=["Install it.", "Mend its name."],
)
TWINS = [
    record("The tap {tap} drips into {sink}", id=f"00000000000000b{n}", repo=f"acme/tap{n}")
    for n in (1, 2)
]
TILL = record(
    "the till cannot hold {coins} coins",
    id="00000000000000c1",
    repo="acme/tills",
    errorClass="ValueError",
    filePath="tills/drawer.py",
    lineNumber=4,
    function="pay",
    raisedWhen="coins > <100>",
    analyzedSha="1.2.0",
    tags=["tills"],
)
UNTOLD = "what-nobody-else-should-see"
LINE_OF_MODULE = "ModuleNotFoundError: No module named 'requestz'"
CHAIN = f"""2026-11-29 09:14:02 INFO started with {UNTOLD}
Traceback (most recent call last):
  File "/srv/app/jobs.py", line 31, in run
    import requestz
ModuleNotFoundError: No module named 'requestz'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app/worker.py", line 58, in work
    job.run()
app.jobs.JobError: job 7 went astray
"""


@pytest.fixture(scope="module")
def client(serve_records):
    return serve_records([MODULE, *TWINS, TILL])


def paste(client, text, **more):
    return client.post("/match", files={"paste": (None, text)}, follow_redirects=False, **more)


def read(client, text, status=200):
    answer = paste(client, text)
    assert answer.status_code == status, answer.text
    page = HtmlPage(answer.text)
    assert harmful(page) == []
    return page


def numbered(page):
    """The answers: number and text."""
    return [(each.attributes["id"], each.text) for each in page.named("article")]


def shared_link(page):
    return next(link for link in page.links if link.startswith("/match/shared?"))


def shared_values(page):
    """What the link has behind its `#`, which no server is sent."""
    return json.loads(unquote(shared_link(page).partition("#v=")[2]))


@pytest.mark.parametrize("text", ["", " \n\t\r\n "])
def test_nothing_pasted_is_told_beside_the_field(client, text):
    page = read(client, text, 422)
    assert "Invalid request: it is empty." in page.text
    assert page.named("textarea")


def offered_searches(page):
    """The words that forms of the page would search for."""
    return [
        each.attributes["value"]
        for each in page.named("input")
        if (each.attributes.get("type"), each.attributes.get("name")) == ("hidden", "q")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "drips",
        "connection refused",
        "author:ShopError",
        "the token is hunter2",
        "x" * 199,
        "hunter2\nhunter3",
    ],
)
def test_nothing_pasted_gets_into_an_address(client, text):
    page = read(client, text)
    words = re.findall(r"\w{4,}", text)
    addresses = [
        value
        for each in page.elements
        for name, value in each.attributes.items()
        if name in {"href", "src", "action", "formaction", "content", "data-url"}
    ]
    own = [unquote_plus(one) for one in addresses if not one.startswith("https://")]
    assert not [one for one in own for word in words if word in one]
    # Links to searches elsewhere are opened by a click, and hold fixed words alone.
    assert not [one for one in addresses if "hunter" in one]


def addresses(page):
    return [
        unquote_plus(each.attributes[name])
        for each in page.elements
        for name in ("href", "action", "formaction")
        if each.attributes.get(name)
    ]


UNKNOWN = """Traceback (most recent call last):
  File "/home/ada/shop/app.py", line 3, in run
shop.errors.TenantMissing: tenant 'acme' is not on db7.internal.corp:5432 (asked by ada@acme.com)
"""


def test_an_unknown_error_says_what_was_read_and_where_to_go_on(client):
    page = read(client, UNKNOWN)
    ((_, answer),) = numbered(page)
    for words in ("No matching record yet.", "shop.errors.TenantMissing", "app.py line 3",
                  "TenantMissing tenant is not on asked by"):  # fmt: skip
        assert words in answer
    marked = [each.text for each in page.named("mark") if "taken" in each.attributes["class"]]
    assert marked == ["acme", "db7.internal.corp", "5432", "ada@acme.com"]
    elsewhere = [each for each in page.named("a") if each.attributes["href"].startswith("http")]
    assert [each.text for each in elsewhere] == ["GitHub issues", "Stack Overflow", "The web"]
    for each in elsewhere:
        assert {"noopener", "noreferrer"} <= set(each.attributes["rel"].split())
        assert "TenantMissing tenant is not on" in unquote_plus(each.attributes["href"])


INSIDE = """Traceback (most recent call last):
  File "/home/ada/shop/run.py", line 4, in main
    pay(cart)
  File "/home/ada/.venv/lib/python3.12/site-packages/tilts/pay.py", line 9, in pay
    raise {}
"""


def test_an_unknown_error_that_a_package_raised_has_its_first_steps(client):
    page = read(client, INSIDE.format("Tilted(a)\ntilts.errors.Tilted: the cart <b>tilts</b> by 7"))
    ((_, answer),) = numbered(page)
    assert "tilts raised it, called from your own code in shop/run.py line 4" in answer
    assert "python -m pip install --upgrade tilts" in answer


def test_a_known_error_that_another_package_raised_has_them_folded(client):
    page = read(client, INSIDE.format("ModuleNotFoundError(a)\n" + LINE_OF_MODULE))
    assert "If that does not help: the fault may be in tilts" in page.text
    assert "python -m pip install --upgrade tilts" in page.text
    assert "If that does not help" not in read(client, LINE_OF_MODULE).text


def test_only_fixed_words_of_an_unknown_error_are_in_addresses(client):
    page = read(client, f"{UNKNOWN}INFO done\nValueError: key 'hunter2' is gone\n")
    for one in addresses(page):
        for private in ("acme", "ada", "db7", "5432", "hunter2", "/home"):
            assert private not in one
    assert "ValueError key is gone" in offered_searches(page)


def test_the_issues_of_the_project_are_offered_where_a_similar_record_names_it(client):
    page = read(client, "tills.drawer.JamError: the till cannot hold such heavy things")
    assert page.link("Issues of acme/tills").startswith("https://github.com/acme/tills/issues?q=")


def test_a_draft_is_offered_with_everything_private_masked(client):
    page = read(client, UNKNOWN)
    sent = {
        each.attributes["name"]: each.attributes["value"]
        for each in page.named("input")
        if each.attributes.get("type") == "hidden" and each.attributes["name"] != "q"
    }
    assert sent["message"] == "tenant '{tenant}' is not on {host}:{number} (asked by {email})"
    assert sent["sample"] == (
        "shop.errors.TenantMissing: tenant 'acme' is not on ‹host›:5432 (asked by ‹email›)"
    )
    form = client.post("/draft", files={name: (None, value) for name, value in sent.items()})
    assert "The check accepts this record." in HtmlPage(form.text).text


@pytest.mark.parametrize("text", ["drips", "connection refused", "class:ShopError"])
def test_a_short_text_can_be_searched_for_by_its_reader(client, text):
    page = read(client, text)
    assert text in offered_searches(page)
    assert client.get("/search", params={"q": text}).status_code == 200


def test_a_short_text_is_searched_without_its_colours(client):
    page = read(client, "\x1b[1;31mconnection\x1b[0m refused")
    assert "connection refused" in offered_searches(page)
    assert "No errors found" in read(client, "\x1b[1;31m\x1b[0m").text


@pytest.mark.parametrize("text", ["ModuleNotFoundError: No module named 'x'", "KeyError: 'x'"])
def test_a_line_that_is_an_event_is_answered(client, text):
    page = read(client, text)
    assert len(numbered(page)) == 1
    assert text in offered_searches(page)


def test_the_root_cause_comes_first_with_its_values_evidence_and_fix(client):
    answers = numbered(read(client, CHAIN))
    assert [number for number, _ in answers] == ["event-1", "event-2"]
    cause, wrapper = (text for _, text in answers)
    for words in ("start here", "line 5", "module is requestz", "the class", "Install it."):
        assert words in cause
    assert "No matching record yet." in wrapper
    assert "JobError: job 7 went astray" in wrapper


def test_notes_stand_with_their_error(client):
    noted = CHAIN.replace("'requestz'\n", "'requestz'\nwhile <b>job 7</b> began\n")
    cause, wrapper = (text for _, text in numbered(read(client, noted)))
    assert "while <b>job 7</b> began" in cause
    assert "while" not in wrapper


def test_what_was_found_is_marked_and_numbered_in_its_own_lines(client):
    page = read(client, CHAIN)
    marks = [each.text for each in page.named("mark")]
    assert marks[0] == "No module named 'requestz'"
    assert "job 7 went astray" in marks[1]
    assert [each.text for each in page.named("b")] == ["requestz"]
    pins = [each for each in page.named("a") if each.attributes.get("id", "").startswith("at-")]
    assert [each.attributes["href"] for each in pins] == ["#event-1", "#event-2"]
    assert {"#at-1", "#at-2"} <= set(page.links)
    (lines,) = [each for each in page.named("ol") if each.attributes.get("class") == "lines"]
    assert lines.attributes["start"] == "1"
    shown = [each.text.strip() for each in page.named("li")]
    plain = [line.strip() for line in CHAIN.splitlines() if "requestz'" not in line]
    assert [each for each in shown if each in plain] == plain[:-1]


def test_a_wrapper_names_its_cause_and_the_cause_heads_the_page(client):
    page = read(client, CHAIN)
    (_, cause), (_, wrapper) = numbered(page)
    assert "follows from 1" in wrapper
    assert "start here" not in wrapper
    assert "follows" not in cause
    assert page.named("h1")[0].text == "No module named 'requestz'"
    assert page.named("title")[0].text.startswith("No module named 'requestz'")


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("KeyError: 'tenant'", "KeyError: 'tenant'"),
        ("app.errors.Odd.ShopError: 7", "ShopError: 7"),
        ("ShopError: The tap 7 drips", "The tap 7 drips"),
    ],
)
def test_a_message_that_says_little_has_its_class_in_the_heading(client, text, heading):
    assert read(client, text).named("h1")[0].text == heading


def test_independent_errors_are_in_the_order_of_the_log_and_none_is_the_cause(client):
    lines = "ValueError: nobody knows this\nShopError: The tap 7 drips into the blue sink"
    page = read(client, f"{lines}\n{LINE_OF_MODULE}")
    assert "3 independent failures, 2 known" in page.text
    assert "start here" not in page.text
    first, second, third = (text for _, text in numbered(page))
    assert "nobody knows this" in first
    assert "The tap" in second
    assert "requestz" in third
    folds = [each for each in page.named("details") if each.attributes.get("class") == "one"]
    assert ["open" in each.attributes for each in folds] == [False, True, False]


def test_records_that_nothing_tells_apart_are_both_shown(client):
    page = read(client, "one\nShopError: The tap 7 drips into the blue sink\ntwo")
    assert "2 records fit equally well" in page.text
    ((_, answer),) = numbered(page)
    assert answer.count("tap is 7") == 2
    assert answer.count("The tap 7 drips into the blue sink") == 2


def test_a_near_miss_is_named_as_such(client):
    page = read(client, "one\nShopError: The tap 7 drips loudly beside the blue sink\ntwo")
    assert "No matching record yet." in page.text
    assert "Similar, but not a match" in page.text
    assert "tap is 7" not in page.text


def test_a_paste_without_an_error_says_what_may_help(client):
    page = read(client, "all is well\nindeed\n")
    assert "No errors found" in page.text
    assert "Things to try" in page.text


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>\nValueError: <img src=x onerror=alert(1)> & \"'",
        "\x1b[31mModuleNotFoundError\x1b[0m: No module named '\x1b[1m<b>\x1b[0m'\nx\x00\x07",
        "ValueError: " + "x" * 300_000 + "\nend",
        "ValueError: \u202e\ud7ff 🙂\r\nworking\rdone\n",
    ],
)
def test_whatever_a_paste_holds_is_text(client, text):
    page = read(client, text)
    assert not set("\x00\x07\x1b") & set(page.source_text)


def test_a_long_paste_is_folded_where_nothing_was_found(client):
    lines = [f"2026-11-29 09:14:02 INFO step {number} done" for number in range(20_000)]
    lines[12_345] = "ModuleNotFoundError: No module named 'requestz'"
    answer = paste(client, "\n".join(lines))
    page = HtmlPage(answer.text)
    folds = [each.text for each in page.named("summary")]
    assert folds[:3] == [
        "20,000 lines, error in line 12,346",
        "Lines 1 to 12,341",
        "Lines 12,351 to 20,000",
    ]
    assert "step 19999 done" in page.source_text
    assert len(page.elements) < 250
    assert len(answer.text) < 1.3 * sum(map(len, lines))


def test_lines_around_an_error_keep_their_numbers_and_marks_over_line_breaks(client):
    lines = [f"quiet line {number}" for number in range(1, 100)]
    lines[49:51] = ["ShopError: The tap 7", " drips into the blue sink"]
    page = read(client, "\n".join(lines))
    starts = [each.attributes["start"] for each in page.named("ol") if "start" in each.attributes]
    assert starts == ["46"]
    assert page.source_text.count("<mark") == page.source_text.count("</mark>")


def test_a_test_log_names_the_test(client):
    text = "--- FAIL: TestDrops (0.00s)\nValueError: odd\n"
    assert "in TestDrops" in read(client, text).text


def test_many_errors_are_on_several_pages_that_send_the_paste_again(client):
    text = "\n".join(f"ValueError: case {'x' * number}" for number in range(1, 160))
    page = read(client, text)
    assert len(numbered(page)) == 100
    assert "Errors 1 to 100 of 159." in page.text
    (form,) = [each for each in page.named("form") if each.attributes.get("class") == "pages"]
    (button,) = [each for each in page.named("button") if "formaction" in each.attributes]
    assert (button.text, button.attributes["formaction"]) == ("Next errors", "/match?from=100")
    assert form.attributes["method"] == "post"
    (field,) = [each for each in page.named("textarea") if "hidden" in each.attributes]
    assert "ValueError: case xxx" in field.text
    answer = client.post("/match?from=100", files={"paste": (None, text)})
    last = HtmlPage(answer.text)
    assert "Errors 101 to 159 of 159." in last.text
    assert [name for name, _ in numbered(last)][::58] == ["event-101", "event-159"]
    assert "Previous errors" in last.text
    assert "Next errors" not in last.text


@pytest.mark.parametrize(("start", "status"), [("-1", 422), ("x", 422), ("500", 200)])
def test_a_page_that_is_not_there_is_told(client, start, status):
    answer = client.post(f"/match?from={start}", files={"paste": (None, CHAIN)})
    assert answer.status_code == status
    page = HtmlPage(answer.text)
    assert harmful(page) == []
    assert len(numbered(page)) == (2 if status == 200 else 0)


def test_the_first_line_of_a_long_message_heads_the_answer(client):
    text = (
        "Traceback (most recent call last):\nValueError: the first line says it all\nand more\n"
        "  of it\n"
    )
    assert read(client, text).named("h1")[0].text == "the first line says it all"


def test_a_record_that_is_found_again_is_not_told_again(client):
    names = ("requestz", "numpyy")
    page = read(client, "\n".join(f"ModuleNotFoundError: No module named '{n}'" for n in names))
    (_, first), (_, second) = numbered(page)
    assert "Python found no module of this name." in first
    assert "Install it." in first
    assert "module is numpyy" in first + second
    assert "module is requestz" in first + second
    assert "Meaning and fix: see error 1" in second
    assert "Install it." not in second
    assert page.link("see error 1") == "#event-1"
    assert len(shared_values(page)) == 2


def test_the_words_of_what_is_not_known_are_one_click_away(client):
    page = read(client, "ValueError: the <moon> & the 100% stars\nValueError: " + "long " * 60)
    searches = offered_searches(page)
    assert {"ValueError the moon the stars", f"ValueError {'long ' * 29}long"} <= set(searches)
    for words in searches:
        assert client.get("/search", params={"q": words}).status_code == 200


def test_the_link_to_share_holds_ids_and_captures_alone(client):
    page = read(client, CHAIN)
    address, _, fragment = shared_link(page).partition("#")
    assert address == "/match/shared?r=00000000000000aa"
    assert unquote(fragment) == 'v=[{"module":"requestz"}]'
    shared = HtmlPage(client.get(address).text)
    assert "Install it." in shared.text
    assert "requestz" not in shared.text
    (blank,) = [each for each in shared.elements if each.attributes.get("data-hole")]
    assert (blank.attributes["data-hole"], blank.text) == ("module", "‹module›")
    assert harmful(shared) == []


def test_a_value_that_is_too_long_to_be_filled_in_is_not_shared(client):
    page = read(client, f"ModuleNotFoundError: No module named '{'x' * 201}'")
    assert shared_values(page) == [{}]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 404),
        ("?r=", 404),
        ("?r={", 404),
        ("?r=00000000000000ff", 404),
        ("?r=00000000000000ff&r=00000000000000aa", 200),
        ("?r=00000000000000aa&r=00000000000000aa", 200),
        ("?r=00000000000000aa" * 1 + "&r=x" * 30, 422),
        ("?r=" + "9" * 7000, 422),
    ],
)
def test_a_shared_link_may_hold_anything(client, query, status):
    answer = client.get(f"/match/shared{query}")
    assert answer.status_code == status
    page = HtmlPage(answer.text)
    assert harmful(page) == []
    assert "The shared records were not found" in page.text or status != 404


@pytest.mark.parametrize("name", ["python", "node", "rust", "none"])
def test_each_example_is_one_click_away(client, name):
    page = HtmlPage(client.get("/match", params={"example": name}).text)
    assert bool(numbered(page)) == (name != "none")
    home = HtmlPage(client.get("/").text)
    if name != "none":
        assert f"/match?example={name}" in home.links


def test_a_file_is_taken_as_well(client):
    files = {"paste": (None, ""), "file": ("app.log", CHAIN.encode("utf-16"))}
    answer = client.post("/match", files=files)
    assert "module is requestz" in HtmlPage(answer.text).text


def test_a_paste_for_a_process_of_its_own_is_answered_as_well(client):
    quiet = "2026-11-29 09:14:02 INFO all is well\n" * 3_000
    answers = numbered(read(client, quiet + CHAIN))
    assert "module is requestz" in answers[0][1]
    assert "line 3,005" in answers[0][1]


def test_what_is_too_long_is_told_on_a_page(client):
    page = read(client, "x" * 5_100_000, 413)
    assert page.named("h1")


def test_nothing_pasted_is_kept_or_logged(client, caplog):
    with caplog.at_level(logging.DEBUG):
        answer = paste(client, CHAIN)
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers
    assert UNTOLD not in caplog.text
    assert "neither stored nor logged" in HtmlPage(answer.text).text
    assert not re.search(UNTOLD, client.get("/").text)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (4, "Raised by pay in tills/drawer.py:4 when coins > <100>."),
        (
            9,
            "Raised by pay in tills/drawer.py:4 when coins > <100>; but the stack shows "
            "line 9, the record line 4, and the paste is from tills 1.3, the record from 1.2.0.",
        ),
    ],
)
def test_a_match_says_who_raises_it_and_what_the_paste_says_otherwise(client, line, sentence):
    folder = "tills-1.3-py3.12.egg" if line == 9 else "site-packages"
    text = (
        "Traceback (most recent call last):\n"
        f'  File "/opt/{folder}/tills/drawer.py", line {line}, in pay\n'
        "    raise ValueError(text)\nValueError: the till cannot hold 200 coins\n"
    )
    ((_, answer),) = numbered(read(client, text))
    assert sentence in " ".join(answer.split())
