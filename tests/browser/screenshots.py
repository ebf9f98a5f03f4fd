"""Pictures of every page in both themes and at three widths, to be looked at.

    .venv/bin/python -m tests.browser.screenshots [NAME…] [--into screenshots]

Shows the records of `data/` beside those of the tests in a browser.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import yaml
from playwright.sync_api import Page
from tests.browser.browsing import find_chromium, opened_browser
from tests.browser.site_records import PAGES, PASTE, RECORDS
from tests.serving import served

ROOT = Path(__file__).parents[2]
SIZES = {360: 740, 1280: 900, 2560: 1300}
THEMES = ("light", "dark")
TALLEST = 5000
"""Pixels of a picture; what is below is more of the same."""


def _suggest(page: Page) -> None:
    page.locator("input[type=search]").press_sequentially("module not")
    page.locator("[role=option]").nth(2).wait_for()
    page.keyboard.press("ArrowDown")


def _point(page: Page) -> None:
    page.locator(".row .said").first.hover()
    page.locator(".row .said").nth(1).focus()


def _open_folds(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


def _paste(page: Page) -> None:
    page.locator("textarea[name=paste]").fill(PASTE + "ValueError: " + "long" * 200)
    page.get_by_role("button", name="Find the fix").click()
    page.locator("#event-1").wait_for()


def _try_pattern(page: Page) -> None:
    page.get_by_text("Pattern", exact=True).click()
    page.locator("#test-text").fill("Cart 17 is frozen while payment 'P-4' is under way")
    page.get_by_role("button", name="Test", exact=True).click()
    page.get_by_role("status").wait_for()


def _type_words(page: Page) -> None:
    page.locator("textarea[name=paste]").press_sequentially("module not")
    page.locator(".quick a").nth(2).wait_for()
    page.keyboard.press("ArrowDown")


STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "suggestions": ("/about", _suggest),
    "pointed-at": ("/search?q=module", _point),
    "record-folds-open": (PAGES["record"], _open_folds),
    "match-pasted": ("/match", _paste),
    "home-typing": ("/", _type_words),
    "record-tried": (PAGES["record"], _try_pattern),
    "record-real": ("/errors/c81d9390b4cd2bac", _open_folds),
    "tags-filtered": ("/tags?q=check&sort=name", lambda page: None),
    "causes-real": ("/causes", lambda page: None),
    "cause-real": ("/causes/connection-refused", lambda page: None),
    "search-cause": ("/search?q=connection+refused", lambda page: None),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these pages")
    parser.add_argument("--into", type=Path, default=ROOT / "screenshots")
    wanted = parser.parse_args()
    executable = find_chromium()
    if executable is None:
        sys.exit("Chromium is not installed: try `apt-get install chromium`.")
    views = {name: (address, lambda page: None) for name, address in PAGES.items()} | STATES
    wanted.into.mkdir(parents=True, exist_ok=True)
    starters = [
        entry
        for file in sorted((ROOT / "data").rglob("*.yaml"))
        for entry in yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    ]
    with (
        tempfile.TemporaryDirectory(prefix="errdex-pictures-") as folder,
        served(Path(folder), [*starters, *RECORDS]) as site,
        opened_browser(executable) as browser,
    ):
        for name in wanted.names or views:
            address, act = views[name]
            for width, height in SIZES.items():
                for theme in THEMES:
                    page = browser.new_page(
                        viewport={"width": width, "height": height}, color_scheme=theme
                    )
                    page.goto(site + address)
                    act(page)
                    tall = page.evaluate("document.documentElement.scrollHeight")
                    box = {"x": 0, "y": 0, "width": width, "height": min(tall, TALLEST)}
                    file = wanted.into / f"{name}-{width}-{theme}.png"
                    page.screenshot(path=file, full_page=True, clip=box)
                    page.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
