"""Many texts, or groups of numbers, in two arrays instead of an object each.

*Cost:* a text takes its bytes and 4 more. Giving one out takes a quarter of a microsecond. Up to
4 GB of texts.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from errdex.matching.patterns.pack.sections import PackDamaged

Numbers = memoryview
"""Unsigned numbers of 32 bits."""
_NUMBER: Final = "I"
_KEY: Final = "Q"


def section(sections: Mapping[str, memoryview], name: str) -> memoryview:
    """That section. Raises PackDamaged when it is not there."""
    try:
        return sections[name]
    except KeyError:
        raise PackDamaged(f"The pack lacks the section {name}.") from None


def numbers(sections: Mapping[str, memoryview], name: str) -> Numbers:
    """A section as numbers of 32 bits. Raises PackDamaged."""
    return _cast(section(sections, name), _NUMBER)


def keys(sections: Mapping[str, memoryview], name: str) -> memoryview:
    """A section as numbers of 64 bits. Raises PackDamaged."""
    return _cast(section(sections, name), _KEY)


def _cast(data: memoryview, kind: Literal["I", "Q"]) -> memoryview:
    if not len(data):  # which cannot be cast
        return memoryview(array(kind))
    try:
        return data.cast(kind)
    except TypeError:
        raise PackDamaged("A section of the pack has a length that it cannot have.") from None


class Spans:
    """Spans of something, one behind the other, by their starts."""

    def __init__(self, starts: Numbers, size: int) -> None:
        if not len(starts) or starts[0] or starts[-1] != size:
            raise PackDamaged("The spans of a section do not fill it.")
        self.starts = starts
        self._size = size

    def __len__(self) -> int:
        return len(self.starts) - 1

    def span(self, place: int) -> tuple[int, int]:
        """Where one begins and ends. Raises PackDamaged when there is none at that place."""
        if 0 <= place < len(self):
            start, end = self.starts[place], self.starts[place + 1]
            if start <= end <= self._size:
                return start, end
        raise PackDamaged("A span in the pack is wrong.")


class Texts:
    """Texts in a row, as UTF-8."""

    def __init__(self, sections: Mapping[str, memoryview], name: str) -> None:
        self.data = section(sections, name)
        self.spans = Spans(numbers(sections, f"{name}@"), len(self.data))

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, place: int) -> bytes:
        start, end = self.spans.span(place)
        return self.data[start:end].tobytes()

    def text(self, place: int) -> str:
        """The text at a place."""
        try:
            return str(self[place], "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise PackDamaged("A text in the pack is wrong.") from None

    def __iter__(self) -> Iterator[str]:
        return map(self.text, range(len(self)))


class TextsWriter:
    """Writes what `Texts` reads."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.starts = array(_NUMBER, [0])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def add(self, text: bytes) -> None:
        """Add one behind the others."""
        self.data += text
        self.starts.append(len(self.data))

    def add_text(self, text: str) -> None:
        """Add a string."""
        self.add(text.encode("utf-8", "surrogatepass"))

    def copy(self, texts: Texts, first: int, last: int) -> None:
        """Add those from one place up to, not including, another."""
        starts = texts.spans.starts[first : last + 1]
        self.data += texts.data[starts[0] : starts[-1]]
        shift(self.starts, starts)

    def write(self, sections: dict[str, bytes | bytearray | memoryview], name: str) -> None:
        """Add them to the sections."""
        sections[name] = self.data
        sections[f"{name}@"] = memoryview(self.starts).cast("B")


def shift(starts: array[int], more: Iterable[int]) -> None:
    """Add the starts of spans that were copied behind those that are there; the first of `more`
    is where those that were copied began."""
    given = iter(more)
    by = starts[-1] - next(given)
    starts.extend([start + by for start in given])
