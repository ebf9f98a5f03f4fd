"""Matches pastes against the patterns of one dataset version, and finds near misses.

The patterns of a version are a pack, which all processes that match share. A paste is in memory
only while it is matched; it is neither stored nor logged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Protocol

from errdex.knowledge.class_causes import ClassCauses
from errdex.knowledge.packs import PackFolder
from errdex.knowledge.raise_sites import Difference, differences
from errdex.matching.garbage_collection import collect_rarely
from errdex.matching.model import Event
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pack.build import build_pack
from errdex.matching.patterns.pack.sections import PackDamaged, PackError, PackMissing
from errdex.matching.ranking import (
    Answer,
    EventAnswer,
    Match,
    Matcher,
    MatchLimits,
    RecordFacts,
)
from errdex.matching.ranking.near_misses import near_miss
from errdex.matching.ranking.similar import LOOKED_UP, is_looked_up
from errdex.matching.timings import stage
from errdex.search.protocol import Hit, IndexDamaged, IndexDocument, IndexMissing
from errdex.store import Snapshot, StoredRecord

log = logging.getLogger(__name__)

_NEAR_MISSES = 3
_BEST = 5
"""Records that a line in the search field is answered with at most."""
SIMILAR_HITS = 8
"""Similar records that are looked at for an event."""
_QUERY = 400
"""Characters of a message that are used for the look-up."""


@dataclass(frozen=True, slots=True)
class MatchAnswer:
    """The answer to a paste with the records that it names, read in one dataset version."""

    answer: Answer
    records: Mapping[str, StoredRecord]
    version: str
    paste_versions: Mapping[str, str] = field(default_factory=dict)
    """The version of a record's package that the paste names, by the record's id."""
    causes: ClassCauses = field(default_factory=ClassCauses)
    """The causes of the classes of errors that no record matches."""

    def differences(self, event: Event, match: Match) -> list[Difference]:
        """Differences between the paste's stack and the record."""
        stored = self.records.get(match.record.id)
        version = self.paste_versions.get(match.record.id)
        return differences(match, event, stored, version) if stored is not None else []


@dataclass(frozen=True, slots=True)
class PatternCounts:
    """The compiled patterns of a version: `unfiltered` have no literal and are tried
    on every event, `refused` could not be compiled."""

    patterns: int
    unfiltered: int
    refused: int


class Matchers:
    """The matcher of the latest version, whose patterns are opened from its pack. Safe to share
    between threads: one opens it, the others wait."""

    def __init__(self, packs: PackFolder, *, immutable: bool = False) -> None:
        """`immutable`: nothing is written beside the database."""
        self._packs = packs
        self._immutable = immutable
        self._latest: tuple[str, Matcher] | None = None
        self._opening = Lock()

    def of(self, snapshot: Snapshot) -> Matcher:
        """The matcher of the snapshot's version."""
        latest = self._latest
        if latest and latest[0] == snapshot.version:
            return latest[1]
        with self._opening:
            latest = self._latest
            if latest and latest[0] == snapshot.version:
                return latest[1]
            matcher = Matcher(self._patterns(snapshot))
            collect_rarely()
            if latest is None or latest[0] < snapshot.version:
                self._latest = snapshot.version, matcher
            return matcher

    def match(
        self,
        snapshot: Snapshot,
        records: RecordCache,
        data: bytes | str,
        limits: MatchLimits,
        similar: SimilarRecords | None = None,
    ) -> Answer:
        """As `match_paste`. A pack that was damaged since it was opened is built again."""
        try:
            return match_paste(self.of(snapshot), records, data, limits, similar)
        except PackDamaged:
            self._latest = None
            return match_paste(self.of(snapshot), records, data, limits, similar)

    def counts(self, snapshot: Snapshot) -> PatternCounts:
        """The numbers of patterns of the snapshot's version."""
        patterns = self.of(snapshot).patterns
        return PatternCounts(len(patterns), patterns.unfiltered, len(patterns.refused))

    def _patterns(self, snapshot: Snapshot) -> PatternSet:
        """Those of the pack; without one that is whole they are read, and it is written."""
        version = snapshot.version
        try:
            return self._packs.open(version, snapshot.count_records())
        except PackMissing:
            pass
        except (PackDamaged, OSError) as error:
            log.warning("The compiled patterns of %s are built again: %s", version, error)
        pack = build_pack(snapshot.patterns())
        if version and not self._immutable:
            with suppress(OSError, PackError):  # a reader may lack the right to write there
                self._packs.write(version, pack)
                return self._packs.open(version, snapshot.count_records())
        return PatternSet(memoryview(pack))


class FindsRecords(Protocol):
    """A snapshot, or the records of a pack."""

    def find_many(self, record_ids: Iterable[str]) -> dict[str, StoredRecord]:
        """The records that exist of these, by id."""


class RecordCache:
    """The records of a snapshot that were read so far, each of them once."""

    def __init__(self, snapshot: FindsRecords) -> None:
        self._snapshot = snapshot
        self._read: dict[str, StoredRecord] = {}

    def find(self, record_ids: Collection[str]) -> dict[str, StoredRecord]:
        """The records that exist of these, by id, in the order of the ids."""
        if missing := [each for each in record_ids if each not in self._read]:
            self._read |= self._snapshot.find_many(missing)
        return {each: self._read[each] for each in record_ids if each in self._read}


class SimilarRecords:
    """The records whose words are most like an event's; none without a full-text index, which
    `missing` then says."""

    def __init__(
        self, records: RecordCache, find: Callable[[IndexDocument], Sequence[Hit]]
    ) -> None:
        self._records = records
        self._find = find
        self._known: dict[tuple[str | None, str], dict[str, RecordFacts]] = {}
        self.missing = False

    def of(self, event: Event) -> Mapping[str, RecordFacts]:
        """The most similar first, by id."""
        key = event.error_class, event.message[:_QUERY]
        if key not in self._known:
            with stage("similar"):
                self._known[key] = self._look_up(event)
        return self._known[key]

    def _look_up(self, event: Event) -> dict[str, RecordFacts]:
        words = f"{event.error_class or ''} {event.message[:_QUERY]}".strip()
        if not words or self.missing:
            return {}
        document = IndexDocument("", words, "", error_class=event.error_class or "")
        try:
            hits = [hit.record_id for hit in self._find(document)]
        except (IndexMissing, IndexDamaged):
            self.missing = True
            return {}
        return {key: RecordFacts.of(found) for key, found in self._records.find(hits).items()}


def match_paste(
    matcher: Matcher,
    records: RecordCache,
    data: bytes | str,
    limits: MatchLimits,
    similar: SimilarRecords | None = None,
) -> Answer:
    """The answer; with similar records also near misses, and matches of messages that were typed
    again."""

    def lookup(ids: Collection[str]) -> dict[str, RecordFacts]:
        return {key: RecordFacts.of(found) for key, found in records.find(ids).items()}

    if similar is None:
        return matcher.match(data, lookup, limits)
    answer = matcher.match(data, lookup, limits, similar=similar.of)
    events = list(answer.events)
    unknown = [number for number in answer.reading_order if is_looked_up(events[number])]
    for number in unknown[:LOOKED_UP]:
        events[number] = _with_near(events[number], similar.of(events[number].event))
    return replace(answer, events=events)


def list_best(answer: Answer) -> list[str]:
    """The ids of the best match of each event, with those that are as good, in reading order."""
    matches = [
        each
        for number in answer.reading_order
        for each in answer.events[number].matches
        if each.group == answer.events[number].matches[0].group
    ]
    return list(dict.fromkeys(each.record.id for each in matches))[:_BEST]


def named_records(answer: Answer, records: RecordCache) -> dict[str, StoredRecord]:
    """The complete records that an answer names."""
    named = {match.record.id for each in answer.events for match in each.matches}
    named |= {near.record.id for each in answer.events for near in each.near_misses}
    return records.find(named)


def _with_near(each: EventAnswer, similar: Mapping[str, RecordFacts]) -> EventAnswer:
    known = {near.record.id for near in each.near_misses}
    new = [near_miss(each.event, facts) for key, facts in similar.items() if key not in known]
    found_near = sorted((miss for miss in new if miss), key=lambda miss: -miss.likeness)
    near = [*each.near_misses, *found_near]
    return replace(each, near_misses=tuple(near[:_NEAR_MISSES]))
