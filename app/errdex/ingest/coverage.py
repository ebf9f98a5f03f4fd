"""How well the records of an input are verified, topic by topic.

A topic is an input file. Nothing here refuses a record: a record without samples
may be right, but it is not proven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from pathlib import PurePath

from errdex.records.files.paths import FORMATS, Compression
from errdex.records.files.reader import Source
from errdex.records.model import Record

ENOUGH_SAMPLES = 2
MAX_PLACES = 200
"""Listed for each gap; the rest is counted."""

_LACKS: dict[str, Callable[[Record], bool]] = {
    "samples": lambda record: len(record.samples or ()) < ENOUGH_SAMPLES,
    "references": lambda record: not record.references,
    "reproduction": lambda record: not record.verified_with,
}


@dataclass(slots=True)
class Topic:
    """The records of a file that passed, and those of them that a real tool printed."""

    records: int = 0
    reproduced: int = 0


@dataclass(slots=True)
class Gap:
    """The records that lack something, and where the first of them are."""

    records: int = 0
    places: list[Source] = field(default_factory=list)


@dataclass(slots=True)
class Coverage:
    """The count so far. `topics` are in the order of the input."""

    topics: dict[str, Topic] = field(default_factory=dict)
    gaps: dict[str, Gap] = field(default_factory=lambda: {name: Gap() for name in _LACKS})
    """By what is lacking: two samples, references, a reproduction."""
    causes: Counter[str] = field(default_factory=Counter)
    """The causes that records name, with the number of their records."""
    explained: Set[str] = frozenset()
    """The causes that have a text."""

    @property
    def unexplained(self) -> list[tuple[str, int]]:
        """The causes of at least two records that have no text, those with the most first."""
        return [
            (tag, records)
            for tag, records in self.causes.most_common()
            if records > 1 and tag not in self.explained
        ]

    def count(self, source: Source, record: Record) -> None:
        """Count a record that passed."""
        topic = self.topics.setdefault(topic_of(source.file), Topic())
        topic.records += 1
        topic.reproduced += bool(record.verified_with)
        if record.background_tag:
            self.causes[record.background_tag] += 1
        for name, lacks in _LACKS.items():
            if lacks(record):
                gap = self.gaps[name]
                gap.records += 1
                if len(gap.places) < MAX_PLACES:
                    gap.places.append(source)

    def to_dict(self) -> dict[str, object]:
        """Its part of the report's JSON form."""
        return {
            "topics": [
                {"topic": name, "records": topic.records, "reproduced": topic.reproduced}
                for name, topic in self.topics.items()
            ],
            "without": {
                name: {"records": gap.records, "places": [str(place) for place in gap.places]}
                for name, gap in self.gaps.items()
            },
            "causes": {
                "named": len(self.causes),
                "explained": len(self.explained & self.causes.keys()),
                "unexplained": [
                    {"tag": tag, "records": records} for tag, records in self.unexplained
                ],
                "unused": sorted(self.explained - self.causes.keys()),
            },
        }


def topic_of(file: str) -> str:
    """The name of a file without its endings: `data/pip.yaml.gz` is about `pip`."""
    path = PurePath(file)
    if path.suffix.lower() in set(Compression):
        path = path.with_suffix("")
    return path.stem if path.suffix.lower() in FORMATS else path.name
