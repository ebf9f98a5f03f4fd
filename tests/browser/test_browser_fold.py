"""The first solution is on the screen without scrolling, for real records and pastes of
different kinds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.browser.test_browser_answer import answered
from tests.data.starter_records import load_starter_records
from tests.serving import served

PASTES = {
    "python": """Traceback (most recent call last):
  File "/srv/app/manage.py", line 3, in <module>
    import requests
ModuleNotFoundError: No module named 'requests'
""",
    "node": """> shop@1.4.0 start
> node server.js

node:events:497
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRINUSE: address already in use :::3000
    at Server.setupListenHandle [as _listen2] (node:net:1940:16)
    at listenInCluster (node:net:1997:12) {
  code: 'EADDRINUSE', errno: -98, syscall: 'listen', address: '::', port: 3000
}
""",
    "database": 'psql: error: connection to server at "db7" (10.0.0.7), port 5432 failed: FATAL:  '
    'database "billing" does not exist\n',
    "compiler": """error[E0382]: borrow of moved value: `words`
 --> src/main.rs:5:20
  |
3 |     let words = vec![1];
  |         ----- move occurs because `words` has type `Vec<i32>`
4 |     take(words);
  |          ----- value moved here
5 |     println!("{:?}", words);
  |                      ^^^^^ value borrowed here after move
""",
    "tests": """=================================== FAILURES ===================================
_________________________________ test_lookup __________________________________

>       return table[name]
E       KeyError: 'tenant'

shop/lookup.py:4: KeyError
___________________________________ test_sum ___________________________________

E       assert 2 == 3

tests/test_sum.py:9: AssertionError
=========================== short test summary info ============================
FAILED tests/test_lookup.py::test_lookup - KeyError: 'tenant'
FAILED tests/test_sum.py::test_sum - assert 2 == 3
""",
    "long": "".join(
        f"2026-11-29T09:{n // 60:02}:{n % 60:02}Z worker-{n % 4} INFO request {n} handled\n"
        for n in range(500)
    )
    + 'Error: UPGRADE FAILED: "payments" has no deployed releases\n',
}
SIZES = [(1366, 768), (390, 844)]
TALL = 160
"""Pixels of a long first solution that have to be seen."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the starter records."""
    records = [record.body() for _, record in load_starter_records()]
    with served(tmp_path_factory.mktemp("starter"), records) as address:
        yield address


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PASTES)
def test_the_first_solution_is_above_the_fold(open_page, size, name):
    width, height = size
    page = answered(open_page, PASTES[name], viewport={"width": width, "height": height})
    assert page.evaluate("scrollY") == 0
    box = page.locator(".fix > ol > li >> visible=true").first.bounding_box()
    assert box
    assert box["y"] + min(box["height"], TALL) <= height, box
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", PASTES)
def test_the_shared_page_says_the_same_as_the_answer(open_page, name):
    page = answered(open_page, PASTES[name])
    fix = page.locator(".event .fix ol").first.inner_text()
    link = page.get_by_role("link", name="Link to share").get_attribute("href")
    page.goto(link)
    page.locator(".values-note:visible, .without-script[hidden]").first.wait_for(state="attached")
    assert page.locator(".event .fix ol").first.inner_text() == fix
