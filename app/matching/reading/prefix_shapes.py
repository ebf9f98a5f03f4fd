"""Prefixes that come back, recognised with one regex instead of several.

Lines of one log begin alike but for their digits and their level. The first prefixes of a
paste are parsed by `prefixes.strip_prefix`; their shapes (digits replaced by `\\d`, levels by
any level, writers kept as they are) become alternatives of one regex, which then knows the
prefix of nearly every line. A shape is used only where nothing behind it could belong to the
prefix as well, so that the result is always that of `strip_prefix`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from app.matching.reading.prefixes import (
    AFTER_LEVEL,
    HEADED,
    LEVEL_END,
    LEVEL_NAMES,
    LOGGER,
    NO_PREFIX,
    STAMPED,
    Prefix,
    dispatched,
    is_logger,
    level_name,
    may_begin,
    next_part,
    strip_prefix,
)

_MAX_SHAPES = 48
_MAX_LENGTH = 200
_DIGITS = re.compile(r"\d+")
_TRANSPORT_END = re.compile(r"(?:\.\d{7,9}Z|std(?:out|err) [FP]) $")
_UPPER = "|".join(name for name in LEVEL_NAMES.split("|") if name.isupper())
_ANY_CASE = LEVEL_NAMES
_WORD = re.compile(rf"(?<=[ \t])(?:{_UPPER})(?=[ \t|\-])|(?<=[\[<(])(?:{_ANY_CASE})(?=[\]>)])")
_DATABASE = r"(?!(?:ERROR|FATAL|PANIC|LOG|DETAIL|HINT|STATEMENT|CONTEXT|WARNING):  )"
_NOT_OVER = rf"(?![ \t|:\-\[(\d]){_DATABASE}"
"""Behind a header's level: no further field of the header begins."""
_LOGGER_SIGN = re.compile(
    r"[^\s\[\]]{1,180}+(?:\[[^\]\n]{1,40}\][^\s\[\]]{0,70}+)?+"
    r"(?:\] |(?<=[:\d]) | {1,40}+[:|\-] )"
)


class _Shape(NamedTuple):
    regex: str
    kind: int
    writer: str
    levelled: bool


class PrefixReader:
    """Reads the prefixes of one paste's lines; learns as it goes."""

    def __init__(self, text: str, composed: frozenset[str]) -> None:
        self._composed = composed
        self._starts = {f"{name} "[:3] for name in composed}
        self._any_letter = _has_task_prefix(text)
        self._begins: dict[str, bool] = {}
        self._shapes: list[_Shape] = []
        self._by_group: dict[int, _Shape] = {}
        self._known: set[str] = set()
        self._match = re.compile(r"(?!)").match
        self._made: dict[tuple[int, str, int], Prefix] = {}

    def read(self, raw: str, start: int = 0) -> Prefix:
        """The prefix of a line, as `strip_prefix` finds it."""
        if start:
            return strip_prefix(raw, self._composed, start)
        begins = self._begins.get(raw[:3])
        if begins is None:
            begins = self._may_begin(raw[:3])
        if not begins:
            return NO_PREFIX
        found = self._match(raw)
        if found:
            prefix = self._from_shape(raw, found)
            if prefix is not None:
                return prefix
        prefix = strip_prefix(raw, self._composed)
        if prefix.end and len(self._shapes) < _MAX_SHAPES:
            self._learn(raw, prefix)
        return prefix

    def _may_begin(self, head: str) -> bool:
        begins = self._begins[head] = (
            may_begin(head)
            or head in self._starts
            or (self._any_letter and dispatched(head) and head[:1].isalpha())
        )
        return begins

    def _from_shape(self, raw: str, found: re.Match[str]) -> Prefix | None:
        group = found.lastindex or 1
        shape = self._by_group[group]
        end = found.end()
        level = ""
        if shape.levelled:
            level = found.group(group + 1)
            if _LOGGER_SIGN.match(raw, end):
                logger = LOGGER.match(raw, end)
                if logger and is_logger(logger):
                    end = logger.end()
        elif (may_begin(raw[end : end + 3]) or self._any_letter) and next_part(raw, end):
            return None
        key = (group, level, end)
        prefix = self._made.get(key)
        if prefix is None:
            prefix = Prefix(end, shape.kind, shape.writer, level and level_name(level))
            self._made[key] = prefix
        return prefix

    def _learn(self, raw: str, prefix: Prefix) -> None:
        if prefix.end > _MAX_LENGTH:
            return
        shape = _header_shape(raw, prefix) or _transport_shape(raw, prefix)
        if shape is None or shape.regex in self._known:
            return
        self._known.add(shape.regex)
        self._shapes.append(shape)
        self._match = re.compile("|".join(f"({each.regex})" for each in self._shapes)).match
        self._by_group = {}
        group = 1
        for each in self._shapes:
            self._by_group[group] = each
            group += 2 if each.levelled else 1
        self._made.clear()


def _has_task_prefix(text: str) -> bool:
    """Whether lines may begin with a task's name, as Turborepo and `gh` write them."""
    return "\t20" in text or "\t\ufeff20" in text or _TASK.search(text) is not None


_TASK = re.compile(r":(?:build|test|lint|dev|start|typecheck|check): ")


def _header_shape(raw: str, prefix: Prefix) -> _Shape | None:
    """The shape of a log header up to its level and what follows that, a logger excepted."""
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
    if end != prefix.end or text[middle - 1 : middle] not in (" ", "\t"):
        return None
    before = _shape(text[: word.start()], prefix.writer)
    if before is None:
        return None
    names = _UPPER if text[word.start() - 1] in " \t" else _ANY_CASE
    between = _shape(text[word.end() : middle], "") or ""
    between = re.sub(r"^(\\\]|\]|>|\\\)|)(?:\\ | )+", r"\1 {1,10}+", between)
    return _Shape(f"{before}({names}){between}{_NOT_OVER}", HEADED, prefix.writer, levelled=True)


def _transport_shape(raw: str, prefix: Prefix) -> _Shape | None:
    """The shape of a prefix that ends in the name of a writer or in a runtime's stamp."""
    text = raw[: prefix.end]
    if prefix.kind != STAMPED or prefix.level:
        return None
    if not _TRANSPORT_END.search(text):
        kept = _writer_columns(text, prefix.writer)
        if not kept or text[max(kept) + 1 :].strip(" :|)]\t"):
            return None
    regex = _shape(text, prefix.writer)
    if regex is None:
        return None
    return _Shape(f"{regex}(?!std(?:out|err) [FP] )", STAMPED, prefix.writer, levelled=False)


def _writer_columns(text: str, writer: str) -> set[int] | None:
    """Where a writer's name stands in a prefix; None when it cannot be found there."""
    kept: set[int] = set()
    at = 0
    for part in writer.split(" ") if writer else ():
        at = text.find(part, at)
        if at < 0:
            return None
        kept.update(range(at, at + len(part)))
        at += len(part)
    return kept


def _shape(text: str, writer: str) -> str | None:
    """A regex for texts that differ from this one in digits only, the writer excepted."""
    kept = _writer_columns(text, writer)
    if kept is None:
        return None
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
