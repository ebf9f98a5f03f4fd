"""Bytes to text, whatever wrote them: never raises, one pass in C."""

from __future__ import annotations

import codecs

from errdex import lazy_re as re

_SURROGATE = re.compile("[\ud800-\udfff]")

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_SAMPLE = 4096


def decode(data: bytes) -> str:
    """Decode a paste: by its byte order mark, as UTF-16 without one when every other byte
    is NUL, else as UTF-8 in which stray bytes are read as Windows-1252 or Latin-1."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            if name == "utf-8":
                return _decode_utf8(data[len(bom) :])
            return clean_surrogates(data[len(bom) :].decode(name, "replace"))
    wide = _guess_wide(data)
    if wide:
        return clean_surrogates(data.decode(wide, "replace"))
    return _decode_utf8(data)


def wide_encoding(data: bytes) -> str | None:
    """The name of the encoding when a paste that begins like this is in UTF-16 or UTF-32."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return None if name == "utf-8" else name
    return _guess_wide(data)


def clean_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoder takes, by U+FFFD; lengths stay."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub("\ufffd", text)


def _decode_utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape").translate(_STRAY)


def _stray(byte: int) -> str:
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


_STRAY = {0xDC00 + byte: _stray(byte) for byte in range(0x80, 0x100)}


def _guess_wide(data: bytes) -> str | None:
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    if half < 2:
        return None
    if sample[1::2].count(0) > 0.7 * half and sample[::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[::2].count(0) > 0.7 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None
