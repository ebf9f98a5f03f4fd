"""`POST /api/errors/match` and `GET /api/errors?line=`: forms in and out, bounds, and that
nothing of a paste gets out of an answer."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.knowledge_base import SHOP, load

from errdex.config import Settings, open_store
from errdex.formats.answer import read_answer, to_wire
from errdex.formats.table import FORMATS
from errdex.knowledge import Knowledge
from errdex.main import create_app
from errdex.web.api.openapi import ProblemDocument
from errdex.web.http.accept import best_media_type
from errdex.web.match import work

URL = "/api/errors/match"
TEXT = {"Content-Type": "text/plain"}
NDJSON = {"Content-Type": "application/x-ndjson"}
PASTE = (
    "2026-11-29 10:00:00 INFO checkout begins\n"
    "Traceback (most recent call last):\n"
    '  File "shop/basket.py", line 12, in checkout\n'
    "ShopError: Basket 4711 is empty\n"
)
MARK = "Zq7MarkOfAPasteX9"


def first_record(answer: dict[str, Any]) -> dict[str, Any]:
    event = answer["events"][answer["readingOrder"][0]]
    return event["matches"][0]["record"]


@pytest.mark.parametrize(
    "request_of",
    [
        {"content": PASTE.encode(), "headers": TEXT},
        {"content": PASTE.encode("utf-16"), "headers": TEXT},
        {"json": {"text": PASTE}},
        {"json": {"lines": PASTE.splitlines()}},
        {"files": {"file": ("build.log", PASTE.encode())}},
        {"files": {"anything": ("build.log.gz", gzip.compress(PASTE.encode()))}},
        {"content": gzip.compress(PASTE.encode()), "headers": TEXT | {"Content-Encoding": "gzip"}},
    ],
)
def test_every_form_of_a_paste_is_answered(client: TestClient, request_of) -> None:
    answer = client.post(URL, **request_of)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers
    assert first_record(answer.json())["errorMessage"] == "Basket {basket_id} is empty"


def test_an_answer_has_the_documented_form(client: TestClient) -> None:
    paste = f"{PASTE}\n{PASTE}".replace("ShopError: Basket 4711 is", "OrderError: Order 5 is", 1)
    answer = client.post(URL, content=paste, headers=TEXT).json()
    assert {event["outcome"] for event in answer["events"]} == {"known", "unknown"}
    assert to_wire(read_answer(answer)) == answer


def test_addresses_are_absolute_and_fingerprints_are_those_of_another_run(client) -> None:
    one, other = (
        client.post(URL, content=paste, headers=TEXT).json()["events"]
        for paste in (PASTE, "x\n" + PASTE.replace("4711", "4712"))
    )
    assert one[0]["fingerprint"] == other[0]["fingerprint"]
    address = one[0]["matches"][0]["record"]["url"]
    assert address.startswith("http://testserver/errors/")
    assert client.get(address, follow_redirects=False).status_code == 200
    found = client.get("/api/errors?q=basket").json()["items"]
    assert {address} <= {each["record"]["url"] for each in found}
    line = client.post(URL, content=PASTE.splitlines()[-1] + "\n", headers=NDJSON)
    assert line.json()["events"][0]["matches"][0]["record"]["url"] == address
    odd = client.post(URL, content=PASTE, headers=TEXT | {"Host": "evil.example/x"}).json()
    assert first_record(odd)["url"] == address.removeprefix("http://testserver")


def test_the_answer_says_where_and_what(client: TestClient) -> None:
    answer = client.post(URL, content=PASTE, headers=TEXT).json()
    (event,) = answer["events"]
    (capture,) = event["matches"][0]["captures"]
    assert (capture["name"], capture["text"]) == ("basket_id", "4711")
    place = capture["place"]
    assert place["line"] == 4
    assert PASTE[place["start"] : place["end"]] == "4711"


def test_nothing_known_is_an_answer(client: TestClient) -> None:
    answer = client.post(URL, content="all is well", headers=TEXT)
    assert answer.status_code == 200
    assert (answer.json()["found"], answer.json()["events"]) == (False, [])


def test_who_wants_text_is_given_text(client: TestClient) -> None:
    answer = client.post(URL, content=PASTE, headers=TEXT | {"Accept": "text/plain"})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    for part in (
        "1 error found in 4 lines, 1 known.",
        "ShopError: Basket 4711 is empty",
        "basket_id = 4711",
        "Checkout was asked for a basket that holds no articles.",
        "Add an article before checkout.",
        "http://testserver/errors/",
    ):
        assert part in answer.text


def test_text_cannot_steer_the_terminal_of_who_asks(client: TestClient) -> None:
    paste = "\x1b]0;title\x07ShopError: Basket \u202e\x9b31m is empty"
    answer = client.post(URL, content=paste, headers=TEXT | {"Accept": "text/plain"})
    assert "is empty" in answer.text
    assert all(character == "\n" or character.isprintable() for character in answer.text)


TYPES = ("application/json", "text/plain")


@pytest.mark.parametrize(
    ("accept", "best"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("application/*", "application/json"),
        ("text/plain", "text/plain"),
        ("text/*", "text/plain"),
        ("TEXT/PLAIN; charset=utf-8", "text/plain"),
        ("text/html, text/plain;q=0.5, */*;q=0.1", "text/plain"),
        ("text/plain;q=0.5, application/json", "application/json"),
        ("application/json;q=0.5, text/plain;q=0.6", "text/plain"),
        ("application/json;q=0.5, */*", "text/plain"),
        ("text/plain;q=0, */*", "application/json"),
        ("text/plain;q=0", None),
        ("text/html", None),
        ("text/plain;q=x", "application/json"),
        ("nonsense", "application/json"),
        (",;,q=;", "application/json"),
        ("text/plain;q=nan, application/json;q=0.1", "application/json"),
        ("text/plain;q=7, application/json;q=0.1", "application/json"),
    ],
)
def test_the_format_is_the_one_that_is_accepted_most(accept: str, best: str | None) -> None:
    assert best_media_type(accept, TYPES) == best


def test_an_accept_header_that_allows_no_format_is_refused(client: TestClient) -> None:
    for answer in (
        client.post(URL, content=PASTE, headers=TEXT | {"Accept": "image/png"}),
        client.get("/api/errors", params={"line": PASTE}, headers={"Accept": "image/png"}),
    ):
        assert answer.status_code == 406
        ProblemDocument.model_validate(answer.json(), extra="forbid")
        for form in FORMATS.values():
            assert form.name in answer.json()["detail"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_named(client: TestClient, name: str) -> None:
    other = {"Accept": "text/plain" if name == "json" else "application/json"}
    params = {"format": name}
    posted = client.post(URL, params=params, content=PASTE, headers=TEXT | other)
    got = client.get("/api/errors", params=params | {"line": PASTE}, headers=other)
    for answer in (posted, got):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == FORMATS[name].content_type
        assert "4711" in answer.text
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("POST", {"format": "sarfi"}, "format"),
        ("POST", {"format": ""}, "format"),
        ("POST", {"formt": "json"}, "formt"),
        ("GET", {"format": "yaml", "line": "x"}, "format"),
        ("GET", {"format": "text"}, "format"),
        ("GET", {"format": "text", "q": "basket"}, "format"),
    ],
)
def test_a_format_that_cannot_be_used_is_named_with_a_remedy(
    client: TestClient, method: str, params: dict[str, str], field: str
) -> None:
    url = URL if method == "POST" else "/api/errors"
    body = {"content": PASTE, "headers": TEXT} if method == "POST" else {}
    answer = client.request(method, url, params=params, **body)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    if params.get("format") not in ("text", None):
        assert "json, text" in error["remedy"]


def test_a_stream_of_lines_is_answered_as_json_only(client: TestClient) -> None:
    answer = client.post(URL, params={"format": "text"}, content=b"x\n", headers=NDJSON)
    assert answer.status_code == 422
    accept = {"Accept": "application/x-ndjson"}
    for more in ({}, {"params": {"format": "json"}}):
        answer = client.post(URL, content=b"x\n", headers=NDJSON | accept, **more)
        assert answer.status_code == 200


# GET /api/errors?line=


def test_a_line_is_matched(client: TestClient) -> None:
    answer = client.get("/api/errors", params={"line": "ShopError: Basket 7 is empty"})
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert first_record(answer.json())["errorMessage"] == "Basket {basket_id} is empty"
    text = client.get(
        "/api/errors", params={"line": "Basket 7 is empty"}, headers={"Accept": "text/plain"}
    )
    assert "basket_id = 7" in text.text


@pytest.mark.parametrize("other", ["q", "repo", "class", "tag", "limit", "cursor"])
def test_a_line_goes_with_no_other_parameter(client: TestClient, other: str) -> None:
    answer = client.get("/api/errors", params={"line": MARK, other: "5"})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == "line"
    assert "alone" in error["remedy"]
    assert MARK not in answer.text


def test_a_line_that_is_too_long_or_empty(client: TestClient) -> None:
    assert client.get("/api/errors", params={"line": "x" * 8001}).status_code == 422
    assert client.get("/api/errors", params={"line": ""}).json()["events"] == []


# Refusals


@pytest.fixture
def client_of(tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    with ExitStack() as opened:

        def make(**more: object) -> TestClient:
            settings = Settings(database_url=f"sqlite:///{tmp_path / 'errdex.db'}", **more)
            load(tmp_path, *open_store(settings), SHOP)
            client = TestClient(create_app(settings), raise_server_exceptions=False)
            return opened.enter_context(client)

        yield make


def pieces(data: bytes, count: int):
    """A body whose length is not announced."""
    yield from [data] * count


def test_a_paste_over_the_bound_is_refused_before_it_is_read(client_of) -> None:
    client = client_of(match_bytes=2_000_000)
    read = 0

    def endless():
        nonlocal read
        while read < 50_000_000:
            read += 100_000
            yield b"x" * 100_000

    for content in (b"x" * 2_000_001, pieces(b"x" * 10_000, 201), endless()):
        answer = client.post(URL, content=content, headers=TEXT)
        assert answer.status_code == 413
        assert "2,000,000 bytes" in answer.json()["detail"]
        ProblemDocument.model_validate(answer.json(), extra="forbid")


def test_a_paste_may_be_larger_than_other_bodies(client_of) -> None:
    client = client_of(max_body_bytes=10, match_bytes=1000)
    assert client.post(URL, content=PASTE, headers=TEXT).status_code == 200
    assert client.post(URL, content=pieces(b"x" * 100, 10), headers=TEXT).status_code == 200


@pytest.mark.parametrize(
    ("request_of", "status", "says"),
    [
        ({"content": b""}, 422, "send the log as text/plain"),
        ({"content": b"x", "headers": {"Content-Type": "image/png"}}, 415, "text/plain"),
        ({"content": b"x", "headers": TEXT | {"Content-Encoding": "br"}}, 415, "gzip, zstd"),
        ({"content": b"x", "headers": TEXT | {"Content-Encoding": "gzip"}}, 422, "gzip"),
        ({"json": [[PASTE]]}, 422, '{"text": "…"}'),
        ({"content": PASTE, "headers": TEXT, "params": {"limit": 5}}, 422, "it takes format"),
    ],
)
def test_what_cannot_be_taken_is_told_what_can(client, request_of, status, says) -> None:
    answer = client.post(URL, **request_of)
    assert answer.status_code == status
    assert says in answer.json()["detail"]
    ProblemDocument.model_validate(answer.json(), extra="forbid")


def test_a_bomb_is_refused(client_of) -> None:
    client = client_of(match_bytes=10_000)
    bomb = gzip.compress(bytes(50_000_000))
    headers = TEXT | {"Content-Encoding": "gzip"}
    assert client.post(URL, content=bomb[:5000] + bomb[5000:], headers=headers).status_code == 413


# Nothing of a paste gets out


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    """All that was logged, at every level, with stacks."""
    caplog.set_level(logging.DEBUG)
    formatter = logging.Formatter("%(name)s %(message)s")
    return lambda: "\n".join(
        formatter.format(record)
        for record in caplog.records
        if not record.name.startswith(("httpx", "httpcore"))  # the test's own client
    )


@pytest.mark.parametrize(
    "request_of",
    [
        {"content": f"ValueError: {MARK}", "headers": TEXT},
        {"content": f"{MARK}\r\n{MARK}".encode(), "headers": {"Content-Type": MARK}},
        {"content": MARK.encode(), "headers": TEXT | {"Content-Encoding": "gzip"}},
        {"content": f'{{"text": "{MARK}'.encode(), "headers": {"Content-Type": "application/json"}},
        {
            "content": MARK.encode(),
            "headers": {"Content-Type": "multipart/form-data; boundary=x"},
        },
        {"json": {MARK: MARK}},
        {"content": MARK, "headers": TEXT | {"Content-Encoding": MARK}},
        {"content": MARK, "headers": {"Content-Type": f"text/plain; charset={MARK}"}},
    ],
)
def test_nothing_of_a_paste_is_logged_or_told_back(client, logged, request_of) -> None:
    answer = client.post(URL, **request_of)
    assert MARK not in logged()
    if answer.status_code != 200:
        assert MARK not in answer.text
    assert all(MARK not in value for value in answer.headers.values())


class PasteInError(Exception):
    """A fault of ours whose message quotes the paste, as those of libraries do."""


def test_a_fault_tells_nothing_of_the_paste(client, logged, monkeypatch) -> None:
    def fail(_: object, paste: str, __: object) -> None:
        try:
            raise PasteInError(f"cannot read {paste!r}")
        except PasteInError as error:
            raise ValueError(str(error)) from error

    monkeypatch.setattr(Knowledge, "match", fail)
    answer = client.post(URL, content=MARK, headers=TEXT)
    assert answer.status_code == 500
    assert MARK not in answer.text + logged()
    assert "ValueError in fail, test_match_api.py" in logged()
    line = client.get("/api/errors", params={"line": MARK})
    assert line.status_code == 500
    assert MARK not in line.text + logged()


def test_pastes_are_counted_by_whether_a_record_matched(client_of) -> None:
    client = client_of()
    for paste in (PASTE, PASTE, "all is well"):
        client.post(URL, content=paste, headers=TEXT)
    client.post("/match", content=PASTE, headers=TEXT)
    client.get("/api/errors", params={"line": "all is well"})
    client.post(URL, content="Basket 1 is empty\n\nall is well\n", headers=NDJSON)
    client.post(URL, content=b"x", headers={"Content-Type": "image/png"})
    counted = client.get("/metrics").text
    assert 'errdex_matches_total{found="yes"} 4.0' in counted
    assert 'errdex_matches_total{found="no"} 3.0' in counted
    assert 'errdex_stage_seconds_count{stage="match"}' in counted


# Work in a process of its own


def test_a_large_paste_is_answered_alike_elsewhere(client: TestClient) -> None:
    large = PASTE + "2026-11-29 10:00:01 INFO all is well\n" * 5_000
    assert len(large) > work.SMALL
    answer = client.post(URL, content=large, headers=TEXT).json()
    assert answer["lines"] == 5_004
    small = client.post(URL, content=PASTE, headers=TEXT).json()
    assert answer["events"] == small["events"]
    packed = gzip.compress(large.encode())
    assert len(packed) < work.SMALL
    headers = TEXT | {"Content-Encoding": "gzip"}
    assert client.post(URL, content=packed, headers=headers).json() == answer


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b'{"text": 5' + b" " * 70_000, "application/json", 422),
        (b" " * 70_000, "text/plain", 422),
        (b"x" * 70_000, "image/png", 415),
        (gzip.compress(bytes(6_000_000)), "application/gzip", 413),
    ],
)
def test_a_refusal_elsewhere_is_the_same_refusal(client, content, kind, status) -> None:
    answer = client.post(URL, content=content, headers={"Content-Type": kind})
    assert answer.status_code == status
    ProblemDocument.model_validate(answer.json(), extra="forbid")


@pytest.mark.slow
def test_work_far_beyond_its_time_is_ended(client_of, monkeypatch) -> None:
    monkeypatch.setattr(work, "_OVERTIME", 0.0)
    client = client_of(match_seconds=0.001)
    answer = client.post(URL, content=PASTE + "x" * work.SMALL, headers=TEXT)
    assert answer.status_code == 422
    assert "send less" in answer.json()["detail"]
    monkeypatch.setattr(work, "_OVERTIME", 60.0)
    again = client.post(URL, content=PASTE + "x" * work.SMALL, headers=TEXT)
    assert again.status_code == 200


def test_time_that_ran_out_is_said(client_of) -> None:
    client = client_of(match_seconds=0.000001)
    answer = client.post(URL, content=PASTE * 50, headers=TEXT).json()
    assert (answer["complete"], bool(answer["limitsHit"])) == (False, True)
    text = client.post(URL, content=PASTE * 50, headers=TEXT | {"Accept": "text/plain"}).text
    assert "Incomplete answer:" in text


def test_json_has_no_half_characters(client: TestClient) -> None:
    content = json.dumps({"text": "ShopError: Basket \ud800 is empty"}).encode()
    answer = client.post(URL, content=content, headers={"Content-Type": "application/json"})
    assert first_record(answer.json())["errorMessage"] == "Basket {basket_id} is empty"


UNKNOWN = "2026-11-29 10:00:01 ERROR NeverSeenError: the flux gate of 12 is out of tune\n"


def test_only_known_or_unknown_errors_are_answered(client: TestClient) -> None:
    def answered(**query: str) -> dict[str, Any]:
        return client.post(URL, content=PASTE + UNKNOWN, headers=TEXT, params=query).json()

    whole = answered()
    assert [each["outcome"] for each in whole["events"]] == ["known", "unknown"]
    known, unknown = answered(only="known"), answered(only="unknown")
    assert known["events"] == whole["events"][:1]
    assert (known["found"], known["readingOrder"], known["rootCause"]) == (True, [0], 0)
    assert unknown["events"] == whole["events"][1:]
    assert (unknown["found"], unknown["readingOrder"]) == (False, [0])
    assert unknown["rootCause"] in (0, None)


def test_only_the_chosen_fields_are_answered(client: TestClient) -> None:
    chosen = {"fields": "message, record.id,record.solutions", "only": "known"}
    answer = client.post(URL, content=PASTE + UNKNOWN, headers=TEXT, params=chosen).json()
    (event,) = answer["events"]
    assert set(event) == {"message", "matches"}
    assert [set(match["record"]) for match in event["matches"]] == [{"id", "solutions"}]
    assert {"found", "datasetVersion"} < set(answer)
    lines = client.post(URL, content=PASTE, headers=TEXT,
                        params={"fields": "fingerprint", "format": "ndjson"}).text  # fmt: skip
    assert set(json.loads(lines)) == {"datasetVersion", "index", "fingerprint"}
    whole = client.post(URL, content=PASTE, headers=TEXT, params={"fields": "matches"}).json()
    assert "evidence" in whole["events"][0]["matches"][0]
    stream = client.post(URL, content=PASTE.splitlines()[-1], headers=NDJSON,
                         params={"fields": "outcome", "only": "unknown"})  # fmt: skip
    assert stream.json()["events"] == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"only": "some"}, "only: input should be 'known' or 'unknown'"),
        ({"fields": "mesage"}, "did you mean message?"),
        ({"fields": "record.fix"}, "there is no field “record.fix”"),
        ({"fields": "id"}, "and record.NAME for those of records"),
        ({"fields": "message", "format": "text"}, "only json and ndjson have them"),
        ({"key": "x" * 1001}, "key: it is too long"),
    ],
    ids=str,
)
@pytest.mark.parametrize("headers", [TEXT, NDJSON], ids=["text", "ndjson"])
def test_a_choice_that_there_is_not_is_refused(client: TestClient, query, said, headers) -> None:
    if headers is NDJSON and "format" in query:
        said = "a stream of lines is answered as JSON"
    answer = client.post(URL, content=PASTE, headers=headers, params=query)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_a_traceback_sent_line_by_line_is_one_error(client: TestClient) -> None:
    records = "\n".join(
        json.dumps({"log": line, "pod": pod, "offset": number, "path": f"/var/log/{number}.log"})
        for number, line in enumerate(PASTE.splitlines())
        for pod in ("a", "b")
    )
    by_key = client.post(URL, content=records, headers=NDJSON, params={"key": "pod"}).json()
    (event,) = by_key["events"]
    assert (event["message"], event["repeats"]) == ("Basket 4711 is empty", 1)
    assert [frame["function"] for frame in event["frames"]] == ["checkout"]
    one = "\n".join(line for line in records.splitlines() if '"pod": "a"' in line)
    by_name = client.post(URL, content=one, headers=NDJSON | {"X-Stream": "shop"}).json()
    assert [frame["function"] for frame in by_name["events"][0]["frames"]] == ["checkout"]
    # The same, answered line by line, is an error without its stack.
    lines = client.post(URL, content=one, headers=NDJSON).text.splitlines()
    assert len(lines) == len(PASTE.splitlines())
