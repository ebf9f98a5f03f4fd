"""What parsers work on and what they hand back.

A parser sees the lines of one writer (`Stream`) by their position in it, and gives back
`Draft`s whose positions are those of the stream; `finder` turns them into events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from errdex import lazy_re as re
from errdex.matching.model import Frame, Role
from errdex.matching.reading import Paste
from errdex.matching.reading.prefixes import HEADED

HEAD = 2_000
"""Parsers' regexes see so many characters of a line, so that none is slow on a long one."""
MAX_MESSAGE = 100_000
"""Characters of a message that an event keeps."""
MAX_FRAMES = 2_000


_LONGEST_PROJECT = 400
_PROJECT = re.compile(r"\s\[[^\[\]\n]{1,380}\.(?:\w{0,6}proj|slnx?)(?:::[^\]\n]{1,60})?\]\s*$")


_CLOCK = re.compile(r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?")
_PLACE = re.compile(r"\w:\d{1,6}[\])]")


def _repeated_part(header: str) -> str:
    """What a header has in common on all lines of one record: with a place in source all but
    the time, which goes on while it is written."""
    return _CLOCK.sub("", header) if _PLACE.search(header) else header


class Stream:
    """The lines of one writer, in the order of the paste."""

    def __init__(self, paste: Paste, indexes: Sequence[int]) -> None:
        self.paste = paste
        self.indexes = indexes
        whole = isinstance(indexes, range)
        self.texts = paste.texts if whole else [paste.texts[index] for index in indexes]
        self.memo: dict[str, list[str]] = {}
        """What a parser learned of the whole stream, so that it looks only once."""
        self.without_frame: dict[str, range] = {}
        """Positions that a language's parser knows to be no frames (`messages.frame_ahead`)."""
        self.consumed = 0
        """Lines before this position belong to events already found."""

    def __len__(self) -> int:
        return len(self.texts)

    def head(self, position: int) -> str:
        """The first HEAD characters of a line; empty past the end."""
        if 0 <= position < len(self.texts):
            text = self.texts[position]
            return text if len(text) <= HEAD else text[:HEAD]
        return ""

    def kind(self, position: int) -> int:
        """Whether a time or a log header stood before the line (`reading.prefixes`)."""
        return self.paste.kinds[self.indexes[position]]

    def level(self, position: int) -> str:
        """The level in the line's log header; empty when it names none."""
        return self.paste.levels.get(self.indexes[position], "")

    def interrupts(self, position: int, start: int) -> bool:
        """Whether a line is another log record than the one that `start` belongs to, or stands
        outside of the quotation that this is in."""
        if self.paste.unquoted and self._leaves_quotation(position, start):
            return True
        kind, first = self.kind(position), self.kind(start)
        if kind < HEADED or first < HEADED:
            return kind > first
        if self._repeats_header(position, start):
            return False
        # Some writers repeat the header on each line of one record.
        same = self.level(position) == self.level(start)
        return not (same and self.texts[position][:1] in (" ", "\t", "[", "(", "}"))

    def _repeats_header(self, position: int, start: int) -> bool:
        """Whether a writer puts the header of one record before each of its lines: `start` has
        that of the line above it, and the line at `position` has it too."""
        if not 0 < start < position:
            return False
        indexes, paste = self.indexes, self.paste
        header = _repeated_part(paste.header(indexes[start]))
        return bool(header) and all(
            _repeated_part(paste.header(indexes[each])) == header for each in (start - 1, position)
        )

    def _leaves_quotation(self, position: int, start: int) -> bool:
        numbers, indexes = self.paste.numbers, self.indexes
        return position > start and numbers[indexes[position]] in self.paste.unquoted


class Shifted(Stream):
    """Lines of a stream from a position on, without what each of them begins with."""

    def __init__(self, stream: Stream, at: int, prefix: str, most: int) -> None:
        end, bare = at, prefix.rstrip()
        while end < min(len(stream), at + most) and stream.texts[end].startswith(bare):
            end += 1
        super().__init__(stream.paste, list(stream.indexes[at:end]))
        self.texts = [text[len(prefix) :] for text in self.texts]
        self._at, self._width = at, len(prefix)

    def back(self, parsed: Parsed) -> Parsed:
        """What was parsed, with the positions and columns of the whole stream."""
        for draft in parsed.drafts:
            draft.first += self._at
            draft.last += self._at
            draft.message.pieces[:] = [
                (start, position + self._at, column + self._width)
                for start, position, column in draft.message.pieces
            ]
        quoted = [position + self._at for position in parsed.quoted]
        return Parsed(parsed.drafts, parsed.end + self._at, quoted)


@dataclass(slots=True)
class Text:
    """A message that is being put together from pieces of lines."""

    parts: list[str] = field(default_factory=list)
    pieces: list[tuple[int, int, int]] = field(default_factory=list)
    """(offset in the message, position in the stream, column there)."""
    size: int = 0

    def add(self, position: int, column: int, text: str, joiner: str = "\n") -> None:
        """Append a line's text, `joiner` before it unless it is the first."""
        if self.size >= MAX_MESSAGE:
            return
        if self.pieces:
            self.parts.append(joiner)
            self.size += len(joiner)
        text = text[: MAX_MESSAGE - self.size]
        self.pieces.append((self.size, position, column))
        self.parts.append(text)
        self.size += len(text)

    def cut(self) -> None:
        """Leave out all but the first line."""
        del self.parts[1:], self.pieces[1:]
        self.size = len(self.parts[0])

    def __str__(self) -> str:
        return "".join(self.parts)


@dataclass(slots=True, eq=False)
class Draft:
    """An event, with positions in its stream."""

    language: str
    error_class: str | None
    message: Text
    first: int
    last: int
    frames: list[Frame] = field(default_factory=list)
    cause: Draft | None = None
    role: Role | None = None
    """None: it follows from the chain."""
    code: str | None = None
    severity: str = "error"
    handled: bool = False
    notes: list[str] = field(default_factory=list)
    logged: bool = False
    """A record of a log, which a stack may follow."""


@dataclass(slots=True)
class Parsed:
    """What a parser found: events in the order of the text, the position behind them, and
    the lines that only quote source."""

    drafts: list[Draft]
    end: int
    quoted: list[int] = field(default_factory=list)


def without_project(message: str) -> str:
    """A message without the project that MSBuild names behind it in brackets."""
    found = _PROJECT.search(message[-_LONGEST_PROJECT:]) if message[-1:] in "] " else None
    return message[: -len(found.group())] if found else message


def single(
    stream: Stream,
    at: int,
    language: str,
    message: str,
    column: int,
    *,
    error_class: str | None = None,
    code: str | None = None,
    severity: str = "error",
    frames: Sequence[Frame] = (),
    role: Role | None = None,
    end: int | None = None,
) -> Draft:
    """A draft whose message stands on one line; a message cut by HEAD is made whole."""
    text = Text()
    whole = stream.texts[at]
    if column + len(message) == HEAD < len(whole):
        message = whole[column:]
    text.add(at, column, without_project(message))
    return Draft(
        language,
        error_class,
        text,
        at,
        max(at, (end or at + 1) - 1),
        list(frames),
        code=code,
        severity=severity,
        role=role,
    )
