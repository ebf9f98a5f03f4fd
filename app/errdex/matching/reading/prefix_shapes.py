"""Prefixes that come back, looked up instead of parsed.

Lines of one log begin alike but for their digits. The first prefixes of a paste are parsed by
`prefixes.strip_prefix`; with each digit replaced by 0 (the whole text in one pass) they become
keys, under which nearly every later line's prefix is found. What is found is used only where
nothing behind it could belong to the prefix as well, so that the result is always that of
`strip_prefix`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from errdex.matching.reading.prefixes import (
    AFTER_LEVEL,
    DATABASE_LEVEL_END,
    HEADED,
    LAMBDA_FAILURES,
    LEVEL_END,
    LEVEL_HEADS,
    LEVEL_NAMES,
    LOGGER,
    NO_PREFIX,
    STAMPED,
    Prefix,
    dispatched,
    is_logger,
    level_name,
    may_begin,
    strip_prefix,
)

_MAX_LESSONS = 3_000
_MAX_LENGTHS = 24
_MAX_LENGTH = 160
_NOTHING, _ANYTHING, _LEVEL = 0, 1, 2
"""What may begin with three characters: no prefix, any, one that begins with a level."""
_BEHIND_LEVEL = re.compile(r"[A-Za-z]{3,11}+(?:[ :|]{1,6}+\[?\d\d|:[A-Za-z_])")
_NUL_DIGITS = bytes(0x30 if 0x30 <= byte <= 0x39 else byte for byte in range(256))
_TRANSPORT_END = re.compile(r"(?:\.\d{7,9}Z|std(?:out|err) [FP]) $")
_UPPER = "|".join(name for name in LEVEL_NAMES.split("|") if name.isupper())
_WORD = re.compile(rf"(?<=[ \t])(?:{_UPPER})(?=[ \t|\-])|(?<=[\[<(])(?:{LEVEL_NAMES})(?=[\]>)])")
_STAMP_ONLY = re.compile(r"\[?\d{4}[-/]\d\d[-/]\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]? $")
_RUBY = re.compile(r"(?<!\w)[DIWEF], \[\d{4}-")
"""A header that names its program itself, so that no logger follows."""
_GOES_ON = frozenset(" \t|:-[(0123456789")
_TASK = re.compile(r":(?:build|test|lint|dev|start|typecheck|check): ")


class _Form(NamedTuple):
    """A prefix that comes back."""

    prefix: Prefix
    columns: tuple[slice, ...]
    """Where the writer's name stands, when it has digits that may differ."""
    kind: str
    """"header", "stamp" or "transport": what may follow."""


class PrefixReader:
    """Reads the prefixes of one paste's lines; learns as it goes."""

    def __init__(self, text: str, composed: frozenset[str]) -> None:
        self._composed = composed
        self._starts = {f"{name} "[:3] for name in composed}
        # Turborepo and `gh` put names of any kind before a line.
        self._any_letter = "\t20" in text or "\t\ufeff20" in text or _TASK.search(text) is not None
        self._databases = ":  " in text
        self._digitless = text.encode().translate(_NUL_DIGITS).decode()
        self._begins: dict[str, int] = {}
        self._forms: dict[str, _Form] = {}
        self._lengths: list[int] = []
        self._lessons = 0

    def read(self, raw: str, offset: int, start: int = 0) -> Prefix:
        """The prefix of a line, as `strip_prefix` finds it. The line begins at `offset` of the
        text, its prefix at column `start`."""
        if start:
            return strip_prefix(raw, self._composed, start)
        begins = self._begins.get(raw[:3])
        if begins is None:
            begins = self._may_begin(raw[:3])
        if not begins or (begins is _LEVEL and not _BEHIND_LEVEL.match(raw)):
            return NO_PREFIX
        for length in self._lengths:
            form = self._forms.get(self._digitless[offset : offset + length])
            if form is not None:
                prefix = self._complete(raw, form)
                if prefix is not None:
                    return prefix
        prefix = strip_prefix(raw, self._composed)
        if prefix.end and self._lessons < _MAX_LESSONS:
            self._lessons += 1
            self._learn(raw, offset, prefix)
        return prefix

    def _may_begin(self, head: str) -> int:
        any_letter = self._any_letter and dispatched(head) and head[:1].isalpha()
        if head in self._starts or any_letter:
            begins = _ANYTHING
        elif head in LEVEL_HEADS:
            begins = _LEVEL
        else:
            begins = _ANYTHING if may_begin(head) else _NOTHING
        self._begins[head] = begins
        return begins

    def _complete(self, raw: str, form: _Form) -> Prefix | None:
        """The prefix of a line that begins with a known form; None when more may follow."""
        prefix, columns, kind = form
        end = prefix.end
        if kind == "header":
            if raw.startswith(LAMBDA_FAILURES, end):
                return None
            if raw[end : end + 1] in _GOES_ON or (self._databases and _names_database_level(raw)):
                return None
            if _may_name_logger(raw, end):
                logger = LOGGER.match(raw, end)
                if logger and is_logger(logger):
                    end = logger.end()
        elif self._goes_on(raw, end) or (kind == "stamp" and _may_be_header(raw, end)):
            return None
        if columns:
            writer = " ".join(raw[column] for column in columns)
            return Prefix(end, prefix.kind, writer, prefix.level)
        return prefix if end == prefix.end else prefix._replace(end=end)

    def _goes_on(self, raw: str, end: int) -> bool:
        head = raw[end : end + 3]
        begins = self._begins.get(head)
        if begins is None:
            begins = self._may_begin(head)
        if begins is _LEVEL:
            return _BEHIND_LEVEL.match(raw, end) is not None
        return begins is not _NOTHING

    def _learn(self, raw: str, offset: int, prefix: Prefix) -> None:
        if prefix.end > _MAX_LENGTH or raw[:1] == "<":
            return
        form = _header_form(raw, prefix) or _other_form(raw, prefix)
        if form is None:
            return
        length = form.prefix.end
        if length not in self._lengths:
            if len(self._lengths) >= _MAX_LENGTHS:
                return
            self._lengths = sorted([*self._lengths, length], reverse=True)
        self._forms[self._digitless[offset : offset + length]] = form


def _may_name_logger(raw: str, end: int) -> bool:
    """A cheap test for what `LOGGER` and `is_logger` take."""
    space = raw.find(" ", end, end + 240)
    if space <= end:
        return False
    word = raw[end:space]
    last = word[-1]
    if last in ":]":
        return "." in word or ":" in word[:-1] or "[" in word
    if raw[space + 1 : space + 2] in (" ", ":", "|", "-") or "[" in word:
        return True
    return last.isdigit() and ":" in word


def _names_database_level(raw: str) -> bool:
    """A cheap test for what `DATABASE_LEVEL` takes."""
    return ":  " in raw and DATABASE_LEVEL_END.search(raw) is not None


def _may_be_header(raw: str, end: int) -> bool:
    """Whether fields of a log header could follow a time."""
    if not raw[end : end + 1].isalpha() or raw[end : end + 3] in LEVEL_HEADS:
        return True
    if _names_database_level(raw):
        return True
    space = raw.find(" ", end)
    word = raw[end:space] if space >= 0 else raw[end:]
    return len(word) < 3 or "." in word or raw[space : space + 3] == " - " or word[1:2] == "/"


def _header_form(raw: str, prefix: Prefix) -> _Form | None:
    """A log header up to its level and what follows that, a logger excepted."""
    if prefix.kind != HEADED or not prefix.level:
        return None
    text = raw[: prefix.end]
    word = _WORD.search(text)
    if word is None or level_name(word.group()) != prefix.level:
        return None
    if not any(map(str.isdigit, text[: word.start()])):
        return None
    level_end = LEVEL_END.match(raw, word.end())
    middle = level_end.end() if level_end else word.end()
    after = AFTER_LEVEL.match(raw, middle)
    middle = after.end() if after else middle
    logger = LOGGER.match(raw, middle)
    end = logger.end() if logger and is_logger(logger) else middle
    columns = _writer_columns(text, prefix.writer)
    if end != prefix.end or text[middle - 1 : middle] not in (" ", "\t") or columns is None:
        return None
    kind = "transport" if _RUBY.search(text) else "header"
    return _Form(prefix._replace(end=middle), _varying(raw, columns), kind)


def _other_form(raw: str, prefix: Prefix) -> _Form | None:
    """A prefix that ends in the name of a writer or in a time."""
    text = raw[: prefix.end]
    if prefix.kind != STAMPED or prefix.level:
        return None
    columns = _writer_columns(text, prefix.writer)
    if columns is None:
        return None
    if _STAMP_ONLY.search(text):
        return _Form(prefix, _varying(raw, columns), "stamp")
    if not _TRANSPORT_END.search(text) and (
        not columns or text[columns[-1].stop :].strip(" :|)]\t")
    ):
        return None
    return _Form(prefix, _varying(raw, columns), "transport")


def _writer_columns(text: str, writer: str) -> tuple[slice, ...] | None:
    """Where a writer's name stands in a prefix; None when it cannot be found there."""
    columns: list[slice] = []
    at = 0
    for part in writer.split(" ") if writer else ():
        at = text.find(part, at)
        if at < 0:
            return None
        columns.append(slice(at, at + len(part)))
        at += len(part)
    return tuple(columns)


def _varying(raw: str, columns: tuple[slice, ...]) -> tuple[slice, ...]:
    """The columns, if there is a digit in them."""
    return columns if any(any(map(str.isdigit, raw[column])) for column in columns) else ()
