"""A `.yaml` file: records or lists of them, in one document or several, item by item.

The parser's events are turned into one record at a time, so a long list needs no more
memory than its longest record. The input is cut at the `---` lines first, and each
document parsed by itself: where one is no YAML, the next is read all the same.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import yaml

from errdex.records.files.raw import Found, nothing_there, too_long
from errdex.records.files.yaml_values import EventSource, ValueBuilder
from errdex.records.problems import Problem, shown

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML was built with it: some ten times as fast."""

_DOCUMENT_START = re.compile(rb"---(?=\s|\Z)")
_PIECE = 64 * 1024
_AHEAD = 256 * 1024
"""How far the parser may read on before it hands out what it has read."""


def read_yaml(stream: io.BufferedReader, limit: int) -> Iterator[Found]:
    """Yield each document's value, or the entries of its list. `limit` is in bytes."""
    documents = _Documents(stream, limit + _AHEAD)
    while documents.next():
        try:
            yield from _read_document(documents, limit)
        except yaml.YAMLError as error:
            documents.anything = True
            yield Found(documents.line_of(error), None, None, _syntax_problem(error))
        except _TooLongError:
            documents.anything = True
            yield Found(documents.record_line, None, None, too_long(limit))
    if not documents.anything:
        yield Found(1, None, None, nothing_there())


def _read_document(documents: _Documents, limit: int) -> Iterator[Found]:
    loader = _Loader(documents)
    try:
        events: EventSource = loader
        builder = ValueBuilder(events, limit)
        while not isinstance(event := events.get_event(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                yield from _read_root(events, builder, documents)
    finally:
        loader.dispose()


def _read_root(
    events: EventSource, builder: ValueBuilder, documents: _Documents
) -> Iterator[Found]:
    event = events.get_event()
    if _is_nothing(event):
        return
    documents.anything = True
    if isinstance(event, yaml.SequenceStartEvent):
        while not isinstance(event := events.get_event(), yaml.SequenceEndEvent):
            yield _read_item(event, builder, documents)
    else:
        yield _read_item(event, builder, documents)


def _read_item(event: yaml.Event, builder: ValueBuilder, documents: _Documents) -> Found:
    line = documents.start_record(event)
    value, problem = builder.build(event)
    return Found(line, None, value, problem)


def _is_nothing(event: yaml.Event) -> bool:
    return isinstance(event, yaml.ScalarEvent) and event.value == "" and event.implicit[0]


def _syntax_problem(error: yaml.YAMLError) -> Problem:
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    remedy = "mend it there: nothing behind it in this document could be read"
    if "mapping values are not allowed" in said:
        remedy = "put a text that holds “: ” in quotes; " + remedy
    return Problem("", f"is not YAML: {shown(str(said), 200)}", remedy)


class _TooLongError(Exception):
    """The parser wants more of a record than a record may have."""


class _Documents:
    """The input, as a file that ends before each `---` line and goes on with `next`.

    Such a line ends a document wherever it stands, even inside of quotes, so cutting
    there needs no parser. Directives (`%YAML 1.2`) say nothing that matters here, and
    would end up in the document before theirs: they become comments.
    """

    def __init__(self, stream: io.BufferedReader, limit: int) -> None:
        self._stream = stream
        self._limit = limit
        self._waiting = b""  # the line that the next document begins with
        self._buffer = b""
        self._given = 0
        self._lines = 0
        self._at_line_start = True
        self._in_head = True
        self._begun = False
        self.anything = False
        """True once there was more than comments and empty documents."""
        self.first_line = 1
        self.record_line = 1

    def next(self) -> bool:
        """Go to the next document, over what is left of this one; false at the end."""
        if self._begun:
            while self._next_line():
                pass
            if not self._waiting:
                return False
        self._begun = self._in_head = True
        self._given = 0
        self.first_line = self.record_line = self._lines + 1
        self._buffer, self._waiting = self._passed_on(self._waiting), b""
        return True

    def start_record(self, event: yaml.Event) -> int:
        """A record begins here: it may be as long as any. Returns its line."""
        self._given = 0
        mark = event.start_mark
        self.record_line = self.first_line + (mark.line if mark else 0)
        return self.record_line

    def line_of(self, error: yaml.YAMLError) -> int:
        """The line that the parser complains of, or that of the record it was in."""
        mark = getattr(error, "problem_mark", None)
        return self.record_line if mark is None else self.first_line + int(mark.line)

    def read(self, size: int = _PIECE, /) -> bytes:
        """What the parser asks for. Raises _TooLongError."""
        if self._given > self._limit:
            raise _TooLongError
        pieces = [self._buffer]
        length = len(self._buffer)
        while length < size and (line := self._next_line()):
            pieces.append(line)
            length += len(line)
        text = b"".join(pieces)
        self._buffer = text[size:]
        self._given += min(length, size)
        return text[:size]

    def _next_line(self) -> bytes:
        """The document's next line, or piece of a very long one; empty at its end."""
        if self._waiting:
            return b""
        line = self._stream.readline(_PIECE)
        if self._at_line_start and _DOCUMENT_START.match(line):
            self._waiting = line
            return b""
        return self._passed_on(line)

    def _passed_on(self, line: bytes) -> bytes:
        if line and self._at_line_start:
            if self._in_head and line.startswith(b"%"):
                line = b"#" + line[1:]
            elif line.startswith(b"..."):
                self._in_head = True
            elif not line.isspace() and not line.startswith(b"#"):
                self._in_head = False
        if line:
            self._at_line_start = line.endswith(b"\n")
            self._lines += self._at_line_start
        return line
