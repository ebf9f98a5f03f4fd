"""Prefixes that come back, looked up instead of parsed.

Lines of one log begin alike but for their digits. The first prefixes of a paste are parsed by
`prefixes.strip_prefix`; with each digit replaced by 0 (the whole text in one pass) they become
keys, under which nearly every later line's prefix is found. What is found is used only where
nothing behind it could belong to the prefix as well, so that the result is always that of
`strip_prefix`.
"""

from __future__ import annotations

from typing import NamedTuple

from errdex import lazy_re as re
from errdex.matching.reading.prefixes import (
    DATABASE_LEVEL_END,
    LAMBDA_FAILURES,
    LEADING_NAME,
    LEVEL_HEADS,
    NO_PREFIX,
    Prefix,
    dispatched,
    may_begin,
    strip_prefix,
)

_MAX_LESSONS = 3_000
_MAX_LENGTHS = 40
_MAX_LENGTH = 200
_HEAD = 28
"""Characters of a line by which the lengths of prefixes are kept."""
_SAMPLE = 100
"""Lines in which names before a time are looked for."""
_NOTHING, _ANYTHING, _LEVEL = 0, 1, 2
"""What may begin with three characters: no prefix, any, one that begins with a level."""
_BEHIND_LEVEL = re.compile(r"[A-Za-z]{3,11}+(?:[ :|]{1,6}+\[?\d|:[A-Za-z_]|\[\d{4})")
_NUL_DIGITS = bytes(0x30 if 0x30 <= byte <= 0x39 else byte for byte in range(256))
_TASK = re.compile(r":(?:build|test|lint|dev|start|typecheck|check): ")
_TRANSPORT_END = re.compile(r"(?:\.\d{7,9}Z|std(?:out|err) [FP]) $")
_PLAIN = r"(?![A-Z]{3,8}\b|[PTpt][Ii][Dd] )[A-Za-z_][\w*,;!?'\"`()]{1,60}+"
_CLEAR = re.compile(
    rf"{_PLAIN}(?:: | (?![A-Z]{{2}})[A-Za-z_\"'][\w*,;!?'\"`]*+(?:: | (?![|>=\[-])|=\S*+$|$)"
    r"|(?: \d{1,9}+){1,4}(?: [a-z]{3,}+[ .,]|$)|$)|[\"'`*/=!?]"
)
"""Begins no token of a header: a name that is no logger, or two words in a row."""
_CLEAR_BEHIND_LEVEL = re.compile(
    rf"{_PLAIN}(?:: | (?![\s|:=>,\[-])|$)|[\"'`*/=!?]|\d++[^\d\s|:#/a-f-]"
)
"""The same behind a level, where single words belong to the message."""


class _Form(NamedTuple):
    """A prefix that comes back."""

    prefix: Prefix
    columns: tuple[slice, ...]
    """Where the writer's name stands, when it has digits that may differ."""
    closed: bool
    """Whether it ends in the writer's name, behind which no header goes on."""
    plain: bool
    """Whether it is a log header for which `_CLEAR_BEHIND_LEVEL` is the whole test."""


class PrefixReader:
    """Reads the prefixes of one paste's lines; learns as it goes."""

    def __init__(self, text: str, composed: frozenset[str]) -> None:
        self._composed = composed
        self._starts = {f"{name} "[:3] for name in composed}
        # Turborepo and `gh` put names of any kind before a line, some loggers before a time.
        self._any_letter = (
            "\t20" in text
            or "\t\ufeff20" in text
            or _TASK.search(text) is not None
            or any(LEADING_NAME.match(line) for line in _sample(text))
        )
        self._databases = ":  " in text
        self._digitless = text.encode().translate(_NUL_DIGITS).decode()
        self._begins: dict[str, int] = {}
        self._forms: dict[str, _Form] = {}
        self._lengths: dict[str, list[int]] = {}
        """How long prefixes are, by what they begin with."""
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
        digitless, forms = self._digitless, self._forms
        lengths = self._lengths.get(digitless[offset : offset + _HEAD], ())
        for length in lengths:
            form = forms.get(digitless[offset : offset + length])
            if form is None:
                continue
            if form.plain and _CLEAR_BEHIND_LEVEL.match(raw, length):
                return form.prefix
            if self._ends_there(raw, form.prefix, form.closed):
                if form.columns:
                    writer = " ".join(raw[column] for column in form.columns)
                    return form.prefix._replace(writer=writer)
                return form.prefix
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

    def _ends_there(self, raw: str, prefix: Prefix, closed: bool) -> bool:
        """Whether nothing behind a prefix could belong to it as well."""
        end = prefix.end
        if self._databases and _names_database_level(raw):
            return False
        if prefix.level:
            clear = _CLEAR_BEHIND_LEVEL.match(raw, end) is not None
            return clear and not raw.startswith(LAMBDA_FAILURES, end)
        head = raw[end : end + 3]
        begins = self._begins.get(head)
        if begins is None:
            begins = self._may_begin(head)
        if begins is not _NOTHING and not (
            begins is _LEVEL and _BEHIND_LEVEL.match(raw, end) is None
        ):
            return False
        return closed or _CLEAR.match(raw, end) is not None

    def _learn(self, raw: str, offset: int, prefix: Prefix) -> None:
        text = raw[: prefix.end]
        columns = _writer_columns(text, prefix.writer)
        if prefix.end > _MAX_LENGTH or raw[:1] == "<" or columns is None:
            return
        closed = (bool(columns) and not text[columns[-1].stop :].strip(" :|)]\t")) or (
            _TRANSPORT_END.search(text) is not None
        )
        if not self._ends_there(raw, prefix, closed):
            return
        length = prefix.end
        lengths = self._lengths.setdefault(self._digitless[offset : offset + _HEAD], [])
        if length not in lengths:
            if len(lengths) >= _MAX_LENGTHS:
                return
            lengths.append(length)
        plain = bool(prefix.level) and not columns and not self._databases and "\t" not in text
        form = _Form(prefix, _varying(raw, columns), closed, plain)
        self._forms[self._digitless[offset : offset + length]] = form


def _sample(text: str) -> list[str]:
    """The first lines of a text."""
    lines: list[str] = []
    start = 0
    for _ in range(_SAMPLE):
        end = text.find("\n", start)
        if end < 0:
            lines.append(text[start:])
            break
        lines.append(text[start : min(end, start + 200)])
        start = end + 1
    return lines


def _names_database_level(raw: str) -> bool:
    """A cheap test for what `DATABASE_LEVEL` takes."""
    return ":  " in raw and DATABASE_LEVEL_END.search(raw) is not None


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
