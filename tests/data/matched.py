"""The matcher over the records under `data/`, without a database."""

from __future__ import annotations

import functools
from collections.abc import Collection
from pathlib import Path

import yaml
from tests.data.starter_records import load_starter_records

from errdex.matching.patterns.engine import PatternSet
from errdex.matching.ranking.answer import Answer, RecordFacts
from errdex.matching.ranking.matcher import Matcher, MatchLimits

KNOWN_WRONG = Path(__file__).with_name("known_wrong_matches.yaml")


def load_known_wrong(*, samples: bool) -> set[tuple[str, str | None]]:
    """The records that are to be found, each with the one that is found instead; `samples`:
    only where a sample shows it."""
    entries = yaml.safe_load(KNOWN_WRONG.read_text(encoding="utf-8")) or ()
    return {
        (entry["wanted"], entry["found"])
        for entry in entries
        if not (samples and entry.get("whole_output"))
    }


@functools.cache
def _matcher() -> Matcher:
    return Matcher(
        PatternSet.compile((each.id, each.pattern) for _, each in load_starter_records())
    )


@functools.cache
def _facts() -> dict[str, RecordFacts]:
    return {each.id: RecordFacts.of(each) for _, each in load_starter_records()}


def match(paste: str, limits: MatchLimits | None = None) -> Answer:
    """The answer to a paste."""

    def lookup(ids: Collection[str]) -> dict[str, RecordFacts]:
        return {record_id: _facts()[record_id] for record_id in ids}

    return _matcher().match(paste, lookup, limits)


def best_of(answer: Answer) -> str | None:
    """The message of the record that a reader of the answer meets first."""
    for index in answer.reading_order[:1]:
        for found in answer.events[index].matches[:1]:
            return found.record.error_message
    return None


def told(answer: Answer) -> str:
    """The answer in a few lines, in the order of reading."""
    lines = []
    for index in answer.reading_order[:5]:
        each = answer.events[index]
        lines.append(f"{each.event.role}: {each.event.error_class}: {each.event.message[:100]!r}")
        lines += [f"  {m.score:.0f} {m.record.error_message[:100]!r}" for m in each.matches[:3]]
    return "\n".join(lines)
