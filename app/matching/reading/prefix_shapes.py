"""Prefixes that come back, recognised with one regex instead of several.

Lines of one log begin alike but for their digits. The first prefixes of a paste are parsed
by `prefixes.strip_prefix`; their shapes (digits replaced by `\\d`, writers kept as they are)
become alternatives of one regex, which then knows the prefix of nearly every line. A shape is
learned only where nothing behind it could belong to the prefix as well, or where that is
checked, so that the result is that of `strip_prefix`.
"""

from __future__ import annotations

import re

from app.matching.reading.prefixes import HEADED, STAMPED, Prefix, next_part, strip_prefix

_MAX_SHAPES = 24
_MAX_LENGTH = 200
_DIGITS = re.compile(r"\d+")
_TRANSPORT_END = re.compile(r"(?:\.\d{7,9}Z|std(?:out|err) [FP]) $")


class PrefixReader:
    """Reads the prefixes of one paste's lines; learns as it goes."""

    def __init__(self, composed: frozenset[str]) -> None:
        self._composed = composed
        self._shapes: list[tuple[str, Prefix, bool]] = []
        self._known: set[str] = set()
        self._match = re.compile(r"(?!)").match

    def read(self, raw: str, start: int = 0) -> Prefix:
        """The prefix of a line, as `strip_prefix` finds it."""
        if start == 0:
            found = self._match(raw)
            if found:
                _, (_, kind, writer, level), closed = self._shapes[(found.lastindex or 1) - 1]
                end = found.end()
                if closed or not next_part(raw, end):
                    return Prefix(end, kind, writer, level)
        prefix = strip_prefix(raw, self._composed, start)
        if prefix.end and start == 0 and len(self._shapes) < _MAX_SHAPES:
            self._learn(raw[: prefix.end], prefix)
        return prefix

    def _learn(self, text: str, prefix: Prefix) -> None:
        closed = prefix.kind == HEADED and bool(prefix.level) and _is_closed(text, prefix)
        if not closed and not (prefix.kind == STAMPED and _ends_in_transport(text, prefix)):
            return
        shape = _shape(text, prefix.writer)
        if shape is None or shape in self._known:
            return
        self._known.add(shape)
        self._shapes.append((shape, prefix, closed))
        self._match = re.compile("|".join(f"({each})" for each, _, _ in self._shapes)).match


def _is_closed(text: str, prefix: Prefix) -> bool:
    """Whether a header goes on behind its level to a logger or place and its mark."""
    last = len(text) - len(text.rstrip(" :|-])"))
    if last < 2 or len(text) > _MAX_LENGTH:
        return False
    word = re.search(r"[\w.$/<>:\[-]+[ :|\-\])]+$", text)
    return word is not None and not re.match(r"(?i)[\[<(]?[a-z]{1,11}\W*$", word.group())


def _ends_in_transport(text: str, prefix: Prefix) -> bool:
    if len(text) > _MAX_LENGTH:
        return False
    if _TRANSPORT_END.search(text):
        return not prefix.level
    last = prefix.writer.rpartition(" ")[2].rstrip(")]")
    return bool(last) and not prefix.level and text.rstrip(" :|)]\t").endswith(last)


def _shape(text: str, writer: str) -> str | None:
    """A regex for prefixes that differ from this one in digits only, the writer excepted."""
    kept: set[int] = set()
    at = 0
    for part in writer.split(" ") if writer else ():
        at = text.find(part, at)
        if at < 0:
            return None
        kept.update(range(at, at + len(part)))
        at += len(part)
    pieces: list[str] = []
    end = 0
    for found in _DIGITS.finditer(text):
        start, stop = found.span()
        if start in kept:
            continue
        pieces.append(re.escape(text[end:start]))
        pieces.append(rf"\d{{{stop - start}}}" if stop - start <= 4 else r"\d{5,12}")
        end = stop
    pieces.append(re.escape(text[end:]))
    return "".join(pieces)
