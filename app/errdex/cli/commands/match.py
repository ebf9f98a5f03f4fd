"""The command that matches logs: `errdex match`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from errdex.cli.answering import Answering
from errdex.cli.logs import STANDARD_INPUT, holds_several, read_cases, read_logs, read_reports
from errdex.cli.matching import Baseline, FailOn, LogCounts, Only, matcher
from errdex.cli.views.terminal import NOTHING, USAGE, fail
from errdex.cli.wiring import AsJson, Database, Server, address_of
from errdex.formats.options import WriteOptions
from errdex.formats.table import FORMATS, OutputFormat, UnknownFormat, get_format

_NO_LOGS = "No logs: the folders hold no text files."
_WORKSPACES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE")
"""Where GitHub, GitLab and Jenkins say that the checkout is."""
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", help=f"The format of the answer: {', '.join(FORMATS)}."
    ),
]
Root = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="The checkout that a log is about, which file names are relative to. By default the "
        f"folder that {', '.join(_WORKSPACES[:-1])} or {_WORKSPACES[-1]} names, then this one.",
    ),
]


def match(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Logs, .gz and .zst too, and folders or .zip files of them; - is standard input, "
            "the default.",
            readable=False,  # said as of any file that cannot be read
        ),
    ] = None,
    junit: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="REPORT",
            help="A JUnit report: answer each failing case. With --format junit, write the report "
            "with what is known.",
        ),
    ] = None,
    follow_it: Annotated[
        bool, typer.Option("--follow", help="Answer while the log is still being written.")
    ] = False,
    server: Server = None,
    limit: Annotated[
        int,
        typer.Option(min=1, help="Show at most this many errors of a log in formats for people."),
    ] = 10,
    format_name: FormatName = None,
    root: Root = None,
    only: Annotated[
        Only | None, typer.Option(help="Write only errors with a record, or only those without.")
    ] = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            help="Exit with 4 if there are such errors, else with 0. Lines that only report a "
            "failure are not unknown errors."
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="LOG",
            help="Leave out the errors that this earlier log, or folder of logs, has too.",
        ),
    ] = None,
    pack: Annotated[
        Path | None,
        typer.Option(
            "--pack", metavar="FILE", help="Match with what `errdex pack` wrote, not a database."
        ),
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Find the known errors in logs: what each one means, why it happens, and how to fix it.

    For example, `make 2>&1 | errdex match` or `errdex match logs/ build.log`. Logs are neither
    stored nor logged.

    Exit codes: 0 a record matches, 1 none does, 2 wrong usage, 3 failure; with --fail-on 0 or 4.
    """
    form = chosen_format(format_name, as_json)
    paths = files or ([] if junit else [STANDARD_INPUT])
    several = bool(junit) or len(paths) > 1 or holds_several(paths[0])
    if follow_it and several:
        fail("--follow is for one log: name one file.", USAGE)
    if follow_it and not form.streams:
        fail(f"--follow cannot write {form.name}, which is one document.", USAGE)
    tally = LogCounts()
    with matcher(server, database, pack) as matched:
        before = Baseline(baseline, matched) if baseline else None
        options = write_options(server, limit, root)
        answering = Answering(before or matched, form, options, tally, only)
        if junit:
            _answer_reports(answering, junit, paths)
        elif several:
            answering.several(read_logs(paths, tally.failed), _NO_LOGS)
            if not tally.logs and not tally.failed:
                raise typer.Exit(NOTHING)  # whatever --fail-on says: nothing was looked at
        elif follow_it:
            answering.follow(paths[0])
        else:
            answering.one(paths[0])
        if before:
            before.say_left_out()
    if code := tally.exit_code(fail_on):
        raise typer.Exit(code)


def _answer_reports(answering: Answering, reports: Sequence[Path], logs: Sequence[Path]) -> None:
    tally = answering.tally
    if answering.form.name != "junit":
        cases = read_cases(reports, tally.failed)
        answering.several(chain(cases, read_logs(logs, tally.failed)), "No failing cases.")
        return
    if len(reports) > 1 or logs:
        fail("--format junit writes one report: give one --junit and no logs.", USAGE)
    for _, report in read_reports(reports, tally.failed):
        answering.report(report)


def write_options(server: str | None, limit: int, root: Path | None) -> WriteOptions:
    """How answers are written, for the options of the command."""
    from errdex.formats.ci.checkout import SourceFolder

    named = (os.environ.get(name) for name in _WORKSPACES)
    folder = root or Path(next((each for each in named if each), "."))
    if root and not root.is_dir():
        fail(f"--root {root} is no folder.", USAGE)
    site = None if server is None else address_of(server)
    return WriteOptions(site=site, limit=limit, indent=True, checkout=SourceFolder(folder))


def chosen_format(name: str | None, as_json: bool) -> OutputFormat:
    """The format of the options; `--json` is short for `--format json`."""
    try:
        form = get_format(("json" if as_json else "text") if name is None else name)
    except UnknownFormat as error:
        fail(str(error), USAGE)
    if as_json and form.name != "json":
        fail(f"--json and --format {form.name} contradict each other: give one of them.", USAGE)
    return form
