"""The parser against RE2 itself: it reads the same language, and means the same by it."""

from __future__ import annotations

import random

import pytest
import re2
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from errdex.matching.patterns.pattern import PatternRefused
from errdex.matching.patterns.regex.parser import parse_regex
from errdex.matching.patterns.regex.syntax_tree import to_re2

# No white space: there the project means something else than RE2.
_TOKENS = [
    *"abkKsSéſİ.^$*+?()|[]{}-,1",
    *["(?:", "(?i)", "(?i:", "(?s-i:", "(?P<n>", "(?<m>", "(?U)", "(?-m)", "(?-s)", "(?i-s)"],
    *[r"\b", r"\B", r"\A", r"\z", r"\d", r"\D", r"\w", r"\pL", r"\PL", r"\p{Greek}", r"\."],
    *["(.+?)", "(.*)", r"(\d+)", r"(\W*?)"],
    *[r"\Q", r"\E", r"\x41", r"\x{e9}", r"\101", r"\07", r"\-", "\\\\", r"\_"],
    *[
        "{2}",
        "{1,2}",
        "{2,}",
        "{,2}",
        "{1",
        "+?",
        "*?",
        "[^a]",
        "[ab]",
        "[a-c]",
        "[[:alpha:]]",
        "[]a]",
    ],
]
_STRICTER = {
    # RE2 lets the quantifier in `a(?i)*` reach back over the flags.
    "there is nothing before it to repeat",
    "a quantifier cannot follow another",
    "possessive quantifiers are not in RE2",
    "two groups have the same name",
}
_CHARS = "abkKsSéÉſ\u212aİ.{}[]()-,*1A^$\\_α"


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    return options


def _groups(program: re2._Regexp, text: str) -> list[tuple[int, int]] | None:
    found = program.search(text)
    return found and [found.span(index) for index in range(program.groups + 1)]


def _read(source: str) -> tuple[str | None, str]:
    try:
        return to_re2(parse_regex(source)), ""
    except PatternRefused as refusal:
        return None, refusal.reason


@pytest.mark.slow
@settings(max_examples=5_000, deadline=None, database=None, phases=[Phase.generate])
@given(st.integers(0, 2**63))
def test_parser_reads_what_re2_reads(seed: int) -> None:
    rng = random.Random(seed)
    source = "".join(rng.choices(_TOKENS, k=rng.randint(1, 9)))
    try:
        program = re2.compile(f"(?m){source}", _options())
    except re2.error:
        program = None
    translated, reason = _read(source)
    if translated is None:
        assert program is None or reason in _STRICTER, (source, reason)
        return
    if program is None:
        # The parser leaves classes and the names of Unicode groups to RE2, and no more.
        assert "[" in source or r"\p" in source.lower()
        return
    ours = re2.compile(translated, _options())
    for _ in range(5):
        text = "".join(rng.choices(_CHARS, k=rng.randint(0, 8)))
        assert _groups(ours, text) == _groups(program, text), (source, translated, text)
