"""The commands that read: search, export, stats, verify, version."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import orjson
import typer

from errdex.cli.output_file import check_output, opened_output
from errdex.cli.views.terminal import NOTHING, counted, err, fail, on_one_line, out, write_json
from errdex.cli.wiring import (
    AsJson,
    Database,
    Server,
    catch_up,
    opened_knowledge,
    opened_records,
    opened_store,
)

_OptionalText = str | None
_PLURALS = {"class": "classes", "severity": "severities", "background": "causes"}


def search(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WORD",
            help='Words, "phrases", class:, repo:, tag:, code:, cause:, prefix*, -not, '
            "or an error line.",
        ),
    ],
    repo: Annotated[_OptionalText, typer.Option(help="Only this repository.")] = None,
    error_class: Annotated[_OptionalText, typer.Option("--class", help="Only this class.")] = None,
    tag: Annotated[_OptionalText, typer.Option(help="Only this tag.")] = None,
    language: Annotated[_OptionalText, typer.Option(help="Only this language.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=200, help="Show at most this many results.")
    ] = 10,
    server: Server = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Search the records; the best result comes first."""
    from errdex.cli.views.search import document_of, print_page
    from errdex.records.filters import Filters

    filters = Filters(repo=repo, error_class=error_class, tag=tag, language=language)
    with opened_records(server, database) as (records, site):
        page = records.search_records(" ".join(words), filters, limit=limit)
    if as_json:
        write_json(document_of(page))
    else:
        print_page(page, site)
    if not page.items:
        raise typer.Exit(NOTHING)


def export(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write; - is standard output."
        ),
    ] = Path("-"),
    dataset: Annotated[_OptionalText, typer.Option(help="Only this dataset.")] = None,
    database: Database = None,
) -> None:
    """Write all records and causes as lines of JSON, which `errdex ingest` reads."""
    from errdex.ingest import export_records

    check_output(output)
    with opened_store(database) as (store, indexes), opened_output(output) as file:
        catch_up(store, indexes)
        written = export_records(store, file, dataset=dataset)
    err().print(f"{counted(written, 'record')} exported")
    if not written:
        raise typer.Exit(NOTHING)


def pack(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the pack.")
    ],
    database: Database = None,
) -> None:
    """Write the records' patterns and fixes as one file, for `errdex match --pack`."""
    check_output(output)
    with opened_knowledge(database) as knowledge, opened_output(output) as file:
        data, records = knowledge.join_pack()
        file.write(data)
    err().print(f"{counted(records, 'record')} packed, {len(data):,} bytes")


def stats(database: Database = None, as_json: AsJson = False) -> None:
    """Show how many records, datasets and values the database has."""
    from dataclasses import asdict

    with opened_knowledge(database) as knowledge:
        answer = knowledge.get_stats()
        patterns = knowledge.count_patterns()
    if as_json:
        document = {**asdict(answer), "patterns": patterns}
        write_json(document)
        return
    console = out()
    console.print(f"dataset version  {answer.version or 'none, nothing is ingested yet'}")
    console.print(f"records          {answer.records:,}")
    for dataset in answer.datasets:
        console.print(f"  {on_one_line(dataset.name):<15}{dataset.records:,}")
    for facet, number in answer.distinct.items():
        console.print(f"{_PLURALS.get(facet, facet + 's'):<17}{number:,}")
    console.print(f"patterns         {patterns.patterns:,}")
    console.print(f"  unfiltered     {patterns.unfiltered:,}, tried on every error")
    if patterns.refused:
        console.print(f"  refused        {patterns.refused:,}, never matched")
    console.print(f"database         {answer.bytes / 1e6:,.1f} MB")


def verify(database: Database = None) -> None:
    """Check the whole database for damage, such as that of a failing disk."""
    with opened_store(database) as (store, indexes):
        catch_up(store, indexes)
        damage = store.find_damage()
        for sentence in damage:
            err().print(on_one_line(sentence), style="red")
        if damage:
            fail(
                f"The database {store.name} is damaged: restore a copy of it, or move it away and "
                "ingest your record files again.",
                NOTHING,
            )
    out().print("The database is undamaged.")


def version(as_json: AsJson = False) -> None:
    """Show the version."""
    from importlib.metadata import version as installed_version

    number = installed_version("errdex")
    typer.echo(orjson.dumps({"version": number}).decode() if as_json else f"errdex {number}")
