"""How hits are scored and which of them the lower tier holds: numbers only, no engine.

A query is divided into *units*: each part of each word (with its plural or
singular), each whole, each prefix, each phrase. A record's score is the sum, over the
units that it has, of its weight for the unit times the unit's factor. All of this is
whole numbers, and the rarity of a unit goes in coarse steps, so a score is the
same wherever it is computed and hardly ever moves when records come or go.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from errdex.search.analysis import list_terms
from errdex.search.protocol import FACET_VALUES, IndexDocument
from errdex.search.query import ParsedQuery, Phrase, WordPrefix

PHRASE_WEIGHT = 100
LOWER_TIER_POSTINGS = 20_000
"""The lower tier goes through the rarest units until they have this many records."""
MOST_SIMILAR_TERMS = 16
SIMILAR_SHARE = 5
"""A similar record has at least one part in this many of a message's own score."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing to score. `terms` count as one, the first in full and the others a little
    less; `share` is how many units divide one word's score among them."""

    terms: tuple[str, ...] = ()
    share: int = 1
    prefix: str = ""
    phrase: Phrase | None = None
    bonus: bool = False
    """Only makes hits rank higher: a record that has this has the word's parts, or else
    was written in another way that the parts do not show."""


def list_units(query: ParsedQuery) -> list[Unit]:
    """The units of a query's wanted words, in its own order."""
    units: list[Unit] = []
    for clause in query.wanted:
        if isinstance(clause, Phrase):
            units.append(Unit(phrase=clause))
        elif isinstance(clause, WordPrefix):
            units.append(Unit(prefix=clause.start))
        else:
            units += [Unit(part, share=len(clause.parts)) for part in clause.parts]
            units += [Unit((whole,), bonus=True) for whole in clause.wholes]
    return units


def rarity(frequency: int, count: int) -> int:
    """How much a unit says that `frequency` of `count` records have: 2 when all have it, about
    2 more each time that it is half as frequent. Inverse document frequency in steps."""
    return round(2 * math.log2(1 + count / frequency)) if frequency else 0


def factor(unit: Unit, frequency: int, count: int) -> int:
    """What a record's weight for the unit is multiplied by."""
    return rarity(frequency, count) * 16 // unit.share


def lessen(weight: int) -> int:
    """The weight of a plural or singular that was not itself asked for."""
    return weight * 7 // 8


def choose_lower_units(frequencies: Iterable[tuple[Unit, int]]) -> list[Unit]:
    """The units whose records make up the lower tier: the rarest that occur, at least one."""
    chosen: list[Unit] = []
    room = LOWER_TIER_POSTINGS
    occurring = [(n, u.prefix, u.terms, u) for u, n in frequencies if n and not u.bonus]
    for frequency, _, _, unit in sorted(occurring, key=lambda entry: entry[:3]):
        if chosen and frequency > room:
            break
        chosen.append(unit)
        room -= frequency
    return chosen


def choose_similar_terms(frequencies: Mapping[str, int]) -> list[str]:
    """The rarest of the terms that occur: few, and in not too many records together."""
    chosen: list[str] = []
    room = LOWER_TIER_POSTINGS
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
