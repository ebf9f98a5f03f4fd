"""From candidates to matches: points added up, best first, what is equal in one group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from app.matching.model import Event
from app.matching.pattern import PatternMatch, Traits
from app.matching.ranking.answer import Capture, Evidence, Match, RecordFacts
from app.matching.ranking.evidence import Fit, counts_as_match, weigh_evidence
from app.matching.ranking.texts import EventText, place_in
from app.matching.reading import Paste
from app.records.derived_pattern import group_names

_SHOWN = 10
"""Matches of one event that are given."""
_FAR_BEHIND = 30.0
"""Points behind the best from which a match is not worth showing."""
_CAPTURE = 2_000
"""Characters of a capture that are given."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern's best place in an event."""

    text: EventText
    place: PatternMatch
    traits: Traits
    fit: Fit


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


def ranked(
    builder: MatchBuilder, event: Event, candidates: Mapping[str, Candidate]
) -> tuple[tuple[Match, ...], int]:
    """The matches of an event, best first, and how many more there are."""
    weighed: list[tuple[float, str, tuple[Evidence, ...]]] = []
    for key, candidate in candidates.items():
        record = builder.records.get(key)
        if record is None:
            continue
        evidence = weigh_evidence(event, record, candidate.traits, candidate.fit)
        if counts_as_match(evidence, candidate.traits, candidate.fit):
            score = round(sum(each.points for each in evidence), 1)
            weighed.append((-score, key, evidence))
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
    return tuple(matches), len(weighed) - len(matches)


@lru_cache(maxsize=4096)
def _names(pattern: str, message: str) -> tuple[str, ...]:
    return tuple(group_names(pattern, message))
