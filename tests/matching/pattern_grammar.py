"""Random patterns from a grammar, and random texts that are likely to contain a match."""

from __future__ import annotations

import random
from collections.abc import Iterable

from errdex.matching.patterns.pattern import PatternRefused, compile_pattern
from errdex.matching.patterns.regex.syntax_tree import (
    Alternate,
    AnyChar,
    Assertion,
    CharClass,
    Concat,
    Group,
    Node,
    Repeat,
    Space,
    Text,
)

_LITERALS = [
    *["a", "b", "ab", "k", "K", "s", "S", "Key", "x.y".replace(".", r"\."), "0", "-", "]", "}"],
    *[
        "é",
        "É",
        "ß",
        "ẞ",
        "ſ",
        "\u212a",
        "İ",
        "ı",
        "i",
        "Σ",
        "ς",
        "日",
        "\U0001f600",
        "\x00",
        "\x1f",
    ],
    *["error", "failed to", "disk full", "a longer literal than any key of the scan", "{", r"\$"],
    *[
        "lost pressure at the valve",
        ": no such",
        "unexpectedly",
        "-gate of the pump ",
        "Ünder a ſea",
    ],
    *[" ", "  ", r"\ ", r"\s", r"\s+", r"\n", r"\t", r"\x20", "\u00a0", "\n", r"\Qa  b.\E"],
    *[r"\x41", r"\x{212a}", r"\101", r"\-", r"\Q*\E"],
]
_CLASSES = [
    *[".", "[ab]", "[Kk]", "[^a]", "[a-c]", r"[ \t]", "[s]", "[]a]", "[^]]", "[é]", "[b-]", "[ _]"],
    *[r"\d", r"\w", r"\W", r"\S", r"\D", r"\pL", r"[\pN_]", "[[:alpha:]]", r"[\.x]", "[^\\n]"],
]
_PLACES = ["^", "$", r"\b", r"\B", r"\A", r"\z"]
_QUANTIFIERS = ["?", "*", "+", "??", "*?", "+?", "{2}", "{0,2}", "{1,}", "{2,3}?", "{0}", "{1}"]
_GROUPS = ["(%s)", "(?:%s)", "(?i:%s)", "(?-s:%s)", "(?-m:%s)", "(?U:%s)", "(?s-i:%s)"]

_HOLES = ["(.+?)", "(.*)", "(.*?)", r"(\d+)", r"([^']+)"]


_FLAGS = ["", "", "", "(?i)", "(?-m)", "(?i-s)", "^"]


def usable(sources: Iterable[str]) -> list[str]:
    """Those of the sources that compile."""
    kept = []
    for source in sources:
        try:
            compile_pattern(source)
        except PatternRefused:
            continue
        kept.append(source)
    return kept


class PatternWriter:
    """Sources, nearly all of which RE2 takes."""

    def __init__(self, rng: random.Random) -> None:
        self._random = rng

    def source(self) -> str:
        return self._random.choice(_FLAGS) + self._row(depth=3)

    def _row(self, depth: int) -> str:
        return "".join(self._part(depth) for _ in range(self._random.randint(1, 4)))

    def _part(self, depth: int) -> str:
        choose = self._random.choice
        kind = self._random.randrange(10)
        if kind < 4:
            return choose(_LITERALS)
        if kind < 5:
            return choose(_CLASSES)
        if kind < 6:
            return choose(_HOLES)
        if kind < 7:
            return choose(_PLACES)
        if kind < 8 or depth == 0:
            return choose(_LITERALS + _CLASSES) + choose(_QUANTIFIERS)
        branches = [
            self._row(depth - 1) if choose([True, True, True, False]) else ""
            for _ in range(choose([1, 1, 2, 3]))
        ]
        return choose(_GROUPS) % "|".join(branches) + choose(["", *_QUANTIFIERS[:4]])


_SPACES = [" ", " ", "  ", "\n", "\t ", "\n  ", "\u00a0", "\u2003", "\v", "\r\n"]
_CHARS = [*"abkKsSxy0-.]é日", "\u212a", "ſ", "İ", "ẞ", " ", "\n", "\x00", "\ud800", "\U0001f600"]
_OTHER_CASES = {"k": "\u212a", "s": "ſ", "ß": "ẞ", "σ": "ς", "i": "İ"}


class TextWriter:
    """Texts that a parsed pattern probably matches, and some that it just does not."""

    def __init__(self, rng: random.Random) -> None:
        self._random = rng

    def text(self, trees: list[Node]) -> str:
        """One text with pieces of some of the patterns."""
        parts = [self.noise()]
        for tree in self._random.choices(trees, k=self._random.randint(0, 2)):
            parts += [self._spoilt(self.written(tree)), self.noise()]
        return "".join(parts)

    def noise(self) -> str:
        return "".join(self._random.choices(_CHARS, k=self._random.choice([0, 0, 1, 2, 5])))

    def _spoilt(self, text: str) -> str:
        if text and self._random.random() < 0.3:
            at = self._random.randrange(len(text))
            return text[:at] + self.noise() + text[at + 1 :]
        return text

    def written(self, node: Node) -> str:
        """What the node could match, conditions on the place left aside."""
        choose = self._random.choice
        match node:
            case Text(value, folded):
                return "".join(self._char(char, folded) for char in value)
            case Space(optional, _):
                return "" if optional and choose([True, False]) else choose(_SPACES)
            case CharClass(_, _, members):
                return choose(members or _CHARS)
            case AnyChar():
                return choose(_CHARS)
            case Assertion():
                return choose(["", "", "\n"])
            case Repeat(item, low, high, _):
                most = low + 2 if high is None else min(high, low + 2)
                return "".join(self.written(item) for _ in range(self._random.randint(low, most)))
            case Group(item, _, _):
                return self.written(item)
            case Concat(items):
                return "".join(map(self.written, items))
            case Alternate(branches):
                return self.written(choose(branches))

    def _char(self, char: str, folded: bool) -> str:
        if char == " ":
            return self._random.choice(_SPACES)
        if folded:
            other = _OTHER_CASES.get(char.lower(), char)
            return self._random.choice([char.lower(), char.upper(), other])
        return char
