"""Texts joined for a scan, and the way back from a place in it to its text.

Texts are joined by a byte that UTF-8 does not have, which no literal contains and
nothing in a pattern matches, so that neither reaches from one text into the next. The
line breaks around it let `^` and `$` hold where a text begins and ends.

A text longer than MAX_PIECE is cut into pieces that overlap by half, so that the work
for one candidate has a bound.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice

from errdex.matching.patterns.literals import fold, lower_spaced, normalise
from errdex.matching.patterns.text_bytes import EncodedText, encode

MAX_PIECE = 1 << 16
"""Bytes of a text that are looked at together."""
BATCH_CHARACTERS = 1 << 17
"""A scan takes at least so many characters, unless the texts are at their end."""
_BATCH_TEXTS = 1024
"""Texts whose lengths are looked at together."""

_BARRIER = b"\xff"
_BETWEEN = b"\n\xff\n"
_BETWEEN_ASCII = " \xff "
"""In Latin-1, where it is that byte."""


class JoinedTexts:
    """One form of a batch: its texts in a row."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def starts(self) -> list[int]:
        """Where each text begins, and where the one behind the last would."""
        return [0, *accumulate(len(text) + 1 for text in self.data.split(_BARRIER))]

    def text_at(self, offset: int) -> int:
        """The index of the text that a byte belongs to."""
        return bisect_right(self.starts, offset) - 1


class Batch:
    """Whole texts to scan together."""

    def __init__(self, first: int, texts: Sequence[str]) -> None:
        self.first = first
        """The place of the first text among all that were given."""
        self.texts = texts

    @property
    def characters(self) -> int:
        """How much there is to scan."""
        return sum(map(len, self.texts))

    @cached_property
    def joined(self) -> JoinedTexts:
        """The texts as they are, encoded."""
        return JoinedTexts(_BETWEEN.join(map(encode, self.texts)))

    @property
    def folded(self) -> JoinedTexts:
        """In lower case, with white space normalised."""
        return JoinedTexts(fold(normalise(self.joined.data)))

    @property
    def spaced(self) -> bytes:
        """In lower case, with spaces for white space, but as much of it as there is. The bytes
        between texts have a space on both sides, and so have both ends."""
        if all(map(str.isascii, self.texts)):
            return lower_spaced(f" {_BETWEEN_ASCII.join(self.texts)} ".encode("latin-1"))
        return lower_spaced(b" %b " % fold(self.joined.data))

    @property
    def span(self) -> tuple[int, int] | None:
        """The only text's bytes that belong to this batch; None: all of each."""
        return None

    def encoded(self, text: int) -> EncodedText:
        """A text, all of it."""
        return EncodedText(encode(self.texts[text]))

    @property
    def complete(self) -> int:
        """How many texts, of all that were given, have been seen whole after this batch."""
        return self.first + len(self.texts)


class BatchPiece(Batch):
    """A piece of a long text."""

    def __init__(self, first: int, text: str, whole: EncodedText, span: tuple[int, int]) -> None:
        super().__init__(first, [text])
        self._whole = whole
        self._span = span
        start, end = span
        self.joined = JoinedTexts(whole.data[start:end])

    @property
    def spaced(self) -> bytes:
        """Of the piece."""
        return lower_spaced(b" %b " % fold(self.joined.data))

    @property
    def span(self) -> tuple[int, int]:
        """The bytes of the piece."""
        return self._span

    def encoded(self, text: int) -> EncodedText:
        """All of the text."""
        return self._whole

    @property
    def complete(self) -> int:
        """The text counts when its end was seen."""
        return super().complete if self._span[1] == len(self._whole.data) else self.first


def batches(texts: Iterable[str]) -> Iterator[Batch]:
    """All texts in order."""
    given = iter(texts)
    first, size, pending = 0, 0, list[str]()
    while taken := list(islice(given, _BATCH_TEXTS)):
        lengths = list(map(len, taken))
        if (
            max(lengths) * 4 <= MAX_PIECE and sum(lengths) <= BATCH_CHARACTERS
        ):  # UTF-8 has 4 at most
            pending += taken
            size += sum(lengths)
            if size >= BATCH_CHARACTERS:
                yield Batch(first, pending)
                first, size, pending = first + len(pending), 0, []
            continue
        for text, length in zip(taken, lengths, strict=True):
            data = encode(text) if length * 4 > MAX_PIECE else b""
            if len(data) > MAX_PIECE:
                if pending:
                    yield Batch(first, pending)
                    first += len(pending)
                yield from _pieces(first, text, data)
                first, size, pending = first + 1, 0, []
                continue
            pending.append(text)
            size += length
            if size >= BATCH_CHARACTERS:
                yield Batch(first, pending)
                first, size, pending = first + len(pending), 0, []
    if pending:
        yield Batch(first, pending)


def _pieces(index: int, text: str, data: bytes) -> Iterator[Batch]:
    step = MAX_PIECE // 2
    whole = EncodedText(data)
    for start in range(0, len(data) - step, step):
        yield BatchPiece(index, text, whole, (start, min(start + MAX_PIECE, len(data))))
