"""What a page of another site can do with this one, in a browser: read the API, frame nothing,
and run nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page

PASTE = "ModuleNotFoundError: No module named 'requestz'"


class Elsewhere(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<!doctype html><title>elsewhere</title><body></body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        yield page
    finally:
        context.close()
        server.shutdown()
        server.server_close()


def test_another_site_may_read_the_api_and_sends_no_credentials(page: Page, site: str) -> None:
    told = page.evaluate(
        """async ([site, paste]) => {
            const sent = {method: "POST", headers: {"Content-Type": "text/plain"}, body: paste};
            const answer = await fetch(site + "/api/errors/match", sent);
            let refused = false;
            try { await fetch(site + "/api/stats", {credentials: "include"}); }
            catch { refused = true; }
            return [answer.status, (await answer.json()).found, refused];
        }""",
        [site, PASTE],
    )
    assert told == [200, True, True]
    assert page.context.cookies() == []


@pytest.mark.parametrize("address", ["/", "/match", "/docs", "/nothing/here", "/api/stats"])
def test_no_page_is_framed(page: Page, site: str, address: str) -> None:
    with page.expect_response(site + address):
        page.evaluate(
            """address => {
                const frame = document.createElement("iframe");
                frame.src = address;
                document.body.append(frame);
            }""",
            site + address,
        )
    page.wait_for_timeout(500)
    (frame,) = page.main_frame.child_frames
    assert not frame.url.startswith(site)


def test_a_form_of_another_site_changes_nothing(page: Page, site: str) -> None:
    before = page.request.get(f"{site}/api/stats").json()
    page.evaluate(
        """([site, paste]) => {
            const form = document.createElement("form");
            form.method = "post";
            form.action = site + "/match";
            form.enctype = "multipart/form-data";
            const field = document.createElement("textarea");
            field.name = "paste";
            field.value = paste;
            form.append(field);
            document.body.append(form);
            form.submit();
        }""",
        [site, PASTE],
    )
    page.wait_for_url(f"{site}/match")
    assert page.context.cookies() == []
    assert page.request.get(f"{site}/api/stats").json() == before


def test_an_answer_is_run_as_no_script_and_no_style(page: Page, site: str) -> None:
    loaded = page.evaluate(
        """async site => {
            const results = [];
            for (const address of ["/api/stats", "/match", "/feed.xml", "/llms.txt"]) {
                for (const name of ["script", "link"]) {
                    const element = document.createElement(name);
                    if (name === "link") element.rel = "stylesheet";
                    const done = new Promise(end => {
                        element.onload = () => end("loaded");
                        element.onerror = () => end("refused");
                    });
                    element[name === "link" ? "href" : "src"] = site + address;
                    document.head.append(element);
                    results.push(await done);
                }
            }
            return results;
        }""",
        site,
    )
    assert set(loaded) == {"refused"}
