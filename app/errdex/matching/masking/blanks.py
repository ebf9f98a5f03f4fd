"""Ranges of a text that are not to be shown, and the rules that find them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from errdex import lazy_re as re

MOST = 20_000
"""Characters of a text that are looked at. What is behind them is cut off, not shown."""


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(re.findall(r"\w+", words))


class Blank(NamedTuple):
    """A range of a text, and what kind of value is there."""

    start: int
    end: int
    kind: str
    """A word that names it: `path`, `token`, `host` …"""


@dataclass(frozen=True, slots=True)
class Rule:
    """Finds values of one kind: the group `v` of each match, or the whole match. Each expression
    looks at a place of the text for a bounded number of characters."""

    kind: str
    pattern: re.Pattern[str]
    accept: Callable[[str], bool] = lambda _: True
    """Whether what was found is such a value."""
    needs: str = ""
    """A text without it has no such value; saves most of the work."""

    def find(self, text: str) -> Iterator[Blank]:
        """The values in a text."""
        if self.needs not in text:
            return
        named = "v" in self.pattern.groupindex
        for found in self.pattern.finditer(text):
            start, end = found.span("v") if named else found.span()
            if start < end and self.accept(text[start:end]):
                yield Blank(start, end, self.kind)


def find_by_rules(text: str, rules: Sequence[Rule], taken: Iterable[Blank] = ()) -> list[Blank]:
    """What the rules find, in the order of the text. Of overlapping values the one of the earlier
    rule counts, and what is `taken` already before all."""
    text = text[:MOST]
    covered = bytearray(len(text))
    blanks: list[Blank] = []

    def add(blank: Blank) -> None:
        if not any(covered[blank.start : blank.end]):
            covered[blank.start : blank.end] = b"\x01" * (blank.end - blank.start)
            blanks.append(blank)

    for each in taken:
        add(each)
    for rule in rules:
        for each in rule.find(text):
            add(each)
    return sorted(blanks)


def mask(text: str, blanks: Sequence[Blank]) -> str:
    """The text with a named blank in place of each of these ranges."""
    parts: list[str] = []
    place = 0
    for each in blanks:
        parts += [text[place : each.start], f"‹{each.kind}›"]
        place = each.end
    return "".join([*parts, text[place:MOST]])
