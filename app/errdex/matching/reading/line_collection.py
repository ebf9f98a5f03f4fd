"""Logical lines as they are added to a paste, and lines that hold others: JSON, logfmt,
escaped stacks, HTML."""

from __future__ import annotations

from functools import lru_cache

from errdex import lazy_re as re
from errdex.matching.failure_words import says_failure
from errdex.matching.reading.escapes import (
    ENTITY,
    Mapped,
    composed,
    holds_escaped_stack,
    shifted_runs,
    unescape,
    unescape_html,
)
from errdex.matching.reading.json_records import (
    FieldText,
    FlatReader,
    StructuredRecord,
    locate_field_text,
    parse_json_record,
)
from errdex.matching.reading.logfmt import FlatPairs, has_text_pair, is_logfmt, parse_logfmt
from errdex.matching.reading.paste import Paste
from errdex.matching.reading.prefixes import HEADED, LOUD, Prefix, strip_prefix
from errdex.matching.reading.terminal import strip_codes

_MAX_NESTED_LINES, _HEAD = 5_000, 500
_CLASS = re.compile(r"[\w.$]{1,200}(?:Error|Exception)\b")
"""What a language's parser reads without the record's level."""
"""Of logical lines that one physical line may open up to."""
_MAX_ESCAPE_LEVELS = 3
_MAX_ENTITY_LINES = 20_000
_MAX_ENTITY_LINE = 20_000


class Collected:
    """The logical lines of a paste so far."""

    def __init__(self, paste: Paste, stripped: str) -> None:
        self.paste = paste
        self.has_json = '":' in stripped or '" :' in stripped
        self.has_logfmt = has_text_pair(stripped)
        self.has_escapes = "\\n" in stripped
        self.entities = _MAX_ENTITY_LINES if "&" in stripped and ENTITY.search(stripped) else 0
        self.flat = FlatReader()
        self.pairs = FlatPairs()
        self.special = self.has_json or self.has_logfmt or self.has_escapes or self.entities > 0
        self.only_json = self.special and not (self.has_logfmt or self.has_escapes or self.entities)

    def add(self, number: int, text: str, offset: int, prefix: Prefix) -> None:
        """Add a logical line whose text begins at `offset`."""
        paste = self.paste
        index = len(paste.texts)
        if prefix.level:
            paste.levels[index] = prefix.level
            if prefix.level in LOUD:
                paste.loud.append(index)
        if prefix.writer:
            paste.writers[index] = prefix.writer
        if prefix.doubt:
            paste.doubts[index] = prefix.doubt
        paste.texts.append(text)
        paste.numbers.append(number)
        paste.offsets.append(offset)
        paste.kinds.append(prefix.kind)

    def open_up(self, number: int, line: str, offset: int, end: int, prefix: Prefix) -> bool:
        """Add the texts in a line that is data, whose prefix ends at `end`; False when it is
        none."""
        if (
            self.has_json
            and line.startswith("{", end)
            and self._open_json(number, line[end:] if end else line, offset + end, prefix)
        ):
            return True
        if (
            self.has_logfmt
            and has_text_pair(line)
            and self._open_pairs(number, line[end:] if end else line, offset + end, prefix)
        ):
            return True
        if self.has_escapes and holds_escaped_stack(line):
            raw = line[end:]
            self._keep_raw(raw, offset + end)
            self._add_nested(number, _fully_unescaped(raw, offset + end), prefix)
            return True
        if self.entities and "&" in line and _is_escaped_html(line):
            self._add_html(number, line[end:], offset + end, prefix)
            return True
        return False

    def _open_json(self, number: int, raw: str, offset: int, prefix: Prefix) -> bool:
        flat = self.flat.read(raw)
        if flat is None:
            record = parse_json_record(raw)
            if record is None:
                return False
            self._add_json(number, raw, offset, prefix, record)
            return True
        text, level = flat
        level = level or prefix.level
        if level in LOUD:
            self._keep_raw(raw, offset)
        self.paste.flat.add(len(self.paste.texts))
        self.add(number, text, offset, _headed(prefix.writer, level))
        return True

    def _open_pairs(self, number: int, raw: str, offset: int, prefix: Prefix) -> bool:
        flat = self.pairs.read(raw)
        if flat is None:
            if not is_logfmt(raw):
                return False
            level, pairs = parse_logfmt(raw)
            self.pairs.learn(raw)
            if pairs:
                self._add_pairs(number, raw, offset, prefix, pairs, level)
            return bool(pairs)
        level, column, text = flat
        level = level or prefix.level
        if level in LOUD:
            self._keep_raw(raw, offset)
        self.add(number, text, offset + column, _headed(prefix.writer, level))
        return True

    def _keep_raw(self, raw: str, offset: int) -> None:
        index = len(self.paste.texts)
        self.paste.unread.append((index, raw))
        self.paste.unread_offsets[index] = offset

    def _add_html(self, number: int, raw: str, offset: int, prefix: Prefix) -> None:
        self.entities -= 1
        mapped = unescape_html(raw, offset)
        again = strip_prefix(mapped.text)
        cut = again.end
        self._keep_raw(raw, offset)
        self.paste.runs[len(self.paste.texts)] = shifted_runs(mapped.runs, cut, len(mapped.text))
        self.add(number, mapped.text[cut:], offset, again if cut else prefix)

    def _add_json(
        self, number: int, raw: str, offset: int, prefix: Prefix, record: StructuredRecord
    ) -> None:
        head = Prefix(prefix.end, HEADED, prefix.writer, record.level or prefix.level)
        if record.failed or head.level in LOUD:
            self._keep_raw(raw, offset)
        plain = Prefix(prefix.end, prefix.kind, prefix.writer, "")
        for position, field_text in enumerate(record.texts):
            says = head.level in LOUD and says_failure(field_text.text[:_HEAD])
            first = head if position == 0 or (says and not _CLASS.match(field_text.text)) else plain
            if _is_one_line(field_text):
                self.paste.field_texts[len(self.paste.texts)] = (raw, offset, field_text)
                self.add(number, field_text.text, offset, first)
            else:
                self._add_nested(number, locate_field_text(raw, field_text, offset), first)

    def _add_pairs(
        self,
        number: int,
        raw: str,
        offset: int,
        prefix: Prefix,
        pairs: list[tuple[int, str]],
        level: str,
    ) -> None:
        level = level or prefix.level
        if len(pairs) > 1 or level in LOUD:
            self._keep_raw(raw, offset)
        head = Prefix(prefix.end, HEADED, prefix.writer, level)
        for column, value in pairs:
            if "\\" in value:
                self._add_nested(number, unescape(value, offset + column), head)
            else:
                self.add(number, value, offset + column, head)
            head = Prefix(prefix.end, prefix.kind, prefix.writer, "")

    def _add_nested(self, number: int, mapped: Mapped, prefix: Prefix) -> None:
        """Add a text that may have several lines, codes and prefixes of its own."""
        if holds_escaped_stack(mapped.text):
            mapped = composed(_fully_unescaped(mapped.text, 0), mapped.runs)
        text, codes = strip_codes(mapped.text)
        if codes.starts:
            shifts = zip(codes.starts, codes.shifts, strict=True)
            cut = ((0, 0), *((start, start + shift) for start, shift in shifts))
            mapped = composed(Mapped(text, cut), mapped.runs)
        lines = mapped.text.split("\n", _MAX_NESTED_LINES)
        self._add_inner(number, lines[0], mapped, 0, prefix)
        start = len(lines[0]) + 1
        for line in lines[1:]:
            if line or start < len(mapped.text):
                own = strip_prefix(line)
                if not own.writer:
                    own = own._replace(writer=prefix.writer, kind=own.kind or bool(prefix.kind))
                self._add_inner(number, line[own.end :], mapped, start + own.end, own)
            start += len(line) + 1

    def _add_inner(self, number: int, text: str, mapped: Mapped, start: int, own: Prefix) -> None:
        runs = shifted_runs(mapped.runs, start, start + len(text))
        self.paste.runs[len(self.paste.texts)] = runs
        self.add(number, text.rstrip("\r"), runs[0][1], own)


@lru_cache(maxsize=256)
def _headed(writer: str, level: str) -> Prefix:
    return Prefix(0, HEADED, writer, level)


def _is_one_line(field_text: FieldText) -> bool:
    text = field_text.text
    return not ("\n" in text or "\\n" in text or "\x1b" in text or "\r" in text)


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
        mapped = composed(unescape(mapped.text), mapped.runs)
    return mapped
