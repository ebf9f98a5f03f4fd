"""Physical lines → logical lines.

One cheap step for each line (`PrefixReader.read`); the costly ones (JSON, logfmt, escapes,
HTML) only where a whole-text test says that they occur and the line has the sign of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from errdex.matching.reading.decoding import clean_surrogates, decode
from errdex.matching.reading.decoration import undecorate
from errdex.matching.reading.docker_output import find_summary_prefixes, holds_summary
from errdex.matching.reading.escapes import Runs, shifted_runs
from errdex.matching.reading.line_collection import Collected
from errdex.matching.reading.line_widths import find_breaks, find_end_marks
from errdex.matching.reading.paste import Paste
from errdex.matching.reading.prefix_shapes import PrefixReader
from errdex.matching.reading.prefixes import (
    CARRIED,
    LOUD,
    Prefix,
    compose_names,
    strip_prefix,
)
from errdex.matching.reading.quoting import (
    find_added,
    find_bars,
    find_blocks,
    find_indentation,
    find_name,
    find_numbers,
    find_quotes,
)
from errdex.matching.reading.squashed_lines import split_records
from errdex.matching.reading.terminal import strip_codes
from errdex.matching.reading.wrapped_records import find_wrapped_records

_INDENTS = frozenset(" \t123456789+")
"""What the first line of a paste begins with whose lines are indented, numbered or added."""
_MAX_MARKDOWN = 20_000
"""Lines of a paste in which blocks of code are looked for."""
_AT_ONCE = 2_000
"""Lines between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Bounds of reading; what is past them is left out and the paste marked incomplete."""

    characters: int = 32_000_000
    lines: int = 1_000_000
    seconds: float | None = None
    """Of work, looked at every few thousand lines."""


def read_paste(
    data: bytes | str,
    *,
    limits: ReadingLimits | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Paste:
    """Read a paste of any bytes whatever; never raises for its content."""
    limits = limits or ReadingLimits()
    deadline = None if limits.seconds is None else clock() + limits.seconds
    text = decode(data) if isinstance(data, bytes) else clean_surrogates(data)
    stripped, codes = strip_codes(text[: limits.characters])
    stripped = stripped.replace("\u00a0", " ")  # what web pages make of spaces
    lines = stripped.split("\n", limits.lines)
    incomplete = len(text) > limits.characters or len(lines) > limits.lines
    del lines[limits.lines :]
    paste = Paste(text, codes, stripped, incomplete=incomplete)
    builder = _Builder(paste, stripped)
    numbers, lines, offsets = builder.physical(lines)
    for begin in range(0, len(lines), _AT_ONCE):
        if deadline is not None and clock() > deadline:
            paste.incomplete = True
            break
        part = slice(begin, begin + _AT_ONCE)
        builder.read(numbers[part], lines[part], offsets[part])
    if not paste.texts:
        paste.texts, paste.numbers, paste.offsets = [""], [1], [0]
        paste.kinds.append(0)
    undecorate(paste)
    return paste


class _Builder:
    def __init__(self, paste: Paste, stripped: str) -> None:
        self.paste = paste
        self.stripped = stripped
        self.collected = Collected(paste, stripped)
        self.composed = compose_names(stripped)
        self.reader = PrefixReader(stripped, self.composed)
        self.quotes: dict[int, int] = {}
        """By offset, the length of what stands before the whole paste: a quote's mark, the
        indentation of a block, a viewer's number."""
        self.prefixes: dict[int, Prefix] = {}
        """By offset, of lines whose prefix follows from those around them."""
        self.broken: dict[int, Runs] = {}
        """By offset, where the parts of a line stand that was broken by a width."""

    def physical(self, lines: list[str]) -> tuple[Sequence[int], list[str], Sequence[int]]:
        """Number, text and offset of each physical line, carriage returns resolved."""
        offsets: Sequence[int] = [0, *accumulate(len(line) + 1 for line in lines)]
        numbers: Sequence[int] = range(1, len(lines) + 1)
        if "\r" in self.stripped:
            numbers, lines, offsets = _split_returns(lines, offsets)
        if not lines[-1] and len(lines) > 1:
            del lines[-1]
        numbers, lines, offsets = split_records(numbers, lines, offsets)
        if "\n>" in self.stripped or lines[0][:1] == ">":
            quotes = find_quotes(lines)
            self._mark(quotes, offsets)
            self.paste.unquoted = {
                numbers[below]
                for below in {index + 1 for index in quotes} - quotes.keys()
                if lines[below : below + 1] not in ([], [""])
                and not any(line[:1] == ">" for line in lines[below : below + 2])
            }
        first = next((line for line in lines if line), "")[:1]
        if first in _INDENTS and not self.quotes:
            marks = find_added(lines) or find_numbers(lines)
            marks = marks or find_indentation(lines, self.composed)
            self._mark(marks, offsets)
        elif not self.quotes and len(lines) <= _MAX_MARKDOWN and "" in lines:
            self._mark(find_blocks(lines, self.composed), offsets)
        self._find_prefixes(lines, offsets)
        for index in find_end_marks(self.stripped, lines):
            lines[index] = lines[index][:-1]
        spaced: set[int] = set()
        breaks = find_breaks(self.stripped, lines)
        if not breaks and (self.collected.has_logfmt or self.collected.has_json):
            breaks, spaced = find_wrapped_records(self._unmarked(lines, offsets))
        if not breaks:
            return numbers, lines, offsets
        return self._join(breaks, spaced, numbers, lines, offsets)

    def _find_prefixes(self, lines: list[str], offsets: Sequence[int]) -> None:
        """Note the prefixes that follow from other lines."""
        if holds_summary(self.stripped):
            found = find_summary_prefixes(
                lines, lambda index: self.quotes.get(offsets[index], 0), self.composed
            )
        elif not self.quotes:
            names = find_name(self.stripped, lines) or find_bars(self.stripped, lines)
            carried = Prefix(0, CARRIED, "", "")
            found = {
                index: strip_prefix(lines[index], self.composed, length)
                for index, length in names.items()
            }
            found = {
                index: prefix if prefix.end else carried._replace(end=names[index])
                for index, prefix in found.items()
            }
        else:
            found = {}
        self.prefixes = {offsets[index]: prefix for index, prefix in found.items()}

    def _unmarked(self, lines: list[str], offsets: Sequence[int]) -> list[str]:
        """The lines without what stands before the whole paste."""
        if not self.quotes:
            return lines
        return [
            line[self.quotes.get(offset, 0) :] for line, offset in zip(lines, offsets, strict=False)
        ]

    def _mark(self, marks: dict[int, int], offsets: Sequence[int]) -> None:
        self.quotes = {offsets[index]: length for index, length in marks.items()}

    def _join(
        self,
        breaks: dict[int, int],
        spaced: set[int],
        numbers: Sequence[int],
        lines: list[str],
        offsets: Sequence[int],
    ) -> tuple[list[int], list[str], list[int]]:
        """The physical lines with those made one that a width broke, `spaced` ones with a space
        for the line break."""
        kept: list[int] = []
        joined: list[str] = []
        index = 0
        while index < len(lines):
            last = index + breaks.get(index, 0)
            kept.append(index)
            if last > index:
                parts, starts = [lines[index]], [(0, offsets[index])]
                for below in range(index + 1, last + 1):
                    parts += [" "] if below - 1 in spaced else []
                    mark = self.quotes.get(offsets[below], 0)
                    starts.append((sum(map(len, parts)), offsets[below] + mark))
                    parts.append(lines[below][mark:])
                self.broken[offsets[index]] = tuple(starts)
            joined.append("".join(parts) if last > index else lines[index])
            index = last + 1
        return [numbers[index] for index in kept], joined, [offsets[index] for index in kept]

    def read(self, numbers: Sequence[int], lines: list[str], offsets: Sequence[int]) -> None:
        """Add the logical lines of some physical ones."""
        quotes, broken = self.quotes, self.broken
        read = self._read_prefix if self.prefixes else self.reader.read
        paste, collected = self.paste, self.collected
        special, only_json, open_up = collected.special, collected.only_json, collected.open_up
        texts, levels, writers, doubts = paste.texts, paste.levels, paste.writers, paste.doubts
        add_number, add_offset = paste.numbers.append, paste.offsets.append
        add_text, add_kind, add_loud = texts.append, paste.kinds.append, paste.loud.append
        for number, line, offset in zip(numbers, lines, offsets, strict=False):
            start = quotes.get(offset, 0) if quotes else 0
            prefix = read(line, offset, start)
            end, kind, writer, level, doubt = prefix
            end = end or start
            if broken and offset in broken:
                self._add_broken(number, line, offset, prefix, end)
                continue
            may_hold = line[end : end + 1] == "{" if only_json else special
            if may_hold and open_up(number, line, offset, end, prefix):
                continue
            # The same as `collected.add`, which would cost as much as all the rest.
            if level:
                levels[len(texts)] = level
                if level in LOUD:
                    add_loud(len(texts))
            if writer:
                writers[len(texts)] = writer
            if doubt:
                doubts[len(texts)] = doubt
            add_text(line[end:] if end else line)
            add_number(number)
            add_offset(offset + end)
            add_kind(kind)

    def _read_prefix(self, line: str, offset: int, start: int) -> Prefix:
        return self.prefixes.get(offset) or self.reader.read(line, offset, start)

    def _add_broken(self, number: int, line: str, offset: int, prefix: Prefix, end: int) -> None:
        """Add what a line says that was joined of several. `end`: of its prefix and mark."""
        paste, parts = self.paste, self.broken[offset]
        first = len(paste.texts)
        if self.collected.special and self.collected.open_up(number, line, 0, end, prefix):
            for index in range(first, len(paste.texts)):
                paste.replace_source(index, line[end:], end, parts)
            return
        paste.broken.add(first)
        paste.runs[first] = shifted_runs(parts, end, len(line))
        self.collected.add(number, line[end:], paste.runs[first][0][1], prefix)


def _split_returns(
    lines: list[str], offsets: Sequence[int]
) -> tuple[list[int], list[str], list[int]]:
    """Carriage returns: part of a line break, or a terminal's line written over: then each
    state of it is a line of its own, so that nothing is lost."""
    numbers: list[int] = []
    parts: list[str] = []
    starts: list[int] = []
    old_mac = len(lines) == 1
    for index, whole in enumerate(lines):
        number, start = index + 1, offsets[index]
        line = whole.rstrip("\r")
        if "\r" not in line:
            numbers.append(number)
            parts.append(line)
            starts.append(start)
            continue
        for count, part in enumerate(line.split("\r")):
            if part or old_mac:
                numbers.append(number + count if old_mac else number)
                parts.append(part)
                starts.append(start)
            start += len(part) + 1
    return numbers, parts, starts
