"""A paste as logical lines: what each program wrote, and where that stands in the paste."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, overload

from errdex.matching.model import Line
from errdex.matching.reading.escapes import Mapped, Runs, composed, run_source, shifted_runs
from errdex.matching.reading.json_records import FieldText, locate_field_text
from errdex.matching.reading.prefixes import STAMPED, bare_level
from errdex.matching.reading.terminal import OffsetMap

_LONGEST_HEADER = 400
UNREAD = 1 << 40
"""Columns of a logical line's physical text begin here."""


class Place(NamedTuple):
    """A place in the paste as it was given: 1-based line number, offset in characters."""

    number: int
    offset: int


@dataclass(eq=False, slots=False)
class Paste:
    """Logical lines of a decoded paste, in parallel lists so that a healthy line costs little.

    `texts[i]` is what the program wrote on logical line `i`. One physical line may give
    several (a stack inside a JSON field), which then share its number.
    """

    text: str
    """The decoded paste, nothing stripped."""
    codes: OffsetMap
    """Offsets in the text without terminal codes → offsets in `text`."""
    stripped: str
    """The text without terminal codes."""
    texts: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    """Where each logical line begins, in the text without terminal codes."""
    kinds: bytearray = field(default_factory=bytearray)
    """PLAIN, CARRIED, STAMPED or HEADED of `prefixes`, a line each."""
    writers: dict[int, str] = field(default_factory=dict)
    """Only of the lines that name one."""
    levels: dict[int, str] = field(default_factory=dict)
    """Only of the lines whose log header names one."""
    doubts: dict[int, int] = field(default_factory=dict)
    """How much of a line's header, at its end, may as well belong to the text. Only of the lines
    with such a header."""
    loud: list[int] = field(default_factory=list)
    """The lines whose log header names a level of an error."""
    runs: dict[int, Runs] = field(default_factory=dict)
    """Of lines with undone escapes: (column, offset in the text without terminal codes)."""
    field_texts: dict[int, tuple[str, int, FieldText]] = field(default_factory=dict)
    """Of lines read from JSON: (the JSON, where it begins, what the line is in it). Their
    `runs` are made when asked for."""
    flat: set[int] = field(default_factory=set)
    """Lines that are the message of a JSON object which is the rest of the physical line."""
    unread: list[tuple[int, str]] = field(default_factory=list)
    """Physical text of lines that were opened up (JSON, escapes): (logical line, text)."""
    unread_offsets: dict[int, int] = field(default_factory=dict)
    """Where the text in `unread` begins, by logical line."""
    unread_runs: dict[int, Runs] = field(default_factory=dict)
    """The same as runs, of lines that were joined of several."""
    broken: set[int] = field(default_factory=set)
    """Lines that were joined of several, which a width had broken."""
    unquoted: set[int] = field(default_factory=set)
    """Numbers of lines that stand right below a quotation that ends there."""
    incomplete: bool = False
    """True when a limit cut the paste."""

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def lines(self) -> Sequence[Line]:
        """The logical lines, each made when asked for."""
        return _Lines(self)

    @cached_property
    def clean(self) -> str:
        """All logical lines, joined by line breaks."""
        return "\n".join(self.texts)

    @cached_property
    def starts(self) -> list[int]:
        """Where each logical line begins in `clean`."""
        return [0, *accumulate(len(text) + 1 for text in self.texts)][: len(self.texts)]

    @cached_property
    def first_with(self) -> dict[str, int]:
        """The first logical line that says a text, white space around it left out."""
        last = len(self.texts) - 1
        return {text.strip(): last - index for index, text in enumerate(reversed(self.texts))}

    def line(self, index: int) -> Line:
        """Logical line `index`."""
        text = self.texts[index]
        return Line(
            self.numbers[index],
            self.locate(index).offset,
            text,
            self.writers.get(index, ""),
            self.level(index),
        )

    def level(self, index: int) -> str:
        """The level in the line's header, or the one its text begins with."""
        return self.levels.get(index) or bare_level(self.texts[index])

    def header(self, index: int) -> str:
        """What was taken off before a line's text; empty where that is not known."""
        if (
            not self.kinds[index]
            or index in self.field_texts
            or index in self.flat
            or index in self.runs
        ):
            return ""
        offset = self.offsets[index]
        start = self.stripped.rfind("\n", max(0, offset - _LONGEST_HEADER), offset) + 1
        return self.stripped[start:offset] if start or offset <= _LONGEST_HEADER else ""

    def same_time(self, index: int, above: int) -> bool:
        """Whether a line has no more before it than the time of the line above: a message that
        goes on."""
        if self.kinds[index] != STAMPED or index in self.levels or above < 0:
            return False
        header = self.header(index)
        return bool(header) and self.header(above).startswith(header)

    def locate(self, index: int, column: int = 0) -> Place:
        """Where the character at `column` of logical line `index` stands in the paste. Columns
        from UNREAD on are those of the text in `unread`."""
        if column >= UNREAD:
            return self._locate_unread(index, column - UNREAD)
        runs = self.runs.get(index)
        if runs is None and (index in self.flat or index in self.field_texts):
            runs = self.runs[index] = self._locate_field_text(index)
        offset = run_source(runs, column) if runs else self.offsets[index] + column
        original = self.codes.original(offset)
        number = self.numbers[index]
        if index in self.broken:
            number += self.text.count("\n", self.codes.original(self.offsets[index]), original)
        return Place(number, original)

    def _locate_unread(self, index: int, column: int) -> Place:
        if index not in self.unread_runs:
            offset = self.unread_offsets[index] + column
            return Place(self.numbers[index], self.codes.original(offset))
        original = self.codes.original(run_source(self.unread_runs[index], column))
        return Place(self.text.count("\n", 0, original) + 1, original)

    def _locate_field_text(self, index: int) -> Runs:
        """The runs of a line that was read from JSON."""
        if index in self.field_texts:
            raw, start, field_text = self.field_texts[index]
            return locate_field_text(raw, field_text, start).runs
        start, text = self.offsets[index], self.texts[index]
        end = self.stripped.find("\n", start)
        raw = self.stripped[start : end if end >= 0 else None]
        return locate_field_text(raw, FieldText(text, ((0, text),)), start).runs

    def replace_source(self, index: int, raw: str, start: int, parts: Runs) -> None:
        """Tell where a line stands that was read from one joined of several: its places, so far
        columns of that one, are looked up in `parts`. `raw`: its data, from `start` on."""
        if index in self.flat or index in self.field_texts:
            text, at, field_text = self.field_texts.pop(
                index, (raw, start, FieldText(self.texts[index], ()))
            )
            self.flat.discard(index)
            field_text = (
                field_text
                if field_text.pieces
                else FieldText(field_text.text, ((0, field_text.text),))
            )
            runs = locate_field_text(text, field_text, at).runs
        else:
            runs = self.runs.get(index, ((0, self.offsets[index]),))
        self.runs[index] = composed(Mapped(self.texts[index], runs), parts).runs
        before = self.offsets[index] = self.runs[index][0][1]
        self.numbers[index] += self.stripped.count("\n", parts[0][1], before)
        self.broken.add(index)
        if index in self.unread_offsets:
            self.unread_runs[index] = shifted_runs(parts, start, start + len(raw))

    def last_number(self, index: int) -> int:
        """The number of the last physical line that a logical line stands on."""
        if index in self.broken:
            return self.locate(index, max(0, len(self.texts[index]) - 1)).number
        return self.numbers[index]

    def streams(self) -> dict[str, Sequence[int]]:
        """The logical lines of each writer."""
        if not self.writers:
            return {"": range(len(self.texts))}
        streams: dict[str, list[int]] = {}
        for index in range(len(self.texts)):
            streams.setdefault(self.writers.get(index, ""), []).append(index)
        return dict(streams)


class _Lines(Sequence[Line]):
    def __init__(self, paste: Paste) -> None:
        self._paste = paste

    def __len__(self) -> int:
        return len(self._paste)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | Sequence[Line]:
        if isinstance(index, slice):
            return [self._paste.line(i) for i in range(*index.indices(len(self)))]
        return self._paste.line(range(len(self))[index])

    def __iter__(self) -> Iterator[Line]:
        return (self._paste.line(index) for index in range(len(self)))
