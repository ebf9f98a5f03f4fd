"""The command that drafts records from a log: `errdex draft`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errdex.cli.logs import opened_log, read_log
from errdex.cli.matching import matcher
from errdex.cli.views.terminal import NOTHING, err, fail, write_raw
from errdex.cli.wiring import Database, Server


def draft(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A log, .gz and .zst too; - is standard input.",
            readable=False,  # said as of any file that cannot be read
        ),
    ] = Path("-"),
    repo: Annotated[
        str,
        typer.Option("--repo", metavar="OWNER/NAME", help="The project that the errors belong to."),
    ] = "",
    server: Server = None,
    limit: Annotated[int, typer.Option(min=1, help="Write at most this many drafts.")] = 10,
    database: Database = None,
) -> None:
    """Write a record file in YAML for the errors of a log that have no record yet.

    For example, `errdex draft build.log > data/mine.yaml`. Names, addresses and secrets of the
    log are masked. Replace what the draft asks for, then run `errdex check` on it.
    Exit codes: 0 drafted, 1 nothing to draft, 2 wrong usage, 3 failure.
    """
    from dataclasses import replace

    from errdex.formats.draft import draft_record, list_unknown, write_drafts
    from errdex.matching.reading.decoding import decode

    with opened_log(file) as source, matcher(server, database) as matched:
        paste = read_log(source)
        answer = matched(paste)
    events = list_unknown(answer)
    if not events:
        known = sum(each.known for each in answer.events)
        fail(
            "Every error of this log has a record: run `errdex match`."
            if known
            else "No error was found in this log.",
            NOTHING,
        )
    text = decode(paste)
    drafts = [draft_record(each, text) for each in events[:limit]]
    if repo:
        drafts = [replace(each, repo=repo) for each in drafts]
    write_raw([write_drafts(drafts).encode()])
    if len(events) > limit:
        err().print(f"{len(events) - limit} more are left out: see --limit.")
