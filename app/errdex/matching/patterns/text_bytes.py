"""Texts as the matcher sees them: UTF-8 bytes, and the way back to characters.

RE2 and the literal scan work on bytes; results are given in characters. Every
character of a text stays one character, so that offsets need no correction.
"""

from __future__ import annotations

from errdex import lazy_re as re
from errdex.matching.patterns.regex.syntax_tree import OTHER_SPACES, QUOTES

_UNUSUAL = re.compile(f"[{OTHER_SPACES}]|[\ud800-\udfff]")
_CONTINUATION = bytes(range(0x80, 0xC0))
_STEP = 4096


def encode(text: str) -> bytes:
    """UTF-8 of a text; Unicode's own spaces and typographic quotes become plain ones, lone
    surrogates U+FFFD."""
    if text.isascii():
        return text.encode("ascii")
    return _UNUSUAL.sub(_plain, text).translate(QUOTES).encode("utf-8")


def _plain(found: re.Match[str]) -> str:
    return " " if found.group() in OTHER_SPACES else "\ufffd"


def core(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The part between two bytes, white space at its ends left out."""
    piece = data[start:end].rstrip()
    return start + len(piece) - len(piece.lstrip()), start + len(piece)


class EncodedText:
    """An encoded text, and its byte offsets as character offsets.

    Characters are counted once in steps of 4 kB, so that an offset deep in a long
    text costs no more than one near its start.
    """

    __slots__ = ("_before", "core", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.core = core(data, 0, len(data))
        """The bytes between which the text lies, white space at its ends left out."""
        self._before = None if data.isascii() else _count(data)

    def character(self, offset: int) -> int:
        """The index of the character that begins at this byte."""
        if self._before is None:
            return offset
        step = offset // _STEP
        return self._before[step] + _characters(self.data[step * _STEP : offset])


def _count(data: bytes) -> list[int]:
    before = [0]
    for start in range(0, len(data), _STEP):
        before.append(before[-1] + _characters(data[start : start + _STEP]))
    return before


def _characters(piece: bytes) -> int:
    return len(piece.translate(None, _CONTINUATION))
