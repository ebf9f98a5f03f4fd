"""Names that mean the same, from `synonyms.yaml`.

A name is looked for by its terms, all of which a record must have: those of a phrase, or the
whole of an identifier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from errdex.search.analysis import list_tokens

SYNONYMS = Path(__file__).with_name("synonyms.yaml")

Terms = tuple[str, ...]


class Name(NamedTuple):
    """One name of a group."""

    parts: Terms
    """What is read in a query: the parts of its words in order."""
    terms: Terms
    """What a record has that is found by it."""


class SynonymHit(NamedTuple):
    """A name in a query: its parts are those from `start` to `end`."""

    start: int
    end: int
    others: tuple[Terms, ...]
    """The terms of the other names of its group."""


class Groups(NamedTuple):
    """All groups."""

    others: Mapping[Terms, tuple[Terms, ...]]
    """For the parts of each name, the terms of the other names of its groups."""
    longest: int
    """The most parts of a name."""


def read_name(text: str) -> Name:
    """A name as the index sees it."""
    tokens = list_tokens(text)
    terms = dict.fromkeys(term for t in tokens for term in (t.wholes[:1] or t.parts))
    return Name(tuple(part for token in tokens for part in token.parts), tuple(terms))


def read_groups(listed: Iterable[Sequence[str]]) -> Groups:
    """The groups, by the parts of each name."""
    groups: dict[Terms, dict[Terms, None]] = {}
    for group in listed:
        names = [read_name(str(text)) for text in group]
        for name in names:
            others = (other.terms for other in names if other.parts != name.parts)
            groups.setdefault(name.parts, {}).update(dict.fromkeys(others))
    named = {parts: tuple(others) for parts, others in groups.items()}
    return Groups(named, max(map(len, named), default=0))


@cache
def load_groups() -> Groups:
    """The groups of the file that is part of the package."""
    return read_groups(yaml.safe_load(SYNONYMS.read_text("utf-8")))


def find_names(parts: Sequence[str], groups: Groups) -> Iterator[SynonymHit]:
    """The names in a row of parts, from the first on, the longest where several begin."""
    others, longest = groups
    start = 0
    while start < len(parts):
        ends = range(min(len(parts), start + longest), start, -1)
        end = next((end for end in ends if tuple(parts[start:end]) in others), None)
        if end is not None:
            yield SynonymHit(start, end, others[tuple(parts[start:end])])
        start = end or start + 1
