"""From candidates to matches: points added up, best first, what is equal in one group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from errdex.matching.model import Event
from errdex.matching.patterns.pattern import PatternMatch, Traits
from errdex.matching.patterns.weight import count_characters, weigh
from errdex.matching.ranking.answer import Capture, Evidence, Match, NearMiss, RecordFacts
from errdex.matching.ranking.evidence import Fit, Said, counts_as_match, weigh_evidence
from errdex.matching.ranking.near_misses import contradicted
from errdex.matching.ranking.searched_texts import PlacedText, fit_in, place_in
from errdex.matching.reading import Paste
from errdex.records.derived_pattern import group_names

_SHOWN = 10
"""Matches of one event that are given."""
_FAR_BEHIND = 30.0
"""Points behind the best from which a match is not worth showing."""
_CONTRADICTED = 3
_WEIGHED = 2_000
_MORE, _MORE_LENGTH, _MORE_WEIGHT = 2, 8, 4.0
_CAPTURE = 2_000
"""Characters of a capture that are given."""


class Candidate(NamedTuple):
    """A pattern's best place in an event."""

    text: PlacedText
    place: PatternMatch
    said: Said
    fit: Fit


def candidate(text: PlacedText, place: PatternMatch, traits: Traits) -> Candidate:
    """What a pattern's place in a text says."""
    said = _said(text.text, place, traits)
    return Candidate(text, place, said, fit_in(text.text, text.start, place.span, said.length))


def _said(text: str, place: PatternMatch, traits: Traits) -> Said:
    """A pattern's traits tell of the least that it says, of several alternatives the shortest.
    This match may have more, between its groups; how much more of that is fixed text is not
    known, so that it counts within bounds."""
    fixed, at = "", place.span[0]
    for group in sorted(span for span in place.groups if span is not None):
        if group[0] >= at:
            fixed += text[at : group[0]] + "\n"
            at = group[1]
    fixed += text[at : place.span[1]]
    fixed = fixed[:_WEIGHED]
    weight, length = traits.literal_weight, traits.literal_length
    return Said(
        max(length, min(count_characters(fixed), _MORE * length + _MORE_LENGTH)),
        max(weight, min(weigh(fixed), _MORE * weight + _MORE_WEIGHT)),
    )


class MatchBuilder:
    """Makes matches of candidates, for one paste and the records found in it."""

    def __init__(self, paste: Paste, records: Mapping[str, RecordFacts]) -> None:
        self._paste = paste
        self.records = records

    def build(
        self,
        record: RecordFacts,
        candidate: Candidate,
        evidence: tuple[Evidence, ...],
        score: float,
        group: int,
    ) -> Match:
        """The match with its place and captures in the paste."""
        text = candidate.text
        names = _names(record.pattern, record.error_message)
        captures = tuple(
            Capture(
                name,
                text.text[span[0] : min(span[1], span[0] + _CAPTURE)],
                span[1] - span[0],
                place_in(self._paste, text.pieces, span),
            )
            for name, span in zip(names, candidate.place.groups, strict=False)
            if span is not None
        )
        place = place_in(self._paste, text.pieces, candidate.place.span)
        return Match(record, score, group, evidence, captures, place)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The matches of an event, best first, how many more there are, and what was contradicted."""

    matches: tuple[Match, ...]
    left_out: int
    contradicted: tuple[NearMiss, ...]


def ranked(builder: MatchBuilder, event: Event, candidates: Mapping[str, Candidate]) -> Ranked:
    """Weigh the candidates of an event, and put those that count in order."""
    weighed: list[tuple[float, str, tuple[Evidence, ...]]] = []
    refused: list[NearMiss] = []
    for key, candidate in candidates.items():
        record = builder.records.get(key)
        if record is None:
            continue
        evidence = weigh_evidence(event, record, candidate.said, candidate.fit)
        if counts_as_match(evidence, candidate.said, candidate.fit):
            score = round(sum(each.points for each in evidence), 1)
            weighed.append((-score, key, evidence))
        elif not candidate.said.weak:
            against = next((each.words for each in evidence if each.points < 0), None)
            if against:
                refused.append(contradicted(record, against))
    weighed.sort(key=lambda item: item[:2])
    matches: list[Match] = []
    group, last = 0, 0.0
    for negative, key, evidence in weighed[:_SHOWN]:
        if -negative < -weighed[0][0] - _FAR_BEHIND:
            break
        if negative != last or not group:
            group, last = group + 1, negative
        matches.append(
            builder.build(builder.records[key], candidates[key], evidence, -negative, group)
        )
    return Ranked(tuple(matches), len(weighed) - len(matches), tuple(refused[:_CONTRADICTED]))


@lru_cache(maxsize=4096)
def _names(pattern: str, message: str) -> tuple[str, ...]:
    return tuple(group_names(pattern, message))
