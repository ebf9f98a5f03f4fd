from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect
from tests.browser.browsing import find_chromium, opened_browser
from tests.browser.site_records import RECORDS
from tests.serving import served

PATIENCE = 30_000
"""Milliseconds until what a test waits for is taken not to come: machines may be busy."""
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with the records of site_records.py."""
    with served(tmp_path_factory.mktemp("site"), RECORDS) as address:
        yield address


# Of a module, not of the session: while it is open, this thread can run no other event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; missing in CI is a failure, elsewhere a skip."""
    executable = find_chromium()
    if executable is None:
        reason = "Chromium is not installed: try `apt-get install chromium`."
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with opened_browser(executable) as opened:
        yield opened


@pytest.fixture
def open_page(browser: Browser, site: str) -> Iterator[Callable[..., Page]]:
    """`open_page(address, **settings)`: a page of a browser that has never been here. At the
    end, no page may have complained nor asked another host for anything."""
    complaints: list[str] = []

    def told(message: Any) -> None:
        if message.type in {"error", "warning"} and not _is_expected(message.text):
            complaints.append(f"{message.type}: {message.text}")

    def asked(request: Request) -> None:
        if not request.url.startswith((site, "data:", "blob:")):
            complaints.append(f"asked another host: {request.url}")

    with ExitStack() as contexts:

        def open_one(address: str, **settings: Any) -> Page:
            context = browser.new_context(base_url=site, **settings)
            contexts.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.on("console", told)
            page.on("pageerror", lambda error: complaints.append(f"raised: {error}"))
            page.on("request", asked)
            page.goto(address)
            return page

        yield open_one
    assert complaints == []


def _is_expected(text: str) -> bool:
    """The browser's own word on a page that is meant to be an error."""
    return text.startswith("Failed to load resource: the server responded with a status of 4")
