"""How hits are scored: numbers only, no engine.

A query is divided into *units* (see `errdex.search.plan`): each part of each word with its
plural or singular, each whole, each prefix, each phrase. A record's score is the sum, over the
units that it has, of its weight for the unit times the unit's factor. All of this is
whole numbers, and the rarity of a unit goes in coarse steps, so a score is the
same wherever it is computed and hardly ever moves when records come or go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from errdex.search.analysis import list_terms
from errdex.search.protocol import FACET_VALUES, IndexDocument
from errdex.search.query import Phrase

PHRASE_WEIGHT = 100
_SCALE = 16
MOST_ORDERED = 2000
"""The bonus for words in their order is looked for only among so many complete records."""
_SCALE = 16
_FIRST = 1 << 50
SIMILAR_POSTINGS = 20_000
"""Similar messages are looked for by the rarest terms until they have this many records."""
MOST_SIMILAR_TERMS = 16
SIMILAR_SHARE = 5
"""A similar record has at least one part in this many of a message's own score."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing to score. A record has it when it has all terms of one of `ways`, the first in
    full and the others a little less; `share` is how many units divide one word's score among
    them."""

    ways: tuple[tuple[str, ...], ...] = ()
    share: int = 1
    times: int = 1
    """How much more it counts than a common word's unit."""
    field: str = ""
    """The field whose value is meant; empty for the text."""
    prefix: str = ""
    phrase: Phrase | None = None
    bonus: bool = False
    """Only makes hits rank higher: a record is complete without it."""
    near: bool = False
    """A near spelling of what was asked for: a record that has it is not complete."""


def rarity(frequency: int, count: int) -> int:
    """How much a unit says that `frequency` of `count` records have: 2 when all have it, about
    2 more each time that it is half as frequent. Inverse document frequency in steps."""
    return round(2 * math.log2(1 + count / frequency)) if frequency else 0


def factor(unit: Unit, frequency: int, count: int) -> int:
    """What a record's weight for the unit is multiplied by."""
    return rarity(frequency, count) * _SCALE * unit.times // unit.share


def lessen(weight: int) -> int:
    """The weight of another form or name of what was asked for."""
    return weight * 7 // 8


def add_cover(score: int, cover: int, whole: int) -> int:
    """The score of a record that has units for `cover` of the `whole` query: lower by the square
    of what is missing."""
    return score * cover**2 // whole**2 if whole else score


def score_first(place: int) -> int:
    """The score of a record that comes before all that were found by words."""
    return _FIRST - place


def choose_similar_terms(frequencies: Mapping[str, int]) -> list[str]:
    """The rarest of the terms that occur: few, and in not too many records together."""
    chosen: list[str] = []
    room = SIMILAR_POSTINGS
    for frequency, term in sorted((n, term) for term, n in frequencies.items() if n):
        if chosen and (frequency > room or len(chosen) == MOST_SIMILAR_TERMS):
            break
        chosen.append(term)
        room -= frequency
    return chosen


def list_similar_terms(document: IndexDocument) -> tuple[str, ...]:
    """What to look for to find records whose message is like this one's."""
    return tuple(sorted(list_terms(document.message)))


def order_facet(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The most frequent values first, equal ones by name."""
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:FACET_VALUES]
