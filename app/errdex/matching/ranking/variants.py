"""Repetitions of an error whose number makes another record match: they get an answer of their own.

Events that differ in numbers alone are matched once (`repeats`). Where a record's pattern spells
a number out (`status 137`), each variant of the message is matched for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from errdex.matching.events import Found, Units
from errdex.matching.ranking.repeats import Folded, fold, spells_number
from errdex.matching.ranking.scoring import Candidates
from errdex.matching.ranking.searched_texts import PlacedText, event_texts

MatchTexts: TypeAlias = Callable[
    [Sequence[tuple[int, PlacedText]], Mapping[int, Collection[str]]],
    tuple[dict[int, Candidates], bool],
]
"""Finds the best place of each pattern in each event's texts, without the records that are
given for an event; and whether all texts were looked at."""


class Variants:
    """The different messages of the errors that a paste repeats. `matched`: what was found in the
    first of each, by the event's index, to which `unfold` adds."""

    def __init__(self, found: Found, folded: list[Folded], matched: dict[int, Candidates]) -> None:
        self._found = found
        self._folded = folded
        self._matched = matched
        self._repeated = {each.index: each for each in folded if each.members}
        self._messages = {
            first: each.variants(found.events) for first, each in self._repeated.items()
        }
        """By the first event of each error: its other messages, and the first event of each."""
        self._unsure = {
            first for first in self._messages if _spells_numbers(matched.get(first, {}))
        }
        """First events whose records hold for their own number alone."""

    def unfold(self, texts: Units, match: MatchTexts) -> list[Folded]:
        """The errors, with those of their repetitions apart for which other records match."""
        original = {
            event: first for first, each in self._messages.items() for event in each.values()
        }
        if not original:
            return self._folded
        own = self._match_each(original, texts, match)
        apart = self._with_other_records(own)
        self._matched |= {event: own[event] for event in apart if event in own}
        return fold(self._found.events, apart) if apart else self._folded

    def _match_each(
        self, original: Mapping[int, int], texts: Units, match: MatchTexts
    ) -> dict[int, Candidates]:
        """What is found in each variant. What matched the first event is looked for again only
        where something else matches too."""
        known = {
            event: () if first in self._unsure else self._matched.get(first, {}).keys()
            for event, first in original.items()
        }
        lot = [each for each in event_texts(self._found, texts) if each[0] in original]
        own, _ = match(lot, known)
        others = {event for event in own if own[event] and original[event] not in self._unsure}
        again, _ = match([each for each in lot if each[0] in others], {})
        return own | again

    def _with_other_records(self, own: Mapping[int, Candidates]) -> dict[int, frozenset[str]]:
        """The repetitions that other records match than the first event, and those records."""
        apart: dict[int, frozenset[str]] = {}
        for first, messages in self._messages.items():
            same = frozenset(self._matched.get(first, ()))
            missing = frozenset[str]() if first in self._unsure else same
            keys = {
                message: frozenset(own.get(event, missing)) for message, event in messages.items()
            }
            for event in self._repeated[first].members:
                here = keys.get(self._found.events[event].message, same)
                if here != same:
                    apart[event] = here
        return apart


def _spells_numbers(candidates: Candidates) -> bool:
    return any(spells_number(each.text.text, each.place) for each in candidates.values())
