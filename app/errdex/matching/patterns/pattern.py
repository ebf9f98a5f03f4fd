"""One pattern: how it is read, and how it is applied to one text.

A pattern is written in RE2's syntax (github.com/google/re2/wiki/Syntax) and is
searched for in a *unit*: a logical line, or the whole message of an event. To fit
messages as they are printed it is read a little differently from a plain regex:

- A run of white space in it (spaces, `\\n`, `\\s+`, …) matches any run of white space,
  line breaks included; an optional one (`\\s*`, ` ?`) matches none as well. Classes
  such as `[ \\t]` are left as they are, and a group ends a run.
- The dot matches line breaks too: a hole may hold a printed array. `(?-s)` undoes it.
- `^` and `$` hold at every line of the unit. `(?-m)` undoes it; `\\A` and `\\z` are the
  ends of the unit.
- A lazy hole that ends the pattern takes all that is left of its line, instead of as
  little as it can. No hole takes a line break where the pattern matches without it, unless
  the hole has a bracket open: what stands below a message explains it.
- Of the ways in which it matches, the one that covers the whole unit is preferred;
  otherwise it is RE2's leftmost one.

Time is linear in the text whatever the pattern, since RE2 never backtracks: nested
quantifiers such as `(a+)+` are harmless and accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import re2

from errdex.matching.patterns.refusal import PatternRefused
from errdex.matching.patterns.regex.beginnings import group_numbers, read_beginning
from errdex.matching.patterns.regex.leniency import read_pattern
from errdex.matching.patterns.regex.respelling import read_respelled, without_marks
from errdex.matching.patterns.regex.syntax_tree import (
    Alternate,
    AnyChar,
    Assertion,
    Concat,
    Group,
    Node,
    Repeat,
    group_names,
    shortest_match,
    to_re2,
)
from errdex.matching.patterns.text_bytes import EncodedText, core, encode
from errdex.matching.patterns.weight import WEAK_BELOW, certain_text, count_characters, weigh

__all__ = [
    "Beginning", "Pattern", "PatternMatch", "PatternRefused", "Span", "Traits",
    "compile_beginning", "compile_pattern", "compile_respelled", "without_marks",
]  # fmt: skip

Span = tuple[int, int]
NO_SPAN: Span = (-1, -1)
_ANYWHERE = re2._Anchor.UNANCHORED
_WHOLE = re2._Anchor.ANCHOR_BOTH

_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
MAX_PROGRAM_BYTES = 2 << 20
"""RE2's budget for one pattern's program and its automata."""


class PatternMatch(NamedTuple):
    """Where a pattern matched, in characters of the text. `groups` has the span of each
    capture group in order, None for one that took no part. `whole`: the match covers
    the text, white space around it apart."""

    span: Span
    groups: tuple[Span | None, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Traits:
    """What a pattern says about itself, apart from its program, which takes much more memory."""

    source: str
    group_names: tuple[str | None, ...]
    """The name of each capture group in order, None for one without."""
    literal_length: int
    """Characters that every match has in common, white space not counted."""
    literal_weight: float
    """Like `literal_length`, for letters and digits only, with words that any log has
    ("failed", "error", "to") counting a quarter."""
    weak: bool
    """True when a match means little without other evidence: `(.+?) failed`."""


class Pattern:
    """A compiled pattern. Made by `compile_pattern`; safe to use from several threads."""

    def __init__(self, source: str, tree: Node, program: Any) -> None:  # noqa: ANN401
        self.translated: str = program.pattern
        self.absolute = "\\A" in self.translated or "\\z" in self.translated
        """False: whether it matches does not depend on where the text around begins or ends."""
        text = certain_text(tree)
        weight = weigh(text)
        self.traits = Traits(
            source, group_names(tree), count_characters(text), weight, weight < WEAK_BELOW
        )
        # The call that the module's own `search` wraps: without the wrapper, which is
        # written in Python, a short text takes half the time.
        self._match: Callable[[Any, bytes, int, int], list[Span]] = program._regexp.Match

    @property
    def source(self) -> str:
        """The pattern as it was written."""
        return self.traits.source

    @property
    def group_names(self) -> tuple[str | None, ...]:
        """The name of each capture group in order, None for one without."""
        return self.traits.group_names

    @property
    def literal_length(self) -> int:
        """Characters that every match has in common, white space not counted."""
        return self.traits.literal_length

    @property
    def literal_weight(self) -> float:
        """Letters and digits that every match has in common, common words a quarter."""
        return self.traits.literal_weight

    @property
    def weak(self) -> bool:
        """True when a match means little without other evidence."""
        return self.traits.weak

    def search(self, text: str) -> PatternMatch | None:
        """Find the pattern in a text."""
        data = encode(text)
        spans = self.search_bytes(data, 0, len(data))
        return None if spans is None else to_match(spans, EncodedText(data))

    def find_bytes(self, data: bytes, start: int, end: int) -> Span | None:
        """Only where the leftmost match is, in bytes; otherwise like `search_bytes`."""
        spans = self._match(_ANYWHERE, data, start, end)
        return None if spans[0] == NO_SPAN else spans[0]

    def search_bytes(self, data: bytes, start: int, end: int) -> list[Span] | None:
        """Find the pattern in an encoded text, or between two bytes of it, which for its
        anchors stay a part of the whole. Gives the span of the match and then of each
        group, in bytes, NO_SPAN for a group that took no part."""
        spans = self._match(_ANYWHERE, data, start, end)
        if spans[0] == NO_SPAN:
            return None
        if end - start == len(data):
            first, last = core(data, start, end)
            # RE2 gives the leftmost match: if that begins later, none begins with the text.
            later = spans[0][0] > first and (first, last) == (start, end)
            if spans[0] != (first, last) and not later:
                whole = self._match(_WHOLE, data, first, last)
                spans = spans if whole[0] == NO_SPAN else whole
        return self._on_one_line(data, start, spans) or spans

    def _on_one_line(self, data: bytes, start: int, spans: list[Span]) -> list[Span] | None:
        """The match within the line that a match begins on, when a hole took a line break: the
        hole ends with its line there, unless it has a bracket open."""
        line_end = data.find(b"\n", *spans[0])
        if line_end < 0 or self.absolute:
            return None
        if not any(first <= line_end < last for first, last in spans[1:]):
            return None
        shorter = self._match(_ANYWHERE, data, start, line_end)
        if shorter[0] == NO_SPAN or any(_is_open(data[slice(*span)]) for span in shorter[1:]):
            return None
        return shorter


def _is_open(taken: bytes) -> bool:
    return any(taken.count(opening) > taken.count(closing) for opening, closing in _BRACKETS)


def to_match(spans: list[Span], text: EncodedText) -> PatternMatch:
    """What `Pattern.search_bytes` found, in characters."""
    offset = text.character
    (start, end), groups = spans[0], spans[1:]
    first, last = text.core
    return PatternMatch(
        (offset(start), offset(end)),
        tuple(None if span == NO_SPAN else (offset(span[0]), offset(span[1])) for span in groups),
        whole=start <= first and last <= end,
    )


def compile_pattern(source: str) -> Pattern:
    """Read and compile a pattern. Raises PatternRefused when RE2 cannot take it, or when
    it could match without taking any text."""
    tree = read_pattern(source)
    _refuse_empty(source, tree)
    return _compile(source, tree)


@lru_cache(maxsize=256)
def compile_respelled(source: str, *, anywhere: bool = False) -> Pattern | None:
    """The pattern for texts that were typed again and are searched `without_marks`, with `anywhere`
    also within a sentence; None when it cannot be had."""
    try:
        tree = read_respelled(source, anywhere=anywhere)
        _refuse_empty(source, tree)
        return _compile(source, tree)
    except PatternRefused:
        return None


class Beginning(NamedTuple):
    """A pattern for messages whose end was cut off. `groups`: the number of the whole pattern's
    group that each of its own is, 0 for one that breaks off."""

    pattern: Pattern
    groups: tuple[int, ...]


@lru_cache(maxsize=256)
def compile_beginning(source: str) -> Beginning | None:
    """The pattern for beginnings of a message, which are searched `without_marks`; None when it
    cannot be had."""
    try:
        tree = read_beginning(source)
        return Beginning(_compile(source, tree), tuple(group_numbers(tree)))
    except PatternRefused:
        return None


def _compile(source: str, tree: Node) -> Pattern:
    _open_last_hole(tree)
    translated = to_re2(tree)
    try:
        # RE2 judges what the tree leaves to it, and its messages should quote the
        # author's text rather than the translation.
        program = re2.compile(translated, _options())
    except re2.error as error:
        raise _refused_by_re2(source, error) from None
    return Pattern(source, tree, program)


def _refuse_empty(source: str, tree: Node) -> None:
    if not source.strip():
        raise PatternRefused(
            "an empty pattern", "it would match every text", "write what the message always says"
        )
    if shortest_match(tree) == 0:
        raise PatternRefused(
            source if len(source) <= 60 else source[:57] + "...",
            "all of it is optional, so that it would match every text",
            "take the ?, * or {0,…} from a part that the message always has",
        )


def _open_last_hole(tree: Node) -> None:
    """Make a lazy dot that ends the pattern greedy: behind it nothing says where to stop."""
    node: Node = tree
    while True:
        match node:
            case Concat(items) if items:
                node = items[-1]
            case Group(Alternate([lines, Assertion("$")]), None):  # that may be missing
                node = lines
            case Group(item):
                node = item
            case Repeat(AnyChar(), _, None, False):
                node.greedy = True
                return
            case _:
                return


@lru_cache(maxsize=1)
def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_PROGRAM_BYTES
    return options


def _refused_by_re2(source: str, error: re2.error) -> PatternRefused:
    detail = error.args[0]
    message = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
    reason, _, construct = message.partition(": ")
    if "too large" in reason:
        return PatternRefused(
            source if len(source) <= 60 else source[:57] + "...",
            "its program would be too large",
            "write smaller counts, or + and *, and fewer alternatives",
        )
    return PatternRefused(
        construct or source,
        f"RE2 says: {reason}",
        "write what github.com/google/re2/wiki/Syntax describes",
    )
