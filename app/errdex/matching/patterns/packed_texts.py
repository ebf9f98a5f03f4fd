"""Many texts, each of which is seldom asked for, in two arrays instead of an object each.

*Cost:* a text takes its bytes and 4 more; as a string among others it takes 60 more, and a
hundred thousand of them lie strewn between what was needed while they were made, which the
system then does not get back. Giving one out makes it anew, in a quarter of a microsecond.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, cast

K = TypeVar("K")

_ENCODING = "utf-8", "surrogatepass"
_END = b"\xff"
"""A byte that UTF-8 does not have."""
_TOGETHER = 256
"""Entries that are compared at once."""


class PackedBytes:
    """Texts in a row, as UTF-8. Up to 4 GB of them."""

    def __init__(self, texts: Iterable[bytes] = ()) -> None:
        data = bytearray()
        starts = array("I", [0])
        for text in texts:
            data += text
            data += _END
            starts.append(len(data))
        self._data = bytes(data)
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, place: int) -> bytes:
        return self._data[self._starts[place] : self._starts[place + 1] - 1]

    def are(self, place: int, texts: Sequence[bytes]) -> bool:
        """Whether those from the place on are these: as quick as memory is, since none of them
        is taken out."""
        end = place + len(texts)
        if end > len(self):
            return False
        here = memoryview(self._data)[self._starts[place] : self._starts[end]]
        return here == b"".join([text + _END for text in texts])


class PackedGroups:
    """Groups of numbers up to 4,294,967,295, by the place of the group."""

    def __init__(self, groups: Iterable[Iterable[int]]) -> None:
        self._numbers = array("I")
        self._starts = array("I", [0])
        for group in groups:
            self._numbers.extend(group)
            self._starts.append(len(self._numbers))

    def __getitem__(self, place: int) -> array[int]:
        return self._numbers[self._starts[place] : self._starts[place + 1]]


class PackedEntries(Generic[K]):
    """Pairs of a key and a text, in order. Keys that are strings are packed too, others kept
    as they are."""

    def __init__(self, entries: Sequence[tuple[K, str]]) -> None:
        self._texts = PackedBytes(text.encode(*_ENCODING) for _, text in entries)
        keys = [key for key, _ in entries]
        self._keys: Sequence[K] | None = None
        self._packed_keys = PackedBytes()
        self._sorted = False
        if all(type(key) is str for key in keys):
            encoded = [cast(str, key).encode(*_ENCODING) for key in keys]
            self._packed_keys = PackedBytes(encoded)
            self._sorted = all(map(bytes.__lt__, encoded, encoded[1:]))
        else:
            self._keys = keys

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[tuple[K, str]]:
        return ((self.key(place), self.text(place)) for place in range(len(self)))

    def key(self, place: int) -> K:
        """The key at a place."""
        if self._keys is not None:
            return self._keys[place]
        return cast(K, self._packed_keys[place].decode(*_ENCODING))

    def text(self, place: int) -> str:
        """The text at a place."""
        return self._texts[place].decode(*_ENCODING)

    def finder(self) -> Callable[[K], int]:
        """Gives the place of a key, -1 when it is not here."""
        return _Finder(self._packed_keys if self._sorted else None, self)

    def places(self, entries: Iterable[tuple[K, str]]) -> Iterable[tuple[int, K, str]]:
        """Each of the given entries with the place of that very entry here, -1 when there is
        none. Keys are unique. Quick where both have the same order."""
        expected = 0
        find = self.finder()
        given = iter(entries)
        while lot := list(islice(given, _TOGETHER)):
            if self._are(expected, lot):
                for expected, (key, text) in enumerate(lot, expected + 1):  # noqa: B020
                    yield expected - 1, key, text
                continue
            for key, text in lot:
                place = expected
                if place >= len(self) or self.key(place) != key:
                    place = find(key)
                if place >= 0:
                    expected = place + 1
                    if self.text(place) != text:
                        place = -1
                yield place, key, text

    def _are(self, place: int, entries: Sequence[tuple[K, str]]) -> bool:
        """Whether those from the place on are these."""
        keys = [key for key, _ in entries]
        if self._keys is not None:
            same = self._keys[place : place + len(keys)] == keys
        else:
            same = all(type(key) is str for key in keys) and self._packed_keys.are(
                place, [cast(str, key).encode(*_ENCODING) for key in keys]
            )
        return same and self._texts.are(place, [text.encode(*_ENCODING) for _, text in entries])


class _Finder(Generic[K]):
    """Finds the place of a key, -1 for none: by halves where keys are in order, else in a
    dictionary that lasts as long as this."""

    def __init__(self, ordered: PackedBytes | None, entries: PackedEntries[K]) -> None:
        self._ordered = ordered
        self._entries = entries
        self._places: dict[K, int] | None = None

    def __call__(self, key: K) -> int:
        if self._ordered is not None and isinstance(key, str):
            encoded = key.encode(*_ENCODING)
            place = bisect_left(self._ordered, encoded)
            found = place < len(self._ordered) and self._ordered[place] == encoded
            return place if found else -1
        if self._places is None:
            self._places = {self._entries.key(place): place for place in range(len(self._entries))}
        return self._places.get(key, -1)
