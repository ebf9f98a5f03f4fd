"""The records under `data/`, read once for all the tests of them."""

from __future__ import annotations

import functools
from pathlib import Path

import yaml

from errdex.matching.patterns.pattern import Pattern, compile_pattern
from errdex.records.model import Record
from errdex.records.validation import parse_record

DATA = Path(__file__).parents[2] / "data"


@functools.cache
def load_starter_records() -> tuple[tuple[str, Record], ...]:
    """Each record of `data/*.yaml` with its topic, the name of its file."""
    return tuple(
        (file.stem, parse_record(entry))
        for file in sorted(DATA.glob("*.yaml"))
        for entry in yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    )


@functools.cache
def compiled(source: str) -> Pattern:
    """The pattern, compiled once."""
    return compile_pattern(source)


def literal_characters(pattern: Pattern, text: str) -> int:
    """How much of the text the pattern matches with its own words, its holes left out; -1: none."""
    found = pattern.search(text)
    if found is None:
        return -1
    taken = set()
    for span in found.groups:
        if span is not None:
            taken.update(range(*span))
    start, end = found.span
    return sum(not text[at].isspace() for at in range(start, end) if at not in taken)


def spans_overlap(one: Pattern, other: Pattern, text: str) -> bool:
    """Whether the two patterns match the same part of the text."""
    first, second = one.search(text), other.search(text)
    if first is None or second is None:
        return False
    return first.span[0] < second.span[1] and second.span[0] < first.span[1]
