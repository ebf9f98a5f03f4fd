"""Physical lines → logical lines.

One cheap step for each line (`strip_prefix`); the costly ones (JSON, logfmt, escapes, HTML)
only where a whole-text test says that they occur and the line has the sign of it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from app.matching.reading.decoding import clean_surrogates, decode
from app.matching.reading.escapes import (
    ENTITY,
    Mapped,
    holds_escaped_stack,
    run_source,
    unescape,
    unescape_html,
)
from app.matching.reading.paste import Paste
from app.matching.reading.prefix_shapes import PrefixReader
from app.matching.reading.prefixes import HEADED, LOUD, Prefix, compose_names, strip_prefix
from app.matching.reading.quoting import find_quotes
from app.matching.reading.structured import is_logfmt, parse_json_record, parse_logfmt
from app.matching.reading.terminal import OffsetMap, strip_codes

_MAX_NESTED_LINES = 5_000
"""Of logical lines that one physical line may open up to."""
_MAX_ESCAPE_LEVELS = 3
_MAX_ENTITY_LINES = 20_000
_MAX_ENTITY_LINE = 20_000


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Bounds of reading; what is past them is left out and the paste marked incomplete."""

    characters: int = 32_000_000
    lines: int = 1_000_000


def read_paste(data: bytes | str, *, limits: ReadingLimits | None = None) -> Paste:
    """Read a paste of any bytes whatever; never raises for its content."""
    limits = limits or ReadingLimits()
    text = decode(data) if isinstance(data, bytes) else clean_surrogates(data)
    stripped, codes = strip_codes(text[: limits.characters])
    lines = stripped.split("\n", limits.lines)
    incomplete = len(text) > limits.characters or len(lines) > limits.lines
    del lines[limits.lines :]
    builder = _Builder(text, stripped, codes)
    return builder.build(lines, incomplete)


class _Builder:
    def __init__(self, text: str, stripped: str, codes: OffsetMap) -> None:
        self.stripped = stripped
        self.texts: list[str] = []
        self.numbers: list[int] = []
        self.offsets: list[int] = []
        self.kinds = bytearray()
        self.paste = Paste(
            text, self.texts, self.numbers, self.offsets, self.kinds, {}, {}, {}, [], codes
        )
        self.composed = compose_names(stripped)
        self.has_json = '":' in stripped or '" :' in stripped
        self.has_logfmt = "msg=" in stripped
        self.has_escapes = "\\n" in stripped
        self.entities = _MAX_ENTITY_LINES if "&" in stripped and ENTITY.search(stripped) else 0

    def build(self, lines: list[str], incomplete: bool) -> Paste:
        offsets = [0, *accumulate(len(line) + 1 for line in lines)]
        if "\r" in self.stripped:
            numbers, lines, offsets = _split_returns(lines, offsets)
        else:
            numbers = list(range(1, len(lines) + 1))
        if "\x00" not in self.stripped and not lines[-1] and len(lines) > 1:
            del lines[-1]
        quotes = find_quotes(lines) if "\n>" in self.stripped or lines[0][:1] == ">" else {}
        special = self.has_json or self.has_logfmt or self.has_escapes or self.entities
        add, read = self._add, PrefixReader(self.composed).read
        for number, line, offset in zip(numbers, lines, offsets, strict=False):
            start = quotes.get(number - 1, 0) if quotes else 0
            prefix = read(line, start)
            end = prefix.end or start
            if special and self._open_up(number, line, offset, end, prefix):
                continue
            add(number, line[end:] if end else line, offset + end, prefix)
        self.paste.incomplete = incomplete
        return self.paste

    def _add(self, number: int, text: str, offset: int, prefix: Prefix, level: str = "") -> None:
        index = len(self.texts)
        self.texts.append(text)
        self.numbers.append(number)
        self.offsets.append(offset)
        kind = prefix.kind
        self.kinds.append(kind)
        if kind:
            if prefix.writer:
                self.paste.writers[index] = prefix.writer
            level = level or prefix.level
        if level:
            self.paste.levels[index] = level
            if level in LOUD:
                self.paste.loud.append(index)

    def _open_up(self, number: int, line: str, offset: int, end: int, prefix: Prefix) -> bool:
        """Replace a line that is data by the texts in it; False when it is none."""
        if self.has_json and line.startswith("{", end):
            record = parse_json_record(line[end:])
            if record:
                self._add_json(number, line[end:], offset + end, prefix, record.texts, record.level)
                return True
        if self.has_logfmt and "msg=" in line and is_logfmt(line[end:]):
            level, pairs = parse_logfmt(line[end:])
            if pairs:
                self._add_pairs(number, line[end:], offset + end, prefix, pairs, level)
                return True
        if self.has_escapes and holds_escaped_stack(line):
            self.paste.unread.append((len(self.texts), line[end:]))
            mapped = _fully_unescaped(line[end:], offset + end)
            self._add_nested(number, mapped, prefix, prefix.level)
            return True
        if self.entities and "&" in line and _is_escaped_html(line):
            self.entities -= 1
            mapped = unescape_html(line[end:], offset + end)
            again = strip_prefix(mapped.text)
            cut = again.end
            self.paste.unread.append((len(self.texts), line[end:]))
            self.paste.runs[len(self.texts)] = _shifted(mapped, cut)
            self._add(number, mapped.text[cut:], offset + end, again if cut else prefix)
            return True
        return False

    def _add_json(
        self,
        number: int,
        raw: str,
        offset: int,
        prefix: Prefix,
        texts: tuple[str, ...],
        level: str,
    ) -> None:
        level = level or prefix.level
        self.paste.unread.append((len(self.texts), raw))
        if len(texts) == 1 and "\n" not in texts[0] and "\\n" not in texts[0]:
            self.paste.runs[len(self.texts)] = _json_runs(raw, texts[0], offset)
            self._add(number, texts[0], offset, prefix._replace(kind=HEADED), level)
            return
        for position, text in enumerate(texts):
            mapped = Mapped(text, _json_runs(raw, text, offset))
            self._add_nested(number, mapped, prefix, level if position == 0 else "")

    def _add_pairs(
        self,
        number: int,
        raw: str,
        offset: int,
        prefix: Prefix,
        pairs: list[tuple[int, str]],
        level: str,
    ) -> None:
        self.paste.unread.append((len(self.texts), raw))
        for position, (column, value) in enumerate(pairs):
            mapped = Mapped(value, ((0, offset + column),))
            if "\\" in value:
                mapped = unescape(value, offset + column)
            self._add_nested(number, mapped, prefix, level if position == 0 else "")

    def _add_nested(self, number: int, mapped: Mapped, prefix: Prefix, level: str) -> None:
        """Add a text that may have several lines, codes and prefixes of its own."""
        if holds_escaped_stack(mapped.text):
            inner = _fully_unescaped(mapped.text, 0)
            mapped = Mapped(inner.text, _composed(inner.runs, mapped.runs))
        text, codes = strip_codes(mapped.text)
        if codes.starts:
            inner_runs = (
                (0, 0),
                *((s, s + d) for s, d in zip(codes.starts, codes.shifts, strict=True)),
            )
            mapped = Mapped(text, _composed(inner_runs, mapped.runs))
        start = 0
        for position, line in enumerate(mapped.text.split("\n", _MAX_NESTED_LINES)):
            own = strip_prefix(line, frozenset()) if position else prefix
            cut = own.end if position else 0
            if len(line) or position == 0 or start < len(mapped.text):
                index = len(self.texts)
                self.paste.runs[index] = _shifted(mapped, start + cut)
                head = own._replace(kind=HEADED) if position == 0 and level else own
                if not own.writer:
                    head = head._replace(writer=prefix.writer, kind=head.kind or bool(prefix.kind))
                self._add(
                    number,
                    line[cut:].rstrip("\r"),
                    self.paste.runs[index][0][1],
                    head,
                    level if position == 0 else "",
                )
            start += len(line) + 1


def _split_returns(lines: list[str], offsets: list[int]) -> tuple[list[int], list[str], list[int]]:
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


def _is_escaped_html(line: str) -> bool:
    """Whether a line with entities has none of the characters that they stand for."""
    if len(line) > _MAX_ENTITY_LINE or not ENTITY.search(line):
        return False
    return not (("&lt;" in line and "<" in line) or ("&quot;" in line and '"' in line))


def _fully_unescaped(text: str, base: int) -> Mapped:
    mapped = unescape(text, base)
    for _ in range(_MAX_ESCAPE_LEVELS - 1):
        if not holds_escaped_stack(mapped.text):
            break
        inner = unescape(mapped.text)
        mapped = Mapped(inner.text, _composed(inner.runs, mapped.runs))
    return mapped


def _shifted(mapped: Mapped, start: int) -> tuple[tuple[int, int], ...]:
    """The runs of `mapped.text[start:]`; a line's worth of them."""
    runs = mapped.runs
    first = bisect_right(runs, (start, 1 << 62))
    end = mapped.text.find("\n", start)
    last = bisect_right(runs, (end if end >= 0 else len(mapped.text), 1 << 62))
    return (
        (0, run_source(runs, start)),
        *((column - start, source) for column, source in runs[first:last]),
    )


def _composed(
    inner: tuple[tuple[int, int], ...], outer: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """The runs of a text made by `inner` from one made by `outer`."""
    points = {column: run_source(outer, source) for column, source in inner}
    position = 0
    for column, source in outer:
        while position + 1 < len(inner) and inner[position + 1][1] <= column:
            position += 1
        start, from_source = inner[position]
        mine = column - from_source + start
        if mine >= start and (position + 1 == len(inner) or mine < inner[position + 1][0]):
            points.setdefault(mine, source)
    return tuple(sorted(points.items()))


def _json_runs(raw: str, value: str, offset: int) -> tuple[tuple[int, int], ...]:
    """Where a JSON string's text stands in the line it was read from."""
    plain = raw.find(f'"{value}"') if len(value) < 100_000 else -1
    if plain >= 0 and "\\" not in value:
        return ((0, offset + plain + 1),)
    for ascii_only in (False, True):
        written = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        start = raw.find(written)
        if start >= 0:
            return unescape(written, offset + start).runs
    return ((0, offset), (1, offset))
