"""Records and a matcher of them in memory, without a database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from errdex.ingest.pattern_checks import find_problems
from errdex.matching.patterns.engine import PatternSet
from errdex.matching.patterns.pack.build import update_pack
from errdex.matching.ranking import Answer, Matcher, MatchLimits, RecordFacts
from errdex.records.model import Record
from errdex.records.problems import RecordRefused
from errdex.records.validation import parse_record

DATA = Path(__file__).parents[2] / "data"


class KnowledgeBase:
    """Records that pastes are matched against. `patterns`: those of other records, compiled,
    which these come on top of."""

    def __init__(self, records: Sequence[Record], below: KnowledgeBase | None = None) -> None:
        self.facts: dict[str, RecordFacts] = dict(below.facts) if below else {}
        self.facts.update((each.id, RecordFacts.of(each)) for each in records)
        if below is None:
            patterns = PatternSet.compile(sorted((each.id, each.pattern) for each in records))
        else:
            changed = {each.id: each.pattern for each in records}
            patterns = PatternSet(memoryview(update_pack(below.patterns.facts, changed)))
        self.patterns = patterns
        self._matcher = Matcher(patterns)

    def match(self, paste: str, limits: MatchLimits | None = None) -> Answer:
        """The answer to a paste."""
        return self._matcher.match(paste, self._look_up, limits)

    def _look_up(self, ids: Collection[str]) -> Mapping[str, RecordFacts]:
        return {key: self.facts[key] for key in ids}


def accepted(bodies: Iterable[object]) -> list[Record]:
    """The records that an ingestion would accept, the last one of each id."""
    records = {}
    for body in bodies:
        try:
            record = parse_record(body)
        except RecordRefused:
            continue
        if not find_problems(record):
            records[record.id] = record
    return list(records.values())


@cache
def starter_records() -> tuple[Record, ...]:
    """The records under `data/`."""
    return tuple(
        parse_record(entry)
        for file in sorted(DATA.glob("*.yaml"))
        for entry in yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    )


@cache
def starter() -> KnowledgeBase:
    """The knowledge base of the records under `data/`."""
    return KnowledgeBase(starter_records())


@cache
def empty() -> KnowledgeBase:
    """A knowledge base without records."""
    return KnowledgeBase([])
