"""A paste out of a request's body: every form of it, and what is refused before it is read."""

from __future__ import annotations

import gzip
import json
import logging
import zlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
import zstandard
from fastapi.exceptions import RequestValidationError

from errdex.matching.reading.record_streams import Writers
from errdex.web.http.errors import BodyTooLarge
from errdex.web.match.body import NDJSON, Body, TypeNotTaken, unpack

LIMIT = 100_000
LOG = "ValueError: Größe 5 is too large\n"
FORM = "multipart/form-data; boundary=xyz"


def form(*parts: tuple[str, bytes]) -> bytes:
    """Parts as (headers, data)."""
    lines = [b"--xyz\r\n%b\r\n\r\n%b\r\n" % (head.encode(), data) for head, data in parts]
    return b"".join(lines) + b"--xyz--\r\n"


def file_part(data: bytes, kind: str = "text/plain", name: str = "a.log") -> tuple[str, bytes]:
    head = f'Content-Disposition: form-data; name="f"; filename="{name}"'
    return f"{head}\r\nContent-Type: {kind}", data


def text_of(paste: bytes | str) -> str:
    return paste if isinstance(paste, str) else paste.decode()


UTF8 = LOG.encode()
URLENCODED = "application/x-www-form-urlencoded"
FORMS = {
    "no type": (UTF8, "", ""),
    "text": (UTF8, "Text/Plain", ""),
    "text, charset": (LOG.encode("latin-1"), "text/plain; charset=ISO-8859-1", ""),
    "text, quoted charset": (LOG.encode("utf-16"), 'text/plain;charset="UTF-16"', ""),
    "text, cyrillic": (LOG.encode("koi8-r", "replace"), "text/plain; charset=koi8-r", ""),
    "json text": (json.dumps({"text": LOG}).encode(), "application/json", ""),
    "json lines": (json.dumps({"lines": LOG.split("\n")}).encode(), "application/json", ""),
    "json, utf-16": (json.dumps({"text": LOG}).encode("utf-16"), "application/json", ""),
    "gzip": (gzip.compress(UTF8), "text/plain", "gzip"),
    "gzip, a member a line": (
        b"".join(gzip.compress(bytes([each])) for each in UTF8) + gzip.compress(b"") * 500,
        "text/plain",
        "gzip",
    ),
    "gzip, two members": (
        gzip.compress(UTF8[:9]) + gzip.compress(UTF8[9:]),
        "text/plain",
        "x-gzip",
    ),
    "zstd": (zstandard.compress(UTF8), "text/plain", "ZSTD"),
    "deflate": (zlib.compress(UTF8), "text/plain", "deflate"),
    "bare deflate": (zlib.compress(UTF8, wbits=-15), "text/plain", "deflate"),
    "identity": (UTF8, "text/plain", "identity"),
    "a packed file as it is": (gzip.compress(UTF8), "application/gzip", ""),
    "a packed file as text": (gzip.compress(UTF8), "text/plain", ""),
    "a zstd file, no type": (zstandard.compress(UTF8), "", ""),
    "bytes": (UTF8, "application/octet-stream", ""),
    "a packed file as bytes": (gzip.compress(UTF8), "application/octet-stream", ""),
    "json in gzip": (gzip.compress(json.dumps({"text": LOG}).encode()), "application/json", "gzip"),
    "curl's own type": (UTF8, URLENCODED, ""),
    "curl's own type, packed": (gzip.compress(UTF8), URLENCODED, "gzip"),
    "a field of curl": (f"text={quote_plus(LOG)}".encode(), URLENCODED, ""),
    "a field of curl with spaces": (f"log={quote(LOG)}".encode(), URLENCODED, ""),
    "a record alone": (json.dumps({"log": LOG}).encode(), "application/json", ""),
    "an array of lines": (json.dumps(LOG.split("\n")).encode(), "application/json", ""),
    "a file": (form(file_part(UTF8)), FORM, ""),
    "a file, charset": (
        form(file_part(LOG.encode("latin-1"), "text/plain; charset=latin-1")),
        FORM,
        "",
    ),
    "a packed file": (form(file_part(gzip.compress(UTF8), "application/gzip")), FORM, ""),
    "a zstd file": (form(file_part(zstandard.compress(UTF8))), FORM, ""),
    "a field": (form(('Content-Disposition: form-data; name="text"', UTF8)), FORM, ""),
    "a file beside a field": (
        form(('Content-Disposition: form-data; name="kind"', b"python"), file_part(UTF8)),
        FORM,
        "",
    ),
    "a form in gzip": (gzip.compress(form(file_part(UTF8))), FORM, "gzip"),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_paste(name: str) -> None:
    data, kind, encoding = FORMS[name]
    expected = LOG if "cyrillic" not in name else LOG.encode("koi8-r", "replace").decode("koi8-r")
    assert text_of(unpack(Body(data, kind, encoding), LIMIT)) == expected


def test_bytes_without_a_charset_are_left_to_the_reader_of_pastes() -> None:
    stray = b"caf\xe9 \x00\xff"
    assert unpack(Body(stray, "text/plain; charset=utf-8"), LIMIT) == stray


def test_half_a_character_in_json_is_taken() -> None:
    assert unpack(Body(b'{"text": "x \\ud800 y"}', "application/json"), LIMIT) == "x \ud800 y"


BOMB = bytes(50_000_000)
DOUBLE = gzip.compress(gzip.compress(BOMB))
TOO_LARGE = {
    "gzip": (gzip.compress(BOMB), "text/plain", "gzip"),
    "zstd": (zstandard.compress(BOMB), "text/plain", "zstd"),
    "deflate": (zlib.compress(BOMB), "text/plain", "deflate"),
    "bare deflate": (zlib.compress(BOMB, wbits=-15), "text/plain", "deflate"),
    "as a type": (gzip.compress(BOMB), "application/gzip", ""),
    "as a type and an encoding": (DOUBLE, "application/gzip", "gzip"),
    "as text": (gzip.compress(BOMB), "text/plain", ""),
    "as bytes": (zstandard.compress(BOMB), "application/octet-stream", ""),
    "in a form": (form(file_part(gzip.compress(BOMB))), FORM, ""),
    "one byte": (gzip.compress(b"x" * (LIMIT + 1)), "text/plain", "gzip"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_bomb_stops_at_the_limit(name: str) -> None:
    data, kind, encoding = TOO_LARGE[name]
    assert len(data) < LIMIT
    with pytest.raises(BodyTooLarge):
        unpack(Body(data, kind, encoding), LIMIT)


def test_the_limit_itself_is_taken() -> None:
    exact = b"x" * LIMIT
    assert unpack(Body(gzip.compress(exact), "", "gzip"), LIMIT) == exact


def wide_zstd() -> bytes:
    """A frame that asks for a window of 64 MB."""
    wide = zstandard.ZstdCompressionParameters(window_log=26)
    made = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    return made.compress(UTF8) + made.flush()


REFUSED = {
    "empty": (b"", "text/plain", "", "it is empty"),
    "blank": (b" \r\n\t ", "text/plain", "", "it is empty"),
    "empty gzip": (gzip.compress(b""), "text/plain", "gzip", "it is empty"),
    "empty file": (form(file_part(b"")), FORM, "", "it is empty"),
    "no parts": (b"--xyz--\r\n", FORM, "", "it is empty"),
    "empty lines": (b'{"lines": []}', "application/json", "", "it is empty"),
    "two files": (form(file_part(UTF8), file_part(UTF8)), FORM, "", "several files"),
    "many parts": (form(*[file_part(UTF8)] * 40), FORM, "", "too many parts"),
    "no boundary": (form(file_part(UTF8)), "multipart/form-data", "", "not a sound form"),
    "another boundary": (b"secret", FORM, "", "not a sound form"),
    "a cut form": (form(file_part(UTF8))[:-20], FORM, "", "not a sound form"),
    "a huge header": (form(file_part(UTF8, name="x" * 50_000)), FORM, "", "not a sound form"),
    "gzip of crumbs": (gzip.compress(b"") * 2000, "text/plain", "gzip", "too many small members"),
    "gzip of crumbs, as a file": (
        form(file_part(gzip.compress(b"a") * 2000)),
        FORM,
        "",
        "too many small members",
    ),
    "not gzip": (b"secret", "text/plain", "gzip", "not sound gzip"),
    "cut gzip": (gzip.compress(UTF8)[:-9], "text/plain", "gzip", "not sound gzip"),
    "cut zstd": (zstandard.compress(UTF8)[:-3], "text/plain", "zstd", "not sound zstd"),
    "not zstd": (b"secret", "text/plain", "zstd", "not sound zstd"),
    "a wide zstd window": (wide_zstd(), "text/plain", "zstd", "not sound zstd"),
    "not deflate": (b"\xff\xffsecret", "text/plain", "deflate", "not sound deflate"),
    "cut deflate": (zlib.compress(UTF8)[:-6], "text/plain", "deflate", "not sound deflate"),
    "not JSON": (b"secret", "application/json", "", "not sound JSON"),
    "nested JSON": (b"[" * 90_000, "application/json", "", "not sound JSON"),
    "a long number": (b"9" * 90_000, "application/json", "", "not sound JSON"),
    "JSON, not UTF-8": (b'{"text": "\xff"}', "application/json", "", "not sound JSON"),
    "a JSON string": (b'"secret"', "application/json", "", "another form"),
    "both": (b'{"text": "secret", "lines": []}', "application/json", "", "another form"),
    "more": (b'{"text": "secret", "x": 1}', "application/json", "", "another form"),
    "an array of numbers": (b'["secret", 5]', "application/json", "", "neither a line nor"),
    "an array of arrays": (b'[["secret"]]', "application/json", "", "neither a line nor"),
    "an empty array": (b"[]", "application/json", "", "it is empty"),
    "too many items": (b"[" + b'"",' * 100_000 + b'""]', "application/json", "", "100,000 items"),
    "a record without a line": (b'{"MESSAGE": [1]}', "application/json", "", "another form"),
    "a number": (b'{"text": 5}', "application/json", "", "another form"),
    "a line that is a number": (b'{"lines": ["a", 5]}', "application/json", "", "not a string"),
}


def test_a_line_that_looks_like_a_field_stays_a_line() -> None:
    for line in (b"text=1 failed", b"message=a&b=c", b"log=%41\n", b"level=error msg=x"):
        assert unpack(Body(line, URLENCODED), LIMIT) == line


TRACEBACK = """\
Traceback (most recent call last):
  File "shop/run.py", line 3, in <module>
    checkout(4711)
shop.ShopError: Basket 4711 is empty
"""


@pytest.mark.parametrize(
    "writer",
    [
        {"container_id": "a1"},
        {"kubernetes": {"pod_name": "shop-1", "labels": {"a": "b"}}},
        {"host": "web-1", "file": "/var/log/shop.log"},
        {"_PID": "12"},
        {"_PID": 12},
    ],
    ids=str,
)
@pytest.mark.parametrize("key", ["log", "message", "MESSAGE"])
def test_the_lines_of_a_writer_come_together(key: str, writer: dict[str, Any]) -> None:
    other = {"container_id": "b2", "kubernetes": {"pod_name": "db-1"}, "host": "db", "_PID": "99"}
    records = []
    for line in TRACEBACK.splitlines():
        records += [{key: line, **writer}, {key: "all is well", **other}, "INFO of no one"]
    paste = unpack(Body(json.dumps(records).encode(), "application/json"), LIMIT)
    lines = [json.loads(line)[key] for line in str(paste).splitlines()[:4]]
    assert lines == TRACEBACK.splitlines()
    assert len(str(paste).splitlines()) == 12


INTERLEAVED = [
    {"log": line, "pod": {"name": name}, "host": f"node-{number}"}
    for number, line in enumerate(TRACEBACK.splitlines())
    for name in ("shop-1", "db-1")
]


@pytest.mark.parametrize("kind", ["application/json", NDJSON])
@pytest.mark.parametrize(
    ("writers", "first"),
    [
        (Writers(), 1),  # each line is another host's
        (Writers(keys=("pod.name",)), 4),
        (Writers(keys=("pod.name", "host")), 1),
        (Writers(keys=("never.heard.of",)), 8),
        (Writers(one=True), 8),
    ],
    ids=str,
)
def test_a_sender_says_what_tells_writers_apart(kind: str, writers: Writers, first: int) -> None:
    """`first`: the lines that are together at the beginning, by their pods and hosts."""
    data = (
        json.dumps(INTERLEAVED)
        if kind == "application/json"
        else "\n".join(json.dumps(each) for each in INTERLEAVED)
    ).encode()
    lines = str(unpack(Body(data, kind, writers=writers), LIMIT)).splitlines()
    records = [json.loads(line) for line in lines]
    pods = [each["pod"]["name"] for each in records]
    if first == 8:
        assert records == INTERLEAVED
    elif first == 4:
        assert pods == ["shop-1"] * 4 + ["db-1"] * 4
        assert [each["log"] for each in records[:4]] == TRACEBACK.splitlines()
    else:
        assert len(records) == 8


def test_lines_that_are_no_records_are_lines_of_the_log() -> None:
    data = b'{"log": "a"}\n\nplain\n{"text": "b"}\n"c"\n{broken\n[1]\n\xff\n'
    paste = unpack(Body(data, NDJSON, writers=Writers(one=True)), LIMIT)
    assert str(paste).splitlines() == ['{"log":"a"}', "plain", "b", "c", "{broken", "[1]", "\ufffd"]


def said(error: RequestValidationError) -> str:
    (only,) = error.errors()
    return f"{only['msg']}; {only['ctx']['remedy']}"


@pytest.fixture
def silent(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing is logged, by no library, at no level."""
    caplog.set_level(logging.DEBUG)
    yield
    assert caplog.text == ""


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("name", REFUSED)
def test_a_body_without_a_paste_is_refused_in_words_of_ours(name: str) -> None:
    data, kind, encoding, says = REFUSED[name]
    with pytest.raises(RequestValidationError) as raised:
        unpack(Body(data, kind, encoding), LIMIT)
    assert says in said(raised.value)
    assert "send" in said(raised.value)
    assert "secret" not in repr(raised.value) + said(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    ("kind", "encoding", "names"),
    [
        ("image/png", "", "text/plain, application/json, multipart/form-data"),
        ("text/html", "", "text/plain"),
        ("secret", "", "text/plain"),
        ("text/plain; charset=klingon", "", "UTF-8"),
        ("text/plain; charset=zlib", "", "UTF-8"),
        ("text/plain; charset=unicode_escape", "", "UTF-8"),
        ("text/plain; charset=idna", "", "UTF-8"),
        ("text/plain", "br", "gzip, zstd, deflate"),
        ("text/plain", "gzip, gzip", "gzip, zstd, deflate"),
        ("text/plain", "secret", "gzip, zstd, deflate"),
    ],
)
def test_a_type_that_is_not_taken_is_told_those_that_are(kind, encoding, names) -> None:
    with pytest.raises(TypeNotTaken) as raised:
        unpack(Body(b"x", kind, encoding), LIMIT)
    assert raised.value.status_code == 415
    assert names in raised.value.detail
    assert "secret" not in raised.value.detail
    assert {*raised.value.headers} & {"Accept-Post", "Accept-Encoding"}
