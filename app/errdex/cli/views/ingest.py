"""Prints the progress and the report of an ingestion to a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.columns import Columns
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from errdex.cli.views.terminal import counted, err, on_one_line, out
from errdex.ingest import Coverage, IngestReport, RemovalReport
from errdex.ingest.report import IngestProgress, Listener

SHOWN_CAUSES = 10
SHOWN_PLACES = 5
"""Places of incomplete records that are printed; the JSON report lists more."""
LACKING = {
    "samples": "two samples",
    "references": "references",
    "reproduction": "a reproduction (verifiedWith)",
}


def print_report(outcome: IngestReport, verb: str) -> None:
    """Problems and notes to standard error, the counts to standard output."""
    for problem in outcome.problems:
        err().print(on_one_line(str(problem)), style="red")
    if outcome.problems_left_out:
        err().print(f"… and {counted(outcome.problems_left_out, 'more problem')}.", style="red")
    for note in outcome.notes:
        err().print(on_one_line(note))
    if outcome.coverage is not None:
        print_coverage(outcome.coverage)
        counts = f"{outcome.passed:,} good"
    else:
        counts = (
            f"{outcome.added:,} added, {outcome.changed:,} changed, "
            f"{outcome.unchanged:,} unchanged, {outcome.removed:,} removed"
        )
    causes = f", {counted(outcome.causes, 'cause')}" if outcome.causes else ""
    out().print(
        f"{verb}: {counts}, {outcome.refused:,} refused{causes}, {outcome.seconds:.1f} seconds"
    )


def print_removal(report: RemovalReport) -> None:
    """How many records were removed, and from which datasets."""
    names = ", ".join(report.datasets)
    out().print(
        on_one_line(
            f"removed: {counted(report.records, 'record')} of {names}, {report.seconds:.1f} seconds"
        )
    )


def print_starter_report(outcome: IngestReport) -> None:
    """One line to standard error when the starter records of a user's database changed."""
    if outcome.added or outcome.changed or outcome.removed:
        left_out = (
            f", {outcome.refused:,} left out since your datasets have their ids"
            if outcome.refused
            else ""
        )
        err().print(
            f"starter records: {outcome.added:,} added, {outcome.changed:,} changed, "
            f"{outcome.removed:,} removed{left_out}"
        )


def print_coverage(coverage: Coverage) -> None:
    """Print the number of reproduced records of each topic, and the gaps of records."""
    for name, gap in coverage.gaps.items():
        if gap.records:
            places = ", ".join(str(place) for place in gap.places[:SHOWN_PLACES])
            more = f" and {gap.records - SHOWN_PLACES:,} more" * (gap.records > SHOWN_PLACES)
            without = f"{counted(gap.records, 'record')} without {LACKING[name]}"
            err().print(on_one_line(f"{without}: {places}{more}"), style="yellow")
    if coverage.unexplained:
        named = [f"{tag} ({records:,})" for tag, records in coverage.unexplained]
        more = f" and {len(named) - SHOWN_CAUSES:,} more" * (len(named) > SHOWN_CAUSES)
        without = f"{counted(len(named), 'cause')} of two records or more without a text"
        listed = ", ".join(named[:SHOWN_CAUSES])
        err().print(on_one_line(f"{without}: {listed}{more}"), style="yellow")
    if coverage.causes and (unused := sorted(coverage.explained - coverage.causes.keys())):
        listed = ", ".join(unused)
        err().print(on_one_line(f"Causes that no record names: {listed}"), style="yellow")
    topics = [
        on_one_line(f"{name} {topic.reproduced:,}/{topic.records:,}")
        for name, topic in coverage.topics.items()
    ]
    if topics:
        reproduced = sum(topic.reproduced for topic in coverage.topics.values())
        out().print(f"{counted(len(topics), 'topic')}, {reproduced:,} of the records reproduced:")
        out().print(Columns(topics, padding=(0, 3), column_first=True))


@contextmanager
def shown_progress() -> Iterator[Listener]:
    """Show a progress bar on a terminal; elsewhere a line for each phase and each 10 %."""
    console = err()
    if not console.is_terminal:
        yield _PlainLines()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[records]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None, records="")

        def listen(step: IngestProgress) -> None:
            bar.update(
                task,
                description=on_one_line(step.message or step.phase),
                total=step.total_bytes,
                completed=step.read_bytes,
                records=counted(step.records, "record"),
            )

        yield listen


class _PlainLines:
    """Progress for logs, in few lines."""

    def __init__(self) -> None:
        self._printed = ("", 0)

    def __call__(self, step: IngestProgress) -> None:
        """Print the progress, unless it was printed."""
        tenth = step.read_bytes * 10 // step.total_bytes if step.total_bytes else 0
        if (step.phase, tenth) == self._printed:
            return
        self._printed = (step.phase, tenth)
        if step.message:
            err().print(on_one_line(step.message))
        elif tenth or step.phase not in ("reading", "committing"):
            share = f" {tenth * 10} %," if step.phase == "reading" else ""
            err().print(f"{step.phase}:{share} {counted(step.records, 'record')}")
