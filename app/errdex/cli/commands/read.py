"""The commands that read: search, show, export, stats, verify, version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import orjson
import typer

from errdex.cli.output_file import check_output, opened_output
from errdex.cli.views.terminal import NOTHING, counted, err, fail, on_one_line, out, write_raw
from errdex.cli.wiring import AsJson, Database, opened_knowledge, opened_store

if TYPE_CHECKING:
    from errdex.cli.lookup import LookedUp
    from errdex.knowledge import CauseItem, Knowledge, RecordAnswer

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
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Search the records; the best result comes first."""
    from errdex.cli.views.search import json_of, print_page
    from errdex.records.filters import Filters

    filters = Filters(repo=repo, error_class=error_class, tag=tag, language=language)
    with opened_knowledge(database) as knowledge:
        page = knowledge.search_records(" ".join(words), filters, limit=limit)
    if as_json:
        write_raw([json_of(page)])
    else:
        print_page(page)
    if not page.items:
        raise typer.Exit(NOTHING)


def show(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="An id or the beginning of one, the address of a page, a code such as E0382, "
            "a class, a cause, or words that one record alone has.",
        ),
    ],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show one record or cause, the fix first: `errdex show E0382`.

    If several records fit, they are listed.
    """
    from errdex.cli.lookup import look_up

    with opened_knowledge(database) as knowledge:
        found = look_up(knowledge, words)
        if found.record is not None:
            _show_record(knowledge, found.record, as_json=as_json)
        elif found.cause is not None:
            _show_cause(found.cause, as_json=as_json)
        else:
            _list_choices(" ".join(words), found)


def explain(
    words: Annotated[list[str], typer.Argument(metavar="NAME", help="As for `errdex show`.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show one record or cause: the same as `errdex show`."""
    show(words, database, as_json)


def _show_record(knowledge: Knowledge, answer: RecordAnswer, *, as_json: bool) -> None:
    from errdex.cli.views.record import record_rows
    from errdex.cli.views.rows import print_rows

    if as_json:
        version = orjson.dumps(answer.version)
        body = answer.stored.body_json.encode()
        write_raw([b'{"record":', body, b',"datasetVersion":', version, b"}\n"])
        return
    cause = knowledge.find_cause(answer.stored.background_tag)
    print_rows(record_rows(answer, cause))


def _show_cause(item: CauseItem, *, as_json: bool) -> None:
    from errdex.cli.views.record import cause_rows
    from errdex.cli.views.rows import print_rows

    if as_json:
        text = item.cause.to_dict() if item.cause else {"tag": item.tag, "title": item.title}
        document = {**text, "records": item.records}
        write_raw([orjson.dumps(document, option=orjson.OPT_INDENT_2), b"\n"])
        return
    print_rows(cause_rows(item))


def _list_choices(text: str, found: LookedUp) -> NoReturn:
    from errdex.cli.views.rows import print_rows
    from errdex.cli.views.search import item_rows

    if not found.choices:
        fail(f"Nothing is named “{text[:100]}”. Search for it: errdex search WORDS", NOTHING)
    print_rows(item_rows(found.choices))
    more = f", of which these are the first {len(found.choices)}"
    several = f"{counted(found.total, 'record')} may be meant" if found.total > 1 else "Not exact"
    listed = more if found.total > len(found.choices) else ""
    fail(f"{several}{listed}: show one by its id.", NOTHING)


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
    with opened_store(database) as (store, _), opened_output(output) as file:
        written = export_records(store, file, dataset=dataset)
    err().print(f"{counted(written, 'record')} exported")
    if not written:
        raise typer.Exit(NOTHING)


def stats(database: Database = None, as_json: AsJson = False) -> None:
    """Show how many records, datasets and values the database has."""
    from dataclasses import asdict

    with opened_knowledge(database) as knowledge:
        answer = knowledge.get_stats()
        patterns = knowledge.count_patterns()
    if as_json:
        document = {**asdict(answer), "patterns": patterns}
        write_raw([orjson.dumps(document, option=orjson.OPT_INDENT_2), b"\n"])
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
    with opened_store(database) as (store, _):
        damage = store.find_damage()
        for sentence in damage:
            err().print(on_one_line(sentence), style="red")
        if damage:
            fail(
                f"The database {store.path} is damaged: restore a copy of it, or move it away and "
                "ingest your record files again.",
                NOTHING,
            )
    out().print("The database is undamaged.")


def version(as_json: AsJson = False) -> None:
    """Show the version."""
    from importlib.metadata import version as installed_version

    number = installed_version("errdex")
    typer.echo(orjson.dumps({"version": number}).decode() if as_json else f"errdex {number}")
