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
from itertools import accumulate

from errdex.matching.patterns.literals import fold, normalise
from errdex.matching.patterns.text_bytes import EncodedText, encode

MAX_PIECE = 1 << 16
"""Bytes of a text that are looked at together."""
BATCH_BYTES = 1 << 16
"""A scan takes at least so much, unless the texts are at their end."""

_BARRIER = b"\xff"
_BETWEEN = b"\n\xff\n"


class JoinedTexts:
    """One form of a batch: its texts in a row."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def texts(self) -> list[bytes]:
        """The texts in this form, with the white space that joins them."""
        return self.data.split(_BARRIER)

    @cached_property
    def starts(self) -> list[int]:
        """Where each text begins, and where the one behind the last would."""
        return [0, *accumulate(len(text) + 1 for text in self.texts)]

    def text_at(self, offset: int) -> int:
        """The index of the text that a byte belongs to."""
        return bisect_right(self.starts, offset) - 1


class Batch:
    """Encoded texts to scan together: several whole ones, or a piece of a long one."""

    def __init__(
        self,
        first: int,
        texts: Sequence[bytes],
        piece: tuple[int, int] | None = None,
        whole: EncodedText | None = None,
    ) -> None:
        self.first = first
        """The place of the first text among all that were given."""
        self.texts = texts
        self.piece = piece
        """The only text's bytes that belong to this batch; None: all of each."""
        self._whole = whole
        self.joined = JoinedTexts(texts[0][slice(*piece)] if piece else _BETWEEN.join(texts))
        self.scanned = JoinedTexts(normalise(self.joined.data))
        """With white space normalised, as `literals` defines it."""

    @cached_property
    def folded(self) -> JoinedTexts:
        """In lower case as well."""
        return JoinedTexts(fold(self.scanned.data))

    def encoded(self, text: int) -> EncodedText:
        """One of the texts, all of it, for turning bytes into characters."""
        return self._whole or EncodedText(self.texts[text])

    @property
    def complete(self) -> int:
        """How many texts, of all that were given, have been seen whole after this batch."""
        ends_inside = self.piece is not None and self.piece[1] < len(self.texts[0])
        return self.first if ends_inside else self.first + len(self.texts)


def batches(texts: Iterable[str]) -> Iterator[Batch]:
    """All texts in order, encoded."""
    first, size, pending = 0, 0, list[bytes]()
    for index, text in enumerate(texts):
        data = encode(text)
        if len(data) > MAX_PIECE:
            if pending:
                yield Batch(first, pending)
            yield from _pieces(index, data)
            first, size, pending = index + 1, 0, []
            continue
        pending.append(data)
        size += len(data)
        if size >= BATCH_BYTES:
            yield Batch(first, pending)
            first, size, pending = index + 1, 0, []
    if pending:
        yield Batch(first, pending)


def _pieces(index: int, data: bytes) -> Iterator[Batch]:
    step = MAX_PIECE // 2
    whole = EncodedText(data)
    for start in range(0, len(data) - step, step):
        yield Batch(index, [data], (start, min(start + MAX_PIECE, len(data))), whole)
