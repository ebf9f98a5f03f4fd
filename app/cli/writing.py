"""The commands that write: ingest, check, reindex."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.columns import Columns
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from app import ingest as ingestion
from app.cli.terminal import FOUND, NOTHING, counted, err, fail, on_one_line, out
from app.cli.wiring import AsJson, Database, opened_store, told_plainly
from app.ingest import Coverage, Report
from app.ingest.report import Listener
from app.ingest.report import Progress as Step

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH…",
        help="Record files (.json, .jsonl, .ndjson, .yaml, .yml, each also .gz or .zst), "
        "folders of them, or - for standard input.",
        allow_dash=True,
    ),
]


SHOWN_PLACES = 5
"""Of records that lack something; the JSON form lists more."""
LACKING = {
    "samples": "two samples",
    "references": "references",
    "reproduction": "a reproduction (reproducedWith)",
}


def _in_a_folder(report: Path | None) -> Path | None:
    """Said before the run: afterwards the records would be there and the report not."""
    if report is not None and not report.parent.is_dir():
        raise typer.BadParameter(f"the folder {report.parent} does not exist.")
    return report


ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write the report there as JSON.",
        dir_okay=False,
        writable=True,
        callback=_in_a_folder,
    ),
]


def ingest(
    paths: Paths,
    dataset: Annotated[
        str, typer.Option(help="The dataset that the records belong to.")
    ] = "default",
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove what the dataset has and the input has not.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Change nothing if anything is wrong with the input.")
    ] = False,
    report: ReportFile = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Load records. All of a run becomes visible at once, or nothing does."""
    with opened_store(database) as (store, indexes), shown_progress() as listener:
        outcome = ingestion.ingest(
            paths,
            store=store,
            indexes=indexes,
            dataset=dataset,
            prune=prune,
            strict=strict,
            progress=listener,
            stdin=sys.stdin.buffer,
        )
    finish(outcome, report, as_json=as_json, verb="ingested")


def check(paths: Paths, report: ReportFile = None, as_json: AsJson = False) -> None:
    """Say what is wrong with record files, what to write instead, and how well the records
    are verified, file by file. Changes nothing."""
    with told_plainly(), shown_progress() as listener:
        outcome = ingestion.check(paths, progress=listener, stdin=sys.stdin.buffer)
    finish(outcome, report, as_json=as_json, verb="checked")


def reindex(database: Database = None) -> None:
    """Build the full-text index anew from the database."""
    with opened_store(database) as (store, indexes), shown_progress() as listener:
        version = ingestion.rebuild_index(store, indexes, progress=listener)
    if not version:
        fail("There is nothing to index yet: run `errdex ingest` first.", NOTHING)
    out().print(f"The full-text index of dataset version {version} is built.")


def finish(outcome: Report, report: Path | None, *, as_json: bool, verb: str) -> None:
    """Show the report, write it where it was asked for, and end with its exit code."""
    document = orjson.dumps(outcome.to_dict(), option=orjson.OPT_INDENT_2).decode()
    if as_json:
        typer.echo(document)
    else:
        print_report(outcome, verb)
    if report:
        with told_plainly():
            report.write_text(document + "\n", encoding="utf-8")
    raise typer.Exit(FOUND if outcome.ok else NOTHING)


def print_report(outcome: Report, verb: str) -> None:
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
    out().print(f"{verb}: {counts}, {outcome.refused:,} refused, {outcome.seconds:.1f} seconds")


def print_coverage(coverage: Coverage) -> None:
    """How many records of each topic were reproduced, and what the records lack."""
    for name, gap in coverage.gaps.items():
        if gap.records:
            places = ", ".join(str(place) for place in gap.places[:SHOWN_PLACES])
            more = f" and {gap.records - SHOWN_PLACES:,} more" * (gap.records > SHOWN_PLACES)
            without = f"{counted(gap.records, 'record')} without {LACKING[name]}"
            err().print(on_one_line(f"{without}: {places}{more}"), style="yellow")
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
    """A bar on a terminal; elsewhere a plain line for each phase and each ten per cent."""
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

        def listen(step: Step) -> None:
            bar.update(
                task,
                description=on_one_line(step.message or step.phase),
                total=step.total_bytes,
                completed=step.read_bytes,
                records=counted(step.records, "record"),
            )

        yield listen


class _PlainLines:
    """Progress for logs: few lines, each whole."""

    def __init__(self) -> None:
        self._said = ("", 0)

    def __call__(self, step: Step) -> None:
        """Say it, unless it was said."""
        tenth = step.read_bytes * 10 // step.total_bytes if step.total_bytes else 0
        if (step.phase, tenth) == self._said:
            return
        self._said = (step.phase, tenth)
        if step.message:
            err().print(on_one_line(step.message))
        elif tenth or step.phase not in ("reading", "committing"):
            share = f" {tenth * 10} %," if step.phase == "reading" else ""
            err().print(f"{step.phase}:{share} {counted(step.records, 'record')}")
