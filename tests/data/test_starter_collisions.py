"""No record takes another's sample for its own.

Each sample is tried against every pattern. Where a foreign pattern matches the same
part of the text, the sample's own record must be the more specific of the two: more
of the text in its own words, holes left out. Where a foreign pattern matches another
part, the sample shows two errors, and `companions.yaml` says that this is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml
from tests.data.starter_records import (
    compiled,
    literal_characters,
    load_starter_records,
    spans_overlap,
)

from errdex.matching.patterns.engine import PatternSet
from errdex.records.model import Record

COMPANIONS = Path(__file__).with_name("companions.yaml")


def _load_companions() -> set[tuple[str, str]]:
    entries = yaml.safe_load(COMPANIONS.read_text(encoding="utf-8"))
    return {(entry["sample_of"], entry["also_shows"]) for entry in entries}


def _foreign_matches() -> Iterator[tuple[Record, str, Record]]:
    records = [record for _, record in load_starter_records()]
    samples = [(own, sample) for own in records for sample in own.samples or []]
    patterns = PatternSet.compile((str(place), each.pattern) for place, each in enumerate(records))
    for match in patterns.find(sample for _, sample in samples).matches:
        own, sample = samples[match.unit]
        other = records[int(match.key)]
        if other is not own:
            yield own, sample, other


def test_no_record_takes_the_sample_of_another() -> None:
    companions, seen, problems = _load_companions(), set(), []
    for own, sample, other in _foreign_matches():
        pair = (own.error_message, other.error_message)
        mine, theirs = compiled(own.pattern), compiled(other.pattern)
        if not spans_overlap(mine, theirs, sample) or pair in companions:
            if pair in companions:
                seen.add(pair)
            else:
                problems.append(f"{sample!r} of {pair[0]!r} also shows {pair[1]!r}")
        elif literal_characters(mine, sample) <= literal_characters(theirs, sample):
            problems.append(f"{pair[1]!r} takes the sample {sample!r} of {pair[0]!r}")
    assert not problems, "\n".join(problems)
    assert companions == seen, f"no longer needed: {companions - seen}"
