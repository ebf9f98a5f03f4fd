"""The commands that write: ingest, check, remove, reindex."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from errdex.cli.views.terminal import FOUND, NOTHING, fail, out
from errdex.cli.wiring import (
    AsJson,
    Database,
    names_no_database,
    opened_store,
    plain_errors,
    say_starter_is_built,
)

if TYPE_CHECKING:
    from errdex.ingest import IngestReport
    from errdex.records.filters import Filters

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH",
        help="Record files (.json, .jsonl, .ndjson, .yaml, .yml, each also .gz or .zst), "
        "folders of them, or - for standard input.",
        allow_dash=True,
        readable=False,  # said of each as of any file that cannot be read
    ),
]


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
        help="Also write the report as JSON to this file.",
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
        bool, typer.Option("--prune", help="Remove records that the input no longer has.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Change nothing if anything is wrong with the input.")
    ] = False,
    report: ReportFile = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Load records and causes into a dataset, all at once or not at all.

    Without --database and ERRDEX_DATABASE_URL, they go into your own database. Its dataset
    “starter” is updated to the starter records of this version of Errdex.
    """
    outcome = load(paths, dataset, database, prune=prune, strict=strict)
    finish(outcome, report, as_json=as_json, verb="ingested")


def check(paths: Paths, report: ReportFile = None, as_json: AsJson = False) -> None:
    """Check record files: what is wrong, what to write instead, and how well the records are
    verified. Changes nothing."""
    from errdex import ingest as ingestion
    from errdex.cli.views.ingest import shown_progress

    with plain_errors(), shown_progress() as listener:
        outcome = ingestion.check(paths, progress=listener, stdin=sys.stdin.buffer)
    finish(outcome, report, as_json=as_json, verb="checked")


def remove(
    dataset: Annotated[str | None, typer.Option(help="The dataset to remove.")] = None,
    repo: Annotated[
        str | None,
        typer.Option(
            metavar="OWNER/NAME",
            help="Only the records of this project; without --dataset those of every dataset "
            "but the starter records.",
        ),
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Remove a dataset, or the records of one project, all at once or not at all.

    For example, `errdex remove --dataset harvested` or `errdex remove --repo owner/name`.
    """
    from errdex import ingest as ingestion
    from errdex import starter
    from errdex.cli.views.ingest import print_removal, shown_progress

    if dataset is None and repo is None:
        raise typer.BadParameter("name the --dataset to remove, the --repo, or both.")
    if names_no_database(database) and dataset == starter.DATASET:
        raise typer.BadParameter(
            f"the dataset {dataset} comes with Errdex: the next ingestion would bring it back."
        )
    with opened_store(database, writes=True) as (store, indexes), shown_progress() as listener:
        try:
            report = ingestion.remove(
                store=store,
                indexes=indexes,
                dataset=dataset,
                repo=repo,
                spared={starter.DATASET},
                progress=listener,
            )
        except ingestion.NothingToRemove as nothing:
            fail(str(nothing), NOTHING)
    if as_json:
        typer.echo(orjson.dumps(report.to_dict(), option=orjson.OPT_INDENT_2).decode())
    else:
        print_removal(report)


def reindex(database: Database = None) -> None:
    """Rebuild the full-text index, and compiled patterns that are missing or damaged."""
    from errdex import ingest as ingestion
    from errdex.cli.views.ingest import shown_progress

    with opened_store(database, writes=True) as (store, indexes), shown_progress() as listener:
        version = ingestion.rebuild_index(store, indexes, progress=listener)
    if not version:
        fail("The database has no records yet: run `errdex ingest` first.", NOTHING)
    out().print(f"The full-text index of dataset version {version} is built.")


def copy(
    source: Annotated[
        str, typer.Option("--from", metavar="URL", help="The database to copy from.")
    ],
    target: Annotated[
        str, typer.Option("--to", metavar="URL", help="The database to copy to, which is empty.")
    ],
    as_json: AsJson = False,
) -> None:
    """Copy all records and causes from one database into an empty one, and compare the two.

    For example, from your own database into PostgreSQL: `errdex copy --from sqlite:///errdex.db
    --to postgresql+psycopg://errdex@db.example/errdex`. The version and its datasets stay the same.
    """
    from errdex import ingest as ingestion
    from errdex.cli.views.ingest import shown_progress

    with opened_store(source) as (given, _), opened_store(target) as (store, indexes):
        with shown_progress() as listener:
            report = ingestion.copy(given, store, indexes, progress=listener)
        name = store.name
    if as_json:
        typer.echo(orjson.dumps(report.to_dict(), option=orjson.OPT_INDENT_2).decode())
        return
    out().print(
        f"{report.records:,} records and {report.causes:,} causes of dataset version "
        f"{report.version} copied into {name}, read again and found equal."
    )


def load(
    paths: list[Path],
    dataset: str,
    database: str | None,
    *,
    prune: bool = False,
    prune_sources: Collection[Filters] = (),
    strict: bool = False,
) -> IngestReport:
    """Ingest files into a dataset; the user's own database gets the starter records first."""
    from errdex import ingest as ingestion
    from errdex import starter
    from errdex.cli.views.ingest import print_starter_report, shown_progress

    with opened_store(database, writes=True) as (store, indexes), shown_progress() as listener:
        ingestion.check_dataset_name(dataset)
        if names_no_database(database) and dataset != starter.DATASET:
            print_starter_report(
                starter.update_starter_records(
                    store, indexes, progress=listener, on_build=say_starter_is_built
                )
            )
        return ingestion.ingest(
            paths,
            store=store,
            indexes=indexes,
            dataset=dataset,
            prune=prune,
            prune_sources=prune_sources,
            strict=strict,
            progress=listener,
            stdin=sys.stdin.buffer,
        )


def finish(outcome: IngestReport, report: Path | None, *, as_json: bool, verb: str) -> None:
    """Show the report, write it where it was asked for, and end with its exit code."""
    document = orjson.dumps(outcome.to_dict(), option=orjson.OPT_INDENT_2).decode()
    if as_json:
        typer.echo(document)
    else:
        from errdex.cli.views.ingest import print_report

        print_report(outcome, verb)
    if report:
        with plain_errors():
            report.write_text(document + "\n", encoding="utf-8")
    raise typer.Exit(FOUND if outcome.ok else NOTHING)
