"""A real server and a real browser for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from tests.knowledge_base import load

from errdex.config import Settings, open_store
from errdex.main import create_app

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


@contextmanager
def served(folder: Path, records: list[dict[str, Any]]) -> Iterator[str]:
    """A server of these records; gives its address."""
    settings = Settings(database_url=f"sqlite:///{folder / 'errdex.db'}", watch_seconds=3600)
    store, indexes = open_store(settings)
    load(folder, store, indexes, records)
    config = uvicorn.Config(create_app(settings), port=0, log_level="warning")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, name="served")
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


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
