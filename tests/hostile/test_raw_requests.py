"""Requests as nobody's browser sends them, over a bare connection to a real server: what a
client sends never becomes a header or a line of the log, and leads to no file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from tests.knowledge_base import record
from tests.limits.serving import Server, read_all, running

ID = "00000000000000cc"
BREAKS = ("\r\n", "\n", "\r", "\u2028", "\x85", "\u010d\u010a", "\x00", "\x0b", "\x0c")
"""U+010D and U+010A end in the bytes of CR and LF when somebody cuts them off."""
INJECTED = "X-Injected: yes"
ROUTES = (
    "/errors/{id}/{bad}",
    "/errors/{bad}",
    "/errors/{bad}/{bad}",
    "/search?q={bad}",
    "/search?tag={bad}&cursor={bad}",
    "/tags/{bad}",
    "/classes/{bad}",
    "/repos/{bad}/{bad}",
    "/match?example={bad}",
    "/match/shared?r={bad}",
    "/static/{bad}/site.css",
    "/sitemaps/records/{bad}.xml",
    "/api/errors/{bad}",
    "/api/errors?q={bad}",
    "/api/errors?line={bad}",
    "/api/errors/{id}/related?limit={bad}",
    "/{bad}",
    "/{bad}/",
    "//{bad}",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    shown = record("The till {till} is shut", id=ID)
    with running(tmp_path_factory.mktemp("raw"), [shown]) as served:
        yield served


def head_of(answer: bytes) -> tuple[int, list[str]]:
    """The status and the header lines."""
    assert answer.count(b"HTTP/1.1 ") == 1, "one request, two answers"
    first, *lines = answer.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    return int(first.split(" ")[1]), lines


def assert_untouched(answer: bytes) -> None:
    status, lines = head_of(answer)
    assert status < 500
    assert not any(line.lower().startswith(("x-injected", "set-cookie")) for line in lines)
    assert all(":" in line and line.isprintable() for line in lines), lines


@pytest.mark.parametrize("broken", BREAKS, ids=ascii)
def test_no_part_of_an_address_becomes_a_header(server: Server, broken: str) -> None:
    bad = quote(f"x{broken}{INJECTED}{broken}Set-Cookie: a=b{broken}{broken}<html>", safe="")
    for route in ROUTES:
        assert_untouched(server.ask(route.format(id=ID, bad=bad)))
        assert_untouched(server.ask(route.format(id=ID, bad=bad), method="HEAD"))


@pytest.mark.parametrize("broken", BREAKS, ids=ascii)
def test_a_short_paste_becomes_no_header_whatever_it_is(server: Server, broken: str) -> None:
    body = f"text={quote(f'basket{broken}{INJECTED}', safe='')}".encode()
    with server.connect() as connection:
        connection.sendall(
            b"POST /match HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        )
        assert_untouched(read_all(connection))


@pytest.mark.parametrize(
    "header",
    [
        "X-Request-ID: a%0d%0aX-Injected: yes",
        "X-Request-ID: é\t",
        'If-None-Match: "x"\t, W/"y", *',
        "Accept: text/html;q=nan, */*;q=-1",
        "Accept-Encoding: gzip;q=inf, \x7f",
        "Range: bytes=0-0,0-0,0-0,5-1,-9999999999999999999999",
        "Origin: null, <script>",
        "X-Forwarded-For: 127.0.0.1, <script>, ::::",
        "X-Forwarded-Proto: javascript",
        "X-Forwarded-Host: evil.example",
        "Forwarded: for=evil;host=evil.example;proto=https",
        "Content-Type: text/html; charset=%0d%0a",
        "If-Modified-Since: tomorrow",
        "Content-Length: 0",
    ],
)
@pytest.mark.parametrize("path", [f"/errors/{ID}", "/feed.xml", "/api/stats", "/static/x/y"])
def test_odd_headers_change_nothing(server: Server, path: str, header: str) -> None:
    answer = server.ask(path, header)
    assert_untouched(answer)
    assert b"evil.example" not in answer
    assert b"javascript:" not in answer


@pytest.mark.parametrize(
    "host", ['"><script>x</script>', "a b", "x\\..\\y", "a,b", "é", "a" * 5000]
)
@pytest.mark.parametrize("path", ["/", f"/errors/{ID}/ten", "/feed.xml", "/opensearch.xml"])
def test_a_host_that_is_none_stays_text(server: Server, path: str, host: str) -> None:
    with server.connect() as connection:
        request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode("latin-1"))
        answer = read_all(connection)
    assert_untouched(answer)
    assert b"<script>x" not in answer


PATHS = (
    "/static/../pyproject.toml",
    "/static/x/..%2f..%2fpyproject.toml",
    "/static/%2e%2e/%2e%2e/pyproject.toml",
    "/static/x/....//....//pyproject.toml",
    "/static/x/..%5c..%5cpyproject.toml",
    "/static/x/%252e%252e%252fpyproject.toml",
    "/static/x/%c0%ae%c0%ae%c0%afpyproject.toml",
    "/static/x//etc/passwd",
    "/static//etc/passwd",
    "/static/x/file:%2f%2f%2fetc%2fpasswd",
    "/static/x/site.css%00.html",
    "/static/x/%00",
    "/../../../../etc/passwd",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/errors/..%2f..%2f..%2fetc%2fpasswd",
    "/errors/../../etc/passwd",
    "/api/errors/..%2f..%2fetc%2fpasswd",
    "/repos/..%2f../etc%2fpasswd",
    "/sitemaps/records/..%2f..%2f..%2fpyproject.toml",
    "http://other.example/etc/passwd",
    "//other.example/..",
    "/%",
    "/%zz/%2",
    "/" + "../" * 500,
)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:40])
def test_no_address_leads_out_of_the_site(server: Server, path: str) -> None:
    answer = server.ask(path)
    assert_untouched(answer)
    status, lines = head_of(answer)
    assert status in {301, 303, 307, 400, 404, 414, 422}
    assert b"root:x:" not in answer
    assert b"build-backend" not in answer
    (location,) = [line for line in lines if line.lower().startswith("location")] or [""]
    assert not location.partition(": ")[2].startswith(("//", "/\\", "http://other"))


SLUGS = (
    "ten%0d%0ax",
    "%2e%2e",
    "..",
    "a/b",
    "a%2fb",
    "%00",
    "x" * 3000,
    "%e2%80%ae",
    "'\"<>",
    "%25",
)


@pytest.mark.parametrize("slug", SLUGS, ids=lambda slug: slug[:20])
def test_a_slug_that_is_not_the_records_leads_to_the_one_that_is(server: Server, slug: str) -> None:
    answer = server.ask(f"/errors/{ID}/{slug}")
    status, lines = head_of(answer)
    assert status == (404 if "%0a" in slug else 301)
    if status == 301:
        (location,) = [line for line in lines if line.lower().startswith("location")]
        assert location.partition(": ")[2].startswith(f"/errors/{ID}/")
        assert "\r" not in location


def test_packed_and_deep_bodies_stay_small(server: Server) -> None:
    """Each would take gigabytes, or the stack, if it were read to its end."""
    bomb = gzip.compress(gzip.compress(bytes(80_000_000), 9), 9)
    deep = b'{"text": ' + b"[" * 400_000 + b"]" * 400_000 + b"}"
    bodies = (
        (bomb, "text/plain", "gzip, gzip"),
        (bomb, "application/gzip", "gzip"),
        (gzip.compress(bomb), "text/plain", "gzip"),
        (bomb, "text/plain", "br"),
        (bomb, "text/plain", ", ".join(["gzip"] * 300)),
        (deep, "application/json", "identity"),
        (gzip.compress(deep), "application/json", "gzip"),
        (b"--x\r\n" * 100_000, "multipart/form-data; boundary=x", "identity"),
        (b"a=b&" * 100_000, "application/x-www-form-urlencoded", "identity"),
        (b"\n" * 900_000, "application/x-ndjson", "identity"),
    )
    for data, kind, encoding in bodies:
        with server.connect() as connection:
            head = (
                "POST /api/errors/match HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"
                f"Content-Type: {kind}\r\nContent-Encoding: {encoding}\r\n"
                f"Content-Length: {len(data)}\r\n\r\n"
            )
            connection.sendall(head.encode() + data)
            answer = read_all(connection)
        status, _ = head_of(answer)
        assert status in {200, 400, 413, 415, 422}, (kind, encoding, answer[:500])
    assert server.ask("/healthz").startswith(b"HTTP/1.1 200 ")


def test_the_access_log_keeps_to_its_lines(server: Server) -> None:
    """Last of all: whatever was sent by the others, a line is a JSON object of one request."""
    server.ask("/last", "X-Request-ID: the-last-one")
    lines = server.stdout.read_text().splitlines()
    assert any('"the-last-one"' in line for line in lines)
    for line in lines:
        told = json.loads(line)
        assert isinstance(told["status"], int)
        assert INJECTED not in line
    assert "Traceback" not in server.stderr.read_text()
