"""Words that each match of a pattern has besides its key, and which texts have them.

A word is four bytes of a literal, those that begin where a word of the text does (see `keys`), or
any four before the first such place: a *floating* one. The words of the texts in question
are noted in a filter as Bloom's, which lets through some texts without a word and none with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from errdex.matching.patterns.pack.keys import Flags, Places, Words

    Hashes = NDArray[np.uint32]

BYTES = 4
"""Of a word."""
NO_WORD = 0
"""Instead of its hash."""

_FACTOR = np.uint64(0xC2B2AE3D27D4EB4F)
_ITS_BYTES = np.uint64(0xFFFFFFFF)
_OF_TEXT, _LAST = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77)
_ROOM = 8
"""Slots of a filter for each word that is noted."""


def hash_words(words: Words, *, floating: bool | Flags) -> Hashes:
    """Of the first four of eight bytes, as they are read from memory. The last bit says whether
    the word is floating; the one before it is set, so that no hash is NO_WORD."""
    hashes: Hashes = ((words & _ITS_BYTES) * _FACTOR >> np.uint64(32)).astype(np.uint32)
    anchored: Hashes = hashes & ~np.uint32(3) | np.uint32(2)
    return anchored | np.where(floating, np.uint32(1), np.uint32(0))


class TextWords:
    """Which words the texts have, by their numbers."""

    def __init__(self, words: Words, texts: Places, *, floating: bool) -> None:
        """The bytes where words may be, and the text that each is in."""
        self._floating = floating
        self._bits = max(int(len(words) * _ROOM - 1).bit_length(), 10)
        self._noted = np.zeros(1 << self._bits, np.uint8)
        self._noted[self._slots(texts, hash_words(words, floating=floating))] = 1

    def may_have(self, texts: Places, hashes: Hashes) -> Flags:
        """Whether each text has the word with that hash; True for one of another kind."""
        found: Flags = self._noted.take(self._slots(texts, hashes), mode="clip") > 0
        found |= ~has_kind(hashes, floating=self._floating)
        return found

    def _slots(self, texts: Places, hashes: Hashes) -> Places:
        mixed = (hashes ^ (texts.astype(np.uint32) * _OF_TEXT)) * _LAST
        return (mixed >> np.uint32(32 - self._bits)).astype(np.int64)


def has_kind(hashes: Hashes, *, floating: bool) -> Flags:
    """Whether they are of words that are floating, or that are not."""
    kind: Flags = (hashes & np.uint32(3)) == (3 if floating else 2)
    return kind
