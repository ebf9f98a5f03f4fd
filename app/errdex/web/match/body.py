"""The paste in a request's body, whatever form it was sent in.

`take_body` reads the bytes, `unpack` makes the paste of them, which is work for a thread.
Nothing of the body gets into a message, and nothing is written to a disk, as larger files
of a form usually are.

    text/plain (or no type)     the paste; bytes as they are, unless a charset is named
    application/octet-stream    the same; either may be a packed file, which its first bytes tell
    application/x-www-form-urlencoded   the same, or one field: what curl sends by itself
    application/json            see json_body.py
    multipart/form-data         one file, or one field
    application/gzip, …/zstd    the packed text
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from encodings.aliases import aliases
from io import BytesIO
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import unquote_plus

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.exceptions import HTTPException

from errdex import lazy_re as re
from errdex.matching.reading.record_streams import Writers
from errdex.records.files.compression import GZIP_MAGIC, ZSTD_MAGIC, open_gzip, open_zstd
from errdex.records.files.raw import InputDamaged
from errdex.web.http.errors import BodyTooLarge
from errdex.web.http.limits.request_memory import Share
from errdex.web.http.parameters import invalid_error
from errdex.web.match.json_body import REMEDY, NoPaste, paste_of_json, paste_of_lines

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

# It logs what it stumbles over, which is a piece of a paste.
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)

NDJSON = "application/x-ndjson"
STREAM_HEADER = "x-stream"
"""Names the one writer of all that a request holds."""
TAKEN_TYPES = ("text/plain", "application/json", "multipart/form-data", NDJSON)
TAKEN_ENCODINGS = ("gzip", "zstd", "deflate")
MAX_ZSTD_WINDOW = 8 * 1024 * 1024
"""What RFC 9659 allows a server to be asked for."""
_MAX_PARTS = 16
_GZIP_MEMBER = GZIP_MAGIC + b"\x08"
_GZIP_MEMBERS = 1000
_BYTES_OF_A_MEMBER = 100
"""So many members a gzip file may have, and beyond them one for so many bytes: an empty one
takes 20 bytes, and 25 µs to read."""
_PACKED_TYPES = {
    "application/gzip": "gzip",
    "application/x-gzip": "gzip",
    "application/zstd": "zstd",
}
_LONGEST_TYPE = 4000
"""Characters of a Content-Type, and of a part's header. What reads their parameters takes time by
the square of that."""
_ENCODED_FIELD = re.compile(rb"(?:text|log|message|MESSAGE)=([A-Za-z0-9%+._~*-]*)(.?)", re.DOTALL)
"""A field as browsers and curl encode it, and what follows it."""
_NOT_CHARSETS = {"rot_13", "mbcs"}
_CHARSETS = {*aliases, *aliases.values(), "koi8_u", "cp874", "utf_8_sig"} - _NOT_CHARSETS
"""Known beforehand: Python remembers each unknown name that it is asked for. Codecs from
bytes to bytes, such as zlib, are refused where they are used."""


class PasteRefused(RequestValidationError):
    """The body holds no paste that can be read; says why and what to send."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__([invalid_error("body", reason, remedy)])


class TypeNotTaken(HTTPException):
    """The body is of a type, or packed in a way, that is not taken."""

    def __init__(self, what: str, headers: dict[str, str]) -> None:
        super().__init__(415, what, headers)


@dataclass(frozen=True, slots=True)
class Body:
    """A request's body as it came, with what its headers say of it."""

    data: bytes
    content_type: str = ""
    content_encoding: str = ""
    writers: Writers = field(default_factory=Writers)
    """Of the records in it."""


async def take_body(request: Request, limit: int, share: Share) -> Body:
    """Read the body, counted in `share` for as long as that lasts. Raises BodyTooLarge before
    more than `limit` bytes are held, MemoryFull, and starlette's ClientDisconnect."""
    headers = request.headers
    announced = headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limit:
        raise BodyTooLarge(limit)
    chunks: list[bytes] = []
    taken = 0
    async for chunk in request.stream():
        taken += len(chunk)
        if taken > limit:
            raise BodyTooLarge(limit)
        share.take(len(chunk))
        chunks.append(chunk)
    kind, encoding = headers.get("content-type", ""), headers.get("content-encoding", "")
    return Body(b"".join(chunks), kind, encoding, writers_of(request))


def writers_of(request: Request) -> Writers:
    """What a request says of the writers of its records: `key`, or `X-Stream` with one's name."""
    keys = (key.strip() for key in request.query_params.get("key", "").split(","))
    return Writers(tuple(filter(None, keys)), STREAM_HEADER in request.headers)


def unpack(body: Body, limit: int) -> bytes | str:
    """The paste in the body. Raises PasteRefused, TypeNotTaken, and BodyTooLarge when it
    unpacks to more than `limit` bytes, of which no more than a buffer was held."""
    kind, options = _parse_type(body.content_type)
    data = _decoded(body.data, encoding_of(body.content_encoding), limit)
    if packed := _PACKED_TYPES.get(kind):
        data, kind = _decoded(data, packed, limit), "text/plain"
    reader = _READERS.get(kind)
    if reader is None:
        _refuse_type()
    paste = reader(data, _How(options, limit, body.writers))
    if not paste.strip():
        _refuse_empty()
    return paste


def media_type(content_type: str) -> str:
    """The type in a Content-Type header, without its parameters; text/plain when empty. Raises
    TypeNotTaken."""
    return _parse_type(content_type)[0]


def _parse_type(header: str) -> tuple[str, dict[str, str]]:
    if len(header) > _LONGEST_TYPE:
        raise TypeNotTaken(f"The type is longer than {_LONGEST_TYPE:,} characters.", ACCEPTED)
    kind, options = parse_options_header(header or "text/plain")
    return kind.decode("latin-1").strip().lower(), {
        name.decode("latin-1"): value.decode("latin-1") for name, value in options.items()
    }


def _refuse_empty() -> NoReturn:
    raise PasteRefused(
        "it is empty",
        'send the log as text/plain, as JSON {"text": "…"} or {"lines": ["…"]}, or as a file of '
        "multipart/form-data",
    )


def _refuse_type() -> NoReturn:
    taken = ", ".join(TAKEN_TYPES)
    raise TypeNotTaken(f"This type of body is not taken. Send one of {taken}.", ACCEPTED)


ACCEPTED = {"Accept-Post": ", ".join(TAKEN_TYPES)}


# Content-Encoding


def encoding_of(header: str) -> str:
    """The one encoding that a Content-Encoding header names, "" for none. Raises
    TypeNotTaken."""
    named = [each.strip().lower().removeprefix("x-") for each in header.split(",")]
    named = [each for each in named if each not in ("", "identity")]
    if not named:
        return ""
    if len(named) > 1 or named[0] not in TAKEN_ENCODINGS:
        taken = ", ".join(TAKEN_ENCODINGS)
        raise TypeNotTaken(
            f"This Content-Encoding is not taken. Send one of {taken}, once, or none.",
            {"Accept-Encoding": taken},
        )
    return named[0]


def _decoded(data: bytes, encoding: str, limit: int) -> bytes:
    if not encoding or not data:
        return data
    if encoding == "deflate":
        plain = _inflate(data, limit)
    else:
        if encoding == "gzip":
            _refuse_crumbs(data)
        source = BytesIO(data)
        opened = open_gzip(source) if encoding == "gzip" else open_zstd(source, MAX_ZSTD_WINDOW)
        try:
            plain = opened.read(limit + 1)
        except InputDamaged:
            raise damaged(encoding) from None
    if len(plain) > limit:
        raise BodyTooLarge(limit)
    return plain


def _refuse_crumbs(data: bytes) -> None:
    if data.count(_GZIP_MEMBER) > _GZIP_MEMBERS + len(data) // _BYTES_OF_A_MEMBER:
        raise PasteRefused("it is gzip data of too many small members", "send it packed as a whole")


def _inflate(data: bytes, limit: int) -> bytes:
    """HTTP's deflate is zlib's format; some send bare deflate, which is told by its start."""
    is_zlib = len(data) > 1 and data[0] & 0x0F == 8 and int.from_bytes(data[:2]) % 31 == 0
    inflater = zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
    try:
        plain = inflater.decompress(data, limit + 1)
    except zlib.error:
        raise damaged("deflate") from None
    if len(plain) <= limit and (not inflater.eof or inflater.unused_data):
        raise damaged("deflate")
    return plain


def damaged(encoding: str) -> PasteRefused:
    """What is told of a body that cannot be unpacked."""
    return PasteRefused(
        f"it is not sound {encoding} data",
        "send it whole, or without a Content-Encoding when it is not packed",
    )


# Types


@dataclass(frozen=True, slots=True)
class _How:
    """How a body of a type is read: the type's options, how much may be unpacked, and whose
    records it holds."""

    options: dict[str, str]
    limit: int
    writers: Writers


def _read_text(data: bytes, how: _How) -> bytes | str:
    """As bytes where the charset is not named or is UTF-8: the reader of pastes knows better
    than most senders what is in them. Nothing that begins as a packed file does is text."""
    for magic, encoding in ((GZIP_MAGIC, "gzip"), (ZSTD_MAGIC, "zstd")):
        if data.startswith(magic):
            data = _decoded(data, encoding, how.limit)
            break
    name = how.options.get("charset", "").strip("\"' ").lower().replace("-", "_")
    if name in ("", "utf_8", "utf8", "us_ascii", "ascii"):
        return data
    try:
        if name not in _CHARSETS:
            raise LookupError
        return data.decode(name, "replace")
    except (LookupError, ValueError):
        raise TypeNotTaken(
            "This charset is not known. Send UTF-8, or leave the charset out: it is guessed.",
            ACCEPTED,
        ) from None


def _read_json(data: bytes, how: _How) -> str:
    try:
        return paste_of_json(data, how.writers)
    except NoPaste as error:
        raise PasteRefused(str(error), REMEDY) from None


def _read_lines(data: bytes, how: _How) -> str:
    try:
        return paste_of_lines(data, how.writers)
    except NoPaste as error:
        raise PasteRefused(str(error), REMEDY) from None


def _read_encoded(data: bytes, how: _How) -> bytes | str:
    """What curl sends unless it is told a type: the log as it is (`--data-binary`), or as the one
    field of a form (`--data-urlencode text@build.log`)."""
    if (field := _ENCODED_FIELD.match(data)) and not field[2]:
        return unquote_plus(field[1].decode("ascii"), errors="replace")
    return _read_text(data, how)


def _read_form(data: bytes, how: _How) -> bytes | str:
    parts = _parse_form(data, how.options.get("boundary", ""))
    sent = [part for part in parts if part.is_file and part.data] or [
        part for part in parts if not part.is_file and part.data.strip()
    ]
    if not sent:
        _refuse_empty()
    if len(sent) > 1:
        raise PasteRefused("it has several files or fields", "send one file, in a part of any name")
    _, of_part = _parse_type(sent[0].headers.get("content-type", ""))
    return _read_text(bytes(sent[0].data), replace(how, options=of_part))


def read_fields(body: Body) -> dict[str, str]:
    """The text fields of a form, by their names. Raises PasteRefused, and TypeNotTaken for
    anything but multipart/form-data."""
    kind, options = _parse_type(body.content_type)
    if kind != "multipart/form-data":
        _refuse_type()
    parts = _parse_form(body.data, options.get("boundary", ""))
    return {part.name: part.data.decode("utf-8", "replace") for part in parts if not part.is_file}


def _parse_form(data: bytes, boundary: str) -> list[_Part]:
    collector = _PartCollector()
    try:
        parser = MultipartParser(boundary.encode("latin-1"), collector.callbacks())
        parser.write(data)
        parser.finalize()
        if not collector.ended:
            raise FormParserError
    except FormParserError:
        raise PasteRefused(
            "it is not a sound form", "send one file as multipart/form-data"
        ) from None
    return collector.parts


class _Part:
    """A part of a form."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.data = bytearray()

    @property
    def is_file(self) -> bool:
        return "filename" in self._options

    @property
    def name(self) -> str:
        return self._options.get("name", "")

    @property
    def _options(self) -> dict[str, str]:
        return _parse_type(self.headers.get("content-disposition", ""))[1]


class _PartCollector:
    """Keeps the parts that the parser tells of. It bounds their headers itself."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self.ended = False
        self._name = self._value = b""

    def callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._add_name,
            "on_header_value": self._add_value,
            "on_header_end": self._end_header,
            "on_part_data": self._add_data,
            "on_end": self._end,
        }

    def _begin(self) -> None:
        if len(self.parts) == _MAX_PARTS:
            raise PasteRefused("it has too many parts", "send one file")
        self.parts.append(_Part())

    def _add_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _add_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        name, value = self._name.decode("latin-1").lower(), self._value.decode("latin-1")
        self.parts[-1].headers[name] = value
        self._name = self._value = b""

    def _end(self) -> None:
        self.ended = True

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        self.parts[-1].data += data[start:end]


_READERS: dict[str, Callable[[bytes, _How], bytes | str]] = {
    "text/plain": _read_text,
    "application/octet-stream": _read_text,
    "application/x-www-form-urlencoded": _read_encoded,
    "application/json": _read_json,
    NDJSON: _read_lines,
    "multipart/form-data": _read_form,
}
