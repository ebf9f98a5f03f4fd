"""A `.json` file: one value, or a list of any length, in bounded memory.

The text goes through a window that holds little more than the value at hand. Each
entry of a list is read by itself, by the same reader as a line of `.jsonl`, so that
numbers and repeated keys are treated alike, and a bad entry costs only itself
wherever its brackets show where it ends.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator

from errdex.records.files.json_values import JsonBroken, JsonReader
from errdex.records.files.raw import Found, InputDamaged, not_utf8, nothing_there, too_long
from errdex.records.problems import Problem, shown

_CHUNK = 256 * 1024
_LONGEST_JOINT = 4
"""Characters that show whether a number goes on: `e+3`, and one more."""
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_STRUCTURE = re.compile(r'["\[\]{},]')
_STRING_REST = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
_NOT_UTF8 = re.compile("[\udc80-\udcff]")

_ENDS_EARLY = Problem("", "the file ends in the middle of a record", "copy or write it again")


def read_json(stream: io.BufferedReader, limit: int, *, several: bool = False) -> Iterator[Found]:
    """Yield the file's value, or the entries of its list. `limit` is in characters a
    record. With `several`, more values may follow the first, as in a pipe."""
    window = _Window(stream)
    values = _Values(window, limit)
    if not window.next_char():
        yield Found(1, None, None, nothing_there())
    while first := window.next_char():
        if first == "[":
            yield from _read_list(window, values)
        elif first in ",]}":
            yield Found(window.line, None, None, _stray(first))
            window.position += 1
        else:
            yield values.read(None)
        if not several and window.next_char():
            remedy = "keep one value, or name the file .jsonl if it holds one record a line"
            reason = "goes on behind the end of its value"
            yield Found(window.line, None, None, Problem("", reason, remedy))
            several = True  # said once; what follows may still be good


def _read_list(window: _Window, values: _Values) -> Iterator[Found]:
    window.position += 1
    index = 0
    if window.next_char() == "]":
        window.position += 1
        return
    while True:
        char = window.next_char()
        if char == "":
            yield Found(window.line, index, None, _ENDS_EARLY)
            return
        if char in ",]}":
            yield Found(window.line, index, None, _stray(char))
        else:
            yield values.read(index)
        index += 1
        while (char := window.next_char()) not in {",", "]", ""}:
            yield Found(window.line, index, None, _no_comma(char))
            if char in "{[":
                break
            window.position += 1
            values.skip()
        window.position += char in {",", "]"}
        if char == "]":
            return
        if char == "" and not values.ended_early:
            reason = "the file ends before its list does"
            problem = Problem("", reason, "copy or write the file again")
            yield Found(window.line, index, None, problem)
        if char == "":
            return


def _stray(char: str) -> Problem:
    return Problem("", f"{shown(char)} stands where a record belongs", "take it out")


def _no_comma(char: str) -> Problem:
    return Problem("", f"{shown(char)} stands where a comma belongs", "put a comma between records")


class _Window:
    """A stretch of the text. `position` is where to read on; what lies before it may go
    at any time."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._damage: InputDamaged | None = None
        self._counted = 0
        self._line = 1
        self.text = ""
        self.position = 0
        self.at_end = False
        self.damaged = False
        """True once a byte was met that is not UTF-8."""

    @property
    def line(self) -> int:
        """The number of the line at `position`."""
        self._line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self._line

    def more(self) -> None:
        """Let go of what lies before `position` and read on, as much again or more."""
        data = self._read(max(_CHUNK, len(self.text) - self.position))
        self.at_end = not data
        chunk = self._decoder.decode(data, final=self.at_end)
        if not self.damaged and not chunk.isascii():
            self.damaged = _NOT_UTF8.search(chunk) is not None
        _ = self.line
        self.text = self.text[self.position :] + chunk
        self._counted = self.position = 0

    def _read(self, wanted: int) -> bytes:
        """So many bytes or a little more; fewer only at the end or before damage."""
        pieces: list[bytes] = []
        while wanted > 0 and self._damage is None:
            try:
                data = self._stream.read1(_CHUNK)
            except InputDamaged as damage:
                self._damage = damage
                break
            if not data:
                break
            pieces.append(data)
            wanted -= len(data)
        if self._damage is not None and not pieces:
            raise self._damage
        return b"".join(pieces)

    def next_char(self) -> str:
        """The next character that is no blank, left where it is; "" at the end."""
        while True:
            if found := _NOT_BLANK.search(self.text, self.position):
                self.position = found.start()
                return found.group()
            self.position = len(self.text)
            if self.at_end:
                return ""
            self.more()


class _Values:
    """Reads the value at the window's position."""

    def __init__(self, window: _Window, limit: int) -> None:
        self._window = window
        self._limit = limit
        self._reader = JsonReader()
        self.ended_early = False
        """True once the text ended inside of a value."""

    def read(self, index: int | None) -> Found:
        window = self._window
        line = window.line
        while True:
            try:
                value, end, problem = self._reader.read(window.text, window.position)
            except JsonBroken as broken:
                if not broken.may_be_cut or window.at_end:
                    return Found(line, index, None, self._give_up(broken))
            else:
                # A number may go on: `1` may be the beginning of `1e+300`.
                if end + _LONGEST_JOINT <= len(window.text) or window.at_end:
                    return Found(line, index, value, self._checked(end) or problem)
            if len(window.text) - window.position > self._limit:
                self.skip()
                return Found(line, index, None, too_long(self._limit))
            window.more()

    def _checked(self, end: int) -> Problem | None:
        """Move behind a value that was read; say if it is too long or no text."""
        window, start = self._window, self._window.position
        window.position = end
        if end - start > self._limit:
            return too_long(self._limit)
        if window.damaged and _NOT_UTF8.search(window.text, start, end):
            return not_utf8()
        return None

    def _give_up(self, broken: JsonBroken) -> Problem:
        window = self._window
        start, start_line = window.position, window.line
        line = start_line + window.text.count("\n", start, broken.position)
        column = broken.position - window.text.rfind("\n", 0, broken.position)
        if not self.skip() and broken.cut:
            return _ENDS_EARLY
        where = f"line {line} column {column}" if line > 1 else f"column {column}"
        return Problem("", f"is not JSON: {broken.reason} at {where}", "mend it there")

    def skip(self) -> bool:
        """Move behind a value by its brackets alone; false when the text ends in it."""
        window = self._window
        depth = 0
        while char := self._next_structure():
            if char == '"':
                if not self._skip_string():
                    break
                continue
            if depth == 0 and char in ",]}":  # belongs to what is around the value
                window.position -= 1
                return True
            depth += (char in "[{") - (char in "]}")
            if depth == 0:
                return True
        self.ended_early = True
        return False

    def _next_structure(self) -> str:
        """Move behind the next quote, bracket or comma; "" at the end of the text."""
        window = self._window
        while True:
            if found := _STRUCTURE.search(window.text, window.position):
                window.position = found.end()
                return found.group()
            window.position = len(window.text)
            if window.at_end:
                return ""
            window.more()

    def _skip_string(self) -> bool:
        """Move behind the closing quote; false when there is none."""
        window = self._window
        while True:
            if rest := _STRING_REST.match(window.text, window.position):
                window.position = rest.end()
            if window.text.startswith('"', window.position):
                window.position += 1
                return True
            if window.at_end:
                return False
            window.more()
