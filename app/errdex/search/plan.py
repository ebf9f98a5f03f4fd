"""What a query looks for, and how much each part of it counts: the same for every engine.

The plan of a query lists its units with two numbers each. The *factor* is what a record's
weight for the unit is multiplied by in its score. The *cover* is the unit's share of the query:
a record must have units for `LEAST_COVER` percent of the query's cover. It is *complete* when it
has every unit that is not a bonus.

- Stop words do not count beside other words.
- Names that mean the same (`errdex.search.synonyms`) are one unit.
- Neighbouring words are also looked for run together, as `TS 2345` for `TS2345`.
- A word of another script that no record has, as in a question that is not asked in English,
  does not count.
- A word that is in no record is looked for by its nearest spelling, unless it was quoted or has
  a digit. No record is then complete.
- A class or code counts more than the same word elsewhere, and most as the whole query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Protocol

from errdex.search.analysis import fold, run_together, sign, variants
from errdex.search.query import ParsedQuery, Phrase, Word, WordPrefix
from errdex.search.ranking import Unit, factor
from errdex.search.spelling import can_be_misspelled, put_into
from errdex.search.synonyms import find_names, load_groups

LEAST_COVER = 60
"""Percent of the query's cover that a hit has at least."""
_UNKNOWN = 6 * 16
"""The most cover of a word that no record has, which is likely a value: that of one that one
record in 8 has. At most half of the heaviest word's."""
_MOST_COVER = 13 * 16
"""The cover of rare words: that of one in 100 records. The rarest are often values."""
_STOP_WORDS = frozenset(
    [
        "a",
        "after",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "do",
        "does",
        "during",
        "fix",
        "for",
        "from",
        "get",
        "getting",
        "got",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "my",
        "of",
        "on",
        "or",
        "our",
        "please",
        "so",
        "solve",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "trying",
        "using",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
"""Words that a question has beside what it asks for."""
_VALUE_SHARE = 3
"""A quoted word of a line that a program printed counts one in so many: it is likely a value."""
_EXACT_FIELDS = ("class", "code")
_NAMED = 60
"""What a class or code counts, in weights of text."""
_ALONE = 2000
"""The same when it is the whole query: more than all other units together."""
_MOST_JOINED = 8
"""Words of a query that are also looked for run together."""
_LONGEST_JOIN = 4
_LONGEST_PHRASE = 16
"""Words of a query that rank higher in their order."""


class Lookup(Protocol):
    """What a plan asks of an engine."""

    def count_unit(self, unit: Unit) -> int:
        """How many records have the unit; for a phrase, at most."""

    def count(self) -> int:
        """How many records there are."""

    def correct(self, word: str) -> str | None:
        """The nearest spelling that occurs."""


class Planned(NamedTuple):
    """A unit and its numbers."""

    unit: Unit
    frequency: int
    factor: int
    cover: int
    """0 for a bonus."""


@dataclass(frozen=True)
class Plan:
    """The units of a query in its own order."""

    units: tuple[Planned, ...]
    as_asked: bool
    """Whether a record that has all units has every word, none in another spelling."""
    suggestion: str | None
    """The query's text with the near spellings in it."""

    @cached_property
    def cover(self) -> int:
        """That of the whole query."""
        return sum(each.cover for each in self.units)

    def reaches(self, cover: int) -> bool:
        """Whether a record with units of this cover is a hit."""
        return cover * 100 >= self.cover * LEAST_COVER

    @cached_property
    def essential(self) -> tuple[Unit, ...]:
        """The rarest units, of which every hit has at least one: the others together do not
        reach the least cover."""
        known = [each for each in self.units if each.frequency and each.cover]
        left = sum(each.cover for each in known)
        chosen = []
        for each in sorted(known, key=lambda each: each.frequency):
            if not self.reaches(left):
                break
            chosen.append(each.unit)
            left -= each.cover
        return tuple(chosen)

    def list_terms(self) -> tuple[str, ...]:
        """The terms to highlight; one that ends with `*` stands for all that begin so."""
        terms: dict[str, None] = {}
        for unit in (each.unit for each in self.units if not each.unit.field):
            if unit.prefix:
                terms[unit.prefix + "*"] = None
            elif unit.phrase is None:
                terms.update(dict.fromkeys(chain.from_iterable(unit.ways)))
            elif not unit.bonus:
                terms.update(dict.fromkeys(unit.phrase.spoken_terms + unit.phrase.squashed_terms))
        return tuple(terms)


def make_plan(text: str, query: ParsedQuery, lookup: Lookup) -> Plan:
    """The plan of a query and its text."""
    return _Planner(text, query, lookup).make()


@dataclass(slots=True)
class _Part:
    """One part of a word of the query."""

    word: int
    unit: Unit
    own: str


class _Planner:
    def __init__(self, text: str, query: ParsedQuery, lookup: Lookup) -> None:
        self._query = query
        self._lookup = lookup
        self._suggestion = text
        self._parts: list[_Part] = []
        self._bonuses: list[Unit] = []

    def make(self) -> Plan:
        words = [each for each in self._query.wanted if isinstance(each, Word)]
        alone = len(self._query.wanted) == 1
        for number, word in enumerate(words):
            self._add_word(number, word, alone)
        self._join(words)
        units = [*self._unite_synonyms(), *self._list_others(words), *self._bonuses]
        units += self._list_ordered(words)
        planned = _cover_unknown([self._plan(unit) for unit in _drop_stop_words(units)])
        wanted = [each for each in planned if not each.unit.bonus]
        as_asked = not any(each.unit.near for each in wanted)
        return Plan(tuple(planned), as_asked, None if as_asked else self._suggestion)

    def _plan(self, unit: Unit) -> Planned:
        count = self._lookup.count_unit(unit)
        by = factor(unit, count, self._lookup.count())
        cover = min(by // unit.times, _MOST_COVER // unit.share)
        return Planned(unit, count, by, 0 if unit.bonus else cover)

    def _add_word(self, number: int, word: Word, alone: bool) -> None:
        whole = word.wholes[:1]
        known = bool(whole) and self._occurs(whole[0])
        spelled = word.text
        for part in word.parts:
            ways = (*((term,) for term in part), *((term,) for term in whole))
            unit = Unit(ways, share=len(word.parts) * (_VALUE_SHARE if word.quoted else 1))
            near = None
            if not known and can_be_misspelled(part[0]) and not self._lookup.count_unit(unit):
                near = self._lookup.correct(part[0])
            if near is not None:
                spelled = put_into(spelled, part[0], near)
                unit = replace(unit, ways=tuple((term,) for term in variants(near)), near=True)
            self._parts.append(_Part(number, unit, part[0]))
        self._bonuses += [
            Unit(((term,),), times=4 if alone else 2, bonus=True) for term in word.wholes
        ]
        names = dict.fromkeys((fold(word.text), fold(spelled)))
        names = names if alone or _is_identifier(word) else {}
        self._bonuses += [
            Unit(((name,),), field=field, times=_ALONE if alone else _NAMED, bonus=True)
            for field in _EXACT_FIELDS
            for name in names
        ]
        if spelled != word.text:
            self._suggestion = self._suggestion.replace(word.text, spelled, 1)

    def _occurs(self, term: str) -> bool:
        return self._lookup.count_unit(Unit(((term,),))) > 0

    def _join(self, words: Sequence[Word]) -> None:
        """Let neighbouring words of one part also be found run together."""
        if len(words) > _MOST_JOINED:
            return
        single = [len(word.parts) == 1 and not word.wholes for word in words]
        own = {part.word: part for part in self._parts}
        for start in range(len(words)):
            for end in range(start + 2, min(len(words), start + _LONGEST_JOIN) + 1):
                if not all(single[start:end]):
                    break
                joined = "".join(own[number].own for number in range(start, end))
                if not self._occurs(joined):
                    continue
                for number in range(start, end):
                    unit = own[number].unit
                    own[number].unit = replace(unit, ways=(*unit.ways, (joined,)), near=False)
                whole = end - start == len(self._query.wanted)
                # Words of a longer query may be run together by chance: `out-of-bounds`.
                name = Unit(((joined,),), times=2 if whole else 1, bonus=True)
                self._bonuses += [name]
                if whole:
                    self._bonuses += [
                        replace(name, field=field, times=_ALONE) for field in _EXACT_FIELDS
                    ]

    def _unite_synonyms(self) -> Iterator[Unit]:
        """The units of all parts, those of each name that has others made one."""
        place = 0
        for found in find_names([part.own for part in self._parts], load_groups()):
            yield from (part.unit for part in self._parts[place : found.start])
            parts = self._parts[found.start : found.end]
            own = tuple(part.own for part in parts)
            whole = (run_together(list(own)),)
            ways = dict.fromkeys((*_forms(parts), own, whole, *found.others))
            yield Unit(tuple(ways))
            place = found.end
        yield from (part.unit for part in self._parts[place:])

    def _list_others(self, words: Sequence[Word]) -> Iterator[Unit]:
        """The units of prefixes and phrases, and those of the words of a phrase."""
        asked = {part[0] for word in words for part in word.parts}
        for each in self._query.wanted:
            if isinstance(each, WordPrefix):
                yield Unit(prefix=each.start)
            elif isinstance(each, Phrase):
                yield Unit(phrase=each, times=4, share=2)
                rest = [term for term in each.spoken_terms if term not in asked]
                yield from (Unit(((term,), *_joined(each))) for term in rest)
                asked.update(rest)

    def _list_ordered(self, words: Sequence[Word]) -> Iterator[Unit]:
        """The bonus of records that have all words in their order."""
        parts = [part.unit.ways[0][0] for part in self._parts]
        if len(words) == len(self._query.wanted) and 2 <= len(parts) <= _LONGEST_PHRASE:
            spoken = sign(parts)
            squashed = [(word.wholes or word.parts[0])[0] for word in words]
            phrase = Phrase(
                "",
                spoken,
                sign(squashed),
                tuple(dict.fromkeys(parts)),
                tuple(dict.fromkeys(squashed)),
            )
            yield Unit(phrase=phrase, bonus=True)


def _drop_stop_words(units: list[Unit]) -> list[Unit]:
    """Without the stop words, whose lists are long, unless there is nothing else."""
    kept = [each for each in units if not _is_stop_word(each)]
    return kept if any(not each.bonus for each in kept) else units


def _cover_unknown(planned: list[Planned]) -> list[Planned]:
    """The units, those that no record has with a cover."""
    cover = min(_UNKNOWN, max((each.cover for each in planned), default=0) // 2)
    return [
        each
        if each.frequency or each.unit.bonus
        else each._replace(cover=1 if _is_foreign(each.unit) else max(cover // each.unit.share, 1))
        for each in planned
    ]


def _is_foreign(unit: Unit) -> bool:
    """Whether it is a word of a script in which no tool writes its errors."""
    return bool(unit.ways) and not any(letter.isascii() for letter in unit.ways[0][0])


def _forms(parts: Sequence[_Part]) -> tuple[tuple[str, ...], ...]:
    """All that a name of one part is found by already."""
    return parts[0].unit.ways if len(parts) == 1 else ()


def _joined(phrase: Phrase) -> tuple[tuple[str, ...], ...]:
    """The words of a phrase run together, where it is one name."""
    return ((phrase.squashed_terms[0],),) if len(phrase.squashed_terms) == 1 else ()


def _is_identifier(word: Word) -> bool:
    """Whether the word looks like the name of a class or a code."""
    return bool(word.wholes) or word.text.isupper() or any(map(str.isdigit, word.text))


def _is_stop_word(unit: Unit) -> bool:
    if unit.share > 1 or not unit.ways:
        return False
    first = unit.ways[0]
    return len(first) == 1 and first[0] in _STOP_WORDS
