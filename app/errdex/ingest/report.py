"""What an ingestion or a check did, while it runs and when it has ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from errdex.ingest.coverage import Coverage
from errdex.records.files.reader import Source
from errdex.records.problems import Problem

MAX_PROBLEMS = 200
"""Listed in a report; the rest is counted."""


@dataclass(frozen=True, slots=True)
class FoundProblem:
    """One thing that is wrong with the input, and where."""

    source: Source
    problem: Problem
    record_id: str | None = None
    """None when it is unknown which record was meant."""
    earlier_kept: bool = False
    """The record as it was before this run goes on being served."""

    def __str__(self) -> str:
        kept = " (the earlier record is kept)" if self.earlier_kept else ""
        return f"{self.source}: {self.problem}{kept}"

    def to_dict(self) -> dict[str, object]:
        """Its part of the report's JSON form."""
        return {
            "source": str(self.source),
            "id": self.record_id,
            "field": self.problem.field,
            "reason": self.problem.reason,
            "remedy": self.problem.remedy,
            "earlierKept": self.earlier_kept,
        }


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The outcome. Counts are records, whatever was wrong with them and however often."""

    dataset: str
    """"" for a check."""
    applied: bool
    """Whether `version` holds what the input says: False for a check and a refused strict run."""
    version: str
    """What is served now."""
    previous_version: str
    """What was served before; equal to `version` when nothing changed."""
    added: int
    changed: int
    unchanged: int
    removed: int
    refused: int
    """Records with a problem, and parts of the input that could not be read at all."""
    duplicates: int
    """Records that came a second time with the same content."""
    causes: int
    """Texts of causes that passed."""
    seconds: float
    problems: Sequence[FoundProblem]
    problems_left_out: int
    notes: Sequence[str] = ()
    """What else a person should know, in sentences."""
    coverage: Coverage | None = None
    """How well the records are verified; None for an ingestion."""

    @property
    def ok(self) -> bool:
        """Nothing was wrong with the input."""
        return not self.refused

    @property
    def passed(self) -> int:
        """Records that nothing is wrong with."""
        return self.added + self.changed + self.unchanged

    def to_dict(self) -> dict[str, object]:
        """The report's JSON form."""
        document: dict[str, object] = {
            "dataset": self.dataset,
            "applied": self.applied,
            "version": self.version,
            "previousVersion": self.previous_version,
            "added": self.added,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "refused": self.refused,
            "duplicates": self.duplicates,
            "causes": self.causes,
            "passed": self.passed,
            "seconds": round(self.seconds, 3),
            "problems": [problem.to_dict() for problem in self.problems],
            "problemsLeftOut": self.problems_left_out,
            "notes": list(self.notes),
        }
        if self.coverage is not None:
            document["coverage"] = self.coverage.to_dict()
        return document


@dataclass(slots=True)
class IngestTally:
    """The counts of a run so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    refused: int = 0
    duplicates: int = 0
    causes: int = 0
    unidentified: int = 0
    """Problems for which it is unknown which record was meant."""
    problems: list[FoundProblem] = field(default_factory=list)
    problems_left_out: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def looked_at(self) -> int:
        """Records so far, refused ones included."""
        return self.added + self.changed + self.unchanged + self.refused + self.duplicates

    def refuse(
        self,
        source: Source,
        problems: Sequence[Problem],
        record_id: str | None = None,
        *,
        earlier_kept: bool = False,
    ) -> None:
        """Count one refused record (or unreadable part) and list what is wrong with it."""
        self.refused += 1
        if record_id is None:
            self.unidentified += 1
        self.problems += [
            FoundProblem(source, problem, record_id, earlier_kept) for problem in problems
        ]

    def arrange(self, first: int, sources: Sequence[Source]) -> None:
        """Put the problems from the place `first` on in the order of these sources, and keep
        MAX_PROBLEMS in all; the others are counted."""
        places = {source: place for place, source in enumerate(sources)}
        self.problems[first:] = sorted(
            self.problems[first:], key=lambda each: places.get(each.source, len(places))
        )
        self.problems_left_out += max(0, len(self.problems) - MAX_PROBLEMS)
        del self.problems[MAX_PROBLEMS:]

    def report(
        self, *, dataset: str, applied: bool, version: str, previous: str, seconds: float
    ) -> IngestReport:
        """The report of a run that ends with these counts."""
        return IngestReport(
            dataset=dataset,
            applied=applied,
            version=version,
            previous_version=previous,
            added=self.added,
            changed=self.changed,
            unchanged=self.unchanged,
            removed=self.removed,
            refused=self.refused,
            duplicates=self.duplicates,
            causes=self.causes,
            seconds=seconds,
            problems=tuple(self.problems),
            problems_left_out=self.problems_left_out,
            notes=tuple(self.notes),
        )


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """How far a run has come."""

    phase: str
    """"waiting", "reading", "copying", "removing", "indexing" or "committing"."""
    message: str = ""
    """For a person; only while waiting."""
    file: str = ""
    read_bytes: int = 0
    total_bytes: int | None = None
    """None when the input's size is not known."""
    records: int = 0
    """Looked at so far, refused ones included."""
    refused: int = 0


Listener = Callable[[IngestProgress], None]


def ignore_progress(progress: IngestProgress) -> None:
    """A listener that ignores everything."""
