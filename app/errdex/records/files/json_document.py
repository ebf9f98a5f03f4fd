"""A `.json` file: one value or a list of them, read whole.

Each entry of a list is read by itself, by the same reader as a line of `.jsonl`, so that numbers
and repeated keys are treated alike, and a bad entry costs only itself wherever its brackets show
where it ends. Records in large numbers belong into `.jsonl`, which is read line by line.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from errdex import lazy_re as re
from errdex.records.files.json_values import JsonBroken, JsonReader
from errdex.records.files.raw import FileEntry, not_utf8, nothing_there, read_whole, too_long
from errdex.records.problems import Problem, shown

_NOT_SPACE = re.compile(r"[^ \t\r\n]")
_STRUCTURE = re.compile(r'["\[\]{},]')
_STRING_REST = re.compile(r'(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NOT_UTF8 = re.compile("[\udc80-\udcff]")

_ENDS_EARLY = Problem("", "the file ends in the middle of a record", "copy or write it again")


def read_json(
    stream: io.BufferedReader, limit: int, *, several: bool = False
) -> Iterator[FileEntry]:
    """Yield the file's value, or the entries of its list. `limit` is in characters a record.
    With `several`, more values may follow the first, as in a pipe. Raises InputDamaged."""
    text = _Text(read_whole(stream).decode("utf-8", "surrogateescape"), limit)
    if not text.next_char():
        yield FileEntry(1, None, None, nothing_there())
    while first := text.next_char():
        if first == "[":
            yield from _read_list(text)
        elif first in ",]}":
            yield FileEntry(text.line, None, None, _stray(first))
            text.position += 1
        else:
            yield text.read_value(None)
        if not several and text.next_char():
            remedy = "keep one value, or name the file .jsonl if it holds one record a line"
            reason = "goes on behind the end of its value"
            yield FileEntry(text.line, None, None, Problem("", reason, remedy))
            several = True  # said once; what follows may still be good


def _read_list(text: _Text) -> Iterator[FileEntry]:
    text.position += 1
    index = 0
    if text.next_char() == "]":
        text.position += 1
        return
    while True:
        char = text.next_char()
        if char == "":
            yield FileEntry(text.line, index, None, _ENDS_EARLY)
            return
        if char in ",]}":
            yield FileEntry(text.line, index, None, _stray(char))
        else:
            yield text.read_value(index)
        index += 1
        while (char := text.next_char()) not in {",", "]", ""}:
            yield FileEntry(text.line, index, None, _no_comma(char))
            if char in "{[":
                break
            text.position += 1
            text.skip()
        text.position += char in {",", "]"}
        if char == "]":
            return
        if char == "":
            if not text.ended_early:
                reason = "the file ends before its list does"
                problem = Problem("", reason, "copy or write the file again")
                yield FileEntry(text.line, index, None, problem)
            return


def _stray(char: str) -> Problem:
    return Problem("", f"expected a record, got {shown(char)}", "take it out")


def _no_comma(char: str) -> Problem:
    return Problem("", f"expected a comma, got {shown(char)}", "put a comma between records")


class _Text:
    """The text, read from `position` on."""

    def __init__(self, text: str, limit: int) -> None:
        self._text = text
        self._limit = limit
        self._reader = JsonReader()
        self._damaged = not text.isascii() and _NOT_UTF8.search(text) is not None
        self._line, self._counted = 1, 0
        self._base, self._window = 0, text[: 2 * limit]
        self.position = 0
        self.ended_early = False
        """True once the text ended inside of a value."""

    @property
    def line(self) -> int:
        """The number of the line at `position`."""
        self._line += self._text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self._line

    def next_char(self) -> str:
        """The next character that is no space, left where it is; "" at the end."""
        found = _NOT_SPACE.search(self._text, self.position)
        self.position = found.start() if found else len(self._text)
        return found.group() if found else ""

    def read_value(self, index: int | None) -> FileEntry:
        """The value at the position, or what is wrong with it; goes on behind it."""
        start, line = self.position, self.line
        try:
            value, self.position, problem = self._read(start)
        except JsonBroken as broken:
            closed = self.skip()
            value, problem = None, self._broken(broken, start, line, closed)
        if self.position - start > self._limit:
            return FileEntry(line, index, None, too_long(self._limit))
        if self._damaged and _NOT_UTF8.search(self._text, start, self.position):
            return FileEntry(line, index, None, not_utf8())
        return FileEntry(line, index, value, problem)

    def _read(self, start: int) -> tuple[object, int, Problem | None]:
        """Read within a window of the text, so that no value is built that is much longer than a
        record may be. The window moves on when a value does not end in it."""
        while True:
            at = start - self._base
            whole = self._base + len(self._window) >= len(self._text)
            try:
                value, end, problem = self._reader.read(self._window, at)
                if at == 0 or whole or end < len(self._window):  # else a number may go on
                    return value, end + self._base, problem
            except JsonBroken as broken:
                if at == 0 or whole:
                    broken.position += self._base
                    raise
            self._base, self._window = start, self._text[start : start + 2 * self._limit]

    def _broken(self, broken: JsonBroken, start: int, line: int, closed: bool) -> Problem:
        if broken.cut and not closed:
            return _ENDS_EARLY
        line += self._text.count("\n", start, broken.position)
        column = broken.position - self._text.rfind("\n", 0, broken.position)
        where = f"line {line} column {column}" if line > 1 else f"column {column}"
        return Problem("", f"is not JSON: {broken.reason} at {where}", "fix it there")

    def skip(self) -> bool:
        """Move behind a value by its brackets alone; false when the text ends in it."""
        depth = 0
        while found := _STRUCTURE.search(self._text, self.position):
            char = found.group()
            if depth == 0 and char in ",]}":  # belongs to what is around the value
                self.position = found.start()
                return True
            self.position = found.end()
            if char == '"':
                rest = _STRING_REST.match(self._text, self.position)
                if rest is None:
                    break
                self.position = rest.end()
                continue
            depth += (char in "[{") - (char in "]}")
            if depth == 0 and char != ",":
                return True
        self.position = len(self._text)
        self.ended_early = True
        return False
