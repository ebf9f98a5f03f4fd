"""A real server and a real browser for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-gpu",
    "--no-first-run",
    # Whatever a page should ask of another host is asked of nobody.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def find_chromium() -> str | None:
    """The system's Chromium, by whatever name it is installed."""
    return next((path for name in CHROMIUM if (path := shutil.which(name))), None)


def letter_widths(page: Page) -> Iterator[float]:
    """Sets narrower and wider letters on the page, as other fonts have them, in parts of the
    font's size. Liberation Sans and DejaVu Sans differ by about 0.07."""
    for width in (0, -0.04, 0.04, 0.08):
        page.evaluate(
            "width => document.querySelectorAll('*').forEach("
            "(each) => { each.style.letterSpacing = `${width}em`; })",
            width,
        )
        yield width


def stop_the_clock(page: Page) -> None:
    """From now on what the page does after a while waits until `page.clock` goes on: on a busy
    machine a look at what is shown for a moment may come later than that."""
    now = page.evaluate("Date.now() / 1000")
    page.clock.install(time=now)
    page.clock.pause_at(now + 60)  # not before what its clock shows by then


@contextmanager
def opened_browser(executable: str) -> Iterator[Browser]:
    """The browser, without a window. Its sandbox needs rights that root in a container lacks;
    it sees nothing but our own pages."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=FLAGS, chromium_sandbox=False
        )
        yield browser
        browser.close()
